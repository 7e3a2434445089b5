import Explanation
import URLLoading

extension ClientEndpoint {
  /// Bytes of the response have come, protected or not.
  mutating func read(_ bytes: [UInt8]) -> [EndpointEffect] {
    received += bytes
    guard !isAnswered, let body = HTTP.body(of: received) else { return [] }
    isAnswered = true
    if configuration.followsRedirects,
      let redirection = Redirection(received, to: configuration.request, of: url)
    {
      return [.decided(follow(redirection))] + effects(of: connection?.close() ?? [])
    }
    content = body
    return [
      .decided(
        Decision(
          title: "the app receives the content",
          narration: "The URL Loading System hands \(body.count) bytes of content to the app: the load is accepted.",
          findings: []))
    ] + effects(of: connection?.close() ?? [])
  }

  /// What was asked for so far, of the URL itself and of those from which redirects have led here.
  public var visited: [String] { configuration.visited + [configuration.request.asked(of: url)] }

  /// A redirect is a load of its own; one that leads back would have no end.
  private mutating func follow(_ redirection: Redirection) -> Decision {
    let seen = visited
    let finding = configuration.tls.enforcement.check(
      .redirectLoop, on: .url(redirection.url.description),
      !seen.contains(redirection.request.asked(of: redirection.url)), found: .words(seen))
    if finding.refuses {
      return Decision(
        title: "the client gives up: a redirect loop",
        narration: "\(redirection.status) leads back to \(redirection.url): the same answer would come again.",
        findings: [finding])
    }
    self.redirection = redirection
    return Decision(
      title: "the client is redirected to \(redirection.url)",
      narration:
        "\(redirection.status) sends the load on. The next hop is judged as a load of its own, by App Transport "
        + "Security as well.", findings: [finding])
  }
}

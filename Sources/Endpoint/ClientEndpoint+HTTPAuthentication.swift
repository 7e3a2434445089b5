import Explanation
import URLLoading

extension ClientEndpoint {
  /// A response that wants to know who the client is (401), or will not say more to whom it knows (403); nil for others.
  ///
  /// The credential of the URL is the answer, once, to the first 401: RFC 3986 section 3.2.1.
  mutating func authenticate(_ message: HTTPMessage) -> [EndpointEffect]? {
    guard let status = message.status, [401, 403].contains(status) else { return nil }
    // Who passes a response on answers nothing itself, and may be asked to pass on the next request.
    guard configuration.followsRedirects else { return status == 401 && configuration.keepsAlive ? keep(message) : nil }
    if status == 403 { return deliver("403 Forbidden", []) }
    var authorization =
      self.authorization
      ?? HTTPAuthorization(date: trust.date, random: configuration.tls.random.stream("cnonce"))
    let values = message.fields.filter { $0.name.lowercased() == "www-authenticate" }.map(\.value)
    let outcome = authorization.receive(values, configuration.tls.enforcement)
    defer { self.authorization = authorization }
    switch outcome.step {
    case .delivers: return deliver("401 Unauthorized", outcome.findings)
    case .resends:
      return found(outcome.findings) + sendAgain(&authorization)
    case .asks(let question):
      guard configuration.keepsAlive, let credential = url.userInfo, question.failed != credential else {
        return deliver("401 Unauthorized", outcome.findings)
      }
      authorization.use(credential)
      let findings = outcome.findings + authorization.findings(isSecure: url.isSecure, configuration.tls.enforcement)
      let decision = Decision(
        title: "the client answers with the credential of the URL",
        narration: "The server asks for a name and a password by \(question.scheme.rawValue)"
          + (question.realm.map { " in the realm '\($0)'" } ?? "")
          + ". The URL has both, and the request is sent again with them.", findings: findings)
      return [.decided(decision)] + sendAgain(&authorization)
    }
  }

  /// The response is there, and the connection stays for `ask`.
  private mutating func keep(_ message: HTTPMessage) -> [EndpointEffect] {
    isAnswered = true
    content = message.content
    return []
  }

  /// Another request on the connection that was kept; nil where there is none.
  public mutating func ask(_ request: HTTPRequest) -> [EndpointEffect]? {
    guard configuration.keepsAlive, isAnswered, connection?.isOver != true else { return nil }
    isAnswered = false
    content = nil
    reader = HTTPReader(.response(method: request.method))
    return send(HTTP.bytes(of: request, host: url.authority, keepsAlive: true))
  }

  private func found(_ findings: [Finding]) -> [EndpointEffect] { findings.isEmpty ? [] : [.found(findings)] }

  /// The app gets the response as it is, without an error; what it wanted it does not get.
  private mutating func deliver(_ status: String, _ findings: [Finding]) -> [EndpointEffect] {
    isAnswered = true
    let refused = configuration.tls.enforcement.check(
      .unauthorized, on: .message("HTTP response"), false, found: .word(status))
    let all = status.hasPrefix("401") && !findings.refuses ? findings + [refused] : findings
    return [
      .decided(
        Decision(
          title: "the app receives \(status)",
          narration: "The response is handed to the app as it is. What was asked for is not in it.", findings: all))
    ] + effects(of: connection?.close() ?? [])
  }

  /// The request once more on the same connection, with what says who the client is.
  private mutating func sendAgain(_ authorization: inout HTTPAuthorization) -> [EndpointEffect] {
    reader = HTTPReader(.response(method: configuration.request.method))
    let field = authorization.authorization(method: configuration.request.method, uri: configuration.request.path)
    return send(
      HTTP.bytes(
        of: configuration.request, host: url.authority, authorization: field, keepsAlive: configuration.keepsAlive))
  }
}

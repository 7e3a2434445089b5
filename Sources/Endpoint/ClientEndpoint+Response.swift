import Explanation
import URLLoading

extension ClientEndpoint {
  /// Bytes of the response have come, protected or not.
  mutating func read(_ bytes: [UInt8]) -> [EndpointEffect] {
    if isAnswered { return [] }
    if webSocket != nil { return readFrames(bytes) }
    do throws(HTTPFault) {
      guard let message = try reader.append(bytes) else { return [] }
      return take(message)
    } catch {
      return refuse(error)
    }
  }

  /// The server has closed the connection, which ends a response of no announced length, and cuts any other short: RFC
  /// 9112 section 8.
  mutating func ended() -> [EndpointEffect] {
    if isAnswered { return [] }
    // An open WebSocket whose server does not say Close was closed abnormally, which is no fault: RFC 6455 section 7.1.5.
    if webSocket != nil {
      isAnswered = true
      return []
    }
    do throws(HTTPFault) {
      guard let message = try reader.end() else { return [] }
      return take(message)
    } catch {
      return refuse(error)
    }
  }

  /// What a response lacks that says itself where it ends, once nothing more comes: RFC 9112 section 9.8.
  mutating func cutShort() -> [Finding] {
    if isAnswered || parameters == nil { return [] }
    isAnswered = true
    do throws(HTTPFault) {
      _ = try reader.end()
      return []
    } catch {
      return [finding(of: error)]
    }
  }

  private func finding(of fault: HTTPFault) -> Finding {
    configuration.tls.enforcement.check(
      fault.rule, on: .message(fault.rule == .malformedFrame ? .webSocketFrame : .httpResponse), false,
      found: .word(fault.found))
  }

  private mutating func take(_ message: HTTPMessage) -> [EndpointEffect] {
    if awaitsTunnel { return tunnelAnswered(message) }
    if let effects = authenticate(message) ?? openWebSocket(message) { return effects }
    // Nobody asked for another protocol: RFC 9110 section 7.8 has a server switch to none then.
    if message.status == 101 {
      return refuse(HTTPFault(.malformedMessage, "101 Switching Protocols, where nobody asked for an upgrade"))
    }
    isAnswered = true
    let redirection = Redirection(message, to: configuration.request, of: url)
    if configuration.followsRedirects, let redirection {
      return [.decided(follow(redirection))] + effects(of: connection?.close() ?? [])
    }
    unfollowedRedirection = redirection
    foreignRedirection = Redirection.target(of: message, from: url).flatMap { $0.isHTTP ? nil : $0 }
    content = message.content
    conversation.recordSuccess()
    if !url.isSecure { conversation.recordSuccess(withProxy: true) }
    return [.decided(Decision(.load(.received(byteCount: message.content.count))))]
      + effects(of: connection?.close() ?? [])
  }

  /// The app gets nothing of what is no whole response.
  mutating func refuse(_ fault: HTTPFault) -> [EndpointEffect] {
    isAnswered = true
    return [.decided(Decision(.load(.responseRejected(fault)), [finding(of: fault)]))]
      + effects(of: connection?.close() ?? [])
  }

  /// What was asked for so far, of the URL itself and of those from which redirects have led here.
  public var visited: [String] { configuration.visited + [configuration.request.line(of: url)] }

  /// A redirect is a load of its own; one that leads back would have no end.
  private mutating func follow(_ redirection: Redirection) -> Decision {
    let seen = visited
    let finding = configuration.tls.enforcement.check(
      .redirectLoop, on: .url(redirection.url.description),
      !seen.contains(redirection.request.line(of: redirection.url)), found: .words(seen))
    if finding.refuses {
      return Decision(.load(.redirectLoop(redirection)), [finding])
    }
    let count = configuration.tls.enforcement.check(
      .redirectLoop, on: .url(redirection.url.description), seen.count <= LoadURL.mostRedirects,
      required: .atMost(.number(LoadURL.mostRedirects)), found: .number(seen.count))
    if count.refuses {
      return Decision(.load(.tooManyRedirects(redirection, number: seen.count)), [count])
    }
    self.redirection = redirection
    return Decision(.load(.redirected(redirection)), [finding])
  }
}

/// Where a response sends a client on to: RFC 9110 section 15.4.
public struct Redirection: Sendable, Hashable {
  /// The status code: 302.
  public let status: Int
  /// The URL to load in place of the first.
  public let url: LoadURL
  /// What to ask for there.
  public let request: HTTPRequest

  /// What `response` to `request` of `url` says; nil when it is no redirect, or leads nowhere.
  init?(_ response: HTTPMessage, to request: HTTPRequest, of url: LoadURL) {
    guard let target = Self.target(of: response, from: url), target.isHTTP, let code = response.status else {
      return nil
    }
    status = code
    self.url = target
    // RFC 9110 sections 15.4.2 to 15.4.4: what was posted is not posted again, unless the code says so.
    let repeats = [307, 308].contains(code) || ["GET", "HEAD"].contains(request.method)
    self.request =
      repeats
      ? HTTPRequest(method: request.method, path: target.path, body: request.body) : HTTPRequest(path: target.path)
  }

  /// The URL that `response` leads to, of whatever scheme; nil when it is no redirect, or leads nowhere.
  static func target(of response: HTTPMessage, from url: LoadURL) -> LoadURL? {
    guard HTTPAnswer.statuses.contains(where: { $0.code == response.status }) else { return nil }
    return response.value(of: "location").flatMap(url.resolving)
  }
}

extension HTTPRequest {
  /// Method and URL, by which a client knows what it has asked for: `GET https://api.example/`.
  func line(of url: LoadURL) -> String { "\(method) \(url.scheme)://\(url.authority)\(url.path)" }
}

extension Rule {
  /// A redirect leads on.
  public static let redirectLoop = Rule(
    .application, "redirect-loop",
    "Redirects come to an end: none leads back to a URL that was loaded before, and a load follows at most 16.",
    .rfc(9110, "15.4"), fix: "Let the server answer one of the URLs itself.")

  /// Somebody is there.
  public static let hostNotFound = Rule(
    .application, "host-not-found", "A server answers for the host that a redirect leads to.", .rfc(9110, "15.4"),
    fix: "Let the redirect lead to a host that there is.")

  /// The rules of redirects.
  static let redirects: [Rule] = [.redirectLoop, .hostNotFound]
}

import Explanation
import URLLoading

extension ClientEndpoint {
  /// Reads bytes of the response, whether protected or not.
  mutating func read(_ bytes: [UInt8]) -> [EndpointEffect] {
    if isAnswered { return [] }
    if webSocket != nil { return readFrames(bytes) }
    if usesHTTP2 {
      frames += bytes
      return []
    }
    do throws(HTTPFault) {
      guard let message = try reader.append(bytes) else { return [] }
      return take(message)
    } catch {
      return refuse(error)
    }
  }

  /// Handles the end of the connection (RFC 9112 section 8).
  ///
  /// The end completes a response without a stated length, and truncates any other response.
  mutating func ended() -> [EndpointEffect] {
    // The frames that arrived with the end may complete a response over HTTP/2.
    if isAnswered || !frames.isEmpty { return [] }
    // A WebSocket that ends without a Close frame from the server was closed abnormally, but this is no violation: RFC
    // 6455 section 7.1.5.
    if webSocket != nil {
      isAnswered = true
      return []
    }
    do throws(HTTPFault) {
      guard let message = try endReading() else { return [] }
      return take(message)
    } catch {
      return refuse(error)
    }
  }

  /// The findings about a response that is incomplete when the connection ends (RFC 9112 section 9.8).
  mutating func cutShort() -> [Finding] {
    if isAnswered || parameters == nil { return [] }
    isAnswered = true
    do throws(HTTPFault) {
      _ = try endReading()
      return []
    } catch {
      return [finding(of: error)]
    }
  }

  /// The response that the end of the connection completes. Frames state where a response over HTTP/2 ends.
  private mutating func endReading() throws(HTTPFault) -> HTTPMessage? {
    if usesHTTP2 { throw .incompleteHTTP2("the end of a response") }
    return try reader.end()
  }

  private func finding(of fault: HTTPFault) -> Finding {
    configuration.tls.enforcement.check(
      fault.rule, on: .message(fault.rule == .malformedFrame ? .webSocketFrame : .httpResponse), false,
      found: .word(fault.found))
  }

  mutating func take(_ message: HTTPMessage) -> [EndpointEffect] {
    if awaitsTunnel { return tunnelAnswered(message) }
    if let effects = authenticate(message) ?? openWebSocket(message) { return effects }
    // A server may switch protocols only at the client's request: RFC 9110 section 7.8.
    if message.status == 101 {
      return refuse(HTTPFault(.malformedMessage, "101 Switching Protocols without a request to upgrade"))
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
    return [.decided(Decision(message.delivery))]
      + effects(of: connection?.close() ?? [])
  }

  /// Rejects an incomplete or malformed response. The app receives nothing.
  mutating func refuse(_ fault: HTTPFault) -> [EndpointEffect] {
    isAnswered = true
    return [.decided(Decision(.load(.responseRejected(fault)), [finding(of: fault)]))]
      + effects(of: connection?.close() ?? [])
  }

  /// The requests that were sent: for the URL itself, and for the URLs of earlier redirects.
  public var visited: [String] { configuration.visited + [configuration.request.line(of: url)] }

  /// Follows a redirect with a new load. A redirect to an earlier URL is refused, because it would never end.
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

extension HTTPMessage {
  /// The event in which the app receives this response. One with an error status is not the requested content.
  fileprivate var delivery: DecisionEvent {
    guard let status, status >= 400 else { return .load(.received(byteCount: content.count)) }
    return .load(.responseDelivered(status: String(startLine.drop { $0 != " " }.dropFirst())))
  }
}

/// A redirect in a response (RFC 9110 section 15.4).
public struct Redirection: Sendable, Hashable {
  /// The status code, such as 302.
  public let status: Int
  /// The URL that the redirect leads to.
  public let url: LoadURL
  /// The request for the new URL.
  public let request: HTTPRequest

  /// Parses the redirect in `response` to `request` of `url`; nil if there is none or its target is invalid.
  init?(_ response: HTTPMessage, to request: HTTPRequest, of url: LoadURL) {
    guard let target = Self.target(of: response, from: url), target.isHTTP, let code = response.status else {
      return nil
    }
    status = code
    self.url = target
    // RFC 9110 sections 15.4.2 to 15.4.4: a POST becomes a GET, unless the status code forbids it.
    let repeats = [307, 308].contains(code) || ["GET", "HEAD"].contains(request.method)
    self.request =
      repeats
      ? HTTPRequest(method: request.method, path: target.path, body: request.body) : HTTPRequest(path: target.path)
  }

  /// The target of a redirect with any scheme; nil if there is no redirect or its target is invalid.
  static func target(of response: HTTPMessage, from url: LoadURL) -> LoadURL? {
    guard HTTPAnswer.statuses.contains(where: { $0.code == response.status }) else { return nil }
    return response.value(of: "location").flatMap(url.resolving)
  }
}

extension HTTPRequest {
  /// The method and URL, which identify a client's request, such as `GET https://api.example/`.
  func line(of url: LoadURL) -> String { "\(method) \(url.scheme)://\(url.authority)\(url.path)" }
}

extension Rule {
  /// `application.redirect-loop`
  public static let redirectLoop = Rule(
    .application, "redirect-loop",
    "No redirect leads back to an earlier URL, and a load follows at most 16 redirects.",
    .rfc(9110, "15.4"), fix: "Make the server respond with content at one of the URLs.")

  /// `application.host-not-found`
  public static let hostNotFound = Rule(
    .application, "host-not-found", "A server exists for the target host of a redirect.", .rfc(9110, "15.4"),
    fix: "Redirect to a host that exists.")

  /// All rules about redirects.
  static let redirects: [Rule] = [.redirectLoop, .hostNotFound]
}

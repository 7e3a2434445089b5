import Explanation
import URLLoading

/// A proxy from the network settings, or from the `connectionProxyDictionary` of a session's configuration.
public struct ProxyAddress: Sendable, Hashable {
  /// The proxy's host.
  public var host: String
  /// The proxy's port.
  public var port: UInt16

  /// Creates the address of a proxy.
  public init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }
}

// The connection of a client that reaches its server through a proxy: RFC 9110 section 9.3.6.
extension ClientEndpoint {
  /// The host and port of the URL, to which the tunnel leads (RFC 9112 section 3.2.3).
  private var tunnelTarget: String { "\(url.host):\(url.port ?? 443)" }

  /// Whether the client waits for the proxy to open a tunnel.
  var awaitsTunnel: Bool { configuration.proxy != nil && url.isSecure && connection == nil }

  /// Requests a tunnel from the proxy, in the clear and before TLS with the server starts.
  mutating func connect() -> [EndpointEffect] {
    reader = HTTPReader(.response(method: "CONNECT"))
    let target = tunnelTarget
    let field = proxyAuthorization?.authorization(method: "CONNECT", uri: target)
    let bytes = HTTP.connect(to: target, proxyAuthorization: field)
    tunnelRequests += 1
    let value = Value(
      configuration.tls.valueScope.name(.connect, number: tunnelRequests), bytes, .published,
      .generated(by: configuration.tls.party))
    return [.derived(value), .send(Transmission(http: bytes, name: .connectRequest))]
  }

  /// Handles the proxy's response to the request for a tunnel.
  mutating func tunnelAnswered(_ message: HTTPMessage) -> [EndpointEffect] {
    if message.status == 407 { return authenticate(message, for: .proxy) }
    guard let status = message.status, (200..<300).contains(status) else { return noTunnel(message.startLine, []) }
    conversation.recordSuccess(withProxy: true)
    reader = HTTPReader(.response(method: configuration.request.method))
    return [.decided(Decision(.load(.tunnelOpened(to: tunnelTarget))))] + startTLS()
  }

  /// Ends a load because the proxy did not open a tunnel.
  mutating func noTunnel(_ answer: String, _ findings: [Finding]) -> [EndpointEffect] {
    isAnswered = true
    let refused = configuration.tls.enforcement.check(
      .proxyUnauthorized, on: .message(.connectResponse), false, found: .word(answer))
    return [
      .decided(
        Decision(
          .load(.tunnelRefused(response: answer)),
          // The proxy's own finding explains why an authenticated client gets no tunnel.
          findings.refuses || answer.contains(" 403 ") ? findings : findings + [refused]))
    ]
  }
}

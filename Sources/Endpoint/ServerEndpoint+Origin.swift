import Explanation
import PKIX
import Trust
import URLLoading

/// Checks that a request is for an origin that the TLS server serves (RFC 9110 section 7.4).
extension ServerEndpoint {
  /// Responds with 421 (Misdirected Request) to a request for another origin (RFC 9110 section 15.5.20).
  ///
  /// Nil if the request is for the server's own origin, or if the server does not check origins.
  mutating func answerMisdirected(_ message: HTTPMessage) -> [EndpointEffect]? {
    guard connection != nil, let names = configuration.names, let origin = misdirection(of: message, names) else {
      return nil
    }
    let persists = mayPersist(after: message)
    isRefused = !persists
    let decision = Decision(.server(.misdirected(request: asked, origin)))
    return [.decided(decision)] + respond(with: persists ? HTTP.keptMisdirected : HTTP.misdirected)
  }

  /// The other origin that a request is for; nil for the server's own origin, and if the request names none.
  ///
  /// The port is not compared, because a forwarded connection may use another port.
  private func misdirection(of message: HTTPMessage, _ names: [String]) -> ServerEvent.Origin? {
    if let url = message.target, !url.isSecure { return .scheme(url.scheme) }
    guard let host = message.targetHost, !host.isEmpty, !Self.isThisMachine(host) else { return nil }
    let isOwn = names.contains { Self.comparable($0) == Self.comparable(host) }
    return isOwn || isCertified(host) ? nil : .host(host)
  }

  /// Whether the presented certificate is valid for `host`. In a resumed session, any certificate of the server is
  /// compared.
  private func isCertified(_ host: String) -> Bool {
    let leaves = shownLeaf.map { [$0] } ?? configuration.tls.allCredentials.compactMap(\.certificates.first)
    let identity = ServerIdentity(host, os: nil)
    return leaves.compactMap { try? Certificate(der: $0) }.contains { leaf in
      identity.findings(on: leaf).contains { $0.rule == .nameMismatch && $0.outcome == .satisfied }
    }
  }

  /// Whether `host` is the client's own machine, by name or by a loopback address.
  ///
  /// Tests often reach a server by such a host. See RFC 6761 section 6.3, RFC 1122 section 3.2.1.3 and RFC 4291 section
  /// 2.5.3.
  private static func isThisMachine(_ host: String) -> Bool {
    switch RequestedHost(host) {
    case .name(let name): name == "localhost" || name.hasSuffix(".localhost")
    case .address(let bytes, _):
      bytes.count == 4 ? bytes.first == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    case .invalid: false
    }
  }

  /// The host in a form that can be compared: a lower-case name with A-labels, or an address in canonical form.
  private static func comparable(_ host: String) -> String {
    switch RequestedHost(host) {
    case .name(let name): name
    case .address(let bytes, _): RequestedHost.text(ofAddress: bytes)
    case .invalid(let text): text.lowercased()
    }
  }
}

extension HTTPMessage {
  /// The host that a request is for, without its port; nil if the request names none.
  ///
  /// An absolute-form target takes precedence over the Host field (RFC 9112 section 3.2.2).
  fileprivate var targetHost: String? {
    target.map { $0.address?.description ?? $0.host } ?? value(of: "host").map(HostField.host(of:))
  }
}

extension HTTP {
  /// The response to a request for another origin.
  static let misdirected = Array(
    "HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
  /// The same response for a connection that stays open.
  static let keptMisdirected = persisting([misdirected]).flatMap(\.self)
}

import Explanation
import PKIX
import Trust
import URLLoading

/// For which origins a server on TLS answers: RFC 9110 section 7.4.
extension ServerEndpoint {
  /// Answers a request for an origin that is not the server's with 421 (Misdirected Request), RFC 9110 section 15.5.20; nil
  /// where it is the server's own, or nobody asks whose it is.
  mutating func answerMisdirected(_ message: HTTPMessage) -> [EndpointEffect]? {
    guard connection != nil, let names = configuration.names, let origin = misdirection(of: message, names) else {
      return nil
    }
    let persists = mayPersist(after: message)
    isRefused = !persists
    let decision = Decision(.server(.misdirected(request: asked, origin)))
    return [.decided(decision)] + respond(with: persists ? HTTP.keptMisdirected : HTTP.misdirected)
  }

  /// For whom the request is, where that is somebody else; nil where it is for this server, or says nothing. The port does
  /// not count: it may be another where the connection was forwarded.
  private func misdirection(of message: HTTPMessage, _ names: [String]) -> ServerEvent.Origin? {
    if let url = message.target, !url.isSecure { return .scheme(url.scheme) }
    guard let host = message.targetHost, !host.isEmpty, !Self.isThisMachine(host) else { return nil }
    let isOwn = names.contains { Self.comparable($0) == Self.comparable(host) }
    return isOwn || isCertified(host) ? nil : .host(host)
  }

  /// Whether the certificate that was shown is for `host`; in a resumed session any that the server has.
  private func isCertified(_ host: String) -> Bool {
    let leaves = shownLeaf.map { [$0] } ?? configuration.tls.allCredentials.compactMap(\.certificates.first)
    let identity = ServerIdentity(host, os: nil)
    return leaves.compactMap { try? Certificate(der: $0) }.contains { leaf in
      identity.findings(on: leaf).contains { $0.rule == .nameMismatch && $0.outcome == .satisfied }
    }
  }

  /// Whether `host` leads back to the machine of whoever asks, by name (RFC 6761 section 6.3) or by a loopback address (RFC
  /// 1122 section 3.2.1.3, RFC 4291 section 2.5.3): a server that is tried out is asked there, whatever its name.
  private static func isThisMachine(_ host: String) -> Bool {
    switch RequestedHost(host) {
    case .name(let name): name == "localhost" || name.hasSuffix(".localhost")
    case .address(let bytes, _):
      bytes.count == 4 ? bytes.first == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    case .invalid: false
    }
  }

  /// The host as it is compared: a name in lower case and with A-labels, an address in its one canonical form.
  private static func comparable(_ host: String) -> String {
    switch RequestedHost(host) {
    case .name(let name): name
    case .address(let bytes, _): RequestedHost.text(ofAddress: bytes)
    case .invalid(let text): text.lowercased()
    }
  }
}

extension HTTPMessage {
  /// The host that a request is for, without its port: that of a target in absolute-form, whatever Host says (RFC 9112
  /// section 3.2.2). Nil where nothing names one.
  fileprivate var targetHost: String? {
    target.map { $0.address?.description ?? $0.host } ?? value(of: "host").map(HostField.host(of:))
  }
}

extension HTTP {
  /// The response to a request for another origin.
  static let misdirected = Array(
    "HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8)
  /// The same on a connection that stays open for requests that are for this one.
  static let keptMisdirected = persisting([misdirected]).flatMap(\.self)
}

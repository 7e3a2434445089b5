import Cryptography
import Explanation

/// A server's certificates, the private key of the first one, and the host names that it is valid for.
public struct ServerCredentials: Sendable {
  /// The certificates in DER, starting with the server's own. TLS does not parse them.
  public var certificates: [[UInt8]]
  /// The key of the first certificate.
  public var privateKey: PrivateKey
  /// The name of the private key as a value, such as `api.key`.
  public var privateKeyName: Value.ID
  /// The host names in the first certificate, such as `*.shop.example`. An empty list matches any host.
  public var names: [String]
  /// The stapled OCSP response in DER; nil if there is none.
  public var ocspResponse: [UInt8]?
  /// The encoded SignedCertificateTimestampList of the first certificate (RFC 6962 section 3.3); nil if there is none.
  public var sctList: [UInt8]?
  /// The schemes that the key signs with, in order of preference; nil for all schemes that the server supports.
  public var signatureSchemes: [SignatureScheme]?

  /// Creates credentials from `certificates` and the private key of the first one.
  public init(
    certificates: [[UInt8]], privateKey: PrivateKey, privateKeyName: Value.ID, names: [String] = []
  ) {
    self.certificates = certificates
    self.privateKey = privateKey
    self.privateKeyName = privateKeyName
    self.names = names.map { $0.lowercased() }
  }

  /// Whether the first certificate is valid for this host. A wildcard label matches the leftmost label (RFC 9525
  /// section 6.3).
  func suits(_ host: String) -> Bool {
    let host = host.lowercased()
    let parent = host.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).last.map { "*.\($0)" }
    return names.isEmpty || names.contains(host) || parent.map(names.contains) ?? false
  }
}

/// A server's response to an unknown host name (RFC 6066 section 3).
public enum UnrecognizedName: String, Sendable, Hashable, CaseIterable {
  /// The server ends the connection with the alert unrecognized_name.
  case fatal
  /// The server sends unrecognized_name as a warning and continues. The RFC does not recommend this, because clients
  /// react unpredictably.
  case warning
  /// The server continues without an alert.
  case ignored = "none"
}

extension ServerConfiguration {
  /// All credentials of the server, starting with the default.
  public var allCredentials: [ServerCredentials] { [credentials] + otherCredentials }

  /// The certificates in DER, starting with the server's own. TLS does not parse them.
  public var certificates: [[UInt8]] {
    get { credentials.certificates }
    set { credentials.certificates = newValue }
  }

  /// The key of the first certificate.
  public var privateKey: PrivateKey {
    get { credentials.privateKey }
    set { credentials.privateKey = newValue }
  }

  /// The name of the private key as a value, such as `api.key`.
  public var privateKeyName: Value.ID {
    get { credentials.privateKeyName }
    set { credentials.privateKeyName = newValue }
  }

  /// Whether one of the server's certificates is valid for this host.
  func recognizes(_ name: String) -> Bool { allCredentials.contains { $0.suits(name) } }

  /// The credentials for a client that requests this host, in order.
  ///
  /// These are the credentials that are valid for the host. If there are none, these are the credentials with the same
  /// names as the default.
  func allCredentials(for offer: ClientHello) -> [ServerCredentials] {
    let named = offer.extensions?.serverName.map { name in allCredentials.filter { $0.suits(name) } } ?? []
    return named.isEmpty ? allCredentials.filter { $0.names == credentials.names } : named
  }

  /// The same server with only the credentials for this client.
  ///
  /// Among the credentials for the host, the server selects those that lead to the best suite in the order of the
  /// deciding side. If several do, it selects the first.
  func showing(_ offer: ClientHello) -> ServerConfiguration {
    let variants = allCredentials(for: offer).map { credentials in
      var variant = self
      (variant.credentials, variant.otherCredentials) = (credentials, [])
      return variant
    }
    let order = preference == .server ? cipherSuites : offer.cipherSuites
    let ranked = variants.compactMap { variant in
      variant.agreement(with: offer).flatMap { order.firstIndex(of: $0.cipherSuite) }.map { (variant, $0) }
    }
    return ranked.min { $0.1 < $1.1 }?.0 ?? variants.first ?? self
  }
}

extension ServerConfiguration {
  /// Ends the connection, sends a warning or continues if no certificate has the requested host name (RFC 6066 section
  /// 3). TLS 1.3 has no such warning (RFC 8446 section 6.2).
  func checkName(_ offer: ClientHello, isTLS13: Bool = false, _ log: inout EffectLog) throws(HandshakeFailure) {
    guard unrecognizedName != .ignored, let name = offer.extensions?.serverName else { return }
    let isRecognized = recognizes(name)
    let names = allCredentials.flatMap(\.names)
    if unrecognizedName == .fatal || isRecognized {
      return try log.check(
        .unrecognizedName, on: .handshake(.clientHello), isRecognized, .unrecognizedName, required: .anyOf(names),
        found: .word(name))
    }
    if isTLS13 { return }
    let finding = enforcement.check(
      .unrecognizedName, on: .handshake(.clientHello), false, required: .anyOf(names), found: .word(name))
    log.add(.found(finding.advising))
    log.add(.sendAlert(Alert(.warning, .unrecognizedName)))
  }
}

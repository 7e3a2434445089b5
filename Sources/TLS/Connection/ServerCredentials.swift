import Cryptography
import Explanation

/// A server's certificates, the key of the first, and the names for which that is valid.
public struct ServerCredentials: Sendable {
  /// The certificates in DER, the server's own first. TLS does not parse them.
  public var certificates: [[UInt8]]
  /// The key of the first certificate.
  public var privateKey: PrivateKey
  /// The name of that key as a value: `api.key`.
  public var privateKeyName: Value.ID
  /// The hosts of the first certificate, such as `*.shop.example`; empty for any.
  public var names: [String]
  /// The stapled OCSP response in DER; nil for none.
  public var ocspResponse: [UInt8]?
  /// The SignedCertificateTimestampList of the first certificate (RFC 6962 section 3.3), as encoded; nil for none.
  public var sctList: [UInt8]?

  /// Creates credentials with `certificates` and the key of the first.
  public init(
    certificates: [[UInt8]], privateKey: PrivateKey, privateKeyName: Value.ID, names: [String] = []
  ) {
    self.certificates = certificates
    self.privateKey = privateKey
    self.privateKeyName = privateKeyName
    self.names = names.map { $0.lowercased() }
  }

  /// Whether the first certificate is valid for this host. A wildcard label matches the first label (RFC 9525 section
  /// 6.3).
  func suits(_ host: String) -> Bool {
    let host = host.lowercased()
    let parent = host.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).last.map { "*.\($0)" }
    return names.isEmpty || names.contains(host) || parent.map(names.contains) ?? false
  }
}

/// A server's reaction to an unknown name: RFC 6066 section 3.
public enum UnrecognizedName: String, Sendable, Hashable, CaseIterable {
  /// It ends the connection with the alert unrecognized_name.
  case fatal
  /// It sends that alert as a warning and continues. The RFC does not recommend it, because the reaction of clients is
  /// unpredictable.
  case warning
  /// It continues without an alert.
  case ignored = "none"
}

extension ServerConfiguration {
  /// All credentials, the default first.
  public var allCredentials: [ServerCredentials] { [credentials] + otherCredentials }

  /// The certificates in DER, the server's own first. TLS does not parse them.
  public var certificates: [[UInt8]] {
    get { credentials.certificates }
    set { credentials.certificates = newValue }
  }

  /// The key of the first certificate.
  public var privateKey: PrivateKey {
    get { credentials.privateKey }
    set { credentials.privateKey = newValue }
  }

  /// The name of that key as a value: `api.key`.
  public var privateKeyName: Value.ID {
    get { credentials.privateKeyName }
    set { credentials.privateKeyName = newValue }
  }

  /// Whether one of the server's certificates is valid for this host.
  func recognizes(_ name: String) -> Bool { allCredentials.contains { $0.suits(name) } }

  /// The credentials for a client that names this host, in order.
  ///
  /// They are those valid for the name or, without any, those with the names of the default.
  private func allCredentials(for offer: ClientHello) -> [ServerCredentials] {
    let named = offer.extensions?.serverName.map { name in allCredentials.filter { $0.suits(name) } } ?? []
    return named.isEmpty ? allCredentials.filter { $0.names == credentials.names } : named
  }

  /// The same server with only the credentials for this client.
  ///
  /// Of all credentials for the name, it selects those that lead to the best suite in the deciding side's order; if
  /// several do, the first.
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

extension ServerHandshake12 {
  /// RFC 6066 section 3: a name without a certificate ends the connection, causes a warning, or is ignored.
  mutating func checkName(_ offer: ClientHello) throws(HandshakeFailure) {
    guard configuration.unrecognizedName != .ignored, let name = offer.extensions?.serverName else { return }
    let isRecognized = configuration.recognizes(name)
    let names = configuration.allCredentials.flatMap(\.names)
    if configuration.unrecognizedName == .fatal || isRecognized {
      return try log.check(
        .unrecognizedName, on: .handshake(.clientHello), isRecognized, .unrecognizedName, required: .anyOf(names),
        found: .word(name))
    }
    let finding = configuration.enforcement.check(
      .unrecognizedName, on: .handshake(.clientHello), false, required: .anyOf(names), found: .word(name))
    log.add(.found(finding.advising))
    log.add(.sendAlert(Alert(.warning, .unrecognizedName)))
  }
}

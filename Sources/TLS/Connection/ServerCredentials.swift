import Cryptography
import Explanation

/// What a server proves who it is with: its certificates, the key of the first, and the names that they are for.
public struct ServerCredentials: Sendable {
  /// Certificates in DER, the server's own first. Their bytes mean nothing here.
  public var certificates: [[UInt8]]
  /// The key of the first certificate.
  public var privateKey: PrivateKey
  /// The name of that key among the values: `api.key`.
  public var privateKeyName: Value.ID
  /// The hosts that the first certificate is for, `*.shop.example` among them; none is for any.
  public var names: [String]
  /// The OCSP response that goes along with the certificates, in DER; nil for none.
  public var ocspResponse: [UInt8]?
  /// The SignedCertificateTimestampList about the first certificate (RFC 6962 section 3.3), as it stands; nil for none.
  public var timestampList: [UInt8]?

  /// Credentials that show `certificates` and holds the key of the first.
  public init(
    certificates: [[UInt8]], privateKey: PrivateKey, privateKeyName: Value.ID, names: [String] = []
  ) {
    self.certificates = certificates
    self.privateKey = privateKey
    self.privateKeyName = privateKeyName
    self.names = names.map { $0.lowercased() }
  }

  /// Whether the first certificate is for this host; a star stands for the first label (RFC 9525 section 6.3).
  func suits(_ host: String) -> Bool {
    let host = host.lowercased()
    let parent = host.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).last.map { "*.\($0)" }
    return names.isEmpty || names.contains(host) || parent.map(names.contains) ?? false
  }
}

/// What a server does about a name that it does not recognize: RFC 6066 section 3.
public enum UnrecognizedName: String, Sendable, Hashable, CaseIterable {
  /// It ends the connection with the alert unrecognized_name.
  case fatal
  /// It warns with that alert and goes on, which the RFC does not recommend: nobody knows what clients make of it.
  case warning
  /// It goes on and says nothing.
  case ignored = "none"
}

extension ServerConfiguration {
  /// All that the server can show, the default first.
  public var allCredentials: [ServerCredentials] { [credentials] + otherCredentials }

  /// Certificates in DER, the server's own first. Their bytes mean nothing here.
  public var certificates: [[UInt8]] {
    get { credentials.certificates }
    set { credentials.certificates = newValue }
  }

  /// The key of the first certificate.
  public var privateKey: PrivateKey {
    get { credentials.privateKey }
    set { credentials.privateKey = newValue }
  }

  /// The name of that key among the values: `api.key`.
  public var privateKeyName: Value.ID {
    get { credentials.privateKeyName }
    set { credentials.privateKeyName = newValue }
  }

  /// Whether one of the server's certificates is for this host.
  func recognizes(_ name: String) -> Bool { allCredentials.contains { $0.suits(name) } }

  /// What the server can show a client that names this host, in order: what is for the name, else what is for the same
  /// names as the default.
  private func allCredentials(for offer: ClientHello) -> [ServerCredentials] {
    let named = offer.extensions?.serverName.map { name in allCredentials.filter { $0.suits(name) } } ?? []
    return named.isEmpty ? allCredentials.filter { $0.names == credentials.names } : named
  }

  /// The same server with nothing but what it shows this client: of all that suits the name, what comes to the best suite
  /// by the order of whoever decides it; the earlier one where several do.
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
  /// RFC 6066 section 3: a name that no certificate is for ends the connection, is worth a warning, or is nothing.
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

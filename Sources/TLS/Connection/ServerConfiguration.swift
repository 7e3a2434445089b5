import Cryptography
import Explanation

/// The properties and preferences of a server.
public struct ServerConfiguration: SideConfiguration {
  /// The certificate that the server presents by default.
  public var credentials: ServerCredentials
  /// The other certificates, selected by name and algorithms of a client's offer.
  public var otherCredentials: [ServerCredentials] = []
  /// The reaction to a name that none of its certificates has.
  public var unrecognizedName = UnrecognizedName.ignored
  /// The versions that the server supports; the machines implement SSL 3.0 to TLS 1.2.
  public var versions: ClosedRange<ProtocolVersion>
  /// Versions of the range that the server does not support.
  ///
  /// A client's offer up to TLS 1.2 has no gaps (RFC 5246 appendix E.1), but a server can skip a version.
  public var versionsLeftOut: Set<ProtocolVersion> = []
  /// The supported suites in order of preference. Selecting one that is not implemented is a named failure.
  public var cipherSuites: [CipherSuite]
  /// The side whose order of suites decides.
  public var preference: Side
  /// The supported groups in order of preference.
  public var groups: [NamedGroup]
  /// The finite field for DHE with clients that name none: RFC 7919 section 4.
  public var dhGroup = DHGroup.ffdhe2048
  /// The supported signature schemes in order of preference.
  public var signatureSchemes: [SignatureScheme]
  /// The supported application protocols in order of preference; empty ignores the client's offer.
  public var applicationProtocols: [ApplicationProtocol]
  /// Whether the server supports extended_master_secret: RFC 7627.
  public var extendedMasterSecret: Bool
  /// Whether the server supports encrypt-then-MAC for CBC suites: RFC 7366.
  public var encryptThenMAC: Bool
  /// Whether the server refuses an unnecessary fallback to a lower version: RFC 7507 section 3.
  ///
  /// Clients without the SCSV are not affected. OpenSSL does so since October 2014, so it is the default.
  public var honoursFallbackSignal = true
  /// Whether the server requests a client certificate.
  public var clientAuthentication: ClientAuthentication
  /// The distinguished names, in DER, of the CAs in CertificateRequest; empty accepts any issuer.
  public var clientAuthorities: [[UInt8]]
  /// The sessions that clients may resume; nil allows no resumption.
  public var sessions: SessionCache?
  /// The session ticket keys, the newest first; empty issues no tickets.
  public var ticketKeys: [SessionTicketKey] = []
  /// The number of seconds for which a session can be resumed.
  public var sessionLifetime = Session.lifetime
  /// Whether the server accepts a maximum fragment length from the client: RFC 6066 section 4.
  public var agreesToFragmentLength = true
  /// The server's reaction to a renegotiation.
  public var renegotiation = Renegotiation.refused
  /// Whether a renegotiation requests a client certificate; nil requests it as in the first handshake.
  public var renegotiatedClientAuthentication: ClientAuthentication?
  /// The Finished values to which a renegotiation is bound; nil in the first handshake.
  var bound: VerifyData?
  /// The rules in force.
  public var enforcement: Enforcement
  /// The decisions that a fault may change.
  var decisions: TLSDecisions { enforcement.decisions() }
  /// The time, which decides whether a session is too old.
  public var now: Instant
  /// Decrypts premaster secrets in place of the private key, as a key server or a hardware module does; nil for the
  /// private key itself.
  public var premasterDecryption: PremasterDecryption?
  /// The source of the server's random values.
  public var random: RandomStreams
  /// The party that generates the server's secrets.
  public var party: Party
  /// The prefix of the names of all values, such as `first.`; empty for a single connection.
  public var valueScope: ValueScope
  /// Whether values and satisfied rules are recorded. Violations are always recorded; without the rest, a connection is
  /// faster.
  public var narrates = true
  /// Whether application data of a CBC cipher in TLS 1.0 begins with a record of one byte.
  public var splitsRecords = false

  /// Creates a server that presents `certificates` and has the key of the first.
  public init(
    certificates: [[UInt8]], privateKey: PrivateKey, privateKeyName: Value.ID,
    versions: ClosedRange<ProtocolVersion> = .tls12 ... .tls12,
    cipherSuites: [CipherSuite] = CipherSuite.defaults, preference: Side = .server,
    groups: [NamedGroup] = NamedGroup.implemented,
    signatureSchemes: [SignatureScheme] = SignatureScheme.defaults,
    applicationProtocols: [ApplicationProtocol] = [], extendedMasterSecret: Bool = false, encryptThenMAC: Bool = false,
    clientAuthentication: ClientAuthentication = .none, clientAuthorities: [[UInt8]] = [],
    sessions: SessionCache? = nil,
    enforcement: Enforcement = .standard,
    now: Instant = Instant(secondsSince1970: 0),
    random: RandomStreams, party: Party = .server, valueScope: ValueScope = ValueScope()
  ) {
    credentials = ServerCredentials(certificates: certificates, privateKey: privateKey, privateKeyName: privateKeyName)
    self.versions = versions
    self.cipherSuites = cipherSuites
    self.preference = preference
    self.groups = groups
    self.signatureSchemes = signatureSchemes
    self.applicationProtocols = applicationProtocols
    self.extendedMasterSecret = extendedMasterSecret
    self.encryptThenMAC = encryptThenMAC
    self.clientAuthentication = clientAuthentication
    self.clientAuthorities = clientAuthorities
    self.sessions = sessions
    self.enforcement = enforcement
    self.now = now
    self.random = random
    self.party = party
    self.valueScope = valueScope
  }
}

/// Decrypts the premaster secret of a client that offered `version`: RFC 5246 section 7.4.7.1.
///
/// The result is `substitute` if the plaintext is wrong.
public typealias PremasterDecryption =
  @Sendable (_ encrypted: [UInt8], _ version: ProtocolVersion, _ substitute: [UInt8]) throws -> PKCS1v15Decryption

extension RSAPrivateKey {
  /// Decrypts premaster secrets with this key.
  var premasterDecryption: PremasterDecryption { { try self.decryptPKCS1v15($0, orElse: $2) } }
}

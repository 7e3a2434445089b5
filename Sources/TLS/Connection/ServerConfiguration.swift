import Cryptography
import Explanation

/// The capabilities and preferences of a server.
public struct ServerConfiguration: SideConfiguration {
  /// The certificate that the server presents by default.
  public var credentials: ServerCredentials
  /// The other certificates, which the server selects by the host name and algorithms in a client's offer.
  public var otherCredentials: [ServerCredentials] = []
  /// The server's response to a host name that none of its certificates has.
  public var unrecognizedName = UnrecognizedName.ignored
  /// The versions that the server supports. The state machines implement SSL 3.0 to TLS 1.2.
  public var versions: ClosedRange<ProtocolVersion>
  /// The versions within the range that the server does not support.
  ///
  /// A client's offer up to TLS 1.2 has no gaps (RFC 5246 appendix E.1), but a server may skip a version.
  public var versionsLeftOut: Set<ProtocolVersion> = []
  /// The supported suites in order of preference. If the server selects one that is not implemented, the handshake
  /// fails with the rule `handshake.suite-not-implemented`.
  public var cipherSuites: [CipherSuite]
  /// The side whose order of suites determines the selection.
  public var preference: Side
  /// The supported groups in order of preference.
  public var groups: [NamedGroup]
  /// The finite-field group for DHE with clients that offer no such group (RFC 7919 section 4).
  public var dhGroup = DHGroup.ffdhe2048
  /// The supported signature schemes in order of preference.
  public var signatureSchemes: [SignatureScheme]
  /// The supported application protocols in order of preference. If the list is empty, the server ignores the client's
  /// offer.
  public var applicationProtocols: [ApplicationProtocol]
  /// Whether the server supports extended_master_secret (RFC 7627).
  public var extendedMasterSecret: Bool
  /// Whether the server supports encrypt-then-MAC for CBC suites (RFC 7366).
  public var encryptThenMAC: Bool
  /// Whether the server refuses an unnecessary fallback to a lower version (RFC 7507 section 3).
  ///
  /// The setting affects only clients that send the SCSV. OpenSSL has refused such fallbacks since October 2014, so
  /// this is the default.
  public var honoursFallbackSignal = true
  /// Whether the server requests a client certificate.
  public var clientAuthentication: ClientAuthentication
  /// The distinguished names of the CAs in CertificateRequest, in DER. An empty list accepts any issuer.
  public var acceptedCAs: [[UInt8]]
  /// The sessions that clients may resume by ID; nil disables this resumption.
  public var sessions: SessionCache?
  /// The session ticket keys, newest first. If the list is empty, the server issues no tickets.
  public var ticketKeys: [SessionTicketKey] = []
  /// The number of seconds for which the server lets a client resume a session.
  public var sessionLifetime = Session.lifetime
  /// The number of tickets after a handshake of TLS 1.3.
  public var ticketCount = 1
  /// The modes with which the server accepts a pre-shared key: 0 is `psk_ke`, 1 is `psk_dhe_ke` (RFC 8446 section
  /// 4.2.9).
  public var pskModes: [UInt8] = [1]
  /// The keys that the server and clients have agreed on outside TLS.
  public var externalPSKs: [ExternalPSK] = []
  /// The server's handling of early data; nil rejects it (RFC 8446 section 8).
  public var earlyData: EarlyDataPolicy?
  /// Whether a HelloRetryRequest contains a cookie (RFC 8446 section 4.2.2).
  public var sendsCookie = false
  /// Whether the server compresses its certificates with zlib for a client that accepts it (RFC 8879).
  public var compressesCertificates = false
  /// The maximum size of the client's protected records (RFC 8449); nil keeps the default.
  public var recordSizeLimit: UInt16?
  /// The number of zeros after the content of each protected record in TLS 1.3 (RFC 8446 section 5.4).
  public var recordPadding = 0
  /// Whether the server accepts a maximum fragment length from the client (RFC 6066 section 4).
  public var agreesToFragmentLength = true
  /// The server's response when the client starts a renegotiation.
  public var renegotiation = Renegotiation.refused
  /// Whether a renegotiation requests a client certificate; nil keeps the setting of the first handshake.
  public var renegotiatedClientAuthentication: ClientAuthentication?
  /// The Finished values that a renegotiation must be bound to; nil in the first handshake.
  var bound: VerifyData?
  /// The rules that the server enforces.
  public var enforcement: Enforcement
  /// The protocol decisions, which a simulated bug may replace.
  public var decisions: TLSDecisions { enforcement.decisions() }
  /// The current time, which determines whether a session is too old.
  public var now: Instant
  /// The function that decrypts premaster secrets, for example in a key server or hardware module. If nil, the server
  /// uses its private key.
  public var premasterDecryption: PremasterDecryption?
  /// The source of the server's random values.
  public var random: RandomStreams
  /// The party to which the server's generated secrets are attributed.
  public var party: Party
  /// The prefix of all value names, such as `first.`; empty for a single connection.
  public var valueScope: ValueScope
  /// Whether the server records values and satisfied rules. Violations are always recorded. A connection is faster if
  /// this is false.
  public var recordsTrace = true
  /// Whether the server also derives the secrets of early data that it rejects, for a key log (RFC 9850).
  public var derivesRejectedSecrets = false
  /// Whether application data of a CBC cipher in TLS 1.0 begins with a record of one byte.
  public var splitsRecords = false

  /// Creates the configuration of a server that presents `certificates` and has the private key of the first one.
  public init(
    certificates: [[UInt8]], privateKey: PrivateKey, privateKeyName: Value.ID,
    versions: ClosedRange<ProtocolVersion> = .tls12 ... .tls12,
    cipherSuites: [CipherSuite] = CipherSuite.defaults, preference: Side = .server,
    groups: [NamedGroup] = NamedGroup.implemented,
    signatureSchemes: [SignatureScheme] = SignatureScheme.defaults,
    applicationProtocols: [ApplicationProtocol] = [], extendedMasterSecret: Bool = false, encryptThenMAC: Bool = false,
    clientAuthentication: ClientAuthentication = .none, acceptedCAs: [[UInt8]] = [],
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
    self.acceptedCAs = acceptedCAs
    self.sessions = sessions
    self.enforcement = enforcement
    self.now = now
    self.random = random
    self.party = party
    self.valueScope = valueScope
  }
}

/// A function that decrypts the premaster secret of a client that offered `version` (RFC 5246 section 7.4.7.1).
///
/// The function returns `substitute` if the plaintext is malformed.
public typealias PremasterDecryption =
  @Sendable (_ encrypted: [UInt8], _ version: ProtocolVersion, _ substitute: [UInt8]) throws -> PKCS1v15Decryption

extension RSAPrivateKey {
  /// The function that decrypts premaster secrets with this key.
  var premasterDecryption: PremasterDecryption { { try self.decryptPKCS1v15($0, orElse: $2) } }
}

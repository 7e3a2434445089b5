import Cryptography
import Explanation

/// What a server has, and what it prefers.
public struct ServerConfiguration: SideConfiguration {
  /// What the server shows where nothing else suits a client better.
  public var credentials: ServerCredentials
  /// What else it can show, by the name and the algorithms of a client's offer.
  public var otherCredentials: [ServerCredentials] = []
  /// What it does about a name that none of its certificates is for.
  public var unrecognizedName = UnrecognizedName.ignored
  /// The versions the server speaks; the machines run TLS 1.0 to 1.2.
  public var versions: ClosedRange<ProtocolVersion>
  /// The versions among those that the server does not speak all the same. What a client offers up to TLS 1.2 has no gaps
  /// (RFC 5246 appendix E.1), but a server can choose past one.
  public var versionsLeftOut: Set<ProtocolVersion> = []
  /// The suites the server speaks, the favourite first; choosing one the machines cannot run is a clear failure.
  public var cipherSuites: [CipherSuite]
  /// Whose order of suites counts.
  public var preference: Side
  /// The groups the server speaks, the favourite first.
  public var groups: [NamedGroup]
  /// The finite field for DHE with clients that name none: RFC 7919 section 4.
  public var dhGroup = DHGroup.ffdhe2048
  /// How the server signs, the favourite first.
  public var signatureSchemes: [SignatureScheme]
  /// The protocols the server speaks inside the connection, the favourite first; none lets the client's offer pass.
  public var applicationProtocols: [ApplicationProtocol]
  /// Whether the server binds the master secret to the whole handshake where the peer does: RFC 7627.
  public var extendedMasterSecret: Bool
  /// Whether the server authenticates the ciphertext of CBC suites where the peer does: RFC 7366.
  public var encryptThenMAC: Bool
  /// Whether the server refuses a client that asks again with a lower version than it had to: RFC 7507 section 3. It asks
  /// nothing of clients that do not signal, and OpenSSL does so since October 2014, so it is the rule.
  public var honoursFallbackSignal = true
  /// Whether the server asks for a certificate of the client.
  public var clientAuthentication: ClientAuthentication
  /// The distinguished names, in DER, of the authorities whose certificates the server would like of a client; none
  /// names nobody.
  public var clientAuthorities: [[UInt8]]
  /// The sessions that clients may go on with; nil lets every connection begin anew.
  public var sessions: SessionCache?
  /// The keys of tickets, the newest first, with which clients keep sessions for the server; none gives no tickets.
  public var ticketKeys: [SessionTicketKey] = []
  /// For how many seconds a session can be gone on with.
  public var sessionLifetime = Session.lifetime
  /// Whether the server agrees where a client asks for shorter fragments: RFC 6066 section 4.
  public var agreesToFragmentLength = true
  /// What it does about another handshake on a connection that stands.
  public var renegotiation = Renegotiation.refused
  /// Whether another handshake on the connection asks for a certificate of the client; nil asks as the first one did.
  public var renegotiatedClientAuthentication: ClientAuthentication?
  /// What another handshake on the connection is bound to; nil in a first one.
  var bound: VerifyData?
  /// The rules in force.
  public var enforcement: Enforcement
  /// The decisions that a fault may make differently.
  var decisions: TLSDecisions { enforcement.decisions() }
  /// The time, by which sessions grow old.
  public var now: Instant
  /// Decrypts premaster secrets in place of the private key, as a key server or a hardware module does; nil for the
  /// private key itself.
  public var premasterDecryption: PremasterDecryption?
  /// Where the server's random values come from.
  public var random: RandomStreams
  /// Who the server is: the one who generates its secrets.
  public var party: Party
  /// What the names of all values begin with, such as `first.`; empty for a single connection.
  public var valueScope: ValueScope
  /// Whether it is told how the connection comes about: values as they come to be, and rules that hold. Who keeps no
  /// trace saves their making; what is broken is told all the same.
  public var narrates = true
  /// Whether application data of a CBC cipher in TLS 1.0 begins with a record of one byte.
  public var splitsRecords = false

  /// A server that shows `certificates` and holds the key of the first.
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

import Cryptography
import Explanation
import PKIX
import Peers
import TLS
import Trust

/// Both sides of connections of TLS 1.2 and 1.3, here and in OpenSSL: the same chain, one suite, one group, and the
/// system's random numbers.
final class TLSPair {
  /// A suite to measure, by both libraries' names.
  struct Suite {
    let title: String
    let suite: CipherSuite
    let openSSLName: String
    var group = NamedGroup.x25519
    var kind = Hierarchy.Kind.rsa
    /// The version, which the suite determines.
    var version: ProtocolVersion { suite.keyExchange == .tls13 ? .tls13 : .tls12 }
    /// The minimum speed of a handshake, as a multiple of OpenSSL's.
    var target: Double?
    /// Whether each measured handshake resumes a session with a ticket.
    var resumes = false
  }

  private let hierarchy: Hierarchy
  private let suite: Suite
  private let evaluator: TrustEvaluator
  /// The settings of both sides, which OpenSSL keeps too.
  private let configurations: (client: ClientConfiguration, server: ServerConfiguration)
  private let openSSL: OpaquePointer
  private var client: Connection
  private var server: Connection
  private var session: Session?
  /// The session of the client's last ticket.
  private var latest: Session?
  private var received = [UInt8](repeating: 0, count: TLSPair.payload.count)

  /// The maximum content of a record.
  static let payload = [UInt8](repeating: 0x5a, count: 16_384)

  init(_ suite: Suite) throws {
    self.suite = suite
    hierarchy = try Hierarchy(suite.kind)
    evaluator = hierarchy.evaluator
    configurations = (TLSPair.clientConfiguration(suite), TLSPair.serverConfiguration(suite, hierarchy))
    client = Connection(configurations.client)
    server = Connection(configurations.server)
    let all = [hierarchy.leaf.der, hierarchy.intermediate.der, hierarchy.root.der, try hierarchy.leafKey.pkcs8]
    let made = PeerBytes.with(all) {
      peer_tls_new(
        $0[0], $0[1], $0[2], $0[3], Hierarchy.host, Int(Hierarchy.time.secondsSince1970), suite.openSSLName,
        suite.group == .x25519 ? "X25519" : "P-256")
    }
    guard let made else { throw PeerError(description: "OpenSSL does not accept \(suite.openSSLName)") }
    openSSL = made
    if suite.resumes { try keepSession() }
  }

  /// Makes a session, and resumes it in every later handshake.
  private func keepSession() throws {
    try handshake()
    guard let latest else { throw PeerError(description: "the server sent no ticket") }
    session = latest
    try PeerError.check(peer_tls_keep_session(openSSL), "OpenSSL's session")
    try handshake()
    guard client.handshake.parameters?.isResumed == true else { throw PeerError(description: "no session was resumed") }
  }

  deinit { peer_tls_free(openSSL) }

  /// Full handshakes, the chain evaluated with all findings.
  var handshakes: [Contender] {
    [
      Contender("TrustLab") { [self] in try handshake() },
      Contender("OpenSSL", target: suite.target) { [self] in
        try PeerError.check(peer_tls_handshake(openSSL), "OpenSSL's handshake")
      },
    ]
  }

  /// One record of application data from client to server.
  func transfers() throws -> [Contender] {
    try handshake()
    try PeerError.check(peer_tls_handshake(openSSL), "OpenSSL's handshake")
    return [
      Contender("TrustLab") { [self] in
        let arrived = deliver(client.send(TLSPair.payload))
        guard arrived == TLSPair.payload.count else { throw PeerError(description: "the record did not arrive") }
      },
      Contender("OpenSSL", target: suite.target) { [self] in
        let count = Int32(TLSPair.payload.count)
        try PeerError.check(peer_tls_transfer(openSSL, TLSPair.payload, &received, count), "OpenSSL's transfer")
      },
    ]
  }

  private func handshake() throws {
    var configuration = configurations.client
    configuration.session = session
    client = Connection(configuration)
    server = Connection(configurations.server)
    var effects = client.start()
    while client.handshake.parameters == nil || server.handshake.parameters == nil {
      var answers: [ConnectionEffect] = []
      for case .send(let message) in effects { answers += server.receive(message.bytes) }
      effects = []
      for case .send(let message) in answers { effects += try react(to: client.receive(message.bytes)) }
      guard !effects.isEmpty || server.handshake.parameters != nil else {
        throw PeerError(description: "the handshake failed")
      }
    }
  }

  /// The client's effects after its trust decision.
  private func react(to effects: [ConnectionEffect]) throws -> [ConnectionEffect] {
    var all = effects
    for case .established(let session) in effects { latest = session }
    for case .evaluateCertificate(let credentials) in effects {
      let chain = try credentials.certificates.map { try Certificate(der: $0) }
      let evaluation = evaluator.evaluate(chain, host: credentials.host)
      all += client.certificateEvaluated(
        evaluation.accepted ? .accepted(chain[0].publicKey) : .refused(.badCertificate))
    }
    return all
  }

  /// The number of bytes of application data that reach the server.
  private func deliver(_ effects: [ConnectionEffect]) -> Int {
    var arrived = 0
    for case .send(let message) in effects {
      for case .applicationData(let bytes) in server.receive(message.bytes) { arrived += bytes.count }
    }
    return arrived
  }

  private static let schemes: [SignatureScheme] = [.rsaPKCS1SHA256, .ecdsaSHA256, .rsaPSSSHA256]

  private static func clientConfiguration(_ suite: Suite) -> ClientConfiguration {
    var configuration = ClientConfiguration(
      host: Hierarchy.host, versions: suite.version...suite.version, cipherSuites: [suite.suite], groups: [suite.group],
      signatureSchemes: schemes, extendedMasterSecret: true, encryptThenMAC: true,
      random: RandomStreams(seed: nil, party: "client"))
    configuration.offersTickets = suite.resumes
    configuration.recordsTrace = false  // No trace is kept, so nobody asks for them.
    return configuration
  }

  private static func serverConfiguration(_ suite: Suite, _ hierarchy: Hierarchy) -> ServerConfiguration {
    var configuration = ServerConfiguration(
      certificates: hierarchy.presented, privateKey: hierarchy.leafKey, privateKeyName: ValueName("api.key"),
      versions: suite.version...suite.version, cipherSuites: [suite.suite], groups: [suite.group],
      signatureSchemes: schemes,
      extendedMasterSecret: true, encryptThenMAC: true,
      random: RandomStreams(seed: nil, party: "server"))
    if suite.resumes,
      let key = SessionTicketKey(ValueName("ticket_key"), [UInt8](repeating: 7, count: SessionTicketKey.count))
    {
      configuration.ticketKeys = [key]
    }
    configuration.recordsTrace = false
    return configuration
  }
}

extension TLSPair.Suite {
  /// Full handshakes.
  static let handshakes = [
    Self(
      title: "RSA, AES128-GCM", suite: CipherSuite(rawValue: 0x009c), openSSLName: "AES128-GCM-SHA256", target: 0.8),
    Self(
      title: "RSA, AES128-CBC-SHA256", suite: CipherSuite(rawValue: 0x003c), openSSLName: "AES128-SHA256",
      target: 0.8),
    Self(
      title: "ECDHE-RSA P-256, AES128-GCM", suite: CipherSuite(rawValue: 0xc02f),
      openSSLName: "ECDHE-RSA-AES128-GCM-SHA256", group: .secp256r1, target: 1),
    Self(
      title: "ECDHE-RSA X25519, AES128-GCM", suite: CipherSuite(rawValue: 0xc02f),
      openSSLName: "ECDHE-RSA-AES128-GCM-SHA256", target: 1),
    Self(
      title: "ECDHE-ECDSA P-256, AES128-GCM", suite: CipherSuite(rawValue: 0xc02b),
      openSSLName: "ECDHE-ECDSA-AES128-GCM-SHA256", group: .secp256r1, kind: .ecdsa, target: 1),
    Self(
      title: "TLS 1.3, RSA, X25519", suite: .aes128GCMSHA256, openSSLName: "TLS_AES_128_GCM_SHA256", target: 0.9),
    Self(
      title: "TLS 1.3, ECDSA, P-256", suite: .aes128GCMSHA256, openSSLName: "TLS_AES_128_GCM_SHA256",
      group: .secp256r1, kind: .ecdsa, target: 1.3),
    Self(
      title: "TLS 1.3, ECDSA, X25519", suite: .aes128GCMSHA256, openSSLName: "TLS_AES_128_GCM_SHA256", kind: .ecdsa,
      target: 1.3),
    Self(
      title: "TLS 1.3, resumed, X25519", suite: .aes128GCMSHA256, openSSLName: "TLS_AES_128_GCM_SHA256", target: 0.9,
      resumes: true),
  ]

  /// Suites whose records are measured.
  static let records = [
    Self(
      title: "AES128-GCM", suite: CipherSuite(rawValue: 0xc02f), openSSLName: "ECDHE-RSA-AES128-GCM-SHA256"),
    Self(
      title: "TLS 1.3, AES128-GCM", suite: .aes128GCMSHA256, openSSLName: "TLS_AES_128_GCM_SHA256"),
    Self(
      title: "CHACHA20-POLY1305", suite: CipherSuite(rawValue: 0xcca8), openSSLName: "ECDHE-RSA-CHACHA20-POLY1305"),
    Self(
      title: "AES128-CBC-SHA256", suite: CipherSuite(rawValue: 0xc027), openSSLName: "ECDHE-RSA-AES128-SHA256"),
  ]
}

import Cryptography
import Explanation
import Laboratory
import Oracles

@testable import TLS

/// A client and a server in memory, and a man in the middle that may change their messages.
struct Conversation {
  /// The configuration from which the client was made.
  let clientSettings: ClientConfiguration
  /// The configuration from which the server was made.
  let serverSettings: ServerConfiguration
  var client: Connection
  var server: Connection
  private(set) var log: [Entry] = []
  var answer: CertificateAnswer
  /// The server's verdict about the client's certificate.
  var clientAnswer = CertificateAnswer.refused(.unknownCA)
  /// Whether each side sends close_notify as soon as the other has.
  var closesAfterPeer = true
  /// Returns the bytes of a message's records as the receiver gets them.
  var alter: (ProtocolMessage, Side) -> [UInt8] = { message, _ in message.bytes }

  struct Entry {
    let side: Side
    let effect: ConnectionEffect
  }

  static let ecKey = PrivateKey.ec(KeyStore.ecKey(owner: "tests", curve: .p256))
  /// An RSA key. If it could not be made, every test of RSA would fail.
  static let rsaKey = (try? KeyStore.tests.rsaKey(owner: "tests", bits: 1024)).map(PrivateKey.rsa) ?? ecKey

  static func clientConfiguration(seed: Seed = .number(1)) -> ClientConfiguration {
    ClientConfiguration(host: "api.example", random: RandomStreams(seed: seed, party: "client"))
  }

  static func serverConfiguration(seed: Seed = .number(1)) -> ServerConfiguration {
    ServerConfiguration(
      certificates: [[0x30, 0]], privateKey: rsaKey, privateKeyName: "api.key",
      random: RandomStreams(seed: seed, party: "server"))
  }

  init(
    _ client: ClientConfiguration = clientConfiguration(), _ server: ServerConfiguration = serverConfiguration()
  ) {
    clientSettings = client
    serverSettings = server
    self.client = Connection(client)
    self.server = Connection(server)
    answer = .accepted(server.privateKey.publicKey)
  }

  /// Makes the server choose this suite regardless of the offer.
  mutating func choose(_ suite: CipherSuite) {
    alter = { message, _ in
      guard message.name == .handshake(.serverHello) else { return message.bytes }
      // The suite follows the headers of record and message, version, random and the empty session id.
      var bytes = message.bytes
      (bytes[44], bytes[45]) = (UInt8(suite.rawValue >> 8), UInt8(suite.rawValue & 0xff))
      return bytes
    }
  }

  /// A suite in a version, as a test names it.
  struct Run: Sendable, CustomStringConvertible {
    let version: ProtocolVersion
    let suite: String

    var description: String { "\(suite) in \(version)" }

    /// Every supported suite, in every version that has it.
    static let all = ProtocolVersion.implemented.flatMap { version in
      CipherSuite.implemented.filter { $0.isUsable(in: version) }.map { Run(version: version, suite: $0.name) }
    }

    /// One suite of each kind of key exchange and of protection, in every version that has it.
    static let few = all.filter { run in
      [
        "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_RSA_WITH_AES_256_CBC_SHA256", "TLS_RSA_WITH_AES_128_CBC_SHA",
        "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", "TLS_DHE_RSA_WITH_3DES_EDE_CBC_SHA", "TLS_RSA_WITH_RC4_128_MD5",
        "TLS_RSA_WITH_NULL_SHA", "TLS_DH_anon_WITH_AES_128_CBC_SHA",
      ].contains(run.suite)
    }
  }

  /// Both sides with one suite in one version.
  init(_ run: Run, seed: Seed = .number(1)) { self.init(run.suite, in: run.version, seed: seed) }

  /// Both sides with one suite and one group.
  init(
    _ suite: String, in version: ProtocolVersion = .tls12, group: NamedGroup = .secp256r1, seed: Seed = .number(1)
  ) {
    var client = Self.clientConfiguration(seed: seed)
    var server = Self.serverConfiguration(seed: seed)
    (client.versions, server.versions) = (version...version, version...version)
    client.cipherSuites = [CipherSuite(name: suite)].compactMap(\.self)
    server.cipherSuites = client.cipherSuites
    if client.cipherSuites.first?.keyKind == .ecdsa { server.privateKey = Self.ecKey }
    client.groups = [group, .secp256r1]
    server.groups = [group]
    self.init(client, server)
  }

  /// Starts the client, and delivers all messages until both sides wait.
  @discardableResult
  mutating func run() -> Conversation {
    deliver(client.start(), from: .client)
    return self
  }

  mutating func send(_ bytes: [UInt8], from side: Side) {
    deliver(side == .client ? client.send(bytes) : server.send(bytes), from: side)
  }

  mutating func renegotiate(_ side: Side) {
    deliver(side == .client ? client.renegotiate() : server.renegotiate(), from: side)
  }

  mutating func updateKeys(_ side: Side, requestsPeer: Bool) {
    deliver(
      side == .client ? client.updateKeys(requestsPeer: requestsPeer) : server.updateKeys(requestsPeer: requestsPeer),
      from: side)
  }

  mutating func close(_ side: Side) {
    deliver(side == .client ? client.close() : server.close(), from: side)
  }

  mutating func receive(_ bytes: [UInt8], at side: Side) {
    deliver(side == .client ? client.receive(bytes) : server.receive(bytes), from: side)
  }

  private mutating func deliver(_ effects: [ConnectionEffect], from side: Side) {
    var queue = effects.map { Entry(side: side, effect: $0) }
    while !queue.isEmpty {
      let entry = queue.removeFirst()
      log.append(entry)
      let replies: [Entry]
      switch entry.effect {
      case .send(let message):
        let bytes = alter(message, entry.side)
        let effects = entry.side == .client ? server.receive(bytes) : client.receive(bytes)
        replies = effects.map { Entry(side: entry.side.peer, effect: $0) }
      case .evaluateCertificate:
        let effects =
          entry.side == .client ? client.certificateEvaluated(answer) : server.certificateEvaluated(clientAnswer)
        replies = effects.map { Entry(side: entry.side, effect: $0) }
      case .peerClosed where closesAfterPeer:
        replies = (entry.side == .client ? client.close() : server.close()).map { Entry(side: entry.side, effect: $0) }
      default: replies = []
      }
      queue += replies
    }
  }

  func failure(of side: Side) -> HandshakeFailure? {
    for entry in log where entry.side == side {
      if case .failed(let failure) = entry.effect { return failure }
    }
    return nil
  }

  func sent(by side: Side) -> [ProtocolMessage] {
    log.compactMap { entry in
      if entry.side == side, case .send(let message) = entry.effect { message } else { nil }
    }
  }

  func findings(of side: Side) -> [Finding] {
    log.compactMap { entry in
      guard entry.side == side else { return nil }
      switch entry.effect {
      case .found(let finding): return finding
      case .failed(let failure): return failure.finding
      default: return nil
      }
    }
  }

  func values(of side: Side) -> [Value.ID: Value] {
    var values: [Value.ID: Value] = [:]
    for entry in log where entry.side == side {
      if case .derived(let value) = entry.effect { values[value.id] = value }
    }
    return values
  }

  func data(at side: Side) -> [UInt8] {
    log.flatMap { entry in
      if entry.side == side, case .applicationData(let bytes) = entry.effect { bytes } else { [UInt8]() }
    }
  }

  /// The events of one side's handshake, in order.
  func events(of side: Side) -> [Event] {
    let start: [Event] = side == .client ? [.start] : []
    return start
      + log.compactMap { entry in
        guard entry.side == side else { return nil }
        switch entry.effect {
        case .received(let message): return Event(message)
        case .evaluateCertificate: return .certificateEvaluated(side == .client ? answer : clientAnswer)
        default: return nil
        }
      }
  }

  var parameters: [ConnectionParameters?] { [client.handshake.parameters, server.handshake.parameters] }
  var isConnected: Bool { !parameters.contains(nil) }
}

extension Event {
  /// The event of a received message, or nil if the message does not belong to the handshake.
  init?(_ message: ProtocolMessage) {
    switch message.content {
    case .handshake(let message): self = .received(message)
    case .changeCipherSpec: self = .changeCipherSpec
    default: return nil
    }
  }
}

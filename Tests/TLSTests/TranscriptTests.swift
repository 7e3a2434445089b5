import Cryptography
import Explanation
import Oracles
import Testing

@testable import TLS

@Suite("Sessions recorded with OpenSSL and tlslite-ng")
struct TranscriptTests {
  @Test(
    "every message is decoded and encoded alike, every record opens and every rule is satisfied",
    .needsData(Session.file), arguments: Session.all)
  func replay(_ session: Session) throws {
    for secrets in session.allSecrets {
      let told = Told(session, secrets)
      #expect(told.failures.isEmpty)
      #expect(told.findings.allSatisfy { $0.outcome == .satisfied }, "\(told.unsatisfied)")
      #expect(told.finished == [.client, .server])
      #expect(told.types == session.handshake_types)
      #expect(told.parameters?.hasExtendedMasterSecret == session.extended_master_secret)
      #expect(told.values["client_random"]?.bytes == session.client_random.bytes)
      #expect(told.values["master_secret"]?.bytes == session.master_secret.bytes)
      #expect(told.data(.client).starts(with: session.first_app_plaintext.bytes))
      if let premaster = session.premaster_secret?.bytes, secrets.serverKey != nil || secrets.premasterSecret != nil {
        #expect(told.values["premaster_secret"]?.bytes == premaster)
      }
    }
  }

  @Test(
    "every handshake message is encoded as it was received",
    .needsData(Session.file), arguments: Session.all)
  func rewriting(_ session: Session) throws {
    for message in Told(session, session.secrets).messages {
      guard case .handshake(let handshake) = message.content else { continue }
      #expect(try HandshakeMessage(handshake.body).bytes == handshake.bytes)
    }
  }

  @Test(
    "without secrets the clear messages and the missing secret are reported",
    .needsData(Session.file), arguments: Session.all)
  func withoutSecrets(_ session: Session) throws {
    let told = Told(session, SessionSecrets())
    #expect(told.failures.isEmpty)
    #expect(told.types == session.handshake_types)
    #expect(told.data(.client).isEmpty && told.values["master_secret"] == nil)
    #expect(told.findings.contains { $0.rule == .finishedMismatch && $0.outcome == .notEvaluated })
    #expect(!told.findings.contains { $0.outcome == .violated })
    #expect(!told.isWhole)
  }

  @Test(
    "the secrets of another session or the key of another server open no record",
    .needsData(Session.file), arguments: Session.all)
  func wrongSecrets(_ session: Session) throws {
    let told = Told(session, SessionSecrets(masterSecret: [UInt8](repeating: 7, count: 48)))
    #expect(told.failures.map(\.finding.rule) == [.badMAC])
    #expect(told.failures.map(\.alert) == [.badRecordMAC])
    guard session.premaster_secret != nil else { return }
    let foreign = Told(session, SessionSecrets(serverKey: Conversation.rsaKey))
    #expect(foreign.failures.isEmpty && foreign.data(.client).isEmpty && foreign.values["master_secret"] == nil)
  }
}

/// The events that a replay reported.
struct Told {
  private(set) var effects: [ReplayEffect] = []

  init(_ session: Session, _ secrets: SessionSecrets) {
    self.init(session.records.map { ($0.dir, $0.hex.bytes) }, session, secrets)
  }

  init(_ portions: [(Side, [UInt8])], _ session: Session, _ secrets: SessionSecrets) {
    let key = session.privateKey?.publicKey
    var replay = Replay(ReplayConfiguration(secrets: secrets, publicKey: { _ in key }))
    for (side, bytes) in portions { effects += replay.receive(bytes, from: side) }
    effects += replay.end()
  }

  var messages: [ProtocolMessage] {
    effects.compactMap { if case .message(let message, _) = $0 { message } else { nil } }
  }
  var findings: [Finding] {
    effects.compactMap { effect in
      switch effect {
      case .found(let finding, _): finding
      case .failed(let failure, _): failure.finding
      default: nil
      }
    }
  }
  var unsatisfied: [String] { findings.filter { $0.outcome != .satisfied }.map { "\($0.rule.id): \($0.found)" } }
  var failures: [HandshakeFailure] {
    effects.compactMap { if case .failed(let failure, _) = $0 { failure } else { nil } }
  }
  var parameters: ConnectionParameters? {
    for case .connected(let parameters) in effects { return parameters }
    return nil
  }
  var values: [Value.ID: Value] {
    var values: [Value.ID: Value] = [:]
    for case .derived(let value, _) in effects where values[value.id] == nil { values[value.id] = value }
    return values
  }
  /// The types of all handshake messages except Finished.
  var types: [UInt8] {
    messages.compactMap { message in
      guard case .handshake(let handshake) = message.content, handshake.type != .finished else { return nil }
      return handshake.type.rawValue
    }
  }
  var finished: [Side] {
    effects.compactMap { effect in
      if case .message(let message, let side) = effect, message.name == .handshake(.finished) { side } else { nil }
    }
  }
  func data(_ side: Side) -> [UInt8] {
    effects.flatMap { effect -> [UInt8] in
      if case .message(let message, side) = effect, case .applicationData(let data) = message.content {
        data
      } else {
        []
      }
    }
  }
  /// Whether every record opened and every rule was satisfied.
  var isWhole: Bool {
    parameters != nil && failures.isEmpty && findings.allSatisfy { $0.outcome == .satisfied }
  }
}

/// A recorded session as the file contains it.
struct Session: Decodable, CustomTestStringConvertible {
  static let file = "suites/tls12_transcripts.json"

  struct File: Decodable {
    let keys: [String: Key]
    let transcripts: [Session]
  }

  struct Key: Decodable { let key_pem: String }

  struct RecordedRecord: Decodable {
    let dir: Side
    let hex: HexBytes
  }

  let id: String
  let key: String
  let client_random, master_secret: HexBytes
  let premaster_secret: HexBytes?
  let extended_master_secret: Bool
  let first_app_plaintext: HexBytes
  let handshake_types: [UInt8]
  let records: [RecordedRecord]
  var testDescription: String { id }

  private static let contents = try? Vectors.read(file, as: File.self)
  static let all = contents?.transcripts ?? []

  /// The server's private key.
  var privateKey: PrivateKey? { Self.contents?.keys[key].flatMap { try? PrivateKey(pem: $0.key_pem) } }

  /// The server's key if it opens the session, otherwise the recorded secrets.
  var secrets: SessionSecrets {
    premaster_secret == nil
      ? SessionSecrets(masterSecret: master_secret.bytes) : SessionSecrets(serverKey: privateKey)
  }

  /// Every set of secrets that opens the session.
  var allSecrets: [SessionSecrets] {
    var log = SessionSecrets.Log()
    log.masterSecrets[client_random.bytes] = master_secret.bytes
    let premaster = premaster_secret.map { SessionSecrets(premasterSecret: $0.bytes) }
    return [secrets, SessionSecrets(keyLog: log), SessionSecrets(masterSecret: master_secret.bytes)]
      + [premaster].compactMap(\.self)
  }
}

extension Side: Decodable {}

import Cryptography
import Explanation
import Testing

@testable import TLS

private let file = "suites/tls12_transcripts.json"

@Suite("Sessions that OpenSSL and tlslite-ng recorded")
struct TranscriptTests {
  struct File: Decodable { let transcripts: [Session] }

  struct Session: Decodable, CustomTestStringConvertible {
    let id: String
    let client_random, master_secret: HexBytes
    let premaster_secret: HexBytes?
    let extended_master_secret: Bool
    let first_app_plaintext: HexBytes
    let handshake_types: [UInt8]
    let records: [RecordedRecord]
    var testDescription: String { id }
  }

  struct RecordedRecord: Decodable {
    let dir: Side
    let hex: HexBytes
  }

  static let sessions = (try? Vectors.read(file, as: File.self).transcripts) ?? []

  @Test(
    "every plaintext message is read and written alike, and every record opens where the suite is implemented",
    .enabled(if: Vectors.isThere(file), "the transcripts are not here"), arguments: sessions)
  func replay(_ session: Session) throws {
    var reading = Reading(session)
    for record in session.records { try reading.take(record) }
    #expect(reading.types == session.handshake_types)
    #expect(reading.clientRandom == session.client_random.bytes)
    guard reading.suite?.isImplemented == true || reading.hasKeys else { return }
    #expect(reading.finished == [.client, .server])
    #expect(
      Array(reading.clientData.prefix(session.first_app_plaintext.bytes.count)) == session.first_app_plaintext.bytes)
    if let premaster = session.premaster_secret?.bytes {
      #expect(try #require(reading.schedule(premaster)).masterSecret == session.master_secret.bytes)
    }
  }

  /// Somebody who knows the master secret reads along.
  struct Reading {
    let session: Session
    var types: [UInt8] = []
    var clientRandom: [UInt8] = []
    var serverRandom: [UInt8] = []
    var suite: CipherSuite.Registration?
    var encryptThenMAC = false
    var finished: [Side] = []
    var clientData: [UInt8] = []
    private var transcript = Transcript()
    private var sessionTranscript = Transcript()
    private var readers: [Side: RecordReader] = [:]
    private var messages: [Side: HandshakeReassembly] = [:]
    private var protections: [Side: RecordProtection] = [:]
    private var protected: Set<Side> = []

    init(_ session: Session) { self.session = session }

    /// Whether the cipher can be run, though perhaps not the signature of its key exchange.
    var hasKeys: Bool {
      switch suite?.cipher {
      case .aes128CBC, .aes256CBC, .aes128GCM, .aes256GCM, .chacha20Poly1305: true
      default: false
      }
    }

    func schedule(_ premaster: [UInt8]) -> KeySchedule12? {
      guard let suite else { return nil }
      if !session.extended_master_secret {
        return KeySchedule12(
          suite: suite, premasterSecret: premaster, clientRandom: clientRandom, serverRandom: serverRandom)
      }
      return KeySchedule12(
        suite: suite, premasterSecret: premaster, sessionHash: sessionTranscript.digest(suite.prf))
    }

    mutating func take(_ recorded: RecordedRecord) throws {
      var log = EffectLog(.standard)
      let side = recorded.dir
      readers[side, default: RecordReader()].append(recorded.hex.bytes)
      while let record = try readers[side]?.next(isProtected: protected.contains(side), &log) {
        #expect(record.field.range == 0..<record.bytes.count)
        guard let plaintext = open(record, side) else { continue }
        switch record.type {
        case .changeCipherSpec: begin(side)
        case .handshake:
          messages[side, default: HandshakeReassembly()].append(plaintext)
          while let bytes = try messages[side]?.next(&log) { try take(bytes, side) }
        case .alert: #expect(try Alert(decoding: plaintext) == Alert(.warning, .closeNotify))
        default: if side == .client { clientData += plaintext }
        }
      }
    }

    private mutating func open(_ record: Record, _ side: Side) -> [UInt8]? {
      guard protected.contains(side) else { return record.fragment }
      guard hasKeys else { return nil }
      let opened = protections[side]?.open(record)
      #expect(opened?.isAuthentic == true)
      return opened?.plaintext
    }

    private mutating func begin(_ side: Side) {
      protected.insert(side)
      guard let suite else { return }
      let keys = KeySchedule12(suite: suite, masterSecret: session.master_secret.bytes)
        .keyBlock(clientRandom: clientRandom, serverRandom: serverRandom, encryptThenMAC: encryptThenMAC)
      protections[side] = RecordProtection(
        keys: keys.keys(of: side), random: DeterministicRandom(seed: .number(0), label: "unused"))
    }

    private mutating func take(_ bytes: [UInt8], _ side: Side) throws {
      let message = try HandshakeMessage(decoding: bytes, keyExchange: suite?.keyExchange)
      #expect(try HandshakeMessage(message.body).bytes == bytes)
      switch message.body {
      case .clientHello(let hello): clientRandom = hello.random
      case .serverHello(let hello):
        serverRandom = hello.random
        suite = hello.cipherSuite.registration
        let answers = (hello.extensions ?? []).map(\.type)
        encryptThenMAC = answers.contains(.encryptThenMAC)
        #expect(answers.contains(.extendedMasterSecret) == session.extended_master_secret)
      case .finished(let finished):
        let suite = try #require(suite)
        let schedule = KeySchedule12(suite: suite, masterSecret: session.master_secret.bytes)
        #expect(schedule.verifyData(of: side, transcript) == finished.verifyData)
        self.finished.append(side)
      default: break
      }
      if message.type != .finished { types.append(message.type.rawValue) }
      transcript.append(message)
      if message.type == .clientKeyExchange { sessionTranscript = transcript }
    }
  }
}

extension Side: Decodable {}

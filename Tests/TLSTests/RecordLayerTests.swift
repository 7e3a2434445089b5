import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("The record layer")
struct RecordLayerTests {
  static let suites = [
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA256",
  ]

  @Test(
    "splitting messages into records of a few bytes does not change the handshake", arguments: suites, [1, 3, 17])
  func fragments(_ suite: String, _ limit: Int) {
    var conversation = Conversation(suite)
    conversation.client.outgoing.fragmentLimit = limit
    conversation.server.outgoing.fragmentLimit = limit
    conversation.run()
    #expect(conversation.isConnected)
    let finished = conversation.sent(by: .server).last { $0.name == .handshake(.finished) }
    #expect(finished?.records.count == (16 + limit - 1) / limit)
    conversation.send(Array("hello".utf8), from: .client)
    #expect(conversation.data(at: .server) == Array("hello".utf8))
    #expect(
      conversation.values(of: .client)["master_secret"]?.bytes
        == Conversation(suite).ran()
        .values(of: .client)["master_secret"]?.bytes)
  }

  @Test("all messages of a flight may be received in one record, and byte by byte", arguments: suites)
  func coalesced(_ suite: String) {
    let separate = Conversation(suite).ran()
    var client = Conversation(suite).client
    var server = Conversation(suite).server
    func sent(_ effects: [ConnectionEffect]) -> [ProtocolMessage] {
      effects.compactMap { if case .send(let message) = $0 { message } else { nil } }
    }
    let flight = sent(server.receive(sent(client.start()).flatMap(\.bytes)))
    let messages = flight.flatMap(\.plaintext)
    let record = Record(type: .handshake, version: .tls12, fragment: messages).bytes
    var answers: [ConnectionEffect] = []
    for byte in record { answers += client.receive([byte]) }
    answers += client.certificateEvaluated(.accepted(separate.serverSettings.privateKey.publicKey))
    #expect(sent(answers).map(\.name.description) == ["ClientKeyExchange", "ChangeCipherSpec", "Finished"])
    #expect(sent(answers).map(\.bytes) == separate.sent(by: .client).dropFirst().map(\.bytes))
    #expect(flight.count == (suite.contains("ECDHE") ? 4 : 3))
  }

  @Test("application data is sent in records of at most 2^14 bytes", arguments: suites)
  func large(_ suite: String) {
    var conversation = Conversation(suite).ran()
    let data = (0..<40_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    conversation.send(data, from: .server)
    #expect(conversation.data(at: .client) == data)
    let records = conversation.sent(by: .server).filter { $0.name == .applicationData }
    #expect(records.map(\.plaintext.count) == [16_384, 16_384, 7_232])
  }

  @Test("application data between the fragments of a handshake message is refused", arguments: suites)
  func interleaved(_ suite: String) {
    var conversation = Conversation(suite).ran()
    let parts: [(ContentType, [UInt8])] = [(.handshake, [0]), (.applicationData, [1])]
    let bytes = parts.flatMap { type, content in
      conversation.server.wrap(Record(type: type, version: .tls12, fragment: content)).bytes
    }
    conversation.receive(bytes, at: .client)
    let failure = conversation.failure(of: .client)
    #expect(failure?.finding.rule == .unexpectedMessage && failure?.alert == .unexpectedMessage)
  }

  private func keys(_ suite: String) throws -> RecordKeys {
    let row = try #require(CipherSuite(name: suite)?.registration)
    return KeySchedule12(Negotiated(version: .tls12, suite: row), masterSecret: [UInt8](repeating: 1, count: 48))
      .keyBlock(clientRandom: [], serverRandom: []).client
  }

  private func protection(_ suite: String, from number: UInt64 = 0) throws -> RecordProtection {
    RecordProtection(
      keys: try keys(suite), random: DeterministicRandom(seed: .number(1), label: "IV"), sequenceNumber: number)
  }

  @Test("a plaintext with one byte too many is an overflow, although it authenticates", arguments: suites)
  func overflow(_ suite: String) throws {
    for (extra, rule) in [(0, nil), (1, Rule.recordOverflow)] as [(Int, Rule?)] {
      var sender = try protection(suite)
      let content = [UInt8](repeating: 7, count: Record.maximumPlaintext + extra)
      let record = try sender.seal(content, type: .applicationData)
      var receiver = RecordReceiver(.client, Conversation(suite).server.handshake.context)
      receiver.protect(with: try keys(suite))
      receiver.append(record.bytes)
      var log = EffectLog(.standard)
      let received = receiver.next(nil, takesData: true, &log)
      let failure = received?.failure
      #expect(failure != nil || received?.message?.plaintext == content)
      #expect(failure?.finding.rule == rule)
      #expect(failure?.alert == (rule == nil ? nil : .recordOverflow))
    }
  }

  @Test("the last sequence number is reserved for the alert, and none is used twice", arguments: suites)
  func lastNumber(_ suite: String) throws {
    var connection = Conversation(suite).ran().client
    connection.outgoing.protect(with: try keys(suite), from: .max - 1)
    let sent = connection.send([1])
    #expect(!connection.isOver)
    #expect(sent.contains { if case .send(let message) = $0 { message.name == .applicationData } else { false } })
    let effects = connection.send([2])
    let failures = effects.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
    #expect(failures.map(\.finding.rule) == [.sequenceExhausted] && failures.map(\.alert) == [.internalError])
    let names = effects.compactMap { if case .send(let message) = $0 { message.name } else { nil } }
    #expect(names == [.alert] && connection.isOver)
  }

  @Test("a record after the last sequence number is refused", arguments: suites)
  func afterTheLastNumber(_ suite: String) throws {
    var sender = try protection(suite, from: .max)
    let record = try sender.seal([1], type: .applicationData)
    #expect(sender.isExhausted)
    #expect(throws: CipherError.nonceExhausted) { try sender.seal([1], type: .applicationData) }
    var receiver = RecordReceiver(.client, Conversation(suite).server.handshake.context)
    receiver.protect(with: try keys(suite), from: .max)
    var log = EffectLog(.standard)
    receiver.append(record.bytes + record.bytes)
    #expect(receiver.next(nil, takesData: true, &log)?.message?.plaintext == [1])
    let failure = receiver.next(nil, takesData: true, &log)?.failure
    #expect(failure?.finding.rule == .sequenceExhausted && failure?.alert == .unexpectedMessage)
  }
}

extension RecordReceiver.Received {
  fileprivate var failure: HandshakeFailure? { if case .failed(let failure) = content { failure } else { nil } }
}

import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("Complete handshakes of SSL 3.0 and TLS 1.0 to 1.2")
struct HandshakeTests {
  static let runs = CipherSuite.defaults.flatMap { suite in
    NamedGroup.implemented.map { (Conversation.Run(version: .tls12, suite: suite.name), $0) }
  }
  static let others = Conversation.Run.all.filter { run in
    run.version != .tls12 || CipherSuite(name: run.suite)?.registration?.isHistorical == true
  }

  @Test("client and server agree on all secrets and exchange data", arguments: runs + others.map { ($0, .secp256r1) })
  func agreement(_ run: Conversation.Run, _ group: NamedGroup) throws {
    let suite = run.suite
    var conversation = Conversation(suite, in: run.version, group: group)
    conversation.run()
    #expect(conversation.isConnected)
    let parameters = try #require(conversation.client.handshake.parameters)
    #expect(parameters.cipherSuite.name == suite)
    #expect(parameters.version == run.version)
    // SSL 3.0 (RFC 6101) has no extensions, hence no server_name.
    #expect(parameters.serverName == (run.version == .sslv3 ? nil : "api.example"))
    let finite: NamedGroup? = suite.contains("_DH") ? .ffdhe2048 : nil
    #expect(parameters.group == (suite.contains("ECDHE") ? group : finite))
    #expect(parameters == conversation.server.handshake.parameters)
    conversation.send(Array("GET /".utf8), from: .client)
    conversation.send(Array("hello".utf8), from: .server)
    #expect(conversation.data(at: .server) == Array("GET /".utf8))
    #expect(conversation.data(at: .client) == Array("hello".utf8))
    let client = conversation.values(of: .client)
    let server = conversation.values(of: .server)
    for (id, value) in client where server[id] != nil { #expect(server[id]?.bytes == value.bytes, "\(id)") }
    let names: [ValueName] = [
      "master_secret", "key_block", "client_write_MAC_key", "client_write_key", "client_verify_data",
      "application_data.client.1",
    ]
    for id in names where client[id] != nil || id == "master_secret" {
      #expect(client[id]?.bytes == server[id]?.bytes && client[id] != nil, "\(id)")
    }
    let remarks = conversation.findings(of: .client).filter { $0.outcome != .satisfied }
    #expect(remarks.allSatisfy { !$0.refuses })
    let expected = [
      (run.version == .sslv3, Rule.ssl3), (suite.contains("RC4"), .rc4), (suite.contains("3DES"), .shortBlocks),
    ].filter(\.0).map(\.1)
    #expect(remarks.map(\.rule) == expected)
    #expect(conversation.findings(of: .server).allSatisfy { $0.outcome == .satisfied })
  }

  @Test(
    "extended master secret and encrypt-then-MAC are used only if both sides support them",
    arguments: [
      (true, true), (true, false), (false, true), (false, false),
    ])
  func extensions(_ client: Bool, _ server: Bool) {
    var conversation = Conversation("TLS_RSA_WITH_AES_128_CBC_SHA256")
    var offer = conversation.clientSettings
    var choice = conversation.serverSettings
    (offer.extendedMasterSecret, offer.encryptThenMAC) = (client, client)
    (choice.extendedMasterSecret, choice.encryptThenMAC) = (server, server)
    conversation = Conversation(offer, choice).ran()
    #expect(conversation.isConnected)
    #expect(conversation.parameters.allSatisfy { $0?.hasExtendedMasterSecret == (client && server) })
    #expect((conversation.values(of: .client)["session_hash"] != nil) == (client && server))
    conversation.send([1, 2, 3], from: .client)
    #expect(conversation.data(at: .server) == [1, 2, 3])
  }

  @Test("the messages are in the order of figure 1, with ServerKeyExchange only for ECDHE")
  func order() {
    let rsa = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256").ran()
    #expect(
      rsa.sent(by: .client).map(\.name.description) == [
        "ClientHello", "ClientKeyExchange", "ChangeCipherSpec", "Finished",
      ])
    #expect(
      rsa.sent(by: .server).map(\.name.description)
        == ["ServerHello", "Certificate", "ServerHelloDone", "ChangeCipherSpec", "Finished"])
    let ecdhe = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").ran()
    #expect(ecdhe.sent(by: .server).map(\.name.description).contains("ServerKeyExchange"))
    #expect(ecdhe.sent(by: .client).map(\.isProtected) == [false, false, false, true])
  }

  @Test("the counting seed numbers randoms and premaster secret consecutively")
  func counting() {
    let conversation = Conversation("TLS_RSA_WITH_AES_128_CBC_SHA", seed: .counting).ran()
    let values = conversation.values(of: .server)
    #expect(values["client_random"]?.bytes == Array(0x00...0x1f))
    #expect(values["server_random"]?.bytes == Array(0x20...0x3f))
    #expect(values["premaster_secret"]?.bytes == [3, 3] + Array(0x40...0x6d))
  }

  @Test("the same seed results in the same bytes, another seed in others")
  func determinism() {
    func bytes(_ seed: UInt64) -> [[UInt8]] {
      let conversation = Conversation("TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA", seed: .number(seed)).ran()
      return conversation.log.compactMap { if case .send(let message) = $0.effect { message.bytes } else { nil } }
    }
    #expect(bytes(7) == bytes(7))
    #expect(bytes(7) != bytes(8))
  }

  @Test("a fixed value, or one from a weak generator, does not affect the others")
  func overrides() {
    var streams = RandomStreams(seed: .number(1), party: "client")
    let good = streams.bytes(for: "client_random", count: 32)
    streams.overrides = ["premaster_secret": .bits(12), "server_random": .fixed([1, 2, 3])]
    #expect(streams.bytes(for: "client_random", count: 32) == good)
    #expect(streams.bytes(for: "server_random", count: 5) == [1, 2, 3, 1, 2])
    let weak = streams.bytes(for: "premaster_secret", count: 46)
    #expect(weak.prefix(44).allSatisfy { $0 == 0 } && weak[44] < 16)
  }

  @Test("long data is sent in several records, and close_notify ends both sides")
  func longData() {
    var conversation = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").ran()
    let data = [UInt8](repeating: 0x61, count: 40_000)
    conversation.send(data, from: .server)
    #expect(conversation.data(at: .client) == data)
    #expect(conversation.sent(by: .server).filter { $0.name == .applicationData }.count == 3)
    conversation.close(.client)
    #expect(conversation.client.isOver && conversation.server.isOver)
    #expect(conversation.failure(of: .client) == nil && conversation.failure(of: .server) == nil)
  }

  @Test("a connection closed without close_notify is record.truncated")
  func truncation() {
    var conversation = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256").ran()
    let effects = conversation.client.transportClosed()
    let failures = effects.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
    #expect(failures.map(\.finding.rule.id) == ["record.truncated"])
    var closed = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256").ran()
    closed.close(.server)
    #expect(closed.client.transportClosed().isEmpty)
  }

  @Test("bytes may be received one at a time, and many messages in one chunk")
  func portions() {
    var whole = Conversation("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA")
    var toClient: [UInt8] = []
    var effects: [ConnectionEffect] = []
    for byte in whole.client.start().sentBytes { effects += whole.server.receive([byte]) }
    toClient = effects.sentBytes
    var answers: [ConnectionEffect] = whole.client.receive(toClient)
    #expect(answers.contains { if case .evaluateCertificate = $0 { true } else { false } })
    #expect(answers.sentBytes.isEmpty)
    answers = whole.client.certificateEvaluated(whole.answer)
    let last = whole.server.receive(answers.sentBytes)
    for byte in last.sentBytes { _ = whole.client.receive([byte]) }
    #expect(whole.isConnected)
  }

  @Test("a certificate that is refused ends the connection with the matching alert")
  func refusal() {
    var conversation = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    conversation.answer = .refused(.unknownCA)
    conversation.run()
    #expect(conversation.failure(of: .client)?.alert == .unknownCA)
    #expect(conversation.failure(of: .client)?.finding.rule == .certificateRefused)
    #expect(conversation.failure(of: .client)?.finding.refuses == false)
    #expect(conversation.failure(of: .server)?.isOwn == false)
    #expect(conversation.failure(of: .server)?.alert == .unknownCA)
  }

  @Test("every secret has its derivation")
  func derivations() {
    let conversation = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256").ran()
    let server = conversation.values(of: .server)
    #expect(conversation.values(of: .client)["premaster_secret"]?.derivations == [.generated(by: .client)])
    #expect(
      server["premaster_secret"]?.derivations
        == [
          .computed(
            .rsaDecryption, from: ["encrypted_premaster_secret", "api.key"])
        ])
    #expect(server["encrypted_premaster_secret"]?.derivations == [.published])
    let ecdhe = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").ran().values(of: .server)
    #expect(ecdhe["server_ecdh_private"]?.derivations == [.generated(by: .server)])
    #expect(
      ecdhe["premaster_secret"]?.derivations
        == [.computed(.keyAgreement(group: "secp256r1"), from: ["server_ecdh_private", "client_ecdh_public"])])
  }
}

extension Conversation {
  func ran() -> Conversation {
    var copy = self
    return copy.run()
  }
}

extension [ConnectionEffect] {
  var sentBytes: [UInt8] {
    flatMap { if case .send(let message) = $0 { message.bytes } else { [UInt8]() } }
  }
}

import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("Overridden rules, and other decisions")
struct DecisionTests {
  private let rsa = "TLS_RSA_WITH_AES_128_GCM_SHA256"

  /// Client and server whose client overrides this rule.
  private func conversation(past rule: Rule, _ suite: String = "TLS_RSA_WITH_AES_128_GCM_SHA256") -> Conversation {
    let strict = Conversation(suite)
    var client = strict.clientSettings
    client.enforcement = Enforcement.standard.overriding(rule.id, by: .mutant)
    return Conversation(client, strict.serverSettings)
  }

  @Test("a client that overrides the rule ignores a fatal alert, and the finding reports it")
  func fatalAlert() {
    for (isPassed, isOver) in [(false, true), (true, false)] {
      var client = isPassed ? conversation(past: .fatalAlert).client : Conversation(rsa).client
      _ = client.start()
      let alert = Alert(.fatal, .handshakeFailure).bytes
      let effects = client.receive(Record(type: .alert, version: .tls12, fragment: alert).bytes)
      #expect(client.isOver == isOver)
      guard isPassed else { continue }
      #expect(effects.findings.map(\.weight) == [.overridden(by: .mutant)])
    }
  }

  @Test(
    "records that violate an overridden rule of the record layer are accepted",
    arguments: [
      (Rule.emptyRecord, Record(type: .handshake, version: .tls12, fragment: [])),
      (.unexpectedRecordType, Record(type: ContentType(rawValue: 99), version: .tls12, fragment: [1])),
      (.unexpectedRecordType, Record(type: .applicationData, version: .tls12, fragment: [1])),
      (.recordVersion, Record(type: .alert, version: ProtocolVersion(rawValue: 0x0400), fragment: [1, 100])),
      (.recordOverflow, Record(type: .alert, version: .tls12, fragment: [UInt8](repeating: 1, count: 16_385))),
      (.decodeError, Record(type: .alert, version: .tls12, fragment: [3, 0])),
    ])
  func records(_ rule: Rule, _ record: Record) {
    var strict = Conversation(rsa).client
    _ = strict.start()
    let refused = strict.receive(record.bytes).compactMap { effect in
      if case .failed(let failure) = effect { failure.finding.rule } else { nil }
    }
    #expect(refused == [rule] && strict.isOver)
    var lax = conversation(past: rule).client
    _ = lax.start()
    let passed = lax.receive(record.bytes).findings.filter { $0.rule == rule }
    #expect(passed.map(\.weight) == [.overridden(by: .mutant)])
  }

  @Test("a message out of order is ignored if the order is not enforced")
  func unexpectedMessage() throws {
    let done = Event.received(try HandshakeMessage(.serverHelloDone))
    var strict = Conversation(rsa).client.handshake
    var lax = conversation(past: .unexpectedMessage).client.handshake
    _ = (strict.handle(.start), lax.handle(.start))
    #expect(strict.handle(done).failure?.finding.rule == .unexpectedMessage)
    #expect(lax.handle(done).failure == nil && lax.expected == [.handshake(.serverHello)])
  }

  @Test("a rule that cannot be overridden still ends the connection")
  func noWay() {
    var conversation = conversation(past: .keyTypeMismatch)
    conversation.answer = .accepted(Conversation.ecKey.publicKey)
    #expect(conversation.ran().failure(of: .client)?.finding.rule == .keyTypeMismatch)
  }

  /// A client sends no CertificateVerify, and the server accepts that (CVE-2015-0205).
  @Test("only a server with the added transition accepts a client certificate without CertificateVerify")
  func skippedCertificateVerify() throws {
    for skips in [false, true] {
      let plain = Conversation(rsa)
      var (client, server) = (plain.clientSettings, plain.serverSettings)
      client.identity = ClientIdentity(certificates: [[0x30, 0]], privateKey: Conversation.ecKey, privateKeyName: "k")
      server.clientAuthentication = .required
      if skips { server.enforcement.apply(.tls { $0.accepts = { $1 == .changeCipherSpec ? .skips : .none } }) }
      var conversation = Conversation(client, server)
      conversation.clientAnswer = .accepted(Conversation.ecKey.publicKey)
      conversation.alter = { message, _ in message.name == .handshake(.certificateVerify) ? [] : message.bytes }
      conversation.run()
      let failure = conversation.failure(of: .server)?.finding.rule
      #expect(failure == (skips ? .finishedMismatch : .unexpectedMessage))
    }
  }

  /// SKIP-TLS (CVE-2014-6593): Finished instead of ServerHelloDone, made with an empty secret.
  @Test("only a client with the added transition accepts Finished without keys")
  func skippedKeys() throws {
    for skips in [false, true] {
      let plain = Conversation(rsa)
      var settings = plain.clientSettings
      if skips {
        settings.enforcement.apply(.tls { $0.accepts = { $1.kind == .handshake(.finished) ? .skips : .none } })
      }
      var client = Handshake(settings)
      var server = plain.server.handshake
      var transcript = Transcript()
      var events: [Event] = []
      for case .send(let hello) in client.handle(.start) {
        transcript.append(hello)
        for case .send(let message) in server.handle(.received(hello)) where message.type != .serverHelloDone {
          transcript.append(message)
          events.append(.received(message))
        }
      }
      for event in events { #expect(client.handle(event).failure == nil) }
      #expect(client.handle(.certificateEvaluated(plain.answer)).failure == nil)
      let schedule = KeySchedule12(try #require(server.negotiated), masterSecret: [])
      let finished = Finished(verifyData: schedule.verifyData(of: .server, transcript))
      let failure = client.handle(.received(try HandshakeMessage(.finished(finished)))).failure
      #expect(failure?.finding.rule == (skips ? nil : .unexpectedMessage))
      #expect(client.isConnected == skips)
    }
  }

  @Test("a mutant server reveals a defect of the premaster secret, or continues despite it")
  func premaster() throws {
    guard case .rsa(let key) = Conversation.rsaKey.publicKey else { throw KeyError.label("tests") }
    var padding = DeterministicRandom(seed: .number(1), label: "padding")
    let old = [3, 1] + [UInt8](repeating: 5, count: 46)
    let encrypted = try key.encryptPKCS1v15(old, random: &padding)
    let zeros = [UInt8](repeating: 0, count: encrypted.count)
    func answer(_ encrypted: [UInt8], _ change: @escaping @Sendable (inout TLSDecisions) -> Void) throws -> [Effect] {
      let plain = Conversation(rsa)
      var settings = plain.serverSettings
      settings.enforcement.apply(.tls([], change))
      var (client, server) = (plain.client.handshake, Handshake(settings))
      for case .send(let hello) in client.handle(.start) { _ = server.handle(.received(hello)) }
      let body = HandshakeMessage.Body.clientKeyExchange(.rsa(encryptedPremasterSecret: encrypted))
      return server.handle(.received(try HandshakeMessage(body, under: server.negotiated)))
    }
    for (sent, flaw) in [(encrypted, PremasterFlaw.version), (zeros, .blockType)] {
      #expect(try answer(sent) { _ in }.failure == nil)
      for told in PremasterFlaw.allCases {
        let failure = try answer(sent) { $0.tells = { $0 == told } }.failure
        #expect(failure?.alert == (told == flaw ? .decryptError : nil), "\(told)")
      }
    }
    let kept = try answer(encrypted) { $0.premaster = { decrypted, _ in decrypted } }
    #expect(kept.values["premaster_secret"]?.bytes == old)
    #expect(try answer(encrypted) { _ in }.values["premaster_secret"] == nil)
  }

  @Test("mutants check only the padding length, or use different alerts for padding and MAC")
  func padding() throws {
    let row = try #require(CipherSuite(name: "TLS_RSA_WITH_AES_128_CBC_SHA")?.registration)
    let keys = KeySchedule12(Negotiated(version: .tls12, suite: row), masterSecret: [UInt8](repeating: 1, count: 48))
      .keyBlock(clientRandom: [], serverRandom: []).client
    func header(_ count: Int) -> [UInt8] { [1, 2, 3, UInt8(count >> 8), UInt8(count & 0xff)] }
    func sealed(_ padding: [UInt8], code: UInt8 = 0) throws -> [UInt8] {
      let content: [UInt8] = [7, 7, 7, 7]
      var mac = HMAC.authenticationCode(.sha1, key: keys.macKey, header(content.count) + content)
      mac[0] ^= code
      let iv = [UInt8](repeating: 9, count: 16)
      return iv + (try AESCBC.encrypt(content + mac + padding, key: keys.key, iv: iv))
    }
    let right = [UInt8](repeating: 7, count: 8)
    let wrong: [UInt8] = [1, 2, 3, 4, 5, 6, 0, 7]
    var decisions = TLSDecisions.standard
    #expect(CBCProtection(keys, decisions).open(try sealed(right), header).alert == nil)
    #expect(CBCProtection(keys, decisions).open(try sealed(wrong), header).alert == .badRecordMAC)
    decisions.paddingHolds = { _ in true }
    #expect(CBCProtection(keys, decisions).open(try sealed(wrong), header) == OpenedContent([7, 7, 7, 7], nil))
    decisions = .standard
    decisions.answer = { padding, code in
      !padding ? .decryptionFailedReserved : code ? nil : .badRecordMAC
    }
    #expect(CBCProtection(keys, decisions).open(try sealed(right), header).alert == nil)
    #expect(CBCProtection(keys, decisions).open(try sealed(right, code: 1), header).alert == .badRecordMAC)
    #expect(CBCProtection(keys, decisions).open(try sealed(wrong), header).alert == .decryptionFailedReserved)
  }
}

extension [ConnectionEffect] {
  fileprivate var findings: [Finding] { compactMap { if case .found(let finding) = $0 { finding } else { nil } } }
}

extension [Effect] {
  fileprivate var values: [Value.ID: Value] {
    var values: [Value.ID: Value] = [:]
    for case .derived(let value) in self { values[value.id] = value }
    return values
  }
}

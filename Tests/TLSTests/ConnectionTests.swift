import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("One connection for all versions")
struct ConnectionTests {
  private let suite = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"

  @Test("the hellos negotiate version and suite, and that version's state machine takes over")
  func handOver() throws {
    let conversation = Conversation(suite)
    var (client, server) = (conversation.client, conversation.server)
    #expect(client.handshake.machine is ClientNegotiation && server.handshake.machine is ServerNegotiation)
    #expect(client.handshake.negotiated == nil && client.handshake.expected == [.start])
    let offer = client.start()
    #expect(client.handshake.expected == [.handshake(.serverHello)])
    let answer = server.receive(offer.bytes)
    #expect(answer.messages.first?.name == .handshake(.serverHello))
    _ = client.receive(answer.bytes)
    #expect(client.handshake.machine is ClientHandshake12 && server.handshake.machine is ServerHandshake12)
    let row = try #require(CipherSuite(name: suite)?.registration)
    let negotiated = Negotiated(version: .tls12, suite: row)
    #expect(client.handshake.negotiated == negotiated && server.handshake.negotiated == negotiated)
    #expect(client.handshake.expected == [.certificateEvaluation])
  }

  /// A conversation with a damaged ServerKeyExchange, and a client that skips that check or not.
  private func damaged(recordsTrace: Bool, goesPast: Bool) -> Conversation {
    let settings = Conversation(suite)
    var (client, server) = (settings.clientSettings, settings.serverSettings)
    (client.recordsTrace, server.recordsTrace) = (recordsTrace, recordsTrace)
    if goesPast { client.enforcement = .standard.overriding(Rule.badSignature.id, by: .mutant) }
    var conversation = Conversation(client, server)
    conversation.alter = { message, _ in
      guard message.name == .handshake(.serverKeyExchange) else { return message.bytes }
      return message.bytes.dropLast() + [message.bytes.last.map { $0 ^ 1 } ?? 0]
    }
    return conversation.run()
  }

  @Test("without a trace, a connection sends the same bytes and reports only violated rules", arguments: [false, true])
  func silent(_ goesPast: Bool) {
    let (told, untold) = (
      damaged(recordsTrace: true, goesPast: goesPast), damaged(recordsTrace: false, goesPast: goesPast)
    )
    func sent(_ conversation: Conversation) -> [[UInt8]] {
      [Side.client, .server].map { conversation.sent(by: $0).flatMap(\.bytes) }
    }
    #expect(sent(told) == sent(untold) && sent(told).allSatisfy { !$0.isEmpty })
    for side in [Side.client, .server] {
      let broken = told.findings(of: side).filter { $0.outcome == .violated }
      #expect(untold.findings(of: side) == broken)
      #expect(broken.count < told.findings(of: side).count)
    }
    #expect(untold.findings(of: .client).map(\.rule).contains(.badSignature))
    #expect((untold.failure(of: .client)?.finding.rule == .badSignature) == !goesPast)
  }

  @Test("a server does not start the handshake: it waits")
  func start() {
    var server = Conversation(suite).server
    #expect(server.start().isEmpty && server.handshake.expected == [.handshake(.clientHello)])
  }

  @Test("the finding of a failure is reported once, right before the alert is sent")
  func order() {
    var conversation = Conversation(suite)
    conversation.answer = .refused(.unknownCA)
    conversation.run()
    let effects = conversation.log.filter { $0.side == .client }.map(\.effect)
    let position = effects.firstIndex { if case .failed = $0 { true } else { false } } ?? 0
    guard case .failed(let failure) = effects[position], case .send(let message) = effects[position + 1] else {
      Issue.record("no alert after the finding")
      return
    }
    #expect(failure.alert == .unknownCA && message.content == .alert(Alert(.fatal, .unknownCA)))
    #expect(!effects.contains(.found(failure.finding)))
    #expect(effects.count == position + 2)
  }

  @Test("the record's protection determines the content of a record")
  func innerType() throws {
    let row = try #require(CipherSuite(name: suite)?.registration)
    let keys = KeySchedule12(Negotiated(version: .tls12, suite: row), masterSecret: [UInt8](repeating: 1, count: 48))
      .keyBlock(clientRandom: [], serverRandom: []).client
    let random = DeterministicRandom(seed: .number(1), label: "IV")
    var sender = RecordProtection(keys: keys, random: random)
    var receiver = RecordProtection(keys: keys, random: random)
    let record = try sender.seal([1, 2, 3], type: .alert)
    #expect(record.version == .tls12)
    let opened = receiver.open(record)
    #expect(opened.type == .alert && opened.plaintext == [1, 2, 3] && opened.alert == nil)
    let again = receiver.open(record)
    #expect(again.alert == .badRecordMAC && !again.isAuthentic)
  }

  @Test("the negotiated parameters determine a message's form and fields")
  func shapes() throws {
    let row = try #require(CipherSuite(name: suite)?.registration)
    let negotiated = Negotiated(version: .tls12, suite: row)
    let body = HandshakeMessage.Body.clientKeyExchange(.ecdhe(publicKey: [4, 5, 6]))
    let message = try HandshakeMessage(body, under: negotiated)
    #expect(try HandshakeMessage(decoding: message.bytes, under: negotiated) == message)
    let blind = try HandshakeMessage(decoding: message.bytes, under: nil)
    #expect(blind.body == .clientKeyExchange(.opaque([3, 4, 5, 6])))
    #expect(message.field != blind.field)
  }

  @Test("a session keeps its version and lives 24 hours, and a cache drops the oldest")
  func sessions() throws {
    var configuration = Conversation.serverConfiguration()
    configuration.sessions = SessionCache()
    configuration.now = Instant(secondsSince1970: 1000)
    let established = Conversation(Conversation.clientConfiguration(), configuration).ran().session(of: .server)
    let session = try #require(established)
    #expect(session.parameters.version == .tls12 && session.established == configuration.now)
    #expect(session.isFresh(at: configuration.now.adding(seconds: TLS.Session.lifetime)))
    #expect(!session.isFresh(at: configuration.now.adding(seconds: TLS.Session.lifetime + 1)))
    #expect(!session.isFresh(at: configuration.now.adding(seconds: -1)))
    var client = Conversation.clientConfiguration()
    client.session = session
    for (age, isProposed) in [(0, true), (TLS.Session.lifetime + 1, false)] as [(Int64, Bool)] {
      client.now = configuration.now.adding(seconds: age)
      #expect((client.clientHello(random: []).sessionID == session.id) == isProposed)
    }
    var cache = SessionCache(capacity: 2)
    let named = (1...3).compactMap { number in session.renamed([UInt8(number)]).map(TLS.Session.tls12) }
    for session in named + [named[2]] { cache.store(session) }
    #expect(cache.count == 2 && cache[[1]] == nil && cache[[2]] == named[1] && cache[[3]] == named[2])
    cache.remove(named[1])
    #expect(cache.count == 1)
  }

  // RFC 8446 section 8.1: a server that cannot remember a ticket must not accept its early data.
  @Test("a cache that can remember no more tickets treats each as spent")
  func spentTickets() {
    var cache = SessionCache(capacity: 2)
    cache.spend([1])
    #expect(cache.isSpent([1]) && !cache.isSpent([2]))
    cache.spend([2])
    #expect(cache.isSpent([3]))
  }

  @Test("a side may end the connection with an alert of its own choice, at any time")
  func aborted() {
    for isConnected in [false, true] {
      var conversation = isConnected ? Conversation().ran() : Conversation()
      let sent = conversation.server.abort(.noRenegotiation)
      #expect(conversation.server.isOver && conversation.server.abort(.noRenegotiation).isEmpty)
      let failures = conversation.client.receive(sent.bytes).compactMap { effect -> HandshakeFailure? in
        if case .failed(let failure) = effect { failure } else { nil }
      }
      #expect(failures.map(\.alert) == [.noRenegotiation] && failures.allSatisfy { !$0.isOwn })
    }
  }
}

extension TLS.Session {
  fileprivate func renamed(_ id: [UInt8]) -> Session12? {
    guard case .tls12(let session) = self else { return nil }
    return Session12(
      id: id, schedule: session.schedule, masterSecretName: session.masterSecretName, parameters: session.parameters,
      established: session.established)
  }
}

extension [ConnectionEffect] {
  fileprivate var messages: [ProtocolMessage] {
    compactMap { if case .send(let message) = $0 { message } else { nil } }
  }
  fileprivate var bytes: [UInt8] { messages.flatMap(\.bytes) }
}

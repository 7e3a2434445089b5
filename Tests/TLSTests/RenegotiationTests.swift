import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("Renegotiation")
struct RenegotiationTests {
  private static let suite = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"

  /// A connection between two sides with these settings for renegotiation.
  private func conversation(_ client: Renegotiation, _ server: Renegotiation) -> Conversation {
    let plain = Conversation(Self.suite)
    var (clientSettings, serverSettings) = (plain.clientSettings, plain.serverSettings)
    clientSettings.renegotiation = client
    serverSettings.renegotiation = server
    return Conversation(clientSettings, serverSettings).ran()
  }

  /// The alerts that a side has sent.
  private func alerts(_ conversation: Conversation, _ side: Side) -> [Alert] {
    conversation.sent(by: side).compactMap { message in
      if case .alert(let alert) = message.content { alert } else { nil }
    }
  }

  @Test(
    "a side that declines sends a warning, and the connection continues", arguments: Side.allCases)
  func declined(_ asking: Side) throws {
    var conversation = conversation(asking == .client ? .secure : .refused, asking == .server ? .secure : .refused)
    let asked = asking.peer
    conversation.renegotiate(asking)
    let violated = conversation.findings(of: asked).filter { $0.outcome == .violated }
    #expect(violated.map(\.rule) == [.renegotiation] && violated.allSatisfy { !$0.refuses })
    #expect(alerts(conversation, asked) == [Alert(.warning, .noRenegotiation)])
    #expect(conversation.isConnected && conversation.failure(of: asking) == nil)
    conversation.send([1, 2, 3], from: asking)
    conversation.send([4], from: asked)
    #expect(conversation.data(at: asked) == [1, 2, 3] && conversation.data(at: asking) == [4])
  }

  @Test("renegotiation that both want makes new keys, from either side and repeatedly", arguments: Side.allCases)
  func secure(_ asking: Side) throws {
    var conversation = conversation(.secure, .secure)
    for round in 1...3 {
      conversation.renegotiate(asking)
      #expect(conversation.isConnected && conversation.parameters.first == conversation.parameters.last)
      conversation.send([UInt8(round)], from: .client)
      conversation.send([UInt8(round)], from: .server)
    }
    #expect(conversation.data(at: .server) == [1, 2, 3] && conversation.data(at: .client) == [1, 2, 3])
    let values = conversation.values(of: .client)
    #expect(values["master_secret"]?.bytes != values["renegotiated.master_secret"]?.bytes)
    #expect(values["renegotiated.application_data.client.1"]?.bytes == [1])
    let hellos = conversation.sent(by: .client).filter { $0.name == .handshake(.clientHello) }
    #expect(hellos.map(\.isProtected) == [false, true, true, true])
    #expect(conversation.findings(of: .server).allSatisfy { $0.outcome == .satisfied })
    // RFC 5746 section 3.5: the verify_data of the first handshake.
    guard case .handshake(let second) = hellos[1].content, case .clientHello(let offer) = second.body else { return }
    #expect(offer.extensions?.renegotiationInfo == values["client_verify_data"]?.bytes)
  }

  @Test(
    "older versions and every kind of protection renegotiate too",
    arguments: [
      ("TLS_RSA_WITH_AES_128_CBC_SHA", ProtocolVersion.tls10), ("TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", .tls11),
      ("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", .tls12), ("TLS_RSA_WITH_AES_256_CBC_SHA256", .tls12),
    ])
  func everyVersion(_ suite: String, _ version: ProtocolVersion) {
    let plain = Conversation(suite, in: version)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    (client.renegotiation, server.renegotiation) = (.secure, .secure)
    var conversation = Conversation(client, server).ran()
    for round in 1...2 {
      conversation.renegotiate(round == 1 ? .client : .server)
      for side in Side.allCases { conversation.send([UInt8](repeating: 7, count: 100), from: side) }
    }
    #expect(conversation.isConnected && conversation.parameters.allSatisfy { $0?.version == version })
    for side in Side.allCases { #expect(conversation.data(at: side) == [UInt8](repeating: 7, count: 200)) }
  }

  @Test("a side that requires secure renegotiation declines if its peer lacks RFC 5746", arguments: Side.allCases)
  func onlyOne(_ old: Side) {
    for asking in Side.allCases {
      var conversation = conversation(old == .client ? .insecure : .secure, old == .server ? .insecure : .secure)
      #expect(conversation.parameters.allSatisfy { $0?.hasSecureRenegotiation == false })
      conversation.renegotiate(asking)
      #expect(conversation.isConnected)
      #expect(conversation.values(of: .client)["renegotiated.master_secret"] == nil)
    }
  }

  /// The received application data.
  private func data(_ effects: [ConnectionEffect]) -> [UInt8] {
    effects.flatMap { if case .applicationData(let bytes) = $0 { bytes } else { [UInt8]() } }
  }

  private func rules(_ effects: [ConnectionEffect]) -> [Rule] {
    effects.compactMap { if case .failed(let failure) = $0 { failure.finding.rule } else { nil } }
  }

  @Test("application data during renegotiation is accepted (RFC 5246 section 6.2.1)")
  func interleaved() {
    var conversation = conversation(.secure, .secure)
    let hello = conversation.client.renegotiate().sentBytes
    let request = conversation.client.outgoing.applicationData([1, 2]).effects.sentBytes
    let offered = conversation.server.receive(hello + request)
    #expect(data(offered) == [1, 2] && rules(offered).isEmpty)
    let response = conversation.server.outgoing.applicationData([3]).effects.sentBytes
    var answered = conversation.client.receive(offered.sentBytes + response)
    answered += conversation.client.certificateEvaluated(conversation.answer)
    #expect(data(answered) == [3] && rules(answered).isEmpty)
    let finished = conversation.server.receive(answered.sentBytes)
    let ended = conversation.client.receive(finished.sentBytes)
    #expect(rules(finished + ended).isEmpty && conversation.isConnected)
    conversation.send([4], from: .client)
    conversation.send([5], from: .server)
    #expect(conversation.data(at: .server) == [4] && conversation.data(at: .client) == [5])
  }

  @Test(
    "application data between ChangeCipherSpec and Finished is refused, in either direction", arguments: Side.allCases
  )
  func afterChangeCipherSpec(_ speaking: Side) {
    let plain = Conversation(Self.suite)
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    (client.renegotiation, server.renegotiation) = (.secure, .secure)
    // Without Finished the record has the wrong sequence number, which this test does not check.
    client.enforcement = .standard.overriding(Rule.badMAC.id, by: .mutant)
    server.enforcement = client.enforcement
    var conversation = Conversation(client, server).ran()
    let offered = conversation.server.receive(conversation.client.renegotiate().sentBytes)
    _ = conversation.client.receive(offered.sentBytes)
    let flight = conversation.client.certificateEvaluated(conversation.answer)
    if speaking == .client {
      let request = conversation.client.outgoing.applicationData([1]).effects.sentBytes
      let taken = conversation.server.receive(withoutFinished(flight) + request)
      #expect(rules(taken) == [.unexpectedRecordType] && data(taken).isEmpty)
    } else {
      let last = conversation.server.receive(flight.sentBytes)
      let response = conversation.server.outgoing.applicationData([1]).effects.sentBytes
      let taken = conversation.client.receive(withoutFinished(last) + response)
      #expect(rules(taken) == [.unexpectedRecordType] && data(taken).isEmpty)
    }
  }

  private func withoutFinished(_ effects: [ConnectionEffect]) -> [UInt8] {
    effects.filter { if case .send(let message) = $0 { message.name != .handshake(.finished) } else { true } }.sentBytes
  }

  @Test(
    "application data in a first handshake is refused, before ServerHello and after it", arguments: [false, true])
  func firstHandshake(_ hasAnswered: Bool) {
    var conversation = Conversation(Self.suite)
    let hello = conversation.client.start().sentBytes
    let early = Record(type: .applicationData, version: .tls12, fragment: [1]).bytes
    let taken = conversation.server.receive(hasAnswered ? hello + early : early)
    #expect(rules(taken) == [.unexpectedRecordType] && data(taken).isEmpty)
  }

  @Test(
    "close_notify during renegotiation closes the established connection", arguments: Side.allCases)
  func closed(_ closing: Side) {
    var conversation = conversation(.secure, .secure)
    let answer = conversation.server.receive(conversation.client.renegotiate().sentBytes)
    #expect(!answer.isEmpty && !conversation.server.handshake.isConnected)
    let said = closing == .client ? conversation.client.close() : conversation.server.close()
    let other =
      closing == .client
      ? conversation.server.receive(said.sentBytes) : conversation.client.receive(answer.sentBytes + said.sentBytes)
    // The client waits for the evaluation of the certificate before it reads on.
    let last = closing == .client ? other : conversation.client.certificateEvaluated(conversation.answer)
    #expect(last.contains(.closed) && !last.contains { if case .failed = $0 { true } else { false } })
    let alerts = last.compactMap { effect -> Alert? in
      if case .send(let message) = effect, case .alert(let alert) = message.content { alert } else { nil }
    }
    #expect(alerts == [Alert(.warning, .closeNotify)])
  }

  @Test(
    "a side that has sent close_notify sends nothing more of renegotiation (RFC 5246 section 7.2.1)",
    arguments: [true, false])
  func silent(_ closes: Bool) {
    var conversation = conversation(.secure, .secure)
    let flight = conversation.server.receive(conversation.client.renegotiate().sentBytes)
    let said = closes ? conversation.client.close() : []
    _ = conversation.client.receive(flight.sentBytes)
    let sent = conversation.client.certificateEvaluated(conversation.answer).compactMap {
      if case .send(let message) = $0 { message.name.description } else { nil }
    }
    #expect(sent == (closes ? [] : ["ClientKeyExchange", "ChangeCipherSpec", "Finished"]))
    #expect(said.isEmpty != closes)
    // The messages that it has sent are read with the keys that protected them.
    let last = conversation.server.receive(said.sentBytes)
    #expect(last.contains(.closed) == closes)
  }

  @Test("two old sides renegotiate without binding to the first handshake")
  func insecure() {
    var conversation = conversation(.insecure, .insecure)
    conversation.renegotiate(.client)
    #expect(conversation.isConnected && conversation.values(of: .client)["renegotiated.master_secret"] != nil)
  }

  @Test(
    "renegotiation that is not bound to the connection ends it",
    arguments: [nil, [], [1, 2, 3]] as [[UInt8]?], [true, false])
  func unbound(_ info: [UInt8]?, _ signals: Bool) throws {
    var conversation = conversation(.secure, .secure)
    var hello = conversation.clientSettings.clientHello(random: [UInt8](repeating: 1, count: 32)).indicating(info)
    if signals { hello.cipherSuites.append(.emptyRenegotiationInfo) }
    let sent = conversation.client.outgoing.handshake(try HandshakeMessage(.clientHello(hello))).effects
    conversation.receive(sent.sentBytes, at: .server)
    #expect(conversation.failure(of: .server)?.alert == .handshakeFailure)
    #expect(conversation.failure(of: .server)?.finding.rule == .unboundRenegotiation)
  }

  @Test("a client ends the renegotiation if the server does not repeat both verify_data", arguments: [true, false])
  func unboundServer(_ isRight: Bool) throws {
    let bound = VerifyData(client: [1, 2], server: [3, 4])
    var log = EffectLog(.standard)
    var failure: HandshakeFailure?
    do throws(HandshakeFailure) {
      try log.checkRenegotiation(isRight ? [1, 2, 3, 4] : [1, 2], boundTo: bound)
    } catch { failure = error }
    #expect(failure?.finding.rule == (isRight ? nil : .unboundRenegotiation))
  }

  @Test(
    "CVE-2009-3555: only an old server takes an attacker's prefix for the victim's data",
    arguments: [(Renegotiation.insecure, true), (.secure, false), (.refused, false)], [Renegotiation.insecure, .secure])
  func spliced(_ row: (server: Renegotiation, succeeds: Bool), _ victims: Renegotiation) {
    // The attacker's own connection, which is an ordinary one.
    var attack = conversation(row.server == .secure ? .secure : .insecure, row.server)
    attack.send(Array("GET /pay?to=mallory HTTP/1.1\r\nX-Ignore: ".utf8), from: .client)
    var settings = Conversation(Self.suite, seed: .number(9)).clientSettings
    settings.renegotiation = victims
    var splice = RenegotiationAttacker(victim: Connection(settings), attacker: attack.client, server: attack.server)
    splice.answer = attack.answer
    splice.run()
    let request = Array("GET /pay?to=bob HTTP/1.1\r\nCookie: victim\r\n\r\n".utf8)
    splice.send(request)
    #expect(splice.victim.handshake.isConnected == row.succeeds)
    #expect(splice.received == (row.succeeds ? request : []))
    // The server cannot see where the attacker's data ends: "X-Ignore: GET /pay?to=bob HTTP/1.1".
    if !row.succeeds {
      #expect(splice.rules.contains(row.server == .secure ? .unboundRenegotiation : .renegotiation))
    }
  }
}

/// An attacker who inserts the client's handshake into his own connection to the server.
///
/// See M. Ray and S. Dispensa, 2009.
private struct RenegotiationAttacker {
  var victim: Connection
  /// The attacker's own endpoint, which has the keys for the records that he seals.
  var attacker: Connection
  var server: Connection
  var answer = CertificateAnswer.refused(.unknownCA)
  /// The application data that the server has received since then.
  private(set) var received: [UInt8] = []
  private(set) var rules: [Rule] = []
  private var hasChanged: [Side: Bool] = [:]

  init(victim: Connection, attacker: Connection, server: Connection) {
    (self.victim, self.attacker, self.server) = (victim, attacker, server)
  }

  mutating func run() { pass(victim.start(), from: .client) }

  mutating func send(_ bytes: [UInt8]) { pass(victim.send(bytes), from: .client) }

  private mutating func pass(_ effects: [ConnectionEffect], from side: Side) {
    for effect in effects {
      switch effect {
      case .send(let message):
        let bytes = carried(message, from: side)
        if side == .client {
          pass(server.receive(bytes), from: .server)
        } else {
          pass(victim.receive(bytes), from: .client)
        }
      case .evaluateCertificate where side == .client: pass(victim.certificateEvaluated(answer), from: .client)
      case .applicationData(let bytes) where side == .server: received += bytes
      case .found(let finding) where side == .server: rules.append(finding.rule)
      case .failed(let failure): rules.append(failure.finding.rule)
      default: break
      }
    }
  }

  /// Carries a message to the other side.
  ///
  /// Until ChangeCipherSpec the attacker seals the victim's clear messages and opens the server's; after it he only
  /// forwards.
  private mutating func carried(_ message: ProtocolMessage, from side: Side) -> [UInt8] {
    if hasChanged[side] == true { return message.bytes }
    if message.content == .changeCipherSpec { hasChanged[side] = true }
    switch (side, message.content) {
    case (.client, .handshake(let handshake)): return attacker.outgoing.handshake(handshake).effects.sentBytes
    case (.client, .changeCipherSpec): return attacker.outgoing.changeCipherSpec().effects.sentBytes
    case (.server, .handshake): return record(.handshake, message)
    case (.server, .changeCipherSpec): return record(.changeCipherSpec, message)
    case (.server, .alert): return record(.alert, message)
    case (_, _): return []
    }
  }

  private func record(_ type: ContentType, _ message: ProtocolMessage) -> [UInt8] {
    Record(type: type, version: .tls12, fragment: message.plaintext).bytes
  }
}

import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("The order of messages")
struct OrderTests {
  /// A handshake that differs from the others in the order of its messages.
  struct Run: Sendable, CustomStringConvertible {
    let description: String
    var suite = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
    var version = ProtocolVersion.tls12
    var change: @Sendable (inout ClientConfiguration, inout ServerConfiguration) -> Void = { _, _ in }

    var conversation: Conversation {
      let plain = Conversation(suite, in: version)
      var (client, server) = (plain.clientSettings, plain.serverSettings)
      change(&client, &server)
      var conversation = Conversation(client, server)
      conversation.clientAnswer = .accepted(Conversation.ecKey.publicKey)
      return conversation
    }
  }

  static let runs = [
    Run(description: "ECDHE"),
    Run(description: "DHE", suite: "TLS_DHE_RSA_WITH_AES_128_CBC_SHA"),
    Run(description: "DH_anon", suite: "TLS_DH_anon_WITH_AES_128_CBC_SHA"),
    Run(description: "RSA", suite: "TLS_RSA_WITH_AES_128_GCM_SHA256"),
    Run(description: "SSL 3.0", suite: "TLS_RSA_WITH_AES_128_CBC_SHA", version: .sslv3),
    Run(description: "a client certificate") { client, server in
      client.identity = ClientIdentity(certificates: [[0x30, 0]], privateKey: Conversation.ecKey, privateKeyName: "k")
      server.clientAuthentication = .required
    },
    Run(description: "a client without certificate") { _, server in server.clientAuthentication = .optional },
    Run(description: "a stapled response") { client, server in
      client.asksForStatus = true
      server.credentials.ocspResponse = [0x30, 0]
    },
    Run(description: "a ticket") { client, server in
      client.offersTickets = true
      server.ticketKeys = [TicketTests.key("one")].compactMap(\.self)
    },
  ]

  /// Every kind of event that either side receives in any of the handshakes, once.
  private static let pool: [Event] = {
    let all = runs.flatMap { run in Side.allCases.flatMap { run.conversation.ran().events(of: $0) } }
    return Dictionary(all.map { ($0.kind, $0) }) { first, _ in first }.values.sorted {
      $0.kind.description < $1.kind.description
    }
  }()

  // RFC 5246 section 7.3, figure 1, with and without the messages that it marks with an asterisk.
  @Test("in every state, a machine accepts the messages of the order, and refuses all others", arguments: runs)
  func order(_ run: Run) {
    let conversation = run.conversation.ran()
    #expect(conversation.isConnected && Self.pool.count == 14)
    for (start, side) in [
      (run.conversation.client.handshake, Side.client), (run.conversation.server.handshake, .server),
    ] {
      var machine = start
      for event in conversation.events(of: side) {
        for other in Self.pool { handles(machine, other) }
        #expect(machine.expected.contains(event.kind) && machine.handle(event).failure == nil)
      }
      #expect(machine.isConnected)
    }
  }

  /// Checks that an event is refused unless it is expected, and that nothing is read after that.
  private func handles(_ machine: Handshake, _ event: Event) {
    var copy = machine
    let failure = copy.handle(event).failure
    guard !machine.expected.contains(event.kind) else {
      #expect(failure?.finding.rule != .unexpectedMessage, "\(event.kind)")
      return
    }
    #expect(failure?.alert == .unexpectedMessage && failure?.finding.rule == .unexpectedMessage, "\(event.kind)")
    #expect(copy.expected.isEmpty && copy.handle(event).isEmpty)
  }

  @Test("a replay goes through the same order, and ends in the same state", arguments: runs)
  func replayedOrder(_ run: Run) {
    let sent = run.conversation.ran().log.compactMap { entry -> (Event, Side)? in
      guard case .send(let message) = entry.effect else { return nil }
      return Event(message).map { ($0, entry.side) }
    }
    var replay = ReplayHandshake12(ReplayConfiguration())
    for (event, side) in sent {
      #expect(replay.expected.side == side && replay.expected.messages.contains(event.kind))
      for (other, sender) in sent where sender != side || !replay.expected.messages.contains(other.kind) {
        var copy = replay
        let failures = copy.handle(other, from: sender).compactMap { effect in
          if case .failed(let failure, _) = effect { failure } else { nil }
        }
        #expect(failures.map(\.finding.rule) == [.unexpectedMessage], "\(other.kind)")
      }
      _ = replay.handle(event, from: side)
    }
    #expect(replay.parameters != nil && replay.expected.side == nil)
  }

  @Test("an injected ServerKeyExchange in an RSA key exchange ends the connection")
  func injectedServerKeyExchange() throws {
    let other = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").ran()
    let injected = try #require(other.sent(by: .server).first { $0.name == .handshake(.serverKeyExchange) })
    var conversation = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256")
    conversation.alter = { message, side in
      side == .server && message.name == .handshake(.certificate) ? message.bytes + injected.bytes : message.bytes
    }
    conversation.run()
    let failure = conversation.failure(of: .client)
    #expect(failure?.alert == .unexpectedMessage && failure?.finding.rule == .unexpectedMessage)
    #expect(failure?.finding.found == .word("ServerKeyExchange"))
    #expect(conversation.failure(of: .server)?.finding.rule == .fatalAlert)
  }

  /// The first record that the server sends, and the alert for it.
  static let firstRecords: [(String, ContentType, [UInt8], AlertDescription)] = [
    ("a Finished of 12 bytes", .handshake, finished(12), .unexpectedMessage),
    ("a Finished of 32 bytes", .handshake, finished(32), .unexpectedMessage),
    ("a Finished of 36 bytes", .handshake, finished(36), .unexpectedMessage),
    ("a ServerHelloDone that is not empty", .handshake, [14, 0, 0, 2, 3, 3], .unexpectedMessage),
    ("a ChangeCipherSpec", .changeCipherSpec, [1], .unexpectedMessage),
    ("a ChangeCipherSpec of two bytes", .changeCipherSpec, [1, 1], .unexpectedMessage),
    ("a ClientHello that is too short", .handshake, [1, 0, 0, 2, 3, 3], .decodeError),
  ]

  private static func finished(_ count: UInt8) -> [UInt8] {
    [20, 0, 0, count] + [UInt8](repeating: 0, count: Int(count))
  }

  @Test("the order of a message is checked before its form", arguments: firstRecords.indices)
  func malformedAndUnexpected(_ index: Int) {
    let (name, type, content, alert) = Self.firstRecords[index]
    var server = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256").server
    let effects = server.receive(Record(type: type, version: .tls12, fragment: content).bytes)
    let failures = effects.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
    #expect(failures.map(\.alert) == [alert], "\(name)")
    #expect(failures.map(\.finding.rule) == [alert == .decodeError ? .decodeError : .unexpectedMessage], "\(name)")
  }

  @Test(
    "an expected ChangeCipherSpec with another content is decode_error", arguments: [[2], [2, 1], [0]] as [[UInt8]])
  func malformedChangeCipherSpec(_ content: [UInt8]) {
    var conversation = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256")
    conversation.alter = { message, side in
      message.name == .changeCipherSpec && side == .client
        ? Record(type: .changeCipherSpec, version: .tls12, fragment: content).bytes : message.bytes
    }
    conversation.run()
    #expect(conversation.failure(of: .server)?.alert == .decodeError)
    #expect(conversation.failure(of: .server)?.finding.subject == .message("ChangeCipherSpec"))
  }

  // Several messages of one type may share a record (RFC 5246 section 6.2.1).
  @Test("of two ChangeCipherSpecs in one record, the second is unexpected", arguments: [1, 2] as [UInt8])
  func twoInOneRecord(_ second: UInt8) {
    var conversation = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256")
    conversation.alter = { message, side in
      message.name == .changeCipherSpec && side == .client
        ? Record(type: .changeCipherSpec, version: .tls12, fragment: [1, second]).bytes : message.bytes
    }
    conversation.run()
    #expect(conversation.failure(of: .server)?.alert == .unexpectedMessage)
    #expect(conversation.failure(of: .server)?.finding.rule == .unexpectedMessage)
    #expect(conversation.failure(of: .server)?.finding.subject == .message("ChangeCipherSpec"))
  }

  @Test("HelloRequest is ignored during a handshake, excluded from the transcript, and declined afterwards")
  func helloRequest() throws {
    let request = Event.received(try HandshakeMessage(.helloRequest))
    let events = Self.runs[0].conversation.ran().events(of: .client)
    var client = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").client.handshake
    for event in events {
      #expect(client.handle(event).failure == nil)
      if !client.isConnected { #expect(client.handle(request).isEmpty) }
    }
    #expect(client.isConnected)
    let answer = client.handle(request)
    #expect(answer.last == .sendAlert(Alert(.warning, .noRenegotiation)))
    #expect(client.isConnected)
  }

  @Test("a client without a certificate sends an empty one if the server requests it")
  func certificateRequest() throws {
    let events = Self.runs[0].conversation.ran().events(of: .client)
    var client = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").client.handshake
    for event in events.prefix(5) { _ = client.handle(event) }
    let request = CertificateRequestMessage(
      certificateTypes: [1], supportedSignatureAlgorithms: [SignatureAndHashAlgorithm(.rsaPKCS1SHA256)])
    #expect(client.handle(.received(try HandshakeMessage(.certificateRequest(request)))).isEmpty)
    let sent = client.handle(events[5]).compactMap { if case .send(let message) = $0 { message.body } else { nil } }
    #expect(sent.first == .certificate(CertificateMessage(certificateList: [])))
  }
}

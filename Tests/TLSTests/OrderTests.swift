import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("The order of messages")
struct OrderTests {
  /// An event that reaches one side, and what else has its place there.
  struct Arrow: Sendable {
    let event: String
    var others: [String] = []
  }

  /// RFC 5246 section 7.3, figure 1, with and without the messages that it marks with an asterisk, and sections 7.4.3 and
  /// 7.4.4 on when those are legal.
  static let figure1: [String: [Side: [Arrow]]] = [
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256": [
      .client: [
        Arrow(event: "start"), Arrow(event: "ServerHello"), Arrow(event: "Certificate"),
        Arrow(event: "certificate evaluation"), Arrow(event: "ServerKeyExchange"),
        Arrow(event: "ServerHelloDone", others: ["CertificateRequest"]), Arrow(event: "ChangeCipherSpec"),
        Arrow(event: "Finished"),
      ],
      .server: [
        Arrow(event: "ClientHello"), Arrow(event: "ClientKeyExchange"), Arrow(event: "ChangeCipherSpec"),
        Arrow(event: "Finished"),
      ],
    ],
    "TLS_DHE_RSA_WITH_AES_128_CBC_SHA": [
      .client: [
        Arrow(event: "start"), Arrow(event: "ServerHello"), Arrow(event: "Certificate"),
        Arrow(event: "certificate evaluation"), Arrow(event: "ServerKeyExchange"),
        Arrow(event: "ServerHelloDone", others: ["CertificateRequest"]), Arrow(event: "ChangeCipherSpec"),
        Arrow(event: "Finished"),
      ],
      .server: [
        Arrow(event: "ClientHello"), Arrow(event: "ClientKeyExchange"), Arrow(event: "ChangeCipherSpec"),
        Arrow(event: "Finished"),
      ],
    ],
    "TLS_RSA_WITH_AES_128_GCM_SHA256": [
      .client: [
        Arrow(event: "start"), Arrow(event: "ServerHello"), Arrow(event: "Certificate"),
        Arrow(event: "certificate evaluation"), Arrow(event: "ServerHelloDone", others: ["CertificateRequest"]),
        Arrow(event: "ChangeCipherSpec"), Arrow(event: "Finished"),
      ],
      .server: [
        Arrow(event: "ClientHello"), Arrow(event: "ClientKeyExchange"), Arrow(event: "ChangeCipherSpec"),
        Arrow(event: "Finished"),
      ],
    ],
  ]

  /// The events of a good handshake, in order, for each side.
  private func events(
    _ suite: String = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
  ) -> (client: [Event], server: [Event]) {
    let conversation = Conversation(suite).ran()
    func received(_ side: Side) -> [Event] {
      conversation.log.compactMap { entry in
        guard entry.side == side, case .received(let message) = entry.effect else { return nil }
        switch message.content {
        case .handshake(let message): return .received(message)
        case .changeCipherSpec: return .changeCipherSpec
        default: return nil
        }
      }
    }
    var client = received(.client)
    client.insert(.start, at: 0)
    client.insert(.certificateEvaluated(conversation.answer), at: 3)
    return (client, received(.server))
  }

  /// Each machine before its first event, its events and its arrows.
  private func journeys(_ suite: String) throws -> [(Handshake, [Event], [Arrow])] {
    let events = events(suite)
    let conversation = Conversation(suite)
    let arrows = try #require(Self.figure1[suite])
    return [
      (conversation.client.handshake, events.client, try #require(arrows[.client])),
      (conversation.server.handshake, events.server, try #require(arrows[.server])),
    ]
  }

  @Test("the arrows of figure 1 lead to a connection, each expected where it comes", arguments: figure1.keys.sorted())
  func arrows(_ suite: String) throws {
    for (start, events, arrows) in try journeys(suite) {
      #expect(events.map(\.name.description) == arrows.map(\.event))
      var machine = start
      for (event, arrow) in zip(events, arrows) {
        #expect(Set(machine.expected.map(\.description)) == Set([arrow.event] + arrow.others))
        #expect(machine.handle(event).failure == nil)
      }
      #expect(machine.isConnected)
    }
  }

  @Test(
    "in every state, every other event is unexpected_message, and nothing is read after it",
    arguments: figure1.keys.sorted())
  func everyOtherEvent(_ suite: String) throws {
    // All that either side of any of the handshakes receives: a ServerKeyExchange among it where RSA has none.
    let all = Self.figure1.keys.sorted().flatMap { name in events(name).client + events(name).server }
    #expect(all.contains { $0.name.description == "ServerKeyExchange" })
    for (start, events, arrows) in try journeys(suite) {
      var machine = start
      for (event, arrow) in zip(events, arrows) {
        for other in all where !([arrow.event] + arrow.others).contains(other.name.description) {
          refuses(machine, other)
        }
        _ = machine.handle(event)
      }
    }
  }

  private func refuses(_ machine: Handshake, _ event: Event) {
    var machine = machine
    let failure = machine.handle(event).failure
    #expect(failure?.alert == .unexpectedMessage, "\(event.name)")
    #expect(failure?.finding.rule == .unexpectedMessage)
    #expect(machine.expected.isEmpty && machine.handle(event).isEmpty)
  }

  @Test("a ServerKeyExchange that somebody puts into an RSA key exchange ends the connection")
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

  /// What comes first, and what is said of it.
  static let firstRecords: [(String, ContentType, [UInt8], AlertDescription)] = [
    ("a Finished of 12 bytes", .handshake, finished(12), .unexpectedMessage),
    ("a Finished of 32 bytes", .handshake, finished(32), .unexpectedMessage),
    ("a Finished of 36 bytes", .handshake, finished(36), .unexpectedMessage),
    ("a ServerHelloDone with something in it", .handshake, [14, 0, 0, 2, 3, 3], .unexpectedMessage),
    ("a ChangeCipherSpec", .changeCipherSpec, [1], .unexpectedMessage),
    ("a ChangeCipherSpec of two bytes", .changeCipherSpec, [1, 1], .unexpectedMessage),
    ("a ClientHello that is too short", .handshake, [1, 0, 0, 2, 3, 3], .decodeError),
  ]

  private static func finished(_ count: UInt8) -> [UInt8] {
    [20, 0, 0, count] + [UInt8](repeating: 0, count: Int(count))
  }

  @Test("the place of a message is looked at before its form", arguments: firstRecords.indices)
  func malformedAndUnexpected(_ index: Int) {
    let (name, type, content, alert) = Self.firstRecords[index]
    var server = Conversation("TLS_RSA_WITH_AES_128_GCM_SHA256").server
    let effects = server.receive(Record(type: type, version: .tls12, fragment: content).bytes)
    let failures = effects.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
    #expect(failures.map(\.alert) == [alert], "\(name)")
    #expect(failures.map(\.finding.rule) == [alert == .decodeError ? .decodeError : .unexpectedMessage], "\(name)")
  }

  @Test(
    "in its place, a ChangeCipherSpec of another form is decode_error", arguments: [[2], [2, 1], [0]] as [[UInt8]])
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

  // RFC 5246 section 6.2.1: several messages of one type may share a record.
  @Test("two ChangeCipherSpecs in one record are two messages: the second is unexpected", arguments: [1, 2] as [UInt8])
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

  @Test("HelloRequest is ignored while negotiating, never joins the transcript, and is declined afterwards")
  func helloRequest() throws {
    let request = Event.received(try HandshakeMessage(.helloRequest))
    let (events, _) = events()
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

  @Test("a server that asks for a certificate gets an empty one")
  func certificateRequest() throws {
    let (events, _) = events()
    var client = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").client.handshake
    for event in events.prefix(5) { _ = client.handle(event) }
    let request = CertificateRequestMessage(
      certificateTypes: [1], supportedSignatureAlgorithms: [SignatureAndHashAlgorithm(.rsaPKCS1SHA256)])
    #expect(client.handle(.received(try HandshakeMessage(.certificateRequest(request)))).isEmpty)
    let sent = client.handle(events[5]).compactMap { if case .send(let message) = $0 { message.body } else { nil } }
    #expect(sent.first == .certificate(CertificateMessage(certificateList: [])))
  }
}

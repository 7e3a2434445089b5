import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("The order of messages")
struct OrderTests {
  /// The arrows of RFC 5246 section 7.3, figure 1, as they reach each side.
  static let arrows: [Side: [String]] = [
    .client: [
      "start", "ServerHello", "Certificate", "certificate evaluation", "ServerKeyExchange", "ServerHelloDone",
      "ChangeCipherSpec", "Finished",
    ],
    .server: ["ClientHello", "ClientKeyExchange", "ChangeCipherSpec", "Finished"],
  ]

  /// The events of a good handshake, in order, for each side.
  private func events() -> (client: [Event], server: [Event]) {
    let conversation = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").ran()
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

  @Test("the arrows of figure 1 lead to a connection, each expected where it comes")
  func arrows() {
    let (clientEvents, serverEvents) = events()
    #expect(clientEvents.map(\.name) == Self.arrows[.client])
    #expect(serverEvents.map(\.name) == Self.arrows[.server])
    var client = Handshake(Conversation.clientConfiguration())
    client = Handshake(Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").clientSettings)
    for event in clientEvents {
      #expect(client.expected.contains(event.name))
      #expect(client.handle(event).failure == nil)
    }
    #expect(client.isConnected)
    var server = Handshake(Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").serverSettings)
    for event in serverEvents {
      #expect(server.expected.contains(event.name))
      #expect(server.handle(event).failure == nil)
    }
    #expect(server.isConnected)
  }

  @Test("in every state, every other event is unexpected_message, and nothing is read after it")
  func everyOtherEvent() {
    let (clientEvents, serverEvents) = events()
    let conversation = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    let all = clientEvents + serverEvents
    var client = conversation.client.handshake
    for event in clientEvents {
      for other in all where !client.expected.contains(other.name) { refuses(client, other) }
      _ = client.handle(event)
    }
    var server = conversation.server.handshake
    for event in serverEvents {
      for other in all where !server.expected.contains(other.name) { refuses(server, other) }
      _ = server.handle(event)
    }
  }

  private func refuses(_ machine: Handshake, _ event: Event) {
    var machine = machine
    let failure = machine.handle(event).failure
    #expect(failure?.alert == .unexpectedMessage, "\(event.name)")
    #expect(failure?.finding.rule == .unexpectedMessage)
    #expect(machine.expected.isEmpty && machine.handle(event).isEmpty)
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

import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("Renegotiation is declined")
struct RenegotiationTests {
  @Test("either side answers with a warning and a reason, and the connection goes on", arguments: Side.allCases)
  func declined(_ asking: Side) throws {
    var conversation = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").ran()
    let asked = asking.peer
    let sent: [ConnectionEffect]
    if asking == .server {
      sent = conversation.server.outgoing.handshake(try HandshakeMessage(.helloRequest)).effects
    } else {
      let hello = ClientHello(
        clientVersion: .tls12, random: [UInt8](repeating: 1, count: 32),
        cipherSuites: CipherSuite.defaults, extensions: [.renegotiationInfo([1, 2, 3])])
      sent = conversation.client.outgoing.handshake(try HandshakeMessage(.clientHello(hello))).effects
    }
    conversation.receive(sent.sentBytes, at: asked)
    let violated = conversation.findings(of: asked).filter { $0.outcome == .violated }
    #expect(violated.map(\.rule) == [.renegotiation])
    #expect(violated.allSatisfy { !$0.refuses })
    let alerts = conversation.sent(by: asked).compactMap { message -> Alert? in
      if case .alert(let alert) = message.content { alert } else { nil }
    }
    #expect(alerts == [Alert(.warning, .noRenegotiation)])
    #expect(conversation.isConnected && conversation.failure(of: asking) == nil)
    conversation.send([1, 2, 3], from: asking)
    #expect(conversation.data(at: asked) == [1, 2, 3])
  }
}

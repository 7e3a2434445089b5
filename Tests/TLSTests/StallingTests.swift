import Cryptography
import Explanation
import Testing

@testable import TLS

@Suite("A peer that sends useless messages")
struct StallingTests {
  /// A message that can be sent without end, its limit, and the rule that is then violated.
  enum Noise: String, CaseIterable, Sendable {
    case warnings, emptyRecords, requests

    var limit: Int {
      switch self {
      case .warnings: UselessMessageLimits.maximumWarnings
      case .emptyRecords: UselessMessageLimits.maximumEmptyRecords
      case .requests: UselessMessageLimits.maximumRequests
      }
    }

    /// One such message, as the server sends it now.
    func sent(by server: inout Connection) throws -> [UInt8] {
      switch self {
      case .warnings: server.outgoing.alert(Alert(.warning, .userCanceled)).effects.sentBytes
      case .emptyRecords: server.outgoing.applicationData([]).effects.sentBytes
      case .requests: server.outgoing.handshake(try HandshakeMessage(.helloRequest)).effects.sentBytes
      }
    }
  }

  private func failures(_ effects: [ConnectionEffect]) -> [HandshakeFailure] {
    effects.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
  }

  @Test("a peer that sends a million useless messages is cut off after a few", arguments: Noise.allCases)
  func million(_ noise: Noise) throws {
    var conversation = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").ran()
    var (taken, found): (Int, [HandshakeFailure]) = (0, [])
    for _ in 0..<(noise.limit + 2) {
      let piece = try noise.sent(by: &conversation.server)
      found += failures(conversation.client.receive(piece))
      if !conversation.client.isOver { taken += 1 }
    }
    #expect(taken == noise.limit)
    #expect(found.map(\.alert) == [.unexpectedMessage] && found.map(\.finding.rule) == [.stalling])
    let more = try noise.sent(by: &conversation.server)
    for _ in 0..<1_000_000 where !conversation.client.receive(more).isEmpty {
      Issue.record("a message is read after the end")
    }
    #expect(conversation.client.incoming.unreadCount < 100)
  }

  @Test("progress resets the count of useless messages", arguments: Noise.allCases)
  func interleaved(_ noise: Noise) throws {
    var conversation = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").ran()
    for _ in 0..<3 {
      for _ in 0..<noise.limit {
        #expect(failures(conversation.client.receive(try noise.sent(by: &conversation.server))).isEmpty)
      }
      conversation.send([1, 2, 3], from: .server)
    }
    #expect(!conversation.client.isOver && conversation.data(at: .client).count == 9)
  }

  @Test("HelloRequests before the ServerHello are ignored, but not without limit")
  func duringNegotiation() throws {
    var conversation = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    _ = conversation.client.start()
    var found: [HandshakeFailure] = []
    for _ in 0...UselessMessageLimits.maximumRequests { found += failures(conversation.client.receive(try request())) }
    #expect(found.map(\.finding.rule) == [.stalling])
    var patient = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    let offer = patient.client.start()
    for _ in 0..<UselessMessageLimits.maximumRequests {
      #expect(failures(patient.client.receive(try request())).isEmpty)
    }
    #expect(failures(patient.client.receive(patient.server.receive(offer.sentBytes).sentBytes)).isEmpty)
  }

  @Test("repeated handshakes without data between them are ended")
  func renegotiations() {
    let plain = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    var (client, server) = (plain.clientSettings, plain.serverSettings)
    (client.renegotiation, server.renegotiation) = (.secure, .secure)
    for speaks in [true, false] {
      var conversation = Conversation(client, server).ran()
      for _ in 0..<8 {
        conversation.renegotiate(.client)
        if speaks { conversation.send([1], from: .client) }
      }
      #expect(conversation.failure(of: .server)?.finding.rule == (speaks ? nil : .stalling))
    }
  }

  private func request() throws -> [UInt8] {
    Record(type: .handshake, version: .tls12, fragment: try HandshakeMessage(.helloRequest).bytes).bytes
  }

  @Test("messages that arrive while a certificate is evaluated are kept, up to a limit")
  func pending() {
    var conversation = Conversation("TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
    let flight = conversation.server.receive(conversation.client.start().sentBytes).sentBytes
    #expect(
      failures(conversation.client.receive(flight)).isEmpty && conversation.client.handshake.status.awaitsEvaluation)
    let piece = [UInt8](repeating: 0, count: 1 << 14)
    var (sent, found): (Int, [HandshakeFailure]) = (0, [])
    for _ in 0..<1_000 where found.isEmpty {
      sent += piece.count
      found += failures(conversation.client.receive(piece))
    }
    #expect(found.map(\.finding.rule) == [.stalling] && found.map(\.alert) == [.unexpectedMessage])
    #expect(sent <= HandshakeReassembly.maximumLength + 2 * piece.count)
  }
}

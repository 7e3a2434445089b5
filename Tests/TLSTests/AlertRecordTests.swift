import Explanation
import Testing

@testable import TLS

@Suite("Alerts and their records")
struct AlertRecordTests {
  private static let suite = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"
  /// `unrecognized_name` as a warning, and `handshake_failure`: RFC 5246 section 7.2, RFC 6066 section 9.
  private static let warning: [UInt8] = [1, 112]
  private static let fatal: [UInt8] = [2, 40]
  private static let helloRequest = Record(type: .handshake, version: .tls12, fragment: [0, 0, 0, 0])

  private func record(_ content: [UInt8]) -> Record { Record(type: .alert, version: .tls12, fragment: content) }

  /// A client that has sent its ClientHello.
  private func client() -> Connection {
    var client = Conversation(Self.suite).client
    _ = client.start()
    return client
  }

  private func alerts(_ effects: [ConnectionEffect]) -> [ProtocolMessage] {
    effects.compactMap { if case .received(let message) = $0, message.name == .alert { message } else { nil } }
  }

  private func failures(_ effects: [ConnectionEffect]) -> [HandshakeFailure] {
    effects.compactMap { if case .failed(let failure) = $0 { failure } else { nil } }
  }

  @Test("several alerts in a record are received in order, each with that record")
  func shared() {
    var client = client()
    let record = record(Self.warning + Self.fatal)
    let effects = client.receive(record.bytes)
    #expect(alerts(effects).map(\.plaintext) == [Self.warning, Self.fatal])
    #expect(alerts(effects).map(\.records) == [[record], [record]])
    #expect(failures(effects).map(\.finding.rule) == [.fatalAlert])
    #expect(failures(effects).map(\.alert) == [.handshakeFailure] && failures(effects).map(\.isOwn) == [false])
  }

  @Test("an alert split across two records is reassembled, and refers to both")
  func split() {
    let records = Self.fatal.map { record([$0]) }
    for portions in [[records.flatMap(\.bytes)], records.map(\.bytes), records.flatMap(\.bytes).map { [$0] }] {
      var client = client()
      let effects = portions.flatMap { client.receive($0) }
      #expect(alerts(effects).map(\.plaintext) == [Self.fatal] && alerts(effects).map(\.records) == [records])
      #expect(failures(effects).map(\.finding.rule) == [.fatalAlert])
      #expect(failures(effects).map(\.alert) == [.handshakeFailure])
    }
  }

  @Test("alerts that share and split records refer only to the records that carried them")
  func sharedAndSplit() {
    var client = client()
    let records = [record([1]), record([112, 1]), record([112, 2, 40])]
    let effects = records.flatMap { client.receive($0.bytes) }
    #expect(alerts(effects).map(\.plaintext) == [Self.warning, Self.warning, Self.fatal])
    #expect(alerts(effects).map(\.records) == [[records[0], records[1]], [records[1], records[2]], [records[2]]])
    #expect(failures(effects).map(\.finding.rule) == [.fatalAlert])
  }

  @Test("half an alert must be followed by its other half, otherwise it is a decode_error")
  func half() {
    for isWhole in [true, false] {
      let alert = record(isWhole ? Self.warning : [2])
      var followed = client()
      _ = followed.receive(alert.bytes)
      #expect(!followed.isOver)
      let after = failures(followed.receive(Self.helloRequest.bytes))
      #expect(after.map(\.finding.rule) == (isWhole ? [] : [.decodeError]))
      #expect(after.map(\.alert) == (isWhole ? [] : [.decodeError]))
      #expect(after.allSatisfy { $0.finding.subject == .message("Alert") })
      var ended = client()
      _ = ended.receive(alert.bytes)
      #expect(failures(ended.transportClosed()).map(\.finding.rule) == [isWhole ? .truncatedConnection : .decodeError])
      #expect(ended.isOver)
    }
  }

  @Test("no alert may follow close_notify, in the same record or the next")
  func closed() {
    for records in [[record([1, 0, 1, 112])], [record([1, 0]), record([1, 112])]] {
      var receiver = RecordReceiver(.client, Conversation(Self.suite).server.handshake.context)
      var log = EffectLog(.standard)
      for record in records { receiver.append(record.bytes) }
      #expect(receiver.next(nil, takesData: true, &log)?.message?.plaintext == [1, 0])
      #expect(receiver.isClosed)
      guard case .failed(let failure)? = receiver.next(nil, takesData: true, &log)?.content else {
        Issue.record("a message is accepted after close_notify")
        continue
      }
      #expect(failure.finding.rule == .unexpectedMessage && failure.alert == .unexpectedMessage)
    }
  }

  /// The alerts that were sent.
  private func said(_ effects: [ConnectionEffect]) -> [Alert] {
    effects.compactMap { effect in
      if case .send(let message) = effect, case .alert(let alert) = message.content { alert } else { nil }
    }
  }

  @Test(
    "close_notify during a handshake closes the connection, with a close_notify in return (RFC 5246 section 7.2.1)",
    arguments: [1, 2] as [UInt8])
  func closedEarly(_ level: UInt8) {
    for side in Side.allCases {
      var receiver = client()
      if side == .server {
        var conversation = Conversation(Self.suite)
        _ = conversation.server.receive(conversation.client.start().sentBytes)
        receiver = conversation.server
      }
      let effects = receiver.receive(record([level, 0]).bytes)
      #expect(failures(effects).map(\.finding.rule) == [.closedEarly] && receiver.isOver)
      #expect(failures(effects).map(\.finding.required) == [.word("a complete handshake")])
      #expect(failures(effects).map(\.finding.found) == [.word("close_notify")])
      #expect(failures(effects).allSatisfy { !$0.isOwn && !$0.endsSession && $0.alert == .closeNotify })
      #expect(said(effects) == [Alert(.warning, .closeNotify)])
    }
    // A fatal alert ends the connection without a reply (RFC 5246 section 7.2.2).
    var refused = client()
    let effects = refused.receive(record(Self.fatal).bytes)
    #expect(failures(effects).map(\.finding.rule) == [.fatalAlert] && failures(effects).allSatisfy(\.endsSession))
    #expect(said(effects).isEmpty && refused.isOver)
  }

  @Test("a protected alert in two records closes the connection like one in one record")
  func protected() {
    for limit in [1, 2] {
      var conversation = Conversation(Self.suite).ran()
      conversation.server.outgoing.fragmentLimit = limit
      conversation.close(.server)
      let said = conversation.sent(by: .server).filter { $0.name == .alert }
      #expect(said.map(\.records.count) == [2 / limit])
      #expect(conversation.failure(of: .client) == nil && conversation.client.isOver)
      #expect(conversation.log.contains { $0.side == .client && $0.effect == .closed })
    }
  }

  @Test("a replay shows alerts as the peer sent them, and half one as decode_error")
  func recorded() {
    var sender = Conversation(Self.suite).client
    let hello = sender.start().sentBytes
    for (records, rule, alert) in [
      ([record(Self.warning + Self.fatal)], .fatalAlert, .handshakeFailure),
      (Self.fatal.map { record([$0]) }, .fatalAlert, .handshakeFailure),
      ([record([2])], .decodeError, .decodeError),
    ] as [([Record], Rule, AlertDescription)] {
      var replay = Replay(ReplayConfiguration())
      var effects = replay.receive(hello, from: .client)
      for record in records { effects += replay.receive(record.bytes, from: .server) }
      effects += replay.end()
      #expect(failures(effects).map(\.finding.rule) == [rule] && failures(effects).map(\.alert) == [alert])
      let messages = effects.compactMap { effect -> [Record]? in
        guard case .message(let message, .server) = effect else { return nil }
        return message.records
      }
      #expect(messages.last == (rule == .fatalAlert ? records : nil))
    }
    var replay = Replay(ReplayConfiguration())
    let begun = replay.receive(hello, from: .client) + replay.receive(record([2]).bytes, from: .server)
    // The end of a recording in the middle of an alert is not the peer's fault.
    let reason = "the recording stops"
    #expect(failures(begun + replay.end(unfinished: [.client: reason, .server: reason])).isEmpty)
  }

  private func failures(_ effects: [ReplayEffect]) -> [HandshakeFailure] {
    effects.compactMap { if case .failed(let failure, _) = $0 { failure } else { nil } }
  }
}

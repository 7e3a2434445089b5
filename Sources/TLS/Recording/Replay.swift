import Explanation

/// A recorded TLS 1.2 session, read from outside: the bytes of both directions in, effects out. A value without I/O.
///
/// It opens every record it has keys for, and holds all that the two ends must hold against what they receive. Where one
/// of them would have given up, with an alert, the replay ends. Without keys it tells what travels in the clear.
public struct Replay: Sendable {
  /// The handshake.
  public private(set) var handshake: ReplayHandshake12
  /// Whether nothing is read any more.
  public private(set) var isOver = false
  private var client: Direction
  private var server: Direction
  private var effects: [ReplayEffect] = []

  /// What one side sends.
  struct Direction: Sendable {
    var reader = RecordReader()
    var reassembly = HandshakeReassembly()
    var receiver: RecordReceiver
    var pendingRecords: [Record] = []
    /// Whether it is protected with keys that are not known.
    var isSealed = false
    /// Whether it has said close_notify.
    var isClosed = false

    var isProtected: Bool { isSealed || receiver.isProtected }
  }

  /// A replay that has not begun.
  public init(_ configuration: ReplayConfiguration) {
    handshake = ReplayHandshake12(configuration)
    let surroundings = Surroundings(
      enforcement: configuration.enforcement, random: RandomStreams(seed: .number(0), party: "replay"),
      party: .eavesdropper, valuePrefix: configuration.valuePrefix)
    client = Direction(receiver: RecordReceiver(.client, surroundings))
    server = Direction(receiver: RecordReceiver(.server, surroundings))
  }

  /// `side` sent these bytes, in any portions.
  public mutating func receive(_ bytes: [UInt8], from side: Side) -> [ReplayEffect] {
    if isOver { return [] }
    var log = EffectLog(handshake.configuration.enforcement)
    self[side].reader.append(bytes)
    do throws(HandshakeFailure) {
      while !isOver, try read(side, &log) {}
    } catch {
      fail(error, from: side, &log)
    }
    pass(&log, from: side)
    return take()
  }

  /// The recording ends. Without a close_notify someone may have cut the connection: RFC 5246 section 7.2.1.
  public mutating func end() -> [ReplayEffect] {
    if isOver { return [] }
    var log = EffectLog(handshake.configuration.enforcement)
    for side in Side.allCases {
      do throws(HandshakeFailure) {
        try checkEnd(of: side, &log)
      } catch {
        fail(HandshakeFailure(alert: error.alert, finding: error.finding, isOwn: false), from: side, &log)
      }
      pass(&log, from: side)
    }
    isOver = true
    return take()
  }

  subscript(side: Side) -> Direction {
    get { side == .client ? client : server }
    set { if side == .client { client = newValue } else { server = newValue } }
  }

  private mutating func take() -> [ReplayEffect] {
    defer { effects = [] }
    return effects
  }

  /// The next message or record of `side`; false when there is none.
  private mutating func read(_ side: Side, _ log: inout EffectLog) throws(HandshakeFailure) -> Bool {
    if let message = try self[side].reassembly.next(&log) {
      receiveHandshake(message, side, &log)
    } else if let record = try self[side].reader.next(isProtected: self[side].isProtected, &log) {
      try receive(record, side, &log)
    } else {
      return false
    }
    return true
  }

  private mutating func receive(_ record: Record, _ side: Side, _ log: inout EffectLog) throws(HandshakeFailure) {
    if self[side].isSealed { return receiveSealed(record, side, &log) }
    let plaintext: [UInt8]
    do throws(HandshakeFailure) {
      plaintext = try self[side].receiver.open(record, &log)
    } catch {
      tell(.encrypted(record.type), [], [record], side, &log)
      throw error
    }
    guard !plaintext.isEmpty || record.type == .applicationData else {
      throw log.failure(.emptyRecord, .unexpectedMessage, required: .atLeast(.byteCount(1)), found: .byteCount(0))
    }
    if self[side].isClosed { throw afterClose(record, &log) }
    switch record.type {
    case .handshake:
      if self[side].reassembly.isEmpty { self[side].pendingRecords = [] }
      self[side].pendingRecords.append(record)
      self[side].reassembly.append(plaintext)
    case .changeCipherSpec: try receiveChangeCipherSpec(plaintext, record, side, &log)
    case .alert: try receiveAlert(plaintext, record, side, &log)
    default: try receiveApplicationData(plaintext, record, side, &log)
    }
  }

  private mutating func receiveSealed(_ record: Record, _ side: Side, _ log: inout EffectLog) {
    tell(.encrypted(record.type), [], [record], side, &log)
    apply(handshake.handleSealed(record.type, from: side))
  }

  private mutating func receiveHandshake(_ bytes: [UInt8], _ side: Side, _ log: inout EffectLog) {
    let type = HandshakeType(rawValue: bytes.first ?? 0)
    do {
      let message = try HandshakeMessage(decoding: bytes, keyExchange: handshake.keyExchange)
      tell(.handshake(message), bytes, self[side].pendingRecords, side, &log)
      apply(handshake.handle(.received(message), from: side))
    } catch {
      tell(.malformed(type, error), bytes, self[side].pendingRecords, side, &log)
      apply(handshake.handle(.malformed(type, error), from: side))
    }
  }

  private mutating func receiveChangeCipherSpec(
    _ content: [UInt8], _ record: Record, _ side: Side, _ log: inout EffectLog
  ) throws(HandshakeFailure) {
    do {
      try ChangeCipherSpec.check(content)
    } catch {
      throw log.failure(
        .decodeError, on: .message("ChangeCipherSpec"), .decodeError, found: .word(error.description))
    }
    tell(.changeCipherSpec, content, [record], side, &log)
    guard self[side].reassembly.isEmpty else {
      throw log.failure(
        .unexpectedMessage, on: .message("ChangeCipherSpec"), .unexpectedMessage,
        required: .word("the rest of a handshake message"), found: .word("ChangeCipherSpec"))
    }
    apply(handshake.handle(.changeCipherSpec, from: side))
    guard !isOver else { return }
    if let keys = handshake.recordKeys {
      self[side].receiver.protect(with: keys.keys(of: side))
    } else {
      self[side].isSealed = true
    }
  }

  private mutating func receiveAlert(
    _ content: [UInt8], _ record: Record, _ side: Side, _ log: inout EffectLog
  ) throws(HandshakeFailure) {
    let alert: Alert
    do {
      alert = try Alert(decoding: content)
    } catch {
      throw log.failure(.decodeError, on: .message("Alert"), .decodeError, found: .word(error.description))
    }
    tell(.alert(alert), content, [record], side, &log)
    apply(handshake.handle(.alert(alert), from: side))
    if alert.description == .closeNotify { self[side].isClosed = true }
  }

  private mutating func receiveApplicationData(
    _ content: [UInt8], _ record: Record, _ side: Side, _ log: inout EffectLog
  ) throws(HandshakeFailure) {
    guard handshake.state.parameters != nil else {
      throw log.failure(
        .unexpectedRecordType, .unexpectedMessage, required: .word("the handshake"),
        found: .word(record.type.description))
    }
    let values = self[side].receiver.values(content, record)
    tell(.applicationData(content), content, [record], side, &log, values.last?.id)
    for var value in values {
      if value.id == values.last?.id { value.add(.generated(by: side.party)) }
      effects.append(.derived(value, by: side))
    }
  }

  private mutating func tell(
    _ content: ProtocolMessage.Content, _ plaintext: [UInt8], _ records: [Record], _ side: Side,
    _ log: inout EffectLog, _ valueID: Value.ID? = nil
  ) {
    let message = ProtocolMessage(
      content, plaintext: plaintext, records: records, isProtected: self[side].isProtected, valueID: valueID)
    effects.append(.message(message, from: side))
    pass(&log, from: side)
  }

  /// What was found of `side`'s records, its peer has found.
  private mutating func pass(_ log: inout EffectLog, from side: Side) {
    for case .found(let finding) in log.take() { effects.append(.found(finding, by: side.peer)) }
  }

  private mutating func fail(_ failure: HandshakeFailure, from side: Side, _ log: inout EffectLog) {
    pass(&log, from: side)
    apply(handshake.handle(.recordFailed(failure), from: side))
  }

  private mutating func apply(_ told: [ReplayEffect]) {
    effects += told
    if told.contains(where: { if case .failed = $0 { true } else { false } }) { isOver = true }
  }
}

extension Replay {
  /// Nothing may follow close_notify: a record that authenticates all the same was sent after it.
  func afterClose(_ record: Record, _ log: inout EffectLog) -> HandshakeFailure {
    log.failure(
      .unexpectedMessage, .unexpectedMessage, required: .word("nothing after close_notify"),
      found: .word("\(record.type)"))
  }

  /// What `side` sent must end where a record and a message end, and with close_notify: each side owes it before closing
  /// (RFC 5246 section 7.2.1), and without it nobody can tell whether its last records are missing.
  func checkEnd(of side: Side, _ log: inout EffectLog) throws(HandshakeFailure) {
    let direction = self[side]
    guard direction.reader.isEmpty, direction.reassembly.isEmpty else {
      throw log.failure(
        .truncatedConnection, on: .message("the \(side)'s last message"), .closeNotify,
        required: .word("the rest of a record or message"), found: .absent)
    }
    if handshake.state.parameters == nil, self[side.peer].reader.isEmpty, self[side.peer].reassembly.isEmpty {
      let expected = handshake.state.expected
      guard expected.side == side else { return }
      throw log.failure(
        .truncatedConnection, .closeNotify, required: .anyOf(expected.messages), found: .absent)
    }
    if direction.isSealed {
      log.add(
        .found(
          handshake.configuration.enforcement.note(
            .truncatedConnection, on: .message("what the \(side) sent"), .notEvaluated,
            required: .word("close_notify"), found: .word("records that cannot be opened"))))
      return
    }
    try log.check(
      .truncatedConnection, on: .message("what the \(side) sent"), direction.isClosed, .closeNotify,
      required: .word("close_notify"), found: direction.isClosed ? .word("close_notify") : .absent)
  }
}

/// What a replay has to tell.
public enum ReplayEffect: Sendable, Hashable {
  /// This message was sent.
  case message(ProtocolMessage, from: Side)
  /// A rule was held against what came to this side.
  case found(Finding, by: Side)
  /// This side made the value, or came to know it.
  case derived(Value, by: Side)
  /// The handshake is complete.
  case connected(ConnectionParameters)
  /// This side would have given up here, with its alert; or has learnt of it by the peer's.
  case failed(HandshakeFailure, at: Side)
}

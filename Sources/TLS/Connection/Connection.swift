import Explanation

/// A client's connection.
public typealias ClientConnection = Connection<ClientHandshake12>
/// A server's connection.
public typealias ServerConnection = Connection<ServerHandshake12>

/// One end of a TLS connection: handshake and records, bytes in, effects out. A value without I/O.
public struct Connection<Machine: HandshakeMachine>: Sendable {
  /// The handshake.
  public private(set) var handshake: Machine
  /// Whether nothing is read or sent any more.
  public private(set) var isOver = false
  var reader = RecordReader()
  var reassembly = HandshakeReassembly()
  var outgoing: RecordSender
  private var incoming: RecordReceiver
  private var log: EffectLog
  private var effects: [ConnectionEffect] = []
  private var hasSentCloseNotify = false
  private var pendingRecords: [Record] = []

  /// A connection around a handshake that has not begun.
  public init(_ handshake: Machine) {
    self.handshake = handshake
    let surroundings = handshake.surroundings
    log = EffectLog(surroundings.enforcement)
    outgoing = RecordSender(Machine.side, surroundings)
    incoming = RecordReceiver(Machine.side.peer, surroundings)
  }

  /// Bytes have come from the peer, in any portions.
  public mutating func receive(_ bytes: [UInt8]) -> [ConnectionEffect] {
    if isOver { return [] }
    reader.append(bytes)
    read()
    return take()
  }

  /// Sends application data, in records of at most 2^14 bytes; nothing unless the connection stands. When the sequence
  /// numbers end, so does the connection.
  public mutating func send(_ applicationData: [UInt8]) -> [ConnectionEffect] {
    guard !isOver, !hasSentCloseNotify, handshake.parameters != nil else { return [] }
    let sent = outgoing.applicationData(applicationData)
    effects += sent.effects
    if sent.isExhausted {
      fail(log.failure(.sequenceExhausted, .internalError, found: .word("one more record")))
    }
    return take()
  }

  /// Says close_notify: RFC 5246 section 7.2.1. What still comes is read until the peer says it too.
  public mutating func close() -> [ConnectionEffect] {
    if !isOver { sendCloseNotify() }
    return take()
  }

  /// The transport has ended. Without a close_notify before, someone may have cut the connection.
  public mutating func transportClosed() -> [ConnectionEffect] {
    if isOver { return [] }
    do throws(HandshakeFailure) {
      try log.check(
        .truncatedConnection, false, .closeNotify, required: .word("close_notify"), found: .absent)
      isOver = true
      effects += log.take().compactMap(ConnectionEffect.init) + [.closed]
    } catch {
      fail(HandshakeFailure(alert: error.alert, finding: error.finding, isOwn: false))
    }
    return take()
  }

  /// The answer to `ConnectionEffect.evaluateCertificate`.
  public mutating func certificateEvaluated(_ answer: CertificateAnswer) -> [ConnectionEffect] {
    handle(.certificateEvaluated(answer))
  }

  mutating func handle(_ event: Event) -> [ConnectionEffect] {
    if isOver { return [] }
    apply(handshake.handle(event))
    read()
    return take()
  }

  private mutating func take() -> [ConnectionEffect] {
    defer { effects = [] }
    return effects
  }

  /// Takes one message after the other until the bytes, or the connection, are at an end.
  private mutating func read() {
    do throws(HandshakeFailure) {
      while !isOver, !handshake.awaitsEvaluation {
        if let message = try reassembly.next(&log) {
          receiveHandshake(message)
        } else if let record = try reader.next(isProtected: incoming.isProtected, &log) {
          try receive(record)
        } else {
          return
        }
      }
    } catch {
      fail(error)
    }
  }

  private mutating func receive(_ record: Record) throws(HandshakeFailure) {
    let plaintext = try incoming.open(record, &log)
    effects += log.take().compactMap(ConnectionEffect.init)
    guard !plaintext.isEmpty || record.type == .applicationData else {
      throw log.failure(.emptyRecord, .unexpectedMessage, required: .atLeast(.byteCount(1)), found: .byteCount(0))
    }
    switch record.type {
    case .handshake:
      if reassembly.isEmpty { pendingRecords = [] }
      pendingRecords.append(record)
      reassembly.append(plaintext)
    case .changeCipherSpec: try receiveChangeCipherSpec(plaintext, record)
    case .alert: try receiveAlert(plaintext, record)
    default: try receiveApplicationData(plaintext, record)
    }
  }

  private mutating func receiveHandshake(_ bytes: [UInt8]) {
    let type = HandshakeType(rawValue: bytes.first ?? 0)
    do {
      let message = try HandshakeMessage(decoding: bytes, keyExchange: handshake.keyExchange)
      received(.handshake(message), bytes, pendingRecords)
      apply(handshake.handle(.received(message)))
    } catch {
      received(.malformed(type, error), bytes, pendingRecords)
      apply(handshake.handle(.malformed(type, error)))
    }
  }

  private mutating func receiveChangeCipherSpec(_ content: [UInt8], _ record: Record) throws(HandshakeFailure) {
    do {
      try ChangeCipherSpec.check(content)
    } catch {
      throw log.failure(
        .decodeError, on: .message("ChangeCipherSpec"), .decodeError, found: .word(error.description))
    }
    received(.changeCipherSpec, content, [record])
    guard reassembly.isEmpty else {
      throw log.failure(
        .unexpectedMessage, on: .message("ChangeCipherSpec"), .unexpectedMessage,
        required: .word("the rest of a handshake message"), found: .word("ChangeCipherSpec"))
    }
    apply(handshake.handle(.changeCipherSpec))
  }

  private mutating func receiveAlert(_ content: [UInt8], _ record: Record) throws(HandshakeFailure) {
    let alert: Alert
    do {
      alert = try Alert(decoding: content)
    } catch {
      throw log.failure(.decodeError, on: .message("Alert"), .decodeError, found: .word(error.description))
    }
    received(.alert(alert), content, [record])
    guard alert.description == .closeNotify, handshake.parameters != nil else {
      apply(handshake.handle(.alert(alert)))
      return
    }
    sendCloseNotify()
    isOver = true
    effects.append(.closed)
  }

  private mutating func receiveApplicationData(_ content: [UInt8], _ record: Record) throws(HandshakeFailure) {
    guard handshake.parameters != nil else {
      throw log.failure(
        .unexpectedRecordType, .unexpectedMessage, required: .word("the handshake"),
        found: .word(record.type.description))
    }
    let values = incoming.values(content, record)
    received(.applicationData(content), content, [record], values.last?.id)
    effects += values.map(ConnectionEffect.derived)
    effects.append(.applicationData(content))
  }

  private mutating func received(
    _ content: ProtocolMessage.Content, _ plaintext: [UInt8], _ records: [Record], _ valueID: Value.ID? = nil
  ) {
    effects.append(
      .received(
        ProtocolMessage(
          content, plaintext: plaintext, records: records, isProtected: incoming.isProtected, valueID: valueID)))
  }

  private mutating func sendCloseNotify() {
    if hasSentCloseNotify { return }
    hasSentCloseNotify = true
    effects += outgoing.alert(Alert(.warning, .closeNotify)).effects
  }

  /// The record layer cannot go on: the machine learns of it, and its answer ends the connection.
  private mutating func fail(_ failure: HandshakeFailure) {
    effects += log.take().compactMap(ConnectionEffect.init)
    apply(handshake.handle(.recordFailed(failure)))
  }

  private mutating func apply(_ machineEffects: [Effect]) {
    for effect in machineEffects {
      switch effect {
      case .send(let message): effects += outgoing.handshake(message).effects
      case .sendChangeCipherSpec: effects += outgoing.changeCipherSpec().effects
      case .sendAlert(let alert): effects += outgoing.alert(alert).effects
      case .protectWriting(let keys): outgoing.protect(with: keys)
      case .protectReading(let keys): incoming.protect(with: keys)
      case .failed(let failure):
        if failure.isOwn { effects += outgoing.alert(Alert(.fatal, failure.alert)).effects }
        isOver = true
        effects.append(.failed(failure))
      case .evaluateCertificate, .found, .derived, .established, .connected:
        if let passedOn = ConnectionEffect(effect) { effects.append(passedOn) }
      }
    }
  }
}

extension Connection where Machine == ClientHandshake12 {
  /// A client's connection that has not begun.
  public init(_ configuration: ClientConfiguration) { self.init(ClientHandshake12(configuration)) }

  /// Sends ClientHello.
  public mutating func start() -> [ConnectionEffect] { handle(.start) }
}

extension Connection where Machine == ServerHandshake12 {
  /// A server's connection that waits for a client.
  public init(_ configuration: ServerConfiguration) { self.init(ServerHandshake12(configuration)) }
}

extension ConnectionEffect {
  /// The effects of a machine that a connection passes on as they are.
  init?(_ effect: Effect) {
    switch effect {
    case .evaluateCertificate(let credentials): self = .evaluateCertificate(credentials)
    case .found(let finding): self = .found(finding)
    case .derived(let value): self = .derived(value)
    case .established(let session): self = .established(session)
    case .connected(let parameters): self = .connected(parameters)
    default: return nil
    }
  }
}

/// What a connection wants done, or has to tell.
public enum ConnectionEffect: Sendable, Hashable {
  /// Put the message's bytes on the wire.
  case send(ProtocolMessage)
  /// This message has come; what follows from it follows.
  case received(ProtocolMessage)
  /// Do I trust this certificate? Answer with `certificateEvaluated(_:)`; until then nothing more is read.
  case evaluateCertificate(PeerCredentials)
  /// A rule was held against something.
  case found(Finding)
  /// A value came to be, or to be known here.
  case derived(Value)
  /// A session was established that later connections may go on with.
  case established(Session12)
  /// The handshake is complete; application data may be sent.
  case connected(ConnectionParameters)
  /// Application data has come.
  case applicationData([UInt8])
  /// The connection is over, with its reason. The alert, if one is due, has already been sent.
  case failed(HandshakeFailure)
  /// The connection has ended properly, by close_notify.
  case closed
}

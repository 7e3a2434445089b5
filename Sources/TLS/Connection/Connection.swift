import Explanation

/// One end of a TLS connection of any version: handshake and records, bytes in, effects out. A value without I/O.
public struct Connection: Sendable {
  /// The handshake.
  public private(set) var handshake: Handshake
  /// The status after the last step: reading it from the machine for every record would copy the machine.
  private var status: HandshakeStatus
  /// Whether nothing is read or sent any more.
  public private(set) var isOver = false
  var outgoing: RecordSender
  var incoming: RecordReceiver
  private var log: EffectLog
  private var effects: [ConnectionEffect] = []
  private var hasSentCloseNotify = false
  /// Whether a handshake was completed, be another one under way or not.
  private var hasStood = false
  private var uselessMessages = UselessMessageLimits()

  /// A connection around a handshake that has not begun.
  public init(_ handshake: Handshake) {
    status = handshake.status
    let context = handshake.context
    log = EffectLog(context.enforcement, narrates: context.narrates)
    outgoing = RecordSender(handshake.side, context)
    incoming = RecordReceiver(handshake.side.peer, context)
    self.handshake = handshake
  }

  /// A client's connection that has not begun.
  public init(_ configuration: ClientConfiguration) { self.init(Handshake(configuration)) }

  /// A server's connection that waits for a client.
  public init(_ configuration: ServerConfiguration) { self.init(Handshake(configuration)) }

  /// A client sends ClientHello; a server goes on waiting for one.
  public mutating func start() -> [ConnectionEffect] { handshake.side == .client ? handle(.start) : [] }

  /// Bytes have come from the peer, in any portions.
  public mutating func receive(_ bytes: [UInt8]) -> [ConnectionEffect] {
    if isOver { return [] }
    incoming.append(bytes)
    read()
    if !isOver { boundUnread() }
    return take()
  }

  /// Protects `record` as the next one that this side sends.
  package mutating func wrap(_ record: Record) -> Record { outgoing.wrap(record) }

  /// Removes the protection of `record`, the next one that the peer sends.
  package mutating func unwrap(_ record: Record) -> Record { incoming.unwrap(record) }

  /// Whether a handshake is complete, and no other one under way.
  public var isConnected: Bool { status.isConnected }

  /// Whether this side would begin another handshake on the connection: who wants it bound to the one before does not
  /// where the peer does not know how (RFC 5746 sections 4.2 and 4.4).
  public var mayRenegotiate: Bool {
    guard !isOver, !hasSentCloseNotify, let parameters = handshake.parameters else { return false }
    return handshake.renegotiation.takesPart(isSecure: parameters.hasSecureRenegotiation)
  }

  /// Begins another handshake on the connection: a client with ClientHello, a server with HelloRequest. The peer may
  /// decline. Until it is over this side sends no application data; what the peer sends in between is taken: RFC 5246
  /// section 6.2.1.
  public mutating func renegotiate() -> [ConnectionEffect] {
    status.isConnected && !hasSentCloseNotify ? handle(.renegotiate) : []
  }

  /// The answer to `ConnectionEffect.chooseIdentity`.
  public mutating func identityChosen(_ name: Value.ID?) -> [ConnectionEffect] {
    handle(.identityChosen(name))
  }

  /// The answer to `ConnectionEffect.evaluateCertificate`.
  public mutating func certificateEvaluated(_ answer: CertificateAnswer) -> [ConnectionEffect] {
    handle(.certificateEvaluated(answer))
  }

  /// Sends application data, in records of at most 2^14 bytes; nothing unless the connection stands. When the sequence
  /// numbers end, so does the connection.
  public mutating func send(_ applicationData: [UInt8]) -> [ConnectionEffect] {
    guard !isOver, !hasSentCloseNotify, status.isConnected else { return [] }
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

  /// The transport has ended. Without a close_notify before, someone may have cut the connection; whoever has said it
  /// need not wait for the peer's: RFC 5246 section 7.2.1.
  public mutating func transportClosed() -> [ConnectionEffect] {
    if isOver { return [] }
    if hasSentCloseNotify {
      isOver = true
      effects.append(.closed)
      return take()
    }
    do throws(HandshakeFailure) {
      try incoming.endAlerts(&log)
      try log.refuse(
        .truncatedConnection, .closeNotify, required: .word("close_notify"), found: .absent, isOwn: false)
      isOver = true
      apply(log.drainEffects())
      effects.append(.closed)
    } catch {
      fail(error)
    }
    return take()
  }

  private mutating func handle(_ event: Event) -> [ConnectionEffect] {
    if isOver { return [] }
    step(event)
    read()
    return take()
  }

  private mutating func take() -> [ConnectionEffect] {
    defer { effects = [] }
    return effects
  }

  /// Takes one message after the other until the bytes, or the connection, are at an end.
  private mutating func read() {
    while !isOver, !status.awaitsEvaluation {
      let received = incoming.next(status.negotiated, takesData: status.takesData, &log)
      apply(log.drainEffects())
      guard let received else { return }
      if let message = received.message { effects.append(.received(message)) }
      do throws(HandshakeFailure) {
        try uselessMessages.count(received.content, isConnected: status.isConnected, &log)
      } catch {
        fail(error)
        return
      }
      if case .event(.handshake(.clientHello(let hello), _)) = received.content, status.negotiated == nil {
        // What a server says before it has chosen a version it says in the client's: RFC 7507 section 3.
        outgoing.version = max(.sslv3, min(hello.clientVersion, .tls12))
      }
      switch received.content {
      case .event(.alert(let alert)) where alert.description == .closeNotify && (hasStood || hasSentCloseNotify):
        sendCloseNotify()
        isOver = true
        effects.append(.closed)
      case .event(let event): step(event)
      case .applicationData(let bytes, let values):
        effects += values.map(ConnectionEffect.derived) + [.applicationData(bytes)]
      case .failed(let failure): fail(failure)
      case .sealed: return
      }
    }
  }

  /// While the peer's certificate is judged nothing is read. What a peer can send meanwhile is the rest of its flight, for
  /// which the longest message that is taken leaves room.
  private mutating func boundUnread() {
    guard incoming.unreadCount > HandshakeReassembly.maximumLength else { return }
    fail(
      log.failure(
        .stalling, .unexpectedMessage, required: .atMost(.byteCount(HandshakeReassembly.maximumLength)),
        found: .byteCount(incoming.unreadCount)))
  }

  private mutating func sendCloseNotify() {
    if hasSentCloseNotify { return }
    hasSentCloseNotify = true
    effects += outgoing.alert(Alert(.warning, .closeNotify)).effects
  }

  /// The record layer cannot go on: the machine learns of it, and its answer ends the connection.
  private mutating func fail(_ failure: HandshakeFailure) { step(.recordFailed(failure)) }

  /// One step of the handshake, and what it wants done.
  private mutating func step(_ event: Event) {
    let wanted = handshake.handle(event)
    status = handshake.status
    if let negotiated = status.negotiated { outgoing.version = negotiated.recordVersion }
    apply(wanted)
  }

  private mutating func apply(_ machineEffects: [Effect]) {
    // Nothing that an encrypted message carries is public: only a party that opens the message has it.
    let wasEncrypted = incoming.isEncrypted
    var unsaid: [Value] = []
    for effect in machineEffects where !hasSentCloseNotify || !effect.sendsData {
      switch effect {
      case .derived(let value)
      where (wasEncrypted || outgoing.isEncrypted) && value.derivations.contains(.published)
        && value.id.kind != .sessionHash:
        unsaid.append(value)
      case .send(let message):
        let sent = outgoing.handshake(message).effects
        guard !unsaid.isEmpty, case .send(let whole)? = sent.last else {
          effects += sent
          continue
        }
        // What the peer said of them, it has told itself.
        let said = unsaid.map(whole.carrying).filter { !$0.derivations.isEmpty }
        effects += sent.dropLast() + said.map(ConnectionEffect.derived) + [.send(whole)]
        unsaid = []
      case .sendChangeCipherSpec: effects += outgoing.changeCipherSpec().effects
      case .sendAlert(let alert): effects += outgoing.alert(alert).effects
      case .limitFragments(let count): (outgoing.fragmentLimit, incoming.fragmentLimit) = (count, count)
      case .protectWriting(let keys):
        outgoing.rename(status.valueScope)
        outgoing.protect(with: keys)
      case .protectReading(let keys):
        incoming.rename(status.valueScope)
        incoming.protect(with: keys)
      case .evaluateCertificate(let credentials): effects.append(.evaluateCertificate(credentials))
      case .chooseIdentity(let request): effects.append(.chooseIdentity(request))
      case .found(let finding): effects.append(.found(finding))
      case .derived(let value): effects.append(.derived(value))
      case .established(let session): effects.append(.established(session))
      case .resumed(let session): effects.append(.resumed(session))
      case .connected(let parameters):
        hasStood = true
        effects.append(.connected(parameters))
      case .failed(let failure):
        isOver = true
        effects.append(.failed(failure))
        if failure.isOwn {
          effects += outgoing.alert(Alert(.fatal, failure.alert.said(in: outgoing.version))).effects
        } else if failure.finding.rule == .closedEarly {
          // Who is told answers in kind: RFC 5246 section 7.2.1.
          sendCloseNotify()
        }
      }
    }
    let received = wasEncrypted ? unsaid.map(\.unpublished).filter { !$0.derivations.isEmpty } : unsaid
    effects += received.map(ConnectionEffect.derived)
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
  /// Who shall the client say that it is? Answer with `identityChosen(_:)`; until then nothing more is read.
  case chooseIdentity(CertificateRequestMessage)
  /// A rule was held against something, and the connection goes on.
  case found(Finding)
  /// A value came to be, or to be known here.
  case derived(Value)
  /// A session was established that later connections may go on with.
  case established(Session)
  /// An older session goes on; a fatal alert would end it too: RFC 5246 section 7.2.2.
  case resumed(Session)
  /// The handshake is complete; application data may be sent.
  case connected(ConnectionParameters)
  /// Application data has come.
  case applicationData([UInt8])
  /// The connection is over, with its reason. The alert, if one is due, is sent next.
  case failed(HandshakeFailure)
  /// The connection has ended properly, by close_notify.
  case closed
}

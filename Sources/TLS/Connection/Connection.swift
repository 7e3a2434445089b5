import Explanation

/// One endpoint of a TLS connection: it turns received bytes into effects, and performs no I/O itself.
public struct Connection: Sendable {
  /// The handshake.
  public private(set) var handshake: Handshake
  /// The status after the last step. It is a copy, because reading it from the machine for each record would copy the
  /// machine.
  private var status: HandshakeStatus
  /// Whether the connection has ended, so that nothing more is read or sent.
  public private(set) var isOver = false
  var outgoing: RecordSender
  var incoming: IncomingRecords
  private var log: EffectLog
  private var effects: [ConnectionEffect] = []
  private var hasSentCloseNotify = false
  /// Whether the peer has sent close_notify, after which its data is ignored (RFC 8446 section 6.1).
  public private(set) var peerHasClosed = false
  /// Whether a handshake was completed, even if a renegotiation is now running.
  private var hasStood = false
  private var uselessMessages = UselessMessageLimits()

  /// Creates a connection from a handshake that has not started.
  public init(_ handshake: Handshake) {
    status = handshake.status
    let context = handshake.context
    log = EffectLog(context.enforcement, recordsTrace: context.recordsTrace)
    outgoing = RecordSender(handshake.side, context)
    incoming = IncomingRecords(handshake.side.peer, context)
    self.handshake = handshake
  }

  /// Creates a client's connection that has not started.
  public init(_ configuration: ClientConfiguration) { self.init(Handshake(configuration)) }

  /// Creates a server's connection that waits for a client.
  public init(_ configuration: ServerConfiguration) { self.init(Handshake(configuration)) }

  /// Starts the connection: a client sends a ClientHello, a server waits for one.
  public mutating func start() -> [ConnectionEffect] { handshake.side == .client ? handle(.start) : [] }

  /// Processes bytes from the peer, which may arrive in chunks of any size.
  public mutating func receive(_ bytes: [UInt8]) -> [ConnectionEffect] {
    if isOver || peerHasClosed { return [] }
    incoming.append(bytes)
    read()
    if !isOver { boundUnread() }
    return take()
  }

  /// Protects `record` as the next record that this side sends.
  package mutating func wrap(_ record: Record) -> Record { outgoing.wrap(record) }

  /// Removes the protection of `record`, the next record that the peer sends.
  package mutating func unwrap(_ record: Record) -> Record { incoming.unwrap(record) }

  /// Whether a handshake is complete and no renegotiation is running.
  public var isConnected: Bool { status.isConnected }

  /// Whether this side may send application data.
  ///
  /// It may after the handshake, and as a server of TLS 1.3 in response to early data.
  public var maySend: Bool { status.maySend }

  /// Whether this side may start a renegotiation or, in TLS 1.3, request a client certificate after the handshake.
  ///
  /// A side that requires secure renegotiation may not start one if the peer does not support it (RFC 5746 sections 4.2
  /// and 4.4). In TLS 1.3, the client must have offered post_handshake_auth (RFC 8446 section 4.6.2).
  public var mayRenegotiate: Bool { !isOver && !hasSentCloseNotify && !peerHasClosed && handshake.mayRenegotiate }

  /// Starts a renegotiation: a client sends ClientHello, a server sends HelloRequest. The peer may decline.
  ///
  /// A server of TLS 1.3 sends CertificateRequest instead.
  ///
  /// Until the renegotiation ends, this side sends no application data, but accepts the peer's (RFC 5246 section
  /// 6.2.1).
  public mutating func renegotiate() -> [ConnectionEffect] {
    status.isConnected && !hasSentCloseNotify ? handle(.renegotiate) : []
  }

  /// Sends KeyUpdate, so that this side uses its next traffic secret (RFC 8446 section 4.6.3). If `requestsPeer`, the
  /// peer must do the same.
  public mutating func updateKeys(requestsPeer: Bool) -> [ConnectionEffect] {
    status.isConnected && !hasSentCloseNotify ? handle(.updateKeys(requestsPeer: requestsPeer)) : []
  }

  /// Continues the handshake with the app's reply to `ConnectionEffect.chooseIdentity`.
  public mutating func identityChosen(_ name: Value.ID?) -> [ConnectionEffect] {
    handle(.identityChosen(name))
  }

  /// Continues the handshake with the app's reply to `ConnectionEffect.evaluateCertificate`.
  public mutating func certificateEvaluated(_ answer: CertificateAnswer) -> [ConnectionEffect] {
    handle(.certificateEvaluated(answer))
  }

  /// Sends application data in records of at most 2^14 bytes. The method does nothing if there is no connection, and
  /// ends the connection if the sequence numbers are exhausted.
  public mutating func send(_ applicationData: [UInt8]) -> [ConnectionEffect] {
    guard !isOver, !hasSentCloseNotify, status.maySend else { return [] }
    if outgoing.needsKeyUpdate { step(.updateKeys(requestsPeer: false)) }
    let sent = outgoing.applicationData(applicationData)
    effects += sent.effects
    if sent.isExhausted {
      fail(log.failure(.sequenceExhausted, .internalError, found: .word("one more record")))
    }
    return take()
  }

  /// Sends close_notify (RFC 5246 section 7.2.1). This side still reads data until the peer also sends close_notify.
  public mutating func close() -> [ConnectionEffect] {
    if isOver { return [] }
    sendCloseNotify()
    if peerHasClosed { end() }
    return take()
  }

  /// Ends the connection with a fatal alert, for a reason outside TLS.
  package mutating func abort(_ alert: AlertDescription) -> [ConnectionEffect] {
    if isOver { return [] }
    fail(log.failure(.internalError, alert, found: .word("\(alert)")))
    return take()
  }

  /// Handles the end of the transport.
  ///
  /// If the peer did not send close_notify, the connection may have been truncated. A side that has sent its own
  /// close_notify need not wait for the peer's (RFC 5246 section 7.2.1).
  public mutating func transportClosed() -> [ConnectionEffect] {
    if isOver { return [] }
    if hasSentCloseNotify || peerHasClosed {
      end()
      return take()
    }
    do throws(HandshakeFailure) {
      try incoming.endAlerts(&log)
      let rule = incoming.isTLS13 ? Rule.truncatedConnection.tls13("6.1") : .truncatedConnection
      try log.refuse(rule, .closeNotify, required: .word("close_notify"), found: .absent, isOwn: false)
      apply(log.drainEffects())
      end()
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

  /// Reads messages until there are no more bytes or the connection ends.
  private mutating func read() {
    while !isOver, !peerHasClosed, !status.awaitsEvaluation {
      let received = incoming.next(status, &log)
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
        // Before a server selects a version, it sends records with the client's version: RFC 7507 section 3.
        outgoing.version = max(.sslv3, min(hello.clientVersion, .tls12))
      }
      switch received.content {
      case .event(.alert(let alert)) where alert.description == .closeNotify && (hasStood || hasSentCloseNotify):
        closeAfterPeer()
      case .event(let event): step(event)
      case .applicationData(let bytes, let values):
        effects += values.map(ConnectionEffect.derived) + [.applicationData(bytes)]
      case .failed(let failure): fail(failure)
      case .sealed: return
      }
    }
  }

  /// Limits the number of unread bytes while the certificate is evaluated. During that time, a peer can send only the
  /// rest of its flight, which fits into the longest accepted message.
  private mutating func boundUnread() {
    guard incoming.unreadCount > HandshakeReassembly.maximumLength else { return }
    fail(
      log.failure(
        .stalling, .unexpectedMessage, required: .atMost(.byteCount(HandshakeReassembly.maximumLength)),
        found: .byteCount(incoming.unreadCount)))
  }

  /// Handles the peer's close_notify: TLS 1.3 closes one direction (RFC 8446 section 6.1), and earlier versions close
  /// both (RFC 5246 section 7.2.1).
  private mutating func closeAfterPeer() {
    peerHasClosed = true
    if status.negotiated?.version == .tls13, !hasSentCloseNotify {
      effects.append(.peerClosed)
    } else {
      sendCloseNotify()
      end()
    }
  }

  private mutating func end() {
    isOver = true
    effects.append(.closed)
  }

  private mutating func sendCloseNotify() {
    if hasSentCloseNotify { return }
    hasSentCloseNotify = true
    effects += outgoing.alert(Alert(.warning, .closeNotify)).effects
  }

  /// Reports a failure of the record layer to the state machine, which ends the connection.
  private mutating func fail(_ failure: HandshakeFailure) { step(.recordFailed(failure)) }

  /// Performs one step of the handshake and applies its effects.
  private mutating func step(_ event: Event) {
    let wanted = handshake.handle(event)
    status = handshake.status
    if let negotiated = status.negotiated {
      outgoing.version = negotiated.recordVersion
      if negotiated.version == .tls13 { incoming.continueInTLS13() }
    }
    apply(wanted)
  }

  private mutating func apply(_ machineEffects: [Effect]) {
    // The content of an encrypted message is not public: only a party that can decrypt it knows it.
    let wasEncrypted = incoming.isEncrypted
    var pendingValues: [Value] = []
    for effect in machineEffects where !hasSentCloseNotify || !effect.sendsData {
      switch effect {
      case .derived(let value)
      where (wasEncrypted || outgoing.isEncrypted) && value.derivations.contains(.published)
        && ![.sessionHash, .ticketNonce].contains(value.id.kind):
        pendingValues.append(value)
      case .send(let message):
        let sent = outgoing.handshake(message).effects
        guard !pendingValues.isEmpty, case .send(let whole)? = sent.last else {
          effects += sent
          continue
        }
        // The peer has already recorded the values of this message.
        let said = pendingValues.map(whole.carrying).filter { !$0.derivations.isEmpty }
        effects += sent.dropLast() + said.map(ConnectionEffect.derived) + [.send(whole)]
        pendingValues = []
      case .sendChangeCipherSpec: effects += outgoing.changeCipherSpec().effects
      case .sendAlert(let alert): effects += outgoing.alert(alert).effects
      case .limitFragments(let count):
        outgoing.fragmentLimit = count
        incoming.limitFragments(count)
      case .limitProtectedRecords(let side, let count):
        if side == handshake.side { outgoing.fragmentLimit = count } else { incoming.limitFragments(count) }
      case .sendEarlyData(let bytes): effects += outgoing.applicationData(bytes).effects
      case .stopProtecting: outgoing.stopProtecting()
      case .skipEarlyData(let count): incoming.skipEarlyData(count)
      case .limitEarlyData(let count): incoming.limitEarlyData(count)
      case .protectWriting(let keys):
        outgoing.rename(status.valueScope)
        outgoing.protect(with: keys)
      case .protectReading(let keys):
        if incoming.hasPartialMessage { return fail(HandshakeFailure.keyChange) }
        incoming.protect(with: keys, status.valueScope)
      case .endMessage: if incoming.hasPartialMessage { return fail(HandshakeFailure.keyChange) }
      case .evaluateCertificate(let credentials): effects.append(.evaluateCertificate(credentials))
      case .chooseIdentity(let request): effects.append(.chooseIdentity(request))
      case .found(let finding): effects.append(.found(finding))
      case .derived(let value): effects.append(.derived(value))
      case .established(let session): effects.append(.established(session))
      case .resumed(let session): effects.append(.resumed(session))
      case .spent(let ticket): effects.append(.spent(ticket))
      case .answeredEarlyData(let isAccepted): effects.append(.answeredEarlyData(isAccepted: isAccepted))
      case .connected(let parameters):
        hasStood = true
        effects.append(.connected(parameters))
      case .failed(let failure):
        isOver = true
        effects.append(.failed(failure))
        if failure.isOwn {
          effects += outgoing.alert(Alert(.fatal, failure.alert.said(in: outgoing.version))).effects
        } else if failure.finding.rule == .closedEarly {
          // Responds to a close_notify with another close_notify: RFC 5246 section 7.2.1.
          sendCloseNotify()
        }
      }
    }
    let received = wasEncrypted ? pendingValues.map(\.unpublished).filter { !$0.derivations.isEmpty } : pendingValues
    effects += received.map(ConnectionEffect.derived)
  }
}

/// An action that the caller must perform, or an event that a connection reports.
public enum ConnectionEffect: Sendable, Hashable {
  /// Send the bytes of this message.
  case send(ProtocolMessage)
  /// A message was received. The effects of the message follow.
  case received(ProtocolMessage)
  /// Evaluate this certificate and call `certificateEvaluated(_:)`. The connection reads nothing until then.
  case evaluateCertificate(PeerCredentials)
  /// Choose the client's identity and call `identityChosen(_:)`. The connection reads nothing until then.
  case chooseIdentity(CertificateRequestMessage)
  /// A rule was checked, and the connection continues.
  case found(Finding)
  /// A value was computed, drawn or received.
  case derived(Value)
  /// A session was established that later connections may resume.
  case established(Session)
  /// An older session was resumed. A fatal alert also invalidates that session (RFC 5246 section 7.2.2).
  case resumed(Session)
  /// Early data was sent with this ticket, so that the server accepts no more with it.
  case spent([UInt8])
  /// The server accepted or rejected the client's early data. The client must send rejected data again, if at all.
  case answeredEarlyData(isAccepted: Bool)
  /// The handshake is complete, and application data may be sent.
  case connected(ConnectionParameters)
  /// Application data was received.
  case applicationData([UInt8])
  /// The connection failed for this reason. If there is an alert, the next effect sends it.
  case failed(HandshakeFailure)
  /// The peer sent close_notify, and this side may still send. It must call `close()` after its last data.
  case peerClosed
  /// Both directions of the connection are closed.
  case closed
}

import Explanation

/// Turns the bytes of a recorded session of TLS 1.0 to 1.2, in both directions, into effects, without I/O.
///
/// The replay decrypts every record for which it has keys, and checks the messages against the rules of the side that
/// receives them. If one side would have refused a message with an alert, the replay ends. Without keys, the replay
/// reports the cleartext content.
public struct Replay: Sendable {
  private(set) var handshake: ReplayHandshake12
  /// Whether the replay has ended, so that nothing more is read.
  public private(set) var isOver = false
  private var client: RecordReceiver
  private var server: RecordReceiver
  private var log: EffectLog
  private var effects: [ReplayEffect] = []
  /// The first bytes that each side sent.
  private var beginnings: [Side: [UInt8]] = [:]
  /// The sides for which a secret was given that has decrypted no record, with the `client_random` of the session.
  private var untried: [Side: [UInt8]] = [:]
  /// The first record that the given secret could not decrypt, as its side and failure; nil if none.
  private var doubt: (failure: HandshakeFailure, side: Side)?
  /// The `client_random` of the session whose secret decrypts nothing; nil if there is no such session.
  public private(set) var misfit: [UInt8]?

  /// Creates a replay that has not started.
  public init(_ configuration: ReplayConfiguration) {
    handshake = ReplayHandshake12(configuration)
    let context = ConnectionContext(
      enforcement: configuration.enforcement, decisions: .standard,
      random: RandomStreams(seed: .number(0), party: "replay"), party: .eavesdropper,
      valueScope: configuration.valueScope)
    client = RecordReceiver(.client, context)
    server = RecordReceiver(.server, context)
    log = EffectLog(configuration.enforcement)
  }

  /// Processes bytes from `side`, which may arrive in chunks of any size.
  public mutating func receive(_ bytes: [UInt8], from side: Side) -> [ReplayEffect] {
    if isOver { return [] }
    if beginnings[side, default: []].count < Self.beginningLength {
      beginnings[side, default: []] += bytes.prefix(Self.beginningLength)
    }
    change(side) { $0.append(bytes) }
    read(side)
    return take()
  }

  /// Ends the recording.
  ///
  /// Without a close_notify, the connection may have been truncated (RFC 5246 section 7.2.1). For the sides in
  /// `unfinished` this is unknown, because the recording may lack the end.
  public mutating func end(unfinished: [Side: String] = [:]) -> [ReplayEffect] {
    if isOver { return [] }
    for side in Side.allCases where unfinished[side] == nil && !isOver { endAlerts(of: side) }
    if isOver { return take() }
    for side in Side.allCases {
      if let reason = unfinished[side], !(side == .client ? client : server).isClosed {
        effects.append(
          .found(
            handshake.configuration.enforcement.note(
              Rule.truncatedConnection.fixed(by: "Capture until both sides have closed the connection."),
              on: .message("data of the \(side)"), .unknown, required: .word("close_notify"),
              found: .word(reason), confidence: .unknown("the rest of the \(side)'s data, which the recording lacks")),
            by: side.peer))
        continue
      }
      do throws(HandshakeFailure) {
        try checkEnd(of: side)
        report(side)
      } catch {
        report(side)
        apply(handshake.handle(.recordFailed(error), from: side), side)
      }
    }
    isOver = true
    return take()
  }

  /// The number of first bytes that the replay keeps for each side.
  private static let beginningLength = 80

  private mutating func next(_ side: Side) -> RecordReceiver.Received? {
    let takesData = handshake.takesData(from: side)
    return side == .client
      ? client.next(handshake.negotiated, takesData: takesData, &log)
      : server.next(handshake.negotiated, takesData: takesData, &log)
  }

  private mutating func change(_ side: Side, _ body: (inout RecordReceiver) -> Void) {
    if side == .client { body(&client) } else { body(&server) }
  }

  private mutating func take() -> [ReplayEffect] {
    defer { effects = [] }
    return effects
  }

  /// Reads the messages of `side` in the role of its peer.
  private mutating func read(_ side: Side) {
    while !isOver, let received = next(side) {
      if let message = received.message { effects.append(.message(message, from: side)) }
      report(side)
      derive(received.values, side)
      if isOver || settleDoubt(received, side) { continue }
      switch received.content {
      case .event(let event): apply(unpublished(handshake.handle(event, from: side), received), side, after: event)
      case .applicationData(_, let values): derive(values, side)
      case .sealed(let type): apply(handshake.handleSealed(type, from: side), side)
      case .failed(let failure):
        apply(handshake.handle(.recordFailed(naming(failure, of: side)), from: side), side)
      }
    }
    report(side)
  }

  /// Decides whether a secret that does not decrypt a record belongs to another session; returns whether this explains
  /// the record.
  ///
  /// The secret belongs to this session if it decrypted other records, or if the peer also refuses the record.
  private mutating func settleDoubt(_ received: RecordReceiver.Received, _ side: Side) -> Bool {
    if case .failed(let failure) = received.content, failure.finding.rule == .badMAC, let session = untried[side],
      case .encrypted(let type)? = received.message?.content
    {
      if doubt == nil { doubt = (failure, side) }
      misfit = session
      let version = handshake.negotiated?.version ?? .tls12
      change(side) { $0.markUndecryptable(version) }
      apply(handshake.handleSealed(type, from: side), side)
      return true
    }
    let opens = untried[side] != nil && received.message?.isProtected == true && !received.isClosed
    if opens { untried = [:] }
    guard let doubt, opens || received.isFatalAlert && side == doubt.side.peer else { return false }
    misfit = nil
    self.doubt = nil
    apply(handshake.handle(.recordFailed(doubt.failure), from: doubt.side), doubt.side)
    return true
  }

  /// The failure. If the side sent plain text instead of a record, the failure contains that text.
  private func naming(_ failure: HandshakeFailure, of side: Side) -> HandshakeFailure {
    let finding = failure.finding
    guard [.unexpectedRecordType, .recordVersion].contains(finding.rule),
      let text = PlainText(beginnings[side] ?? [])
    else { return failure }
    let named = Finding(
      finding.rule, on: finding.subject, finding.outcome, weight: finding.weight, required: finding.required,
      found: .word(text.description), confidence: finding.confidence)
    return HandshakeFailure(alert: failure.alert, finding: named, isOwn: failure.isOwn)
  }

  /// Reports the findings on the records of `side` as those of its peer.
  private mutating func report(_ side: Side) {
    effects += log.drainEffects().compactMap { ReplayHandshake12.report($0, by: side.peer) }
  }

  private mutating func derive(_ values: [Value], _ side: Side) {
    for var value in values {
      if value.id == values.last?.id { value.add(.generated(by: side.party)) }
      effects.append(.derived(value, by: side))
    }
  }

  /// Marks values in an encrypted message as not public, because only a party that decrypts the message has them.
  private func unpublished(_ reports: [ReplayEffect], _ received: RecordReceiver.Received) -> [ReplayEffect] {
    guard let message = received.message, message.isEncrypted else { return reports }
    return reports.map { report in
      guard case .derived(let value, let side) = report, value.derivations.contains(.published) else { return report }
      let carried = message.carrying(value)
      return carried.derivations.isEmpty ? report : .derived(carried, by: side)
    }
  }

  private mutating func apply(_ reports: [ReplayEffect], _ side: Side, after event: Event? = nil) {
    effects += reports
    if reports.contains(where: { if case .failed = $0 { true } else { false } }) { isOver = true }
    guard !isOver, event == .changeCipherSpec else { return }
    if let keys = handshake.recordKeys {
      let scope = handshake.names
      untried[side] = handshake.doubtfulSession
      change(side) { direction in
        direction.rename(scope)
        direction.protect(with: keys.keys(of: side))
      }
    } else {
      let version = handshake.negotiated?.version ?? .tls12
      let code = handshake.clearRecordMACLength
      change(side) { $0.markUndecryptable(version, clearBefore: code) }
    }
  }

  /// Checks that `side` does not end with half of an alert.
  private mutating func endAlerts(of side: Side) {
    do throws(HandshakeFailure) {
      if side == .client { try client.endAlerts(&log) } else { try server.endAlerts(&log) }
      report(side)
    } catch {
      report(side)
      apply(handshake.handle(.recordFailed(error), from: side), side)
    }
  }

  /// Checks that `side` ends with a complete record and message, and with close_notify.
  ///
  /// Each side must send close_notify before it closes the connection (RFC 5246 section 7.2.1). Otherwise the loss of
  /// records at the end is undetectable.
  private mutating func checkEnd(of side: Side) throws(HandshakeFailure) {
    let (direction, peer) = side == .client ? (client, server) : (server, client)
    if !direction.isEmpty {
      try log.refuse(
        .truncatedConnection, on: .message("the \(side)'s last message"), .closeNotify,
        required: .word("the rest of a record or message"), found: .absent, isOwn: false)
    }
    if handshake.parameters == nil, peer.isEmpty {
      let expected = handshake.expected
      guard expected.side == side else { return }
      try log.refuse(
        .truncatedConnection, .closeNotify, required: .anyOf(expected.messages.map(\.description)), found: .absent,
        isOwn: false)
    }
    if direction.isSealed {
      log.add(
        .found(
          handshake.configuration.enforcement.note(
            .truncatedConnection, on: .message("data of the \(side)"), .notEvaluated,
            required: .word("close_notify"), found: .word("records that cannot be decrypted"))))
      return
    }
    try log.check(
      .truncatedConnection, on: .message("data of the \(side)"), direction.isClosed, .closeNotify,
      required: .word("close_notify"), found: direction.isClosed ? .word("close_notify") : .absent, isOwn: false)
  }
}

/// An event that a replay reports.
public enum ReplayEffect: Sendable, Hashable {
  /// This side sent the message.
  case message(ProtocolMessage, from: Side)
  /// This side checked a rule on a message that it received.
  case found(Finding, by: Side)
  /// This side computed or received the value.
  case derived(Value, by: Side)
  /// The server selected these parameters in a ServerHello of TLS 1.3. The handshake may remain encrypted.
  case selected(ConnectionParameters)
  /// Records remain encrypted, because the key log lacks these secrets.
  case lacking([ScheduledSecret])
  /// The handshake is complete.
  case connected(ConnectionParameters)
  /// This side would have ended the connection here with its alert, or received the peer's alert.
  case failed(HandshakeFailure, at: Side)
}

import Explanation

/// A recorded session of TLS 1.0 to 1.2: the bytes of both directions in, effects out. It does no I/O.
///
/// It decrypts every record for which it has keys, and checks the rules of both ends on the messages they receive. If
/// one end would have refused with an alert, the replay ends. Without keys it reports the content in the clear.
public struct Replay: Sendable {
  private(set) var handshake: ReplayHandshake12
  /// Whether nothing is read any more.
  public private(set) var isOver = false
  private var client: RecordReceiver
  private var server: RecordReceiver
  private var log: EffectLog
  private var effects: [ReplayEffect] = []
  /// The first bytes of each side.
  private var beginnings: [Side: [UInt8]] = [:]
  /// The sides of which no record was decrypted yet, although a secret was given that may belong to another session.
  private var untried: [Side: [UInt8]] = [:]
  /// The record that the secret did not decrypt, and the failure; nil if it decrypted the first one.
  private var doubt: (failure: HandshakeFailure, side: Side)?
  /// The `client_random` of the session whose secret decrypts nothing; nil if every secret fits.
  public private(set) var misfit: [UInt8]?

  /// Creates a replay that has not begun.
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

  /// Processes bytes from `side`, in chunks of any size.
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
  /// Without a close_notify, the connection may have been truncated: RFC 5246 section 7.2.1. For the sides in
  /// `unfinished` that is unknown, because the recording may lack the rest.
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

  /// The number of first bytes of a side that are kept.
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

  /// Reads the messages of `side`, as its peer does.
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

  /// Assigns a record that a secret does not decrypt to another session. Returns whether that explains it.
  ///
  /// This is not done if the secret decrypted other records, or if the peer also refuses the record.
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

  /// Returns the failure. If the side sent plain text instead of a record, the failure shows that text.
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

  /// Attributes the findings on `side`'s records to its peer.
  private mutating func report(_ side: Side) {
    effects += log.drainEffects().compactMap { ReplayHandshake12.report($0, by: side.peer) }
  }

  private mutating func derive(_ values: [Value], _ side: Side) {
    for var value in values {
      if value.id == values.last?.id { value.add(.generated(by: side.party)) }
      effects.append(.derived(value, by: side))
    }
  }

  /// Removes values that an encrypted message carries from the public values: only a party that decrypts it has them.
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

  /// A side must not end with half an alert.
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
  /// Each side must send it before closing (RFC 5246 section 7.2.1); without it, missing records at the end are not
  /// detectable.
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

/// A report of a replay.
public enum ReplayEffect: Sendable, Hashable {
  /// This message was sent.
  case message(ProtocolMessage, from: Side)
  /// This side checked a rule on a received message.
  case found(Finding, by: Side)
  /// This side computed or received the value.
  case derived(Value, by: Side)
  /// The handshake is complete.
  case connected(ConnectionParameters)
  /// This side would have refused here with its alert, or received the peer's.
  case failed(HandshakeFailure, at: Side)
}

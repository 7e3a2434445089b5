import Explanation

/// The replay of a recorded session, without I/O.
public protocol SessionReplay {
  /// The `client_random` of the session whose secret decrypts nothing; nil if there is no such session.
  var misfit: [UInt8]? { get }
  /// Processes bytes from `side`, which may arrive in chunks of any size.
  mutating func receive(_ bytes: [UInt8], from side: Side) -> [ReplayEffect]
  /// Ends the recording. The rest of the data of the sides in `unfinished` is unknown, for the given reasons.
  mutating func end(unfinished: [Side: String]) -> [ReplayEffect]
}

extension Replay: SessionReplay {}

/// Turns the bytes of a recorded session of TLS 1.3, in both directions, into effects, without I/O.
///
/// The replay decrypts every record for which the key log has a traffic secret. It checks the messages against the rules
/// of the side that receives them. Without secrets, it reports the hellos and the protected records.
public struct Replay13: SessionReplay, Sendable {
  private var handshake: ReplayHandshake13
  private var isOver = false
  private var receivers: [Side: RecordReceiver13]
  private var log: EffectLog
  private var effects: [ReplayEffect] = []
  /// The `client_random` of the session whose secrets decrypt nothing; nil if there is no such session.
  public private(set) var misfit: [UInt8]?

  /// Creates a replay that has not started; nil if the server's first message in `answer` does not select TLS 1.3.
  public init?(_ configuration: ReplayConfiguration, answer: [UInt8]) {
    guard let hello = Self.serverHello(answer), hello.choosesTLS13 else { return nil }
    handshake = ReplayHandshake13(configuration, answer: hello)
    receivers = [:]
    for side in Side.allCases { receivers[side] = RecordReceiver13(side, configuration.valueScope) }
    log = EffectLog(configuration.enforcement)
  }

  /// The ServerHello or HelloRetryRequest at the beginning of the server's bytes; nil if there is none.
  private static func serverHello(_ bytes: [UInt8]) -> ServerHello? {
    var receiver = RecordReceiver13(.server, ValueScope())
    var log = EffectLog(.standard)
    receiver.append(bytes)
    let conditions = RecordReceiver13.Conditions(takesData: false, takesChangeCipherSpec: false)
    let received = receiver.next(nil, conditions, &log)
    guard case .event(.handshake(.serverHello(let hello), _))? = received?.content else { return nil }
    return hello
  }

  /// Processes bytes from `side`, which may arrive in chunks of any size.
  public mutating func receive(_ bytes: [UInt8], from side: Side) -> [ReplayEffect] {
    if isOver { return [] }
    receivers[side]?.append(bytes)
    read(side)
    return drainEffects()
  }

  private mutating func drainEffects() -> [ReplayEffect] {
    defer { effects = [] }
    return effects
  }

  /// Reads the messages of `side` in the role of its peer.
  private mutating func read(_ side: Side) {
    while !isOver, let received = next(side) {
      if let message = received.message { effects.append(.message(message, from: side)) }
      report(side)
      derive(received.values, side)
      switch received.content {
      case .event(let event): apply(handshake.handle(event, from: side), side, received)
      case .applicationData(_, let values): derive(values, side)
      case .sealed: break
      case .failed(let failure) where isDoubtful(failure): setAside(side)
      case .failed(let failure): apply(handshake.handle(.recordFailed(failure), from: side), side, received)
      }
    }
    report(side)
  }

  private mutating func next(_ side: Side) -> RecordReceiver.Received? {
    let conditions = RecordReceiver13.Conditions(
      takesData: handshake.takesData(from: side), takesChangeCipherSpec: handshake.takesChangeCipherSpec(from: side))
    let received = receivers[side]?.next(handshake.form, conditions, &log)
    if side == .client, case .keys(_, TrafficEpoch(.client, .handshake))? = receivers[side]?.protection {
      handshake.endEarlyData()
    }
    // Messages of the application phase follow those that could not be decrypted.
    let isAfterHandshake = received?.message?.isProtected == true && receivers[side]?.isAfterHandshake == true
    if handshake.order.hidden.contains(side), isAfterHandshake {
      handshake.order.skipHandshake(of: side)
    }
    return received
  }

  /// Whether the secrets may belong to another session, because none of them has decrypted a record.
  private func isDoubtful(_ failure: HandshakeFailure) -> Bool {
    handshake.configuration.doubtsSecrets && failure.finding.rule == .badMAC
      && !receivers.values.contains(where: \.hasOpened)
  }

  private mutating func setAside(_ side: Side) {
    misfit = handshake.offer?.random
    receivers[side]?.forgetKeys()
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

  private mutating func apply(_ reports: [ReplayEffect], _ side: Side, _ received: RecordReceiver.Received) {
    effects += reports.map { Self.unpublished($0, received) }
    if handshake.isClosed { isOver = true }
    if case .event(.handshake(.serverHello(let hello), _)) = received.content, !hello.isRetryRequest,
      let parameters = handshake.parameters
    {
      effects.append(.selected(parameters))
    }
    guard !isOver, !handshake.changes.isEmpty else { return }
    if case .event(.handshake) = received.content { endMessages(of: side) }
    for (side, change) in handshake.changes { apply(change, to: side) }
  }

  private mutating func apply(_ change: ReplayHandshake13.Change, to side: Side) {
    switch change {
    case .protect(let protection): receivers[side]?.protect(with: protection)
    case .await(let protection): receivers[side]?.await(protection)
    case .next: receivers[side]?.protectWithNext()
    }
  }

  /// Checks that no handshake message continues under other keys (RFC 8446 section 5.1).
  private mutating func endMessages(of side: Side) {
    guard receivers[side]?.hasPartialMessage == true else { return }
    do throws(HandshakeFailure) {
      try log.refuse(
        .keyChange13, .unexpectedMessage, required: .word("the end of the record"),
        found: .word("another handshake message"))
    } catch {
      effects += handshake.handle(.recordFailed(error), from: side)
      isOver = true
    }
  }

  /// Marks values in an encrypted message as not public, because only a party that decrypts the message has them.
  private static func unpublished(_ report: ReplayEffect, _ received: RecordReceiver.Received) -> ReplayEffect {
    guard let message = received.message, message.isEncrypted, case .derived(let value, let side) = report,
      value.derivations.contains(.published)
    else { return report }
    return .derived(message.carrying(value), by: side)
  }
}

/// The end of a recording.
extension Replay13 {
  /// Ends the recording. The rest of the data of the sides in `unfinished` is unknown, for the given reasons.
  public mutating func end(unfinished: [Side: String]) -> [ReplayEffect] {
    defer { isOver = true }
    if !isOver { checkEnds(unfinished) }
    let unopened = Side.allCases.flatMap { receivers[$0]?.unopened ?? [] }
    if misfit == nil, !unopened.isEmpty { effects.append(.lacking(unopened.map(\.scheduled))) }
    return drainEffects()
  }

  private mutating func checkEnds(_ unfinished: [Side: String]) {
    for side in Side.allCases {
      let receiver = receivers[side]
      if let reason = unfinished[side], receiver?.isClosed == false {
        note(
          .truncatedConnection.fixed(by: "Capture until both sides have closed the connection."), side, .unknown,
          found: reason, confidence: .unknown("the rest of the \(side)'s data, which the recording lacks"))
        continue
      }
      do throws(HandshakeFailure) {
        try checkEnd(of: side)
        report(side)
      } catch {
        report(side)
        effects += handshake.handle(.recordFailed(error), from: side)
      }
    }
    noteUnknown()
  }

  private mutating func note(
    _ rule: Rule, _ side: Side, _ outcome: Finding.Outcome, found: String, confidence: Finding.Confidence = .certain
  ) {
    effects.append(
      .found(
        handshake.configuration.enforcement.note(
          rule, on: .message("data of the \(side)"), outcome, required: .word("close_notify"), found: .word(found),
          confidence: confidence), by: side.peer))
  }

  /// Checks that `side` ends with a complete record and message, and with close_notify (RFC 8446 section 6.1).
  private mutating func checkEnd(of side: Side) throws(HandshakeFailure) {
    guard let receiver = receivers[side], let peer = receivers[side.peer] else { return }
    let rule = Rule.truncatedConnection.tls13("6.1")
    if !receiver.isEmpty {
      try log.refuse(
        rule, on: .message("the \(side)'s last message"), .closeNotify,
        required: .word("the rest of a record or message"), found: .absent, isOwn: false)
    }
    if receiver.isSealed || misfit != nil || peer.isSealed && !receiver.isClosed {
      return note(rule, side, .notEvaluated, found: "records that cannot be decrypted")
    }
    if !handshake.isConnected, handshake.order.hidden.isEmpty, peer.isEmpty {
      guard handshake.order.sender == side else { return }
      try log.refuse(
        rule, .closeNotify, required: .anyOf(handshake.order.expected(from: side).map(\.description)), found: .absent,
        isOwn: false)
    }
    try log.check(
      rule, on: .message("data of the \(side)"), receiver.isClosed, .closeNotify, required: .word("close_notify"),
      found: receiver.isClosed ? .word("close_notify") : .absent, isOwn: false)
  }

  /// Records that Finished was not checked, because messages of the handshake are hidden.
  private mutating func noteUnknown() {
    for side in Side.allCases where handshake.answer != nil && handshake.order.hidden.contains(side) {
      let secret = ValueName(.handshakeTrafficSecret, of: side)
      effects.append(
        .found(
          handshake.configuration.enforcement.note(
            .finishedMismatch13, on: .handshake(.finished), .notEvaluated, required: .word("\(secret)"),
            found: .absent), by: side.peer))
    }
  }
}

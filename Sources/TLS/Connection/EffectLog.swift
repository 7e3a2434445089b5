import Cryptography
import Explanation
import Wire

/// Collects the effects of one step, and checks rules on received messages.
struct EffectLog: Sendable {
  let enforcement: Enforcement
  /// The negotiated version; nil before it is known.
  var version: ProtocolVersion?
  /// Whether values and satisfied rules are recorded, or only violations.
  private let recordsTrace: Bool
  private(set) var effects: [Effect] = []

  init(_ enforcement: Enforcement, recordsTrace: Bool = true) {
    self.enforcement = enforcement
    self.recordsTrace = recordsTrace
  }

  init(_ configuration: some SideConfiguration) {
    self.init(configuration.enforcement, recordsTrace: configuration.recordsTrace)
  }

  mutating func add(_ effect: Effect) { effects.append(effect) }

  /// Records values. The argument is evaluated only if the log records values.
  mutating func derive(_ values: @autoclosure () -> [Value]) {
    if recordsTrace { effects += values().map(Effect.derived) }
  }

  /// Returns and removes all effects that were collected.
  mutating func drainEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  /// Checks `rule`. An enforced violation ends the connection with `alert`.
  ///
  /// The alert and the finding form one error, so that the finding is not also reported separately.
  mutating func check(
    _ rule: @autoclosure () -> Rule, on subject: Finding.Subject = .connection, _ holds: Bool,
    _ alert: AlertDescription, required: @autoclosure () -> Detail = .none, found: @autoclosure () -> Detail = .none,
    isOwn: Bool = true
  ) throws(HandshakeFailure) {
    if holds, !recordsTrace, !enforcement.isDecidedElsewhere(rule()) { return }
    let finding = enforcement.check(
      rule(), on: subject, holds, version: version?.rawValue, required: required(), found: found())
    if finding.refuses { throw HandshakeFailure(alert: alert, finding: finding, isOwn: isOwn) }
    effects.append(.found(finding))
  }

  /// Reports a violation of `rule`. The connection ends unless the rule is disabled.
  mutating func refuse(
    _ rule: Rule, on subject: Finding.Subject = .connection, _ alert: AlertDescription, required: Detail = .none,
    found: Detail = .none, isOwn: Bool = true
  ) throws(HandshakeFailure) {
    try check(rule, on: subject, false, alert, required: required, found: found, isOwn: isOwn)
  }

  /// A violation that always ends the connection, even if the rule is disabled.
  ///
  /// Without a key, suite or parameter, the connection cannot continue.
  func failure(
    _ rule: Rule, on subject: Finding.Subject = .connection, _ alert: AlertDescription, required: Detail = .none,
    found: Detail = .none
  ) -> HandshakeFailure {
    HandshakeFailure(
      alert: alert,
      finding: Enforcement.standard.check(rule, on: subject, false, required: required, found: found))
  }

  /// Handles an event that the machine does not expect in its current state. If this method returns, the state does not
  /// change.
  ///
  /// `names`, if given, replace the descriptions of the expected events.
  mutating func handleUnexpected(
    _ event: Event, expected: [Event.Kind], names: [String]? = nil, isConnected: Bool
  ) throws(HandshakeFailure) {
    switch event {
    case .alert(let alert): try receive(alert, isConnected: isConnected)
    case .recordFailed(let failure): throw failure
    case .malformed(let type, let error) where expected.contains(event.kind) || type == .helloRequest:
      try refuse(.decodeError, on: .handshake(type), .decodeError, found: .word(error.description))
    case .malformedChangeCipherSpec(let error) where expected.contains(event.kind):
      try refuse(.decodeError, on: .event(event.kind), .decodeError, found: .word(error.description))
    default:
      try refuse(
        .unexpectedMessage, on: .event(event.kind), .unexpectedMessage,
        required: .anyOf(names ?? expected.map(\.description)),
        found: .word(event.kind.description))
    }
  }

  /// Handles an alert. A warning changes nothing, except a close_notify before the connection is established (RFC 5246
  /// section 7.2).
  ///
  /// A close_notify of any level is not an error (section 7.2.2); it closes the connection (section 7.2.1).
  private mutating func receive(_ alert: Alert, isConnected: Bool) throws(HandshakeFailure) {
    if alert.description == .closeNotify, !isConnected {
      return try refuse(
        .closedEarly, .closeNotify, required: .word("a complete handshake"), found: .word("close_notify"), isOwn: false)
    }
    if alert.level == .warning || alert.description == .closeNotify { return }
    try refuse(.fatalAlert, alert.description, found: .word("\(alert.description)"), isOwn: false)
  }
}

extension EffectLog {
  /// Encodes a message and sends it. Encoding fails if the configuration requires more than the message can contain.
  mutating func send(
    _ body: HandshakeMessage.Body, under negotiated: Negotiated?
  ) throws(HandshakeFailure) -> HandshakeMessage {
    let decisions: TLSDecisions = enforcement.decisions()
    let body = decisions.sends?(body) ?? body
    let message = try representable { () throws in try HandshakeMessage(body, under: negotiated) }
    add(.send(message))
    return message
  }

  /// Returns the result of `encoding`; attributes a failure to this side.
  func representable<T>(_ encoding: () throws -> T) throws(HandshakeFailure) -> T {
    do {
      return try encoding()
    } catch {
      throw failure(.internalError, .internalError, found: .word("\(error)"))
    }
  }

  /// Declines a renegotiation with a warning, after which the peer may continue or end the connection (RFC 5246 section
  /// 7.2.2).
  ///
  /// SSL 3.0 has no such warning, so the connection ends (RFC 5746 section 4.5).
  mutating func declineRenegotiation(_ event: Event) throws(HandshakeFailure) {
    let finding = enforcement.check(
      .renegotiation, on: .event(event.kind), false, required: .absent, found: .word(event.kind.description))
    if version == .sslv3 { throw HandshakeFailure(alert: .handshakeFailure, finding: finding) }
    add(.found(finding))
    add(.sendAlert(Alert(.warning, .noRenegotiation)))
  }
}

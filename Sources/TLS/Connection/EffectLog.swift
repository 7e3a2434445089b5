import Cryptography
import Explanation
import Wire

/// Gathers the effects of one step, and holds rules against what was received.
struct EffectLog: Sendable {
  let enforcement: Enforcement
  /// The version that was agreed on, once it was.
  var version: ProtocolVersion?
  /// Whether values and rules that hold are told, or only what is broken.
  private let narrates: Bool
  private(set) var effects: [Effect] = []

  init(_ enforcement: Enforcement, narrates: Bool = true) {
    self.enforcement = enforcement
    self.narrates = narrates
  }

  init(_ configuration: some SideConfiguration) {
    self.init(configuration.enforcement, narrates: configuration.narrates)
  }

  mutating func add(_ effect: Effect) { effects.append(effect) }

  /// Values that came to be; they are made only where somebody wants to know them.
  mutating func derive(_ values: @autoclosure () -> [Value]) {
    if narrates { effects += values().map(Effect.derived) }
  }

  /// All effects so far, which are forgotten.
  mutating func drainEffects() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  /// Holds `rule`; where a violation decides, it ends the connection with `alert`. Alert and finding travel as one value:
  /// the finding is not told apart from it.
  mutating func check(
    _ rule: Rule, on subject: Finding.Subject = .connection, _ holds: Bool, _ alert: AlertDescription,
    required: @autoclosure () -> Detail = .none, found: @autoclosure () -> Detail = .none, isOwn: Bool = true
  ) throws(HandshakeFailure) {
    if holds, !narrates, !enforcement.isDecidedElsewhere(rule) { return }
    let finding = enforcement.check(
      rule, on: subject, holds, version: version?.rawValue, required: required(), found: found())
    if finding.refuses { throw HandshakeFailure(alert: alert, finding: finding, isOwn: isOwn) }
    effects.append(.found(finding))
  }

  /// `rule` is violated: the connection ends, unless the rules in force go past it; then there is a way to go on.
  mutating func refuse(
    _ rule: Rule, on subject: Finding.Subject = .connection, _ alert: AlertDescription, required: Detail = .none,
    found: Detail = .none, isOwn: Bool = true
  ) throws(HandshakeFailure) {
    try check(rule, on: subject, false, alert, required: required, found: found, isOwn: isOwn)
  }

  /// The end of the connection, for a violation that nobody can go past: there is nothing to go on with, no key, no
  /// suite, no number. An override of such a rule changes nothing.
  func failure(
    _ rule: Rule, on subject: Finding.Subject = .connection, _ alert: AlertDescription, required: Detail = .none,
    found: Detail = .none
  ) -> HandshakeFailure {
    HandshakeFailure(
      alert: alert,
      finding: Enforcement.standard.check(rule, on: subject, false, required: required, found: found))
  }

  /// Handles an event that has no place in the state of a machine. If it returns, the state stays. `names` are those of the
  /// expected events, if their descriptions do not suffice.
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

  /// RFC 5246 section 7.2: a warning is only worth knowing, but for a close_notify before the connection stands. That is
  /// no error alert (section 7.2.2), whatever its level: it closes (section 7.2.1).
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
  /// Encodes a message and sends it. What the configuration asks for may be more than a message can hold.
  mutating func send(
    _ body: HandshakeMessage.Body, under negotiated: Negotiated?
  ) throws(HandshakeFailure) -> HandshakeMessage {
    let message = try representable { () throws in try HandshakeMessage(body, under: negotiated) }
    add(.send(message))
    return message
  }

  /// The result of `encoding`, whose failure is this side's own.
  func representable<T>(_ encoding: () throws -> T) throws(HandshakeFailure) -> T {
    do {
      return try encoding()
    } catch {
      throw failure(.internalError, .internalError, found: .word("\(error)"))
    }
  }

  /// Declines another handshake on a connection that stands: a warning, after which the peer may go on or end it (RFC
  /// 5246 section 7.2.2). SSL 3.0 has no such warning, and nothing but an end to say it with: RFC 5746 section 4.5.
  mutating func declineRenegotiation(_ event: Event) throws(HandshakeFailure) {
    let finding = enforcement.check(
      .renegotiation, on: .event(event.kind), false, required: .absent, found: .word(event.kind.description))
    if version == .sslv3 { throw HandshakeFailure(alert: .handshakeFailure, finding: finding) }
    add(.found(finding))
    add(.sendAlert(Alert(.warning, .noRenegotiation)))
  }
}

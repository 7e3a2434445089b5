import Explanation

/// Gathers the effects of one step, and holds rules against what was received.
struct EffectLog: Sendable {
  let enforcement: Enforcement
  private(set) var effects: [Effect] = []

  init(_ enforcement: Enforcement) { self.enforcement = enforcement }

  mutating func add(_ effect: Effect) { effects.append(effect) }

  mutating func derive(_ values: [Value]) { effects += values.map(Effect.derived) }

  /// All effects so far, which are forgotten.
  mutating func take() -> [Effect] {
    defer { effects = [] }
    return effects
  }

  /// Holds `rule`; where a violation decides, it ends the connection with `alert`.
  mutating func check(
    _ rule: Rule, on subject: Finding.Subject = .connection, _ holds: Bool, _ alert: AlertDescription,
    required: @autoclosure () -> Detail = .none, found: @autoclosure () -> Detail = .none
  ) throws(HandshakeFailure) {
    let finding = enforcement.check(rule, on: subject, holds, required: required(), found: found())
    effects.append(.found(finding))
    if finding.refuses { throw HandshakeFailure(alert: alert, finding: finding) }
  }

  /// The end of the connection, for a violation that nobody can go past: there is nothing to go on with.
  mutating func failure(
    _ rule: Rule, on subject: Finding.Subject = .connection, _ alert: AlertDescription, required: Detail = .none,
    found: Detail = .none, isOwn: Bool = true
  ) -> HandshakeFailure {
    let finding = Enforcement.standard.check(rule, on: subject, false, required: required, found: found)
    effects.append(.found(finding))
    return HandshakeFailure(alert: alert, finding: finding, isOwn: isOwn)
  }
}

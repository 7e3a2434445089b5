/// The enforced rules. Every engine makes every check through one of these.
///
/// By default all rules are enforced. A historical validator bug is this value with one entry changed: the rule is
/// still checked, and a violation shows as `overridden`.
public struct Enforcement: Sendable {
  /// One check, with everything that a decider may consider.
  public struct Check: Sendable {
    /// The rule that is applied.
    public let rule: Rule
    /// The subject to which it is applied.
    public let subject: Finding.Subject
    /// The negotiated version of the protocol, as its bytes (`0303` is TLS 1.2); nil if none is negotiated.
    public let version: UInt16?
    /// The value that the rule requires.
    public let required: Detail
    /// The value that was found.
    public let found: Detail
    /// The engine's own conclusion.
    public let holds: Bool
  }

  /// Decides a rule in place of its engine.
  public typealias Decider = @Sendable (Check) -> Bool

  private var overrides: [String: Finding.Override] = [:]
  private var deciders: [String: Decider] = [:]
  private var changedDecisions: [ObjectIdentifier: any EngineDecisions] = [:]

  /// Enforces every rule, decided by its engine.
  public init() {}

  /// The enforcement of every rule, decided by its engine.
  public static let standard = Enforcement()

  /// This enforcement with `rule` checked but not enforced.
  public func overriding(_ rule: String, by override: Finding.Override) -> Enforcement {
    var changed = self
    changed.overrides[rule] = override
    return changed
  }

  /// This enforcement with `rule` decided by `decider`; the engine's own violation shows as overridden.
  public func deciding(_ rule: String, by decider: @escaping Decider) -> Enforcement {
    var changed = self
    changed.deciders[rule] = decider
    return changed
  }

  /// The decisions of one engine: the correct ones, unless a fault has changed them.
  public func decisions<Decisions: EngineDecisions>() -> Decisions {
    guard !changedDecisions.isEmpty else { return .standard }
    return changedDecisions[ObjectIdentifier(Decisions.self)] as? Decisions ?? .standard
  }

  mutating func set<Decisions: EngineDecisions>(_ decisions: Decisions) {
    changedDecisions[ObjectIdentifier(Decisions.self)] = decisions
  }

  /// Whether the engine must ignore `rule`, or break it if the rule is about the engine's own conduct.
  public func isOverridden(_ rule: Rule) -> Bool { overrides[rule.id] != nil }

  /// Whether a decider, not the engine, decides `rule`.
  public func isDecidedElsewhere(_ rule: Rule) -> Bool { !deciders.isEmpty && deciders[rule.id] != nil }

  /// Applies `rule` to `subject`; `holds` is the engine's own conclusion.
  ///
  /// `decided` is the conclusion of a decision that replaces the engine's; nil if there is none, or if both agree.
  public func check(
    _ rule: Rule, on subject: Finding.Subject, _ holds: Bool, decided: Bool? = nil, version: UInt16? = nil,
    required: @autoclosure () -> Detail = .none, found: @autoclosure () -> Detail = .none,
    confidence: Finding.Confidence = .certain
  ) -> Finding {
    let required = required()
    let found = found()
    var decision = decided
    if !deciders.isEmpty, let decider = deciders[rule.id] {
      decision = decider(
        Check(rule: rule, subject: subject, version: version, required: required, found: found, holds: holds))
    }
    let outcome: Finding.Outcome = holds && decision != false ? .satisfied : .violated
    return Finding(
      rule, on: subject, outcome, weight: weight(of: rule, decision: decision), required: required, found: found,
      confidence: confidence)
  }

  /// Records that `rule` was not applied to `subject`: not applicable, not evaluated or unknown.
  public func note(
    _ rule: Rule, on subject: Finding.Subject, _ outcome: Finding.Outcome, required: Detail = .none,
    found: Detail = .none, confidence: Finding.Confidence = .certain
  ) -> Finding {
    Finding(
      rule, on: subject, outcome, weight: weight(of: rule, decision: nil), required: required, found: found,
      confidence: confidence)
  }

  private func weight(of rule: Rule, decision: Bool?) -> Finding.Weight {
    if decision == true { return .overridden(by: .mutant) }
    if !overrides.isEmpty, let override = overrides[rule.id] { return .overridden(by: override) }
    return rule.decides ? .decides : .advises
  }
}

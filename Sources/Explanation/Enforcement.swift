/// Determines which rules are enforced. Every engine performs its checks through an enforcement.
///
/// By default, all rules are enforced. A historical bug of a validator is an enforcement with one changed entry: the
/// rule is still checked, and a violation is reported as `overridden`.
public struct Enforcement: Sendable {
  /// One check, with all values that a decider may use.
  public struct Check: Sendable {
    /// The rule that is checked.
    public let rule: Rule
    /// The subject that the rule is applied to.
    public let subject: Finding.Subject
    /// The negotiated protocol version as two bytes, such as `0303` for TLS 1.2; nil if none is negotiated.
    public let version: UInt16?
    /// The value that the rule requires.
    public let required: Detail
    /// The value that was found.
    public let found: Detail
    /// Whether the rule is satisfied, according to the engine.
    public let holds: Bool
  }

  /// A function that decides whether a rule is satisfied, in place of the engine.
  public typealias Decider = @Sendable (Check) -> Bool

  /// A use of an enforcement by an engine.
  public enum Use: Sendable {
    /// The engine applies a rule to a subject.
    case check(Check)
    /// The engine asks whether to ignore violations of a rule.
    case query(Rule)
  }

  /// A function that receives every use of an enforcement. It cannot change a result.
  public typealias Witness = @Sendable (Use) -> Void

  private var overrides: [String: Finding.Override] = [:]
  private var dropped: Set<String> = []
  private var deciders: [String: Decider] = [:]
  private var changedDecisions: [ObjectIdentifier: any EngineDecisions] = [:]
  private var witness: Witness?
  /// The bug that changes this enforcement; nil without a bug that could help attackers.
  public var bug: Bug?

  /// A bug that changes an enforcement.
  public struct Bug: Sendable {
    /// The name of the bug.
    public let name: String
    /// Whether the bug only affects whether the peer is the one that it claims to be.
    public let isOfAuthentication: Bool

    /// Creates the bug with this name.
    public init(_ name: String, isOfAuthentication: Bool) {
      (self.name, self.isOfAuthentication) = (name, isOfAuthentication)
    }
  }

  /// Creates an enforcement of every rule, as its engine decides it.
  public init() {}

  /// The enforcement of every rule, as its engine decides it.
  public static let standard = Enforcement()

  /// Returns this enforcement with `rule` checked but not enforced.
  public func overriding(_ rule: String, by override: Finding.Override) -> Enforcement {
    var changed = self
    changed.overrides[rule] = override
    return changed
  }

  /// Returns this enforcement with `rule` decided by `decider`. A violation that only the engine detects is reported as
  /// overridden.
  public func deciding(_ rule: String, by decider: @escaping Decider) -> Enforcement {
    var changed = self
    changed.deciders[rule] = decider
    return changed
  }

  /// Returns this enforcement without `rule`: a violation is reported as satisfied.
  public func dropping(_ rule: String) -> Enforcement {
    var changed = self
    changed.dropped.insert(rule)
    return changed
  }

  /// Returns this enforcement with a witness of its uses.
  public func witnessed(by witness: @escaping Witness) -> Enforcement {
    var changed = self
    changed.witness = witness
    return changed
  }

  /// The decisions of one engine. They are correct unless a fault has changed them.
  public func decisions<Decisions: EngineDecisions>() -> Decisions {
    guard !changedDecisions.isEmpty else { return .standard }
    return changedDecisions[ObjectIdentifier(Decisions.self)] as? Decisions ?? .standard
  }

  mutating func set<Decisions: EngineDecisions>(_ decisions: Decisions) {
    changedDecisions[ObjectIdentifier(Decisions.self)] = decisions
  }

  /// Whether the engine must ignore violations of `rule`, or violate it if the rule is about the engine's own
  /// behaviour.
  public func isOverridden(_ rule: Rule) -> Bool {
    witness?(.query(rule))
    return overrides[rule.id] != nil || dropped.contains(rule.id)
  }

  /// Whether a decider decides `rule` in place of the engine.
  public func isDecidedElsewhere(_ rule: @autoclosure () -> Rule) -> Bool {
    !deciders.isEmpty && deciders[rule().id] != nil
  }

  /// Applies `rule` to `subject`. `holds` states whether the rule is satisfied, according to the engine.
  ///
  /// `decided` is the result of a function that replaces the engine's decision. It is nil if there is no such function,
  /// or if both results agree.
  public func check(
    _ rule: Rule, on subject: Finding.Subject, _ holds: Bool, decided: Bool? = nil, version: UInt16? = nil,
    required: @autoclosure () -> Detail = .none, found: @autoclosure () -> Detail = .none,
    confidence: Finding.Confidence = .certain
  ) -> Finding {
    let required = required()
    let found = found()
    let holds = holds || dropped.contains(rule.id)
    var decision = decided
    let decider = deciders.isEmpty ? nil : deciders[rule.id]
    if decider != nil || witness != nil {
      let check = Check(
        rule: rule, subject: subject, version: version, required: required, found: found, holds: holds)
      witness?(.check(check))
      if let decider { decision = decider(check) }
    }
    let outcome: Finding.Outcome = holds && decision != false ? .satisfied : .violated
    return Finding(
      rule, on: subject, outcome, weight: weight(of: rule, decision: decision), required: required, found: found,
      confidence: confidence)
  }

  /// Records that `rule` was not applied to `subject`: it is not applicable, not evaluated or unknown.
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

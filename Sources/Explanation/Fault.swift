/// A fault of an implementation: one deviation from the correct rules and decisions.
///
/// Engines do not know about faults. They query their `Enforcement`, which a fault changes. Unless the fault drops the
/// rule, a violation that it ignores is still reported as `overridden`.
public struct Fault: Sendable {
  /// The rules whose violations the fault ignores; empty if the fault changes only other decisions.
  public let rules: [Rule]
  /// The function that decides the rule in place of the engine; nil if no function does.
  public let decider: Enforcement.Decider?
  fileprivate let change: @Sendable (inout Enforcement) -> Void

  private init(
    _ rules: [Rule], decider: Enforcement.Decider? = nil, _ change: @escaping @Sendable (inout Enforcement) -> Void
  ) {
    self.rules = rules
    self.decider = decider
    self.change = change
  }

  /// A fault that checks `rule` and ignores the result.
  public static func switchingOff(_ rule: Rule) -> Fault {
    Fault([rule]) { $0 = $0.overriding(rule.id, by: .mutant) }
  }

  /// A fault that does not check `rule`. Unlike `switchingOff`, it leaves no trace of a violation.
  public static func dropping(_ rule: Rule) -> Fault { Fault([rule]) { $0 = $0.dropping(rule.id) } }

  /// A fault that decides `rule` with another function.
  public static func deciding(_ rule: Rule, by decider: @escaping Enforcement.Decider) -> Fault {
    Fault([rule], decider: decider) { $0 = $0.deciding(rule.id, by: decider) }
  }

  /// A fault that changes decisions of an engine, so that violations of `rules` are ignored.
  public static func changing<Decisions: EngineDecisions>(
    _ rules: [Rule] = [], _ change: @escaping @Sendable (inout Decisions) -> Void
  ) -> Fault {
    Fault(rules) { enforcement in
      var decisions: Decisions = enforcement.decisions()
      change(&decisions)
      enforcement.set(decisions)
    }
  }
}

/// The decisions of an engine that are not rules, such as which candidates to search or which values to compare.
public protocol EngineDecisions: Sendable {
  /// The correct decisions of the engine.
  static var standard: Self { get }
}

extension Enforcement {
  /// Creates the enforcement of an implementation that has these faults.
  public init(_ faults: [Fault]) {
    self.init()
    for fault in faults { apply(fault) }
  }

  /// Adds a fault to the implementation.
  public mutating func apply(_ fault: Fault) { fault.change(&self) }
}

/// One fault of an implementation: a difference from the correct rules and decisions.
///
/// Engines do not know about faults. They query their `Enforcement`, which a fault changes. A violation that the fault
/// ignores still shows as `overridden`.
public struct Fault: Sendable {
  /// The rules whose violations the fault ignores; empty if it changes other decisions only.
  public let rules: [Rule]
  fileprivate let change: @Sendable (inout Enforcement) -> Void

  private init(_ rules: [Rule], _ change: @escaping @Sendable (inout Enforcement) -> Void) {
    self.rules = rules
    self.change = change
  }

  /// The fault that checks `rule` and ignores the result.
  public static func switchingOff(_ rule: Rule) -> Fault {
    Fault([rule]) { $0 = $0.overriding(rule.id, by: .mutant) }
  }

  /// The fault that decides `rule` by another function.
  public static func deciding(_ rule: Rule, by decider: @escaping Enforcement.Decider) -> Fault {
    Fault([rule]) { $0 = $0.deciding(rule.id, by: decider) }
  }

  /// The fault that changes decisions of an engine, and so ignores violations of `rules`.
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

/// Decisions of an engine that are not rules, such as the candidates to search or the values to compare.
public protocol EngineDecisions: Sendable {
  /// The correct decisions.
  static var standard: Self { get }
}

extension Enforcement {
  /// The rules and decisions of an implementation with these faults.
  public init(_ faults: [Fault]) {
    self.init()
    for fault in faults { apply(fault) }
  }

  /// Adds a fault to the implementation.
  public mutating func apply(_ fault: Fault) { fault.change(&self) }
}

/// One fault of an implementation: a difference from the correct rules and decisions.
///
/// Engines know no faults. They ask their `Enforcement`, which a fault changes; the violation that it lets pass still shows
/// as `overridden`.
public struct Fault: Sendable {
  /// The rules whose violations the fault lets pass; none if it only searches otherwise.
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

  /// The fault that changes decisions of an engine, and so lets violations of `rules` pass.
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

/// Decisions of an engine that are no rules: what is searched, compared or taken for an answer.
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

  /// Gives the implementation one more fault.
  public mutating func apply(_ fault: Fault) { fault.change(&self) }
}

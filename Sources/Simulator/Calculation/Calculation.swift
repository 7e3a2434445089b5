import Endpoint
import Explanation

/// Textbook RSA with toy numbers, computed step by step. A world has either a calculation or connections.
///
/// The values of a calculation have derivations, from which the knowledge of each party follows. No part of a
/// calculation is used in a handshake.
public struct Calculation: Sendable {
  /// A step and its arithmetic.
  public struct Move: Sendable {
    /// The step of the trace.
    public let step: Step
    /// The working of the step.
    public let arithmetic: Arithmetic

    /// Creates a step with this arithmetic.
    public init(step: Step, arithmetic: Arithmetic) {
      self.step = step
      self.arithmetic = arithmetic
    }
  }

  /// The notice that is printed with every calculation.
  public static let banner =
    "TOY: textbook arithmetic with numbers for a blackboard. It protects nothing, and no real connection uses it."

  /// The parties that calculate and the parties that observe, in the author's order.
  public let parties: [Party]
  /// The given values, each with the parties that know it.
  public let held: [Value]
  /// The final value of each name.
  public let quantities: [Value.ID: Quantity]
  /// The steps, in order.
  public let moves: [Move]
  /// The values that attackers try to obtain.
  public let risks: Risks

  /// Creates a calculation with these steps.
  public init(
    parties: [Party], held: [Value], quantities: [Value.ID: Quantity], moves: [Move], risks: Risks = Risks()
  ) {
    self.parties = parties
    self.held = held
    self.quantities = quantities
    self.moves = moves
    self.risks = risks
  }

  /// Returns the other names of the number that `value` names.
  public func names(equalTo value: Value.ID) -> [Value.ID] {
    guard let quantity = quantities[value], quantity != .none else { return [] }
    return quantities.keys.filter { $0 != value && quantities[$0] == quantity }.sorted()
  }

  /// The values that attackers try to obtain, by name.
  public struct Risks: Sendable, Hashable {
    /// The values that no third party may learn.
    public var eavesdropping: [Value.ID] = []
    /// The sent values and the received values, which must be equal.
    public var tampering: [Value.ID] = []
    /// The keys that allow an attacker to impersonate their owner.
    public var impersonation: [Value.ID] = []

    /// Creates risks without any values.
    public init() {}
  }
}

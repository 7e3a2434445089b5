import Endpoint
import Explanation

/// Textbook RSA with toy numbers, computed step by step: a world has it in place of connections.
///
/// Its values have derivations like all others, so that each party's knowledge follows from them. No part of it enters
/// a real handshake.
public struct Calculation: Sendable {
  /// One step and its arithmetic.
  public struct Move: Sendable {
    /// The step of the trace.
    public let step: Step
    /// The arithmetic of the step.
    public let arithmetic: Arithmetic

    /// Creates a step with this arithmetic.
    public init(step: Step, arithmetic: Arithmetic) {
      self.step = step
      self.arithmetic = arithmetic
    }
  }

  /// The notice that accompanies every calculation.
  public static let banner =
    "TOY: textbook arithmetic with numbers for a blackboard. It protects nothing, and no real connection uses it."

  /// The parties that calculate and the parties that observe, in the author's order.
  public let parties: [Party]
  /// The given values and the parties that have them.
  public let held: [Value]
  /// The final values of the names.
  public let quantities: [Value.ID: Quantity]
  /// The steps, in order.
  public let moves: [Move]
  /// The values that attackers want.
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

  /// The other names of the number that `value` names.
  public func names(equalTo value: Value.ID) -> [Value.ID] {
    guard let quantity = quantities[value], quantity != .none else { return [] }
    return quantities.keys.filter { $0 != value && quantities[$0] == quantity }.sorted()
  }

  /// The values that attackers want, by name.
  public struct Risks: Sendable, Hashable {
    /// The values that no third party may read.
    public var eavesdropping: [Value.ID] = []
    /// The sent values and the received values, which must be equal.
    public var tampering: [Value.ID] = []
    /// The keys that let an attacker pass as their owner.
    public var impersonation: [Value.ID] = []

    /// Creates risks without any values.
    public init() {}
  }
}

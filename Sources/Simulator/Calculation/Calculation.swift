import Endpoint
import Explanation

/// Textbook RSA with toy numbers, worked out step by step: it stands in a world in the place of connections.
///
/// Its values have derivations like all others, so that who knows what follows from them. Nothing of it enters a real
/// handshake.
public struct Calculation: Sendable {
  /// One step, and how it is worked out.
  public struct Move: Sendable {
    /// What becomes a step of the trace.
    public let step: Step
    /// How it is worked out.
    public let arithmetic: Arithmetic

    /// A step that is worked out like this.
    public init(step: Step, arithmetic: Arithmetic) {
      self.step = step
      self.arithmetic = arithmetic
    }
  }

  /// What is said wherever a calculation is shown.
  public static let banner =
    "TOY: textbook arithmetic with numbers for a blackboard. It protects nothing, and no real connection uses it."

  /// Those who calculate, and those who watch, in the order of the author.
  public let parties: [Party]
  /// What is given, with who has it.
  public let held: [Value]
  /// What the names stand for in the end.
  public let quantities: [Value.ID: Quantity]
  /// The steps, in order.
  public let moves: [Move]
  /// What attackers are after.
  public let risks: Risks

  /// A calculation of these steps.
  public init(
    parties: [Party], held: [Value], quantities: [Value.ID: Quantity], moves: [Move], risks: Risks = Risks()
  ) {
    self.parties = parties
    self.held = held
    self.quantities = quantities
    self.moves = moves
    self.risks = risks
  }

  /// The other names of the number that `value` stands for.
  public func names(equalTo value: Value.ID) -> [Value.ID] {
    guard let quantity = quantities[value], quantity != .none else { return [] }
    return quantities.keys.filter { $0 != value && quantities[$0] == quantity }.sorted()
  }

  /// What attackers are after, by the names of values.
  public struct Risks: Sendable, Hashable {
    /// What nobody else shall read.
    public var eavesdropping: [Value.ID] = []
    /// What was sent and what arrived: they shall be equal.
    public var tampering: [Value.ID] = []
    /// Keys: whoever has one passes as its owner.
    public var impersonation: [Value.ID] = []

    /// Nothing is at stake.
    public init() {}
  }
}

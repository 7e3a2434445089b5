import Explanation

/// A line of a calculation that a party works out.
public struct CalculationEvent: Sendable {
  /// What the party does.
  public enum Work: Sendable {
    /// It computes a quantity: its value as it is shown.
    case computes(name: String, value: String)
    /// It lacks these quantities.
    case cannotCompute(lacks: [String])
    /// It computes a quantity that has a value already; what it gets, nil for no number.
    case tries(name: String, value: String?, matches: Bool)
    /// It checks an equation, with the quantities in it.
    case checks(quantities: [String], holds: Bool, instead: Instead?, byReader: Bool)
  }

  /// The equation that a party with a bug checks instead.
  public struct Instead: Sendable {
    /// The equation.
    public let equation: String
    /// Whether it holds.
    public let holds: Bool
  }

  /// The equation.
  public let equation: String
  /// What the party does.
  public let work: Work
  /// The author's reason; empty for none.
  public let why: String

  /// Whether it is a check.
  public var isCheck: Bool { if case .checks = work { true } else { false } }
  /// Whether the party lacks a quantity.
  public var isImpossible: Bool { if case .cannotCompute = work { true } else { false } }
}

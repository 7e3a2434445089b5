import Explanation

/// A line of a calculation that a party computes.
public struct CalculationEvent: Sendable {
  /// The result of the line for the party.
  public enum Work: Sendable {
    /// The party computes a quantity and its value is printed.
    case computes(name: String, value: String)
    /// The party cannot compute the line, because it lacks these quantities.
    case cannotCompute(lacks: [String])
    /// The party computes a quantity that already has a value. `value` is nil if the result is not a number.
    case tries(name: String, value: String?, matches: Bool)
    /// The party checks an equation with these quantities.
    case checks(quantities: [String], holds: Bool, instead: Instead?, byReader: Bool)
  }

  /// The equation that a party with a bug checks instead.
  public struct Instead: Sendable {
    /// The equation in text form.
    public let equation: String
    /// Whether the equation holds.
    public let holds: Bool
  }

  /// The equation in text form.
  public let equation: String
  /// The result of the line for the party.
  public let work: Work
  /// The author's explanation; empty for none.
  public let why: String

  /// Whether the line is a check.
  public var isCheck: Bool { if case .checks = work { true } else { false } }
  /// Whether the party lacks a quantity of the line.
  public var isImpossible: Bool { if case .cannotCompute = work { true } else { false } }
}

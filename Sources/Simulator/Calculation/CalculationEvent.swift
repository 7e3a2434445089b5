import Explanation

/// A line of a calculation that a party computes.
public struct CalculationEvent: Sendable {
  /// The party's work on the line.
  public enum Work: Sendable {
    /// The party computes a quantity and shows its value.
    case computes(name: String, value: String)
    /// The party lacks these quantities.
    case cannotCompute(lacks: [String])
    /// The party computes a quantity that already has a value. The result is nil if it is not a number.
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
  /// The party's work on the line.
  public let work: Work
  /// The author's reason; empty for none.
  public let why: String

  /// Whether the line is a check.
  public var isCheck: Bool { if case .checks = work { true } else { false } }
  /// Whether the party lacks a quantity.
  public var isImpossible: Bool { if case .cannotCompute = work { true } else { false } }
}

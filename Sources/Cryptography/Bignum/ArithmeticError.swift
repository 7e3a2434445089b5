/// Why a calculation with natural numbers has no answer.
public enum ArithmeticError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A division, or a calculation modulo a number, by zero.
  case divisionByZero
  /// A subtraction whose result is below zero.
  case negativeResult
  /// A number that needs more bytes than there are.
  case tooLarge(byteCount: Int)

  /// The reason in words.
  public var description: String {
    switch self {
    case .divisionByZero: "division by zero"
    case .negativeResult: "the result is below zero"
    case .tooLarge(let byteCount): "the number does not fit into \(byteCount) bytes"
    }
  }
}

/// A defect in encoded data, with its location.
public struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of defect.
  public enum Problem: Sendable, Hashable {
    /// The data ends before the field does.
    case truncated(needed: Int, available: Int)
    /// Bytes remain after the last field.
    case excess(Int)
    /// The length of a vector is outside the range that its type allows (RFC 5246 section 4.3).
    case length(Int, allowed: ClosedRange<Int>)
    /// A number has a value that the field does not allow. `expected` describes the allowed values.
    case value(Int, expected: String)
  }

  /// The offset of the field, in bytes from the start of the data.
  public let offset: Int
  /// The name of the field, such as `cipher_suites`.
  public let field: String
  /// The defect of the field.
  public let problem: Problem

  /// Creates an error for the `field` that begins at `offset`.
  public init(offset: Int, field: String, _ problem: Problem) {
    self.offset = offset
    self.field = field
    self.problem = problem
  }

  /// A description of the error, such as `cipher_suites at byte 35: 4 bytes expected, 2 left`.
  public var description: String {
    let what =
      switch problem {
      case .truncated(let needed, let available): "\(needed) bytes expected, \(available) left"
      case .excess(let count): "\(count) bytes left over"
      case .length(let length, let allowed):
        "\(length) bytes; \(allowed.lowerBound) to \(allowed.upperBound) are allowed"
      case .value(let value, let expected): "\(value); \(expected) is expected"
      }
    return "\(field) at byte \(offset): \(what)"
  }
}

/// A defect in bytes, with its place.
public struct WireError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kind of defect.
  public enum Problem: Sendable, Hashable {
    /// The bytes end before the field does.
    case truncated(needed: Int, available: Int)
    /// Bytes are left over after the last field.
    case excess(Int)
    /// A vector is shorter or longer than its type allows: RFC 5246 section 4.3.
    case length(Int, allowed: ClosedRange<Int>)
    /// A number has a value that the field does not allow; `expected` has the allowed values, in words.
    case value(Int, expected: String)
  }

  /// The start of the field, in bytes from the start of the whole.
  public let offset: Int
  /// The field: `cipher_suites`.
  public let field: String
  /// The defect of the field.
  public let problem: Problem

  /// The `problem` of the `field` that begins at `offset`.
  public init(offset: Int, field: String, _ problem: Problem) {
    self.offset = offset
    self.field = field
    self.problem = problem
  }

  /// One sentence: `cipher_suites at byte 35: 4 bytes expected, 2 left`.
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

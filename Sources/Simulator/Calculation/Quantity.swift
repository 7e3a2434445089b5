import Cryptography

/// The value of a name in a calculation.
public enum Quantity: Sendable, Hashable, CustomStringConvertible {
  /// A non-negative whole number of any size.
  case number(Natural)
  /// A text, such as the contents of a certificate.
  case text(String)
  /// The result of a root that is not whole.
  case none

  /// The decimal digits, the text in quotation marks, or `none`.
  public var description: String {
    switch self {
    case .number(let number): number.description
    case .text(let text): "\"\(text)\""
    case .none: "none"
    }
  }

  /// The description, shortened to fit into a sentence.
  ///
  /// A long number is shortened to its beginning, its end and its number of digits.
  public var shown: String {
    let text = description
    guard case .number = self, text.utf8.count > 44 else { return text }
    return "\(text.prefix(12))…\(text.suffix(12)) (\(text.utf8.count) digits)"
  }

  /// The number's bytes, most significant first (one byte for 0), or the text in UTF-8.
  public var bytes: [UInt8] {
    switch self {
    case .number(let number): number.isZero ? [0] : number.bigEndianBytes()
    case .text(let text): Array(text.utf8)
    case .none: []
    }
  }
}

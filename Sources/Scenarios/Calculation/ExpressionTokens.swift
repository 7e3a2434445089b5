import Cryptography

/// The words, numbers and signs of an expression, with their places.
struct ExpressionTokens {
  enum Token: Hashable {
    /// A number, and whether it is written in hexadecimal.
    case number(Natural, isHex: Bool)
    case text(String)
    case word(String)
    case sign(String)
  }

  /// The longest expression, in Unicode scalars; what is longer than a line or two belongs in several steps.
  static let longest = 2000

  /// The tokens in order, each with its place in Unicode scalars.
  private(set) var all: [(token: Token, offset: Int)] = []
  private let scalars: [UnicodeScalar]
  private var position = 0

  init(_ text: String) throws(ExpressionError) {
    scalars = Array(text.unicodeScalars)
    guard scalars.count <= Self.longest else {
      throw ExpressionError(
        message: "the expression has more than \(Self.longest) characters", hint: "write several steps", offset: 0)
    }
    while let scalar = current {
      let start = position
      if scalar.properties.isWhitespace {
        position += 1
      } else if let token = try next(scalar) {
        all.append((token, start))
      }
    }
  }

  private var current: UnicodeScalar? { position < scalars.count ? scalars[position] : nil }

  private mutating func next(_ first: UnicodeScalar) throws(ExpressionError) -> Token? {
    let start = position
    if first == "\"" { return try text() }
    if Self.isDigit(first) { return try number(take(while: Self.isWordPart), at: start) }
    if Self.isWordStart(first) { return .word(take(while: Self.isWordPart)) }
    let pair = String(String.UnicodeScalarView(scalars[start..<min(start + 2, scalars.count)]))
    if ["==", "!=", "<=", ">="].contains(pair) {
      position += 2
      return .sign(pair)
    }
    guard "+-*/^=<>(),".unicodeScalars.contains(first) else {
      throw ExpressionError(message: "unknown sign '\(first)'", hint: Self.hint(for: first), offset: start)
    }
    position += 1
    return .sign(String(first))
  }

  private static func hint(for sign: UnicodeScalar) -> String {
    switch sign {
    case "%": "write 'mod'"
    case "·", "×": "write '*'"
    case "÷": "write '/'"
    case "≠": "write '!='"
    case "'", "“", "”": "a text stands in quotation marks: hash(\"text\")"
    default: "an expression has + - * / mod ^, parentheses, functions and comparisons"
    }
  }

  private mutating func take(while isPart: (UnicodeScalar) -> Bool) -> String {
    let start = position
    while let scalar = current, isPart(scalar) { position += 1 }
    return String(String.UnicodeScalarView(scalars[start..<position]))
  }

  private mutating func text() throws(ExpressionError) -> Token {
    let start = position
    position += 1
    let text = take { $0 != "\"" }
    guard current != nil else {
      throw ExpressionError(message: "the text does not end", hint: "close it with \"", offset: start)
    }
    position += 1
    return .text(text)
  }

  private func number(_ digits: String, at offset: Int) throws(ExpressionError) -> Token {
    guard let number = Quantities.number(digits) else {
      throw ExpressionError(
        message: "'\(digits.prefix(40))' is not a whole number", hint: "write 3233 or 0xca1; names begin with a letter",
        offset: offset)
    }
    guard number.bitWidth <= Quantities.mostBits else { throw Quantities.tooLarge(at: offset) }
    return .number(number, isHex: digits.hasPrefix("0x"))
  }

  static func isDigit(_ scalar: UnicodeScalar) -> Bool { ("0"..."9").contains(scalar) }

  static func isWordStart(_ scalar: UnicodeScalar) -> Bool { scalar.properties.isAlphabetic || scalar == "_" }

  static func isWordPart(_ scalar: UnicodeScalar) -> Bool { isWordStart(scalar) || isDigit(scalar) }
}

/// Numbers of a calculation, and how large they may be.
enum Quantities {
  /// The largest number, in bits: twice that of a usual RSA key.
  static let mostBits = 4096

  /// A number in decimal, or in hexadecimal behind `0x`; nil for anything else.
  static func number(_ text: String) -> Natural? {
    guard text.utf8.count <= 2 * mostBits else { return nil }
    return text.hasPrefix("0x") ? Natural(String(text.dropFirst(2)), radix: 16) : Natural(text)
  }

  static func tooLarge(at offset: Int) -> ExpressionError {
    ExpressionError(
      message: "a number here has more than \(mostBits) bits",
      hint: "take powers modulo something: c ^ d mod n", offset: offset)
  }

  /// Whether a name can stand in expressions.
  static func isName(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, text.unicodeScalars.count <= 40 else { return false }
    return ExpressionTokens.isWordStart(first) && text.unicodeScalars.allSatisfy(ExpressionTokens.isWordPart)
      && text != Expression.Operator.mod.rawValue
  }
}

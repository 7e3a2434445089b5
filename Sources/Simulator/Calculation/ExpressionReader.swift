import Cryptography
import Explanation

/// Parses expressions. `c ^ d mod n` is a power modulo n, and powers are right-associative.
package struct ExpressionReader {
  /// The maximum depth of nesting, so that the recursion fits on the stack.
  private static let deepest = 40
  /// The maximum number of numbers, names and operators in an expression.
  private static let mostTokens = 300

  private let tokens: [(token: ExpressionTokens.Token, offset: Int)]
  private let end: Int
  private var position = 0
  private var depth = 0

  private init(_ text: String) throws(ExpressionError) {
    tokens = try ExpressionTokens(text).all
    end = text.unicodeScalars.count
    guard tokens.count <= Self.mostTokens else {
      throw ExpressionError(
        message: "the expression has more than \(Self.mostTokens) parts", hint: "write several steps", offset: 0)
    }
  }

  /// Parses a step such as `n = p * q`: a name and its expression.
  package static func step(_ text: String) throws(ExpressionError) -> (name: String, value: Expression) {
    var reader = try ExpressionReader(text)
    guard case .word(let name)? = reader.token, Quantities.isName(name), reader.isSign("=", ahead: 1) else {
      throw ExpressionError(
        message: "a step must assign a value to a name", hint: "write n = p * q, or check: m == N3 to compare",
        offset: 0)
    }
    reader.position = 2
    let value = try reader.all()
    if case .operation(let sign, _, _, let offset) = value, sign.isComparison {
      throw ExpressionError(
        message: "a comparison is not a value", hint: "write it under 'check': check: m == N3", offset: offset)
    }
    return (name, value)
  }

  /// Parses a comparison: `m == N3`.
  package static func comparison(_ text: String) throws(ExpressionError) -> Expression {
    var reader = try ExpressionReader(text)
    let expression = try reader.all()
    if case .operation(let sign, _, _, _) = expression, sign.isComparison { return expression }
    throw ExpressionError(message: "a check must compare two values", hint: "write m == N3", offset: expression.offset)
  }

  private var token: ExpressionTokens.Token? { tokens.indices.contains(position) ? tokens[position].token : nil }

  private var offset: Int { tokens.indices.contains(position) ? tokens[position].offset : end }

  private func isSign(_ sign: String, ahead: Int = 0) -> Bool {
    tokens.indices.contains(position + ahead) && tokens[position + ahead].token == .sign(sign)
  }

  private mutating func all() throws(ExpressionError) -> Expression {
    let expression = try expression(above: 0)
    guard let token else { return expression }
    throw unexpected(token, hint: "put an operator between two values: + - * / mod ^")
  }

  private func unexpected(_ token: ExpressionTokens.Token, hint: String) -> ExpressionError {
    switch token {
    case .number(let number, _):
      ExpressionError(message: "unexpected number \(number.description.prefix(20))", hint: hint, offset: offset)
    case .text: ExpressionError(message: "unexpected text", hint: hint, offset: offset)
    case .sign("="):
      ExpressionError(message: "unexpected '='", hint: "compare two values with '=='", offset: offset)
    case .word(let word), .sign(let word):
      ExpressionError(message: "unexpected '\(word)'", hint: hint, offset: offset)
    }
  }

  private var nextOperator: Expression.Operator? {
    switch token {
    case .sign(let sign): Expression.Operator(rawValue: sign)
    case .word("mod"): .mod
    default: nil
    }
  }

  /// Parses an expression whose operators have a higher precedence than `rank`.
  private mutating func expression(above rank: Int) throws(ExpressionError) -> Expression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else {
      throw ExpressionError(message: "the expression is nested too deeply", hint: "write several steps", offset: offset)
    }
    var left = try operand()
    while let sign = nextOperator, sign.rank > rank {
      let place = offset
      position += 1
      // Powers group from the right: a ^ b ^ c is a ^ (b ^ c).
      let right = try expression(above: sign == .power ? sign.rank - 1 : sign.rank)
      left = .operation(sign, left, right, at: place)
      if sign.isComparison, nextOperator?.isComparison == true {
        throw ExpressionError(message: "a check can have only one comparison", hint: "write two checks", offset: offset)
      }
    }
    return left
  }

  private mutating func operand() throws(ExpressionError) -> Expression {
    let place = offset
    guard let token else {
      throw ExpressionError(message: "a value is missing", hint: "write a number, a name or a function", offset: place)
    }
    position += 1
    switch token {
    case .number(let number, let isHex): return .number(number, isHex: isHex, at: place)
    case .text(let text): return .text(text, at: place)
    case .word(let word) where isSign("("): return try call(word, at: place)
    case .word(let word) where word != "mod": return .name(word, at: place)
    case .sign("("):
      let inner = try expression(above: 1)
      try close(at: place)
      return inner
    default:
      position -= 1
      throw unexpected(token, hint: "write a value here; numbers cannot be negative")
    }
  }

  private mutating func call(_ word: String, at place: Int) throws(ExpressionError) -> Expression {
    guard let function = Expression.Function(rawValue: word) else {
      let known = Expression.Function.allCases.map(\.rawValue)
      throw ExpressionError(
        message: "unknown function '\(word)'", hint: Spelling.hint(for: word, among: known), offset: place)
    }
    let open = offset
    position += 1
    var arguments = [try expression(above: 1)]
    while isSign(",") {
      position += 1
      arguments.append(try expression(above: 1))
    }
    try close(at: open)
    guard arguments.count == function.parameterCount else {
      let count = function.parameterCount == 1 ? "1 value" : "\(function.parameterCount) values"
      throw ExpressionError(message: "\(word) takes \(count), not \(arguments.count)", offset: place)
    }
    return .call(function, arguments, at: place)
  }

  private mutating func close(at open: Int) throws(ExpressionError) {
    guard isSign(")") else {
      throw ExpressionError(message: "this parenthesis is not closed", hint: "add ')'", offset: open)
    }
    position += 1
  }
}

/// The names, numbers and operators of an expression, with their places.
struct ExpressionTokens {
  enum Token: Hashable {
    /// A number, with a flag for hexadecimal notation.
    case number(Natural, isHex: Bool)
    case text(String)
    case word(String)
    case sign(String)
  }

  /// The maximum length of an expression in Unicode scalars. Longer ones must be split into several steps.
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
    case "'", "“", "”": "write a text in quotation marks: hash(\"text\")"
    default: "use + - * / mod ^, parentheses, functions and comparisons"
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

/// The notation and the limits of the numbers in a calculation.
package enum Quantities {
  /// The maximum size of a number in bits: twice the size of a common RSA key.
  package static let mostBits = 4096

  /// Parses a decimal number, or a hexadecimal number after `0x`; nil for any other text.
  package static func number(_ text: String) -> Natural? {
    guard text.utf8.count <= 2 * mostBits else { return nil }
    return text.hasPrefix("0x") ? Natural(String(text.dropFirst(2)), radix: 16) : Natural(text)
  }

  package static func tooLarge(at offset: Int) -> ExpressionError {
    ExpressionError(
      message: "a number has more than \(mostBits) bits",
      hint: "reduce powers modulo a number: c ^ d mod n", offset: offset)
  }

  /// Returns whether a text begins like a number.
  package static func beginsNumber(_ text: String) -> Bool {
    text.unicodeScalars.first.map(ExpressionTokens.isDigit) ?? false
  }

  /// Returns whether an expression can contain this name.
  package static func isName(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, text.unicodeScalars.count <= 40 else { return false }
    return ExpressionTokens.isWordStart(first) && text.unicodeScalars.allSatisfy(ExpressionTokens.isWordPart)
      && text != Expression.Operator.mod.rawValue
  }
}

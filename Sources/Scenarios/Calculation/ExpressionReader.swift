/// Reads expressions: `c ^ d mod n` is a power modulo n, and powers bind to the right.
struct ExpressionReader {
  /// The deepest nesting; recursion must end before the stack does.
  private static let deepest = 40
  /// The most numbers, names and signs of one expression.
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

  /// `n = p * q`: a name, and what it is given.
  static func step(_ text: String) throws(ExpressionError) -> (name: String, value: Expression) {
    var reader = try ExpressionReader(text)
    guard case .word(let name)? = reader.token, Quantities.isName(name), reader.isSign("=", ahead: 1) else {
      throw ExpressionError(
        message: "a step gives a name to a value", hint: "write n = p * q, or to compare, check: m == N3", offset: 0)
    }
    reader.position = 2
    let value = try reader.all()
    if case .operation(let sign, _, _, let offset) = value, sign.isComparison {
      throw ExpressionError(
        message: "a comparison is not a value", hint: "write it under 'check': check: m == N3", offset: offset)
    }
    return (name, value)
  }

  /// `m == N3`: a comparison.
  static func comparison(_ text: String) throws(ExpressionError) -> Expression {
    var reader = try ExpressionReader(text)
    let expression = try reader.all()
    if case .operation(let sign, _, _, _) = expression, sign.isComparison { return expression }
    throw ExpressionError(message: "a check compares two values", hint: "write m == N3", offset: expression.offset)
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
      ExpressionError(message: "unexpected '='", hint: "two values are compared with '=='", offset: offset)
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

  /// An expression of operators that bind tighter than `rank`.
  private mutating func expression(above rank: Int) throws(ExpressionError) -> Expression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepest else {
      throw ExpressionError(message: "the expression is nested too deep", hint: "write several steps", offset: offset)
    }
    var left = try operand()
    while let sign = nextOperator, sign.rank > rank {
      let place = offset
      position += 1
      // a ^ b ^ c is a ^ (b ^ c).
      let right = try expression(above: sign == .power ? sign.rank - 1 : sign.rank)
      left = .operation(sign, left, right, at: place)
      if sign.isComparison, nextOperator?.isComparison == true {
        throw ExpressionError(message: "one check compares two values", hint: "write two checks", offset: offset)
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
      throw unexpected(token, hint: "a value is missing here; numbers here are never below zero")
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
      throw ExpressionError(message: "this parenthesis is not closed", hint: "write ')' where it ends", offset: open)
    }
    position += 1
  }
}

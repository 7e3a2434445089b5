import Cryptography
import Explanation

/// An expression of a calculation: whole numbers, texts, names, operators and functions.
package indirect enum Expression: Sendable, Hashable {
  /// A number, with a flag for hexadecimal notation.
  case number(Natural, isHex: Bool, at: Int)
  case text(String, at: Int)
  case name(String, at: Int)
  case operation(Operator, Expression, Expression, at: Int)
  case call(Function, [Expression], at: Int)

  /// An operator between two expressions.
  package enum Operator: String, Sendable, CaseIterable {
    case power = "^"
    case times = "*"
    case over = "/"
    case mod = "mod"
    case plus = "+"
    case minus = "-"
    case equal = "=="
    case unequal = "!="
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case more = ">"

    /// The precedence of the operator. Comparisons have the lowest precedence, powers the highest.
    var rank: Int {
      switch self {
      case .power: 4
      case .times, .over, .mod: 3
      case .plus, .minus: 2
      default: 1
      }
    }

    var isComparison: Bool { rank == 1 }
  }

  /// A function, which is written with parentheses around its arguments.
  package enum Function: String, Sendable, CaseIterable {
    /// The greatest common divisor.
    case gcd
    /// The least common multiple.
    case lcm
    /// The function `inverse(a, n)`: the number whose product with a is 1 modulo n.
    case inverse
    /// The function `root(k, x)`: the k-th root of x if it is whole, otherwise no number.
    case root
    /// The function `floorRoot(k, x)`: the greatest number whose k-th power is at most x.
    case floorRoot
    /// The SHA-256 hash of a text, or of a number's bytes, as a number (OS2IP, RFC 8017 section 4.2).
    case hash
    /// The bytes of a text as a number (OS2IP, RFC 8017 section 4.2).
    case number

    var parameterCount: Int { self == .hash || self == .number ? 1 : 2 }
  }

  /// The place in the text, in Unicode scalars. The place of an operation is that of its operator.
  var offset: Int {
    switch self {
    case .number(_, _, let at), .text(_, let at), .name(_, let at), .operation(_, _, _, let at), .call(_, _, let at): at
    }
  }

  /// Returns the first name that is not in `known`, with its place; nil if all names are known.
  package func unknown(among known: Set<String>) -> (name: String, offset: Int)? {
    switch self {
    case .number, .text: nil
    case .name(let name, let at): known.contains(name) ? nil : (name, at)
    case .operation(_, let left, let right, _): left.unknown(among: known) ?? right.unknown(among: known)
    case .call(_, let arguments, _): arguments.lazy.compactMap { $0.unknown(among: known) }.first
    }
  }

  /// The names in the expression in order, each listed once.
  package var names: [String] {
    let all: [String] =
      switch self {
      case .number, .text: []
      case .name(let name, _): [name]
      case .operation(_, let left, let right, _): left.names + right.names
      case .call(_, let arguments, _): arguments.flatMap(\.names)
      }
    return all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }
}

/// An error in an expression, with its place in the text and a hint for a fix.
package struct ExpressionError: Error, Hashable {
  package let message: String
  package var hint = ""
  /// The place of the error, in Unicode scalars from the beginning of the text.
  package let offset: Int
}

/// Formats expressions: for a reader, with names or with numbers, and as a Python 3 program.
struct ExpressionText {
  /// The values of the names. A name without a value is printed as a name.
  var values: [String: Quantity] = [:]

  /// Returns the expression as written, with one space around each operator.
  func text(_ expression: Expression) -> String {
    switch expression {
    case .number(let number, let isHex, _): isHex ? "0x\(number.text(radix: 16))" : Quantity.number(number).shown
    case .text(let text, _): Quantity.text(text).shown
    case .name(let name, _): values[name]?.shown ?? name
    case .operation(let sign, let left, let right, _):
      "\(operand(left, of: sign)) \(sign.rawValue) \(operand(right, of: sign, isRight: true))"
    case .call(let function, let arguments, _):
      "\(function.rawValue)(\(arguments.map(text).joined(separator: ", ")))"
    }
  }

  private func operand(_ expression: Expression, of sign: Expression.Operator, isRight: Bool = false) -> String {
    guard case .operation(let inner, _, _, _) = expression else { return text(expression) }
    let bindsTighter = inner.rank > sign.rank || inner.rank == sign.rank && isRight == (sign == .power)
    return bindsTighter ? text(expression) : "(\(text(expression)))"
  }

  /// Returns a Python 3 program that prints the value of the expression. All names are replaced by their values.
  func program(_ expression: Expression) -> String { "import math,hashlib,functools;print(\(python(expression)))" }

  private func python(_ expression: Expression) -> String {
    switch expression {
    case .number(let number, _, _): Self.python(.number(number))
    case .text(let text, _): Self.python(.text(text))
    case .name(let name, _): values[name].map(Self.python) ?? "0"
    case .operation(.mod, .operation(.power, let base, let exponent, _), let modulus, _):
      "pow(\(python(base)),\(python(exponent)),\(python(modulus)))"
    case .operation(.mod, let product, let modulus, _): "(\(factors(product, modulo: modulus))%\(python(modulus)))"
    case .operation(let sign, let left, let right, _): "(\(python(left))\(Self.python(sign))\(python(right)))"
    case .call(let function, let arguments, _): Self.python(function, arguments.map(python))
    }
  }

  /// Returns a product whose powers are reduced modulo `modulus`. Without the reduction, the powers would be too large
  /// for any computer.
  private func factors(_ expression: Expression, modulo modulus: Expression) -> String {
    switch expression {
    case .operation(.times, let left, let right, _):
      "(\(factors(left, modulo: modulus))*\(factors(right, modulo: modulus)))"
    case .operation(.power, let base, let exponent, _):
      "pow(\(python(base)),\(python(exponent)),\(python(modulus)))"
    default: python(expression)
    }
  }

  private static func python(_ value: Quantity) -> String {
    switch value {
    case .number(let number) where number.bitWidth > 192:
      // A long number is a call with a hexadecimal string, so that its line can be broken anywhere.
      "int.from_bytes(bytes.fromhex('\(Hex.string(number.bigEndianBytes()))'),'big')"
    case .number(let number): number.description
    case .text(let text): "bytes.fromhex('\(Hex.string(text.utf8))')"
    case .none: "'none'"
    }
  }

  private static func python(_ sign: Expression.Operator) -> String {
    switch sign {
    case .power: "**"
    case .over: "//"
    case .mod: "%"
    default: sign.rawValue
    }
  }

  private static func python(_ function: Expression.Function, _ arguments: [String]) -> String {
    let list = arguments.joined(separator: ",")
    switch function {
    case .gcd: return "math.gcd(\(list))"
    case .lcm: return "math.lcm(\(list))"
    case .inverse: return "pow(\(arguments.first ?? ""),-1,\(arguments.last ?? ""))"
    case .floorRoot: return "(\(floorRoot))(\(list))"
    case .root: return "(lambda k,x:(lambda r:r if r**k==x else 'none')((\(floorRoot))(k,x)))(\(list))"
    case .number: return "int.from_bytes(\(list),'big')"
    case .hash:
      let bytes = "(lambda v:v if type(v)==bytes else v.to_bytes((v.bit_length()+7)//8,'big'))(\(list))"
      return "int.from_bytes(hashlib.sha256(\(bytes)).digest(),'big')"
    }
  }

  private static let floorRoot =
    "lambda k,x:functools.reduce(lambda r,b:r+(1<<b)*((r+(1<<b))**k<=x),range(x.bit_length()//k,-1,-1),0)"
}

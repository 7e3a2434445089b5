import Cryptography
import Explanation

/// An expression of a calculation: whole numbers, texts, names, and what is done with them.
package indirect enum Expression: Sendable, Hashable {
  /// A number, and whether it was written in hexadecimal.
  case number(Natural, isHex: Bool, at: Int)
  case text(String, at: Int)
  case name(String, at: Int)
  case operation(Operator, Expression, Expression, at: Int)
  case call(Function, [Expression], at: Int)

  /// What stands between two expressions.
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

    /// How tightly it binds: comparisons least, powers most.
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

  /// What is written before parentheses.
  package enum Function: String, Sendable, CaseIterable {
    /// Greatest common divisor.
    case gcd
    /// Least common multiple.
    case lcm
    /// `inverse(a, n)`: what a is multiplied by to give 1 modulo n.
    case inverse
    /// `root(k, x)`: the whole k-th root of x, or none.
    case root
    /// `floorRoot(k, x)`: the greatest number whose k-th power is not above x.
    case floorRoot
    /// SHA-256 of a text, or of a number's bytes, as a number (OS2IP, RFC 8017 section 4.2).
    case hash
    /// A text's bytes as a number (OS2IP, RFC 8017 section 4.2).
    case number

    var parameterCount: Int { self == .hash || self == .number ? 1 : 2 }
  }

  /// Where it stands in its text, in Unicode scalars: an operation where its sign does.
  var offset: Int {
    switch self {
    case .number(_, _, let at), .text(_, let at), .name(_, let at), .operation(_, _, _, let at), .call(_, _, let at): at
    }
  }

  /// The first name in it that is not among `known`, and where it stands; nil where all are.
  package func unknown(among known: Set<String>) -> (name: String, offset: Int)? {
    switch self {
    case .number, .text: nil
    case .name(let name, let at): known.contains(name) ? nil : (name, at)
    case .operation(_, let left, let right, _): left.unknown(among: known) ?? right.unknown(among: known)
    case .call(_, let arguments, _): arguments.lazy.compactMap { $0.unknown(among: known) }.first
    }
  }

  /// The names in it, in order, each once.
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

/// What is wrong with an expression, where in its text, and what to do about it.
package struct ExpressionError: Error, Hashable {
  package let message: String
  package var hint = ""
  /// In Unicode scalars from the beginning of the text.
  package let offset: Int
}

/// Expressions as a reader sees them, with names or with numbers, and as python3 works them out.
struct ExpressionText {
  /// What the names stand for; a name without a value stays a name.
  var values: [String: Quantity] = [:]

  /// As it was written, with one space around each operator.
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

  /// A program for python3 that prints what the expression comes to, all names replaced by their values.
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

  /// A product whose powers are taken modulo `modulus`: without that they would outgrow any machine.
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
      // A long number is written so that its line can be broken anywhere.
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

import Cryptography
import Explanation
import Simulator

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

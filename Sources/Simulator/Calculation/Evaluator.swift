import Cryptography
import Explanation

/// Evaluates expressions exactly. Limits on size and work keep the evaluation of every input fast.
struct Evaluator {
  /// The maximum work of one calculation: about ten powers of the largest size, a fraction of a second.
  private static let mostWork = 200_000_000

  /// The values of the names that are known.
  var values: [String: Quantity]
  private var work = 0

  /// Creates an evaluator that knows these names.
  init(values: [String: Quantity] = [:]) { self.values = values }

  /// Returns whether the comparison is true. A root that is not whole equals only another such root.
  mutating func holds(_ comparison: Expression) throws(ExpressionError) -> Bool {
    guard case .operation(let sign, let left, let right, let place) = comparison else { return false }
    let (first, second) = (try value(of: left), try value(of: right))
    switch sign {
    case .equal: return first == second
    case .unequal: return first != second
    default: break
    }
    let (low, high) = (try number(first, at: place), try number(second, at: place))
    return switch sign {
    case .less: low < high
    case .more: low > high
    case .atMost: low <= high
    default: low >= high
    }
  }

  mutating func value(of expression: Expression) throws(ExpressionError) -> Quantity {
    switch expression {
    case .number(let number, _, _): return .number(number)
    case .text(let text, _): return .text(text)
    case .name(let name, let place):
      if let value = values[name] { return value }
      throw ExpressionError(
        message: "unknown name '\(name)'", hint: Spelling.hint(for: name, among: values.keys.sorted()), offset: place)
    case .operation(let sign, let left, let right, let place):
      return .number(try operation(sign, left, right, at: place))
    case .call(let function, let arguments, let place): return try call(function, arguments, at: place)
    }
  }

  mutating func number(_ expression: Expression) throws(ExpressionError) -> Natural {
    try number(try value(of: expression), at: expression.offset)
  }

  private func number(_ value: Quantity, at place: Int) throws(ExpressionError) -> Natural {
    switch value {
    case .number(let number): return number
    case .text:
      throw ExpressionError(
        message: "a text is not a number", hint: "convert it with hash(\"…\") or number(\"…\")", offset: place)
    case .none:
      throw ExpressionError(
        message: "an earlier root is not a whole number",
        hint: "floorRoot(k, x) always gives a whole number", offset: place)
    }
  }

  private mutating func operation(
    _ sign: Expression.Operator, _ left: Expression, _ right: Expression, at place: Int
  ) throws(ExpressionError) -> Natural {
    if sign == .mod {
      let modulus = try number(right)
      guard !modulus.isZero else { throw Self.error(.divisionByZero, at: place) }
      return try residue(of: left, modulo: modulus)
    }
    let (first, second) = (try number(left), try number(right))
    switch sign {
    case .plus: return try within(first + second, at: place)
    case .times: return try within(first * second, at: place)
    case .minus, .over:
      do throws(ArithmeticError) {
        return sign == .minus
          ? try first.subtracting(second) : try first.quotientAndRemainder(dividingBy: second).quotient
      } catch {
        throw Self.error(error, at: place)
      }
    default: return try power(first, second, at: place)
    }
  }

  /// Returns the value of an expression modulo n. Powers are reduced at every step, and products factor by factor.
  private mutating func residue(of expression: Expression, modulo modulus: Natural) throws(ExpressionError) -> Natural {
    let value: Natural
    switch expression {
    case .operation(.power, let base, let exponent, let place):
      let (base, exponent) = (try number(base), try number(exponent))
      let limbs = (max(base.bitWidth, modulus.bitWidth) + 63) / 64
      try spend(exponent.bitWidth * limbs * limbs, at: place)
      guard let power = try? base.power(exponent, modulo: modulus) else {
        throw Self.error(.divisionByZero, at: place)
      }
      return power
    case .operation(.times, let left, let right, _):
      value = try residue(of: left, modulo: modulus) * residue(of: right, modulo: modulus)
    default: value = try number(expression)
    }
    guard let residue = try? value.remainder(dividingBy: modulus) else {
      throw Self.error(.divisionByZero, at: expression.offset)
    }
    return residue
  }

  private mutating func power(_ base: Natural, _ exponent: Natural, at place: Int) throws(ExpressionError) -> Natural {
    if exponent.isZero { return 1 }
    if base.bitWidth <= 1 { return base }
    let bits = (exponent.word ?? .max).multipliedReportingOverflow(by: UInt(base.bitWidth - 1))
    guard let exponent = exponent.word, !bits.overflow, bits.partialValue <= Quantities.mostBits else {
      throw Quantities.tooLarge(at: place)
    }
    return try within(base.power(exponent), at: place)
  }

  private mutating func call(
    _ function: Expression.Function, _ arguments: [Expression], at place: Int
  ) throws(ExpressionError) -> Quantity {
    guard let first = arguments.first, let last = arguments.last else { return .none }
    switch function {
    case .hash: return .number(Natural(bigEndian: Hash.sha256.digest(try value(of: first).bytesToHash)))
    case .number:
      guard case .text(let text) = try value(of: first) else {
        throw ExpressionError(
          message: "number(…) requires a text", hint: "write a number without a function", offset: place)
      }
      return .number(try within(Natural(bigEndian: Array(text.utf8)), at: place))
    default: break
    }
    let (left, right) = (try number(first), try number(last))
    switch function {
    case .gcd: return .number(left.greatestCommonDivisor(with: right))
    case .lcm: return .number(try leastCommonMultiple(left, right, at: place))
    case .inverse:
      guard let inverse = left.inverse(modulo: right) else {
        throw ExpressionError(
          message: "\(Quantity.number(left).shown) has no inverse modulo \(Quantity.number(right).shown)",
          hint: "their greatest common divisor is \(left.greatestCommonDivisor(with: right)), but it must be 1",
          offset: place)
      }
      return .number(inverse)
    default:
      guard let degree = left.word, (1...UInt(Quantities.mostBits)).contains(degree) else {
        throw ExpressionError(
          message: "the degree of a root must be from 1 to \(Quantities.mostBits)", hint: "write root(3, x)",
          offset: place)
      }
      try spend(right.bitWidth * right.bitWidth, at: place)
      let root = right.floorRoot(degree)
      return function == .floorRoot || root.power(degree) == right ? .number(root) : .none
    }
  }

  private func leastCommonMultiple(_ left: Natural, _ right: Natural, at place: Int) throws(ExpressionError) -> Natural
  {
    let divisor = left.greatestCommonDivisor(with: right)
    guard let factor = try? left.quotientAndRemainder(dividingBy: divisor).quotient else { return 0 }
    return try within(factor * right, at: place)
  }

  private func within(_ number: Natural, at place: Int) throws(ExpressionError) -> Natural {
    guard number.bitWidth <= Quantities.mostBits else { throw Quantities.tooLarge(at: place) }
    return number
  }

  private mutating func spend(_ units: Int, at place: Int) throws(ExpressionError) {
    work += units
    guard work <= Self.mostWork else {
      throw ExpressionError(
        message: "the calculation takes too long", hint: "use fewer or smaller powers",
        offset: place)
    }
  }

  private static func error(_ error: ArithmeticError, at place: Int) -> ExpressionError {
    let hint = error == .negativeResult ? "numbers cannot be negative: add the modulus first" : ""
    return ExpressionError(message: error.description, hint: hint, offset: place)
  }
}

extension Quantity {
  /// The bytes that `hash` digests: a number without leading zeros, or a text. The number 0 has no bytes.
  fileprivate var bytesToHash: [UInt8] {
    if case .number(let number) = self { return number.bigEndianBytes() }
    return bytes
  }
}

extension Natural {
  /// Returns this number to the power of `exponent`, by squaring and multiplying.
  func power(_ exponent: UInt) -> Natural {
    var (result, square, rest) = (Natural(1), self, exponent)
    while rest > 0 {
      if rest & 1 == 1 { result = result * square }
      rest >>= 1
      if rest > 0 { square = square * square }
    }
    return result
  }

  /// Returns the greatest number whose power `degree` (at least 1) does not exceed this number. The bits are computed
  /// from the highest.
  func floorRoot(_ degree: UInt) -> Natural {
    var root: Natural = 0
    for bit in (0...UInt(bitWidth) / degree).reversed() {
      let candidate = root + Natural(2).power(bit)
      if candidate.power(degree) <= self { root = candidate }
    }
    return root
  }
}

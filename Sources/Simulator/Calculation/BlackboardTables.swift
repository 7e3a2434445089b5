import Cryptography

/// Creates line-by-line tables of modular powers and inverses, if the numbers are small enough for a blackboard.
struct BlackboardTables {
  private static let mostBits = 32
  private static let mostRows = 40

  private var evaluator: Evaluator
  private(set) var all: [Arithmetic.Table] = []

  /// Creates the tables of every power, inverse and greatest common divisor in `expression`.
  init(_ expression: Expression, values: [String: Quantity]) {
    evaluator = Evaluator(values: values)
    collect(expression, modulus: nil)
  }

  private mutating func collect(_ expression: Expression, modulus: Natural?) {
    guard all.count < 3 else { return }
    switch expression {
    case .number, .text, .name: break
    case .operation(.mod, let left, let right, _):
      collect(right, modulus: nil)
      collect(left, modulus: small(right))
    case .operation(.times, let left, let right, _):
      collect(left, modulus: modulus)
      collect(right, modulus: modulus)
    case .operation(.power, let base, let exponent, _):
      collect(base, modulus: nil)
      collect(exponent, modulus: nil)
      if let modulus, let base = small(base), let exponent = small(exponent) { ladder(base, exponent, modulus) }
    case .operation(_, let left, let right, _):
      collect(left, modulus: nil)
      collect(right, modulus: nil)
    case .call(let function, let arguments, _):
      for argument in arguments { collect(argument, modulus: nil) }
      guard [.gcd, .inverse].contains(function), let left = arguments.first, let right = arguments.last,
        let left = small(left), let right = small(right)
      else { return }
      euclid(left, right, isInverse: function == .inverse)
    }
  }

  private mutating func small(_ expression: Expression) -> Natural? {
    guard let number = try? evaluator.number(expression), number.bitWidth <= Self.mostBits else { return nil }
    return number
  }

  /// Adds the table of squaring and multiplying. From the first bit of the exponent, it squares for every bit, and
  /// multiplies if the bit is 1.
  private mutating func ladder(_ base: Natural, _ exponent: Natural, _ modulus: Natural) {
    guard exponent > 1, modulus > 1, exponent.bitWidth <= Self.mostRows else { return }
    var rows: [[String]] = []
    var result: Natural = 1
    for bit in exponent.text(radix: 2) {
      guard let square = try? (result * result).remainder(dividingBy: modulus),
        let product = try? (square * base).remainder(dividingBy: modulus)
      else { return }
      rows.append([String(bit), "\(result)^2 = \(square)", bit == "1" ? "\(square)*\(base) = \(product)" : ""])
      result = bit == "1" ? product : square
    }
    all.append(
      .init(
        title: "\(base) ^ \(exponent) mod \(modulus), with the exponent bit by bit",
        header: ["bit", "square", "times \(base)"], rows: rows))
  }

  /// Adds the table of Euclid's algorithm. For an inverse, each row also contains the factor of the first number,
  /// modulo the second.
  private mutating func euclid(_ left: Natural, _ right: Natural, isInverse: Bool) {
    var (high, low) = isInverse ? (right, left) : (max(left, right), min(left, right))
    var (before, factor): (Natural, Natural) = (0, 1)
    var rows: [[String]] = []
    while !low.isZero, rows.count < Self.mostRows {
      guard let (quotient, remainder) = try? high.quotientAndRemainder(dividingBy: low) else { return }
      rows.append(
        ["\(high) = \(quotient)*\(low) + \(remainder)"] + (isInverse ? ["\(low) = \(factor)*\(left)"] : []))
      guard isInverse, let next = try? (before + right * quotient * right).subtracting(quotient * factor),
        let next = try? next.remainder(dividingBy: right)
      else {
        (high, low) = (low, remainder)
        continue
      }
      (before, factor) = (factor, next)
      (high, low) = (low, remainder)
    }
    guard low.isZero, !rows.isEmpty else { return }
    let title =
      isInverse
      ? "the inverse of \(left) modulo \(right), by Euclid's algorithm"
      : "gcd(\(left), \(right)), by Euclid's algorithm"
    all.append(.init(title: title, header: ["division"] + (isInverse ? ["modulo \(right)"] : []), rows: rows))
  }
}

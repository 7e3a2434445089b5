import Cryptography

/// D. Bleichenbacher's attack on RSAES-PKCS1-v1_5 (CRYPTO '98).
///
/// An oracle reveals whether a chosen ciphertext decrypts to a block that begins with 00 02. With such an oracle, an
/// attacker can decrypt any ciphertext without the private key.
///
/// The steps follow the paper. Step 2a finds the first multiplier that the oracle accepts. Step 2b finds the next one
/// while several intervals are left, and step 2c searches a single interval. Step 3 narrows the intervals. When one
/// number is left, step 4 computes the message. The oracle accepts the original ciphertext, so step 1, the blinding, is
/// not needed.
public struct Bleichenbacher {
  /// The number of queries to the oracle.
  public private(set) var questions = 0
  /// The number of queries that the oracle accepted.
  public private(set) var accepted = 0
  private let key: RSAPublicKey
  private let ciphertext: Natural
  private let limit: Int
  private let oracle: ([UInt8]) -> Bool
  /// The bounds 2B and 3B, with B = 2^(8(k−2)). A block that begins with 00 02 is between them.
  private let twoB: Natural
  private let threeB: Natural
  private var intervals: [ClosedRange<Natural>] = []

  /// Creates an attack on `ciphertext`, encrypted with `key`, that gives up after `limit` queries.
  public init(
    _ ciphertext: [UInt8], encryptedWith key: RSAPublicKey, limit: Int = 1 << 17, oracle: @escaping ([UInt8]) -> Bool
  ) {
    self.key = key
    self.ciphertext = Natural(bigEndian: ciphertext)
    self.limit = limit
    self.oracle = oracle
    let zeros = [UInt8](repeating: 0, count: max(0, key.byteCount - 2))
    twoB = Natural(bigEndian: [2] + zeros)
    threeB = Natural(bigEndian: [3] + zeros)
  }

  /// Returns the padded message, as long as the modulus; nil if the oracle does not reveal it.
  public mutating func run() throws(ArithmeticError) -> [UInt8]? {
    intervals = [twoB...(try threeB.subtracting(1))]
    var multiplier = try nextAccepted(from: try ceiling(key.modulus, threeB))  // step 2a
    while let found = multiplier {
      try narrow(with: found)  // step 3
      guard let first = intervals.first else { return nil }
      if intervals.count == 1, first.lowerBound == first.upperBound {  // step 4
        return try first.lowerBound.bigEndianBytes(count: key.byteCount)
      }
      multiplier =
        intervals.count > 1
        ? try nextAccepted(from: found + 1)  // step 2b
        : try halving(first, after: found)  // step 2c
    }
    return nil
  }

  /// Performs steps 2a and 2b: returns the smallest multiplier, at least `start`, that the oracle accepts.
  private mutating func nextAccepted(from start: Natural) throws(ArithmeticError) -> Natural? {
    var multiplier = start
    while questions < limit {
      if try asks(multiplier) { return multiplier }
      multiplier = multiplier + 1
    }
    return nil
  }

  /// Performs step 2c: r ≥ 2(bs − 2B)/n, (2B + rn)/b ≤ s ≤ (3B − 1 + rn)/a.
  private mutating func halving(
    _ interval: ClosedRange<Natural>, after last: Natural
  ) throws(ArithmeticError) -> Natural? {
    let (lower, upper) = (interval.lowerBound, interval.upperBound)
    var turns = try ceiling(2 * (try (upper * last).subtracting(twoB)), key.modulus)
    while questions < limit {
      let offset = turns * key.modulus
      var multiplier = try ceiling(twoB + offset, upper)
      let end = try (threeB + offset).subtracting(1).quotientAndRemainder(dividingBy: lower).quotient
      while multiplier <= end, questions < limit {
        if try asks(multiplier) { return multiplier }
        multiplier = multiplier + 1
      }
      turns = turns + 1
    }
    return nil
  }

  /// Performs step 3: intersects each interval with [(2B + rn)/s, (3B − 1 + rn)/s], for every possible r.
  private mutating func narrow(with multiplier: Natural) throws(ArithmeticError) {
    var narrowed: [ClosedRange<Natural>] = []
    for interval in intervals {
      var turns = try ceiling((interval.lowerBound * multiplier + 1).subtracting(threeB), key.modulus)
      let last = try (interval.upperBound * multiplier).subtracting(twoB)
        .quotientAndRemainder(dividingBy: key.modulus).quotient
      while turns <= last {
        let offset = turns * key.modulus
        let lower = max(interval.lowerBound, try ceiling(twoB + offset, multiplier))
        let highest = try (threeB + offset).subtracting(1).quotientAndRemainder(dividingBy: multiplier).quotient
        let upper = min(interval.upperBound, highest)
        if lower <= upper, !narrowed.contains(lower...upper) { narrowed.append(lower...upper) }
        turns = turns + 1
      }
    }
    intervals = narrowed
  }

  /// Returns whether the oracle accepts c·s^e mod n, whose decryption is m·s mod n.
  private mutating func asks(_ multiplier: Natural) throws(ArithmeticError) -> Bool {
    questions += 1
    let factor = try multiplier.power(key.exponent, modulo: key.modulus)
    let question = try (ciphertext * factor).remainder(dividingBy: key.modulus)
    let isAccepted = oracle(try question.bigEndianBytes(count: key.byteCount))
    if isAccepted { accepted += 1 }
    return isAccepted
  }

  private func ceiling(_ dividend: Natural, _ divisor: Natural) throws(ArithmeticError) -> Natural {
    let (quotient, remainder) = try dividend.quotientAndRemainder(dividingBy: divisor)
    return remainder.isZero ? quotient : quotient + 1
  }
}

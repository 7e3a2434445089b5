import CGMP

/// Attacks on primes that were chosen badly: p - 1 has only small prime factors.
///
/// Lessons use them to break keys of full length within a second. A key from a good generator withstands them.
enum SmoothOrder {
  /// The largest prime factor that an attack finds.
  static let bound = 1 << 16

  /// The primes up to `bound`.
  static let primes = Sieve.primes(below: bound)
}

extension Natural {
  /// A random prime of exactly `bits` bits (at least 64), which `smoothFactor` finds in a product.
  ///
  /// Its predecessor has only prime factors up to 2^16. Its two most significant bits are set. It is for lessons only.
  package static func smoothPrime(bits: Int, random: inout DeterministicRandom) -> Natural {
    while true {
      var product: Natural = 1
      while product.bitWidth < bits - 15 {
        let word = random.bytes(2).reduce(UInt(0)) { $0 << 8 | UInt($1) }
        let factor = Natural(word | 1)
        if factor.isProbablyPrime { product = product * factor }
      }
      for multiplier in stride(from: UInt(SmoothOrder.bound), to: 1, by: -2) {
        let candidate = product * Natural(multiplier) + 1
        if candidate.bitWidth == bits, candidate.hasBit(bits - 2), candidate.isProbablyPrime { return candidate }
      }
    }
  }

  /// A prime factor of this number, and the number of powers that were computed; nil if none is found.
  ///
  /// The p - 1 method of J. Pollard (1974) finds a factor p if p - 1 has only prime factors up to 2^16. If m is a
  /// multiple of p - 1, a^m - 1 is a multiple of p.
  public func smoothFactor() -> (factor: Natural, powers: Int)? {
    guard isOdd, self > 1 else { return nil }
    var power: Natural = 2
    for (index, prime) in SmoothOrder.primes.enumerated() {
      // The highest power of the prime that such a factor usually contains.
      var exponent = prime
      while exponent <= UInt(SmoothOrder.bound) { exponent *= prime }
      guard let next = try? power.power(Natural(exponent), modulo: self) else { return nil }
      power = next
      guard index % 64 == 63 || index + 1 == SmoothOrder.primes.count, !power.isZero,
        let difference = try? power.subtracting(1)
      else { continue }
      let factor = difference.greatestCommonDivisor(with: self)
      if factor == self { return nil }
      if factor > 1 { return (factor, index + 1) }
    }
    return nil
  }
}

extension DHGroup {
  /// The prime factors of p - 1, each with its exponent; nil if one of them is above 2^16.
  private var smoothOrder: [(prime: UInt, exponent: Int)]? {
    guard prime > 2, var rest = try? prime.subtracting(1) else { return nil }
    var factors: [(prime: UInt, exponent: Int)] = []
    for factor in SmoothOrder.primes {
      var exponent = 0
      while let division = try? rest.quotientAndRemainder(dividingBy: Natural(factor)), division.remainder.isZero {
        (rest, exponent) = (division.quotient, exponent + 1)
      }
      if exponent > 0 { factors.append((factor, exponent)) }
    }
    return rest == 1 ? factors : nil
  }

  /// Whether every prime factor of p - 1 is at most 2^16, so that discrete logarithms are easy.
  public var hasSmoothOrder: Bool { !Self.named.contains { $0.group == self } && smoothOrder != nil }

  /// The private key of a public key, and the number of group operations; nil unless p - 1 has only small factors.
  ///
  /// S. Pohlig and M. Hellman (1978): the logarithm modulo each factor of p - 1 is a search of at most 2^16 steps, of
  /// which D. Shanks's method (1971) needs the square root. The results are combined with the Chinese remainder theorem.
  public func smoothLogarithm(of publicKey: [UInt8]) -> (exponent: Natural, steps: Int)? {
    guard let factors = smoothOrder, let order = try? prime.subtracting(1) else { return nil }
    var search = SmoothLogarithm(group: self, order: order)
    var (result, modulus): (Natural, Natural) = (0, 1)
    for (prime, exponent) in factors {
      guard let residue = search.residue(of: Natural(bigEndian: publicKey), prime, exponent),
        let combined = Natural.combining(result, modulus, residue.value, residue.modulus)
      else { return nil }
      (result, modulus) = (combined, modulus * residue.modulus)
    }
    return (result, search.steps)
  }
}

extension Natural {
  /// The number that is `a` modulo `m` and `b` modulo `n`; nil if `m` and `n` have a common factor.
  fileprivate static func combining(_ a: Natural, _ m: Natural, _ b: Natural, _ n: Natural) -> Natural? {
    guard let inverse = m.inverse(modulo: n), let residue = try? a.remainder(dividingBy: n),
      let difference = try? (b + n).subtracting(residue),
      let factor = try? (difference * inverse).remainder(dividingBy: n)
    else { return nil }
    return a + m * factor
  }
}

/// The searches for a discrete logarithm modulo the factors of p - 1.
private struct SmoothLogarithm {
  let group: DHGroup
  let order: Natural
  var steps = 0

  /// Returns the logarithm of `value` modulo prime^exponent; nil if there is none.
  mutating func residue(of value: Natural, _ prime: UInt, _ exponent: Int) -> (value: Natural, modulus: Natural)? {
    var (found, power): (Natural, Natural) = (0, 1)
    guard let base = raised(group.generator, order, over: Natural(prime)) else { return nil }
    for _ in 0..<exponent {
      // The part of the exponent that is already known is removed: value · g^-found.
      guard let known = try? group.generator.power(found, modulo: group.prime),
        let inverse = known.inverse(modulo: group.prime),
        let rest = try? (value * inverse).remainder(dividingBy: group.prime),
        let target = raised(rest, order, over: power * Natural(prime)), let digit = logarithm(of: target, base, prime)
      else { return nil }
      found = found + power * Natural(digit)
      power = power * Natural(prime)
    }
    return (found, power)
  }

  /// Returns base^(order / divisor).
  private func raised(_ base: Natural, _ order: Natural, over divisor: Natural) -> Natural? {
    guard let exponent = try? order.quotientAndRemainder(dividingBy: divisor).quotient else { return nil }
    return try? base.power(exponent, modulo: group.prime)
  }

  /// Returns the number x below `count` with base^x = target, by baby steps and giant steps.
  private mutating func logarithm(of target: Natural, _ base: Natural, _ count: UInt) -> UInt? {
    let width = UInt(Double(count).squareRoot()) + 1
    var table: [Natural: UInt] = [:]
    var power: Natural = 1
    for step in 0..<width {
      if table[power] == nil { table[power] = step }
      power = (try? (power * base).remainder(dividingBy: group.prime)) ?? 0
    }
    guard let stride = power.inverse(modulo: group.prime) else { return nil }
    var giant = target
    for step in 0...width {
      steps += 1
      if let baby = table[giant] { return (step * width + baby) % count }
      giant = (try? (giant * stride).remainder(dividingBy: group.prime)) ?? 0
    }
    return nil
  }
}

import CGMP

extension Natural {
  /// Whether the number passes a Baillie–PSW test and a Miller–Rabin round with a random base.
  ///
  /// No composite number is known that passes. FIPS 186-5 appendix B.3 requires no more for random numbers.
  public var isProbablyPrime: Bool { isProbablyPrime(rounds: 25) }

  /// Whether the number passes GMP's test. The first 24 `rounds` are one Baillie–PSW test; each further round is
  /// Miller–Rabin.
  func isProbablyPrime(rounds: Int32) -> Bool { withInteger { mpz_probab_prime_p($0, rounds) != 0 } }

  /// A random prime of exactly `bits` bits (at least 16), with its two most significant bits set.
  ///
  /// The prime minus one has no divisor in common with `exponent`. The function starts at a random odd number, and uses
  /// a sieve to find the first such prime that is not below it.
  package static func randomPrime(
    bits: Int, predecessorCoprimeTo exponent: Natural, random: inout DeterministicRandom
  ) -> Natural {
    while true {
      let start = Natural.randomOdd(bits: bits, random: &random)
      for offset in Sieve.survivors(from: start) {
        let candidate = start + Natural(UInt(offset))
        if candidate.bitWidth == bits, candidate.hasPredecessor(coprimeTo: exponent), candidate.isProbablyPrime {
          return candidate
        }
      }
    }
  }

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

  /// A random odd number of exactly `bits` bits, with its two most significant bits set.
  ///
  /// The size of a product of two such numbers is the sum of their sizes.
  package static func randomOdd(bits: Int, random: inout DeterministicRandom) -> Natural {
    let bytes = random.bytes((bits + 7) / 8)
    var limbs = [UInt](repeating: 0, count: (bits + UInt.bitWidth - 1) / UInt.bitWidth)
    for (index, byte) in bytes.reversed().enumerated() { limbs[index / 8] |= UInt(byte) << (index % 8 * 8) }
    let excess = limbs.count * UInt.bitWidth - bits
    limbs[limbs.count - 1] &= UInt.max >> excess
    for bit in [bits - 1, bits - 2, 0] { limbs[bit / UInt.bitWidth] |= 1 << (bit % UInt.bitWidth) }
    return Natural(limbs: limbs)
  }

  /// The distance of this number from `start`; nil if a search that begins at `start` cannot find the number.
  package func offset(from start: Natural) -> Int? {
    guard self >= start, let offset = try? subtracting(start).word, offset < UInt(2 * Sieve.window) else { return nil }
    return Int(offset)
  }

  private func hasPredecessor(coprimeTo exponent: Natural) -> Bool {
    guard let predecessor = try? subtracting(1) else { return false }
    return predecessor.greatestCommonDivisor(with: exponent) == 1
  }
}

/// The sieve of Eratosthenes over a short range of odd numbers.
///
/// The sieve removes the multiples of small primes, so that about one in ten candidates needs a primality test.
private enum Sieve {
  /// The number of odd numbers in the range.
  static let window = 4096

  /// The odd primes below 2¹⁴.
  static let smallPrimes: [UInt] = {
    var composite = [Bool](repeating: false, count: 1 << 14)
    var primes: [UInt] = []
    for number in stride(from: 3, to: composite.count, by: 2) where !composite[number] {
      primes.append(UInt(number))
      for multiple in stride(from: number * number, to: composite.count, by: number) { composite[multiple] = true }
    }
    return primes
  }()

  /// The even offsets from `start` to the numbers without small divisors. `start` must be odd and larger than every
  /// small prime.
  static func survivors(from start: Natural) -> [Int] {
    var struck = [Bool](repeating: false, count: window)
    for prime in smallPrimes {
      let remainder = mpn_mod_1(start.limbs, start.limbs.count, prime)
      // start + 2i is a multiple of the prime for i = -start / 2 modulo the prime, which is odd.
      let missing = remainder == 0 ? 0 : prime - remainder
      let first = missing % 2 == 0 ? missing / 2 : (missing + prime) / 2
      for index in stride(from: Int(first), to: window, by: Int(prime)) { struck[index] = true }
    }
    return struck.indices.filter { !struck[$0] }.map { $0 * 2 }
  }
}

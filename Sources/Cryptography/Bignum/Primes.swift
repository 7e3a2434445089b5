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

/// The sieve of Eratosthenes, from 2 or over a short range of odd numbers.
///
/// The second removes the multiples of small primes, so that about one in ten candidates needs a primality test.
enum Sieve {
  /// The number of odd numbers in the range.
  static let window = 4096

  /// The odd primes below 2¹⁴.
  static let smallPrimes = Array(primes(below: 1 << 14).dropFirst())

  /// Returns every prime below `limit`.
  static func primes(below limit: Int) -> [UInt] {
    var composite = [Bool](repeating: false, count: limit)
    var primes: [UInt] = []
    for number in 2..<limit where !composite[number] {
      primes.append(UInt(number))
      for multiple in stride(from: number * number, to: limit, by: number) { composite[multiple] = true }
    }
    return primes
  }

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

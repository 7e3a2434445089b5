import Cryptography

extension RSAPrivateKey {
  /// Generates a key that shares a prime with `other`, for lessons only.
  ///
  /// Two devices that start with the same entropy generate such keys. A party that has both moduli can compute both
  /// private keys.
  ///
  /// Throws unless `bits` is from 512 to 8192.
  static func generate(
    bits: Int, sharingPrimeWith other: RSAPrivateKey, random: inout DeterministicRandom
  ) throws(RSAError) -> RSAPrivateKey {
    guard RSAPublicKey.sizes.contains(bits) else { throw .modulusSize(bits: bits) }
    let exponent: Natural = 65537
    let shared = try other.disclosedComponents().prime1
    while true {
      let own = Natural.randomPrime(bits: bits / 2, predecessorCoprimeTo: exponent, random: &random)
      guard own != shared else { continue }
      let components = try RSAPrivateComponents(
        prime1: max(shared, own), prime2: min(shared, own), publicExponent: exponent)
      guard components.modulus.bitWidth == bits else { continue }
      return try RSAPrivateKey(validated: components)
    }
  }

  /// Generates a key with a prime that is easy to find, because p - 1 has only small factors. It is for lessons only.
  ///
  /// Throws unless `bits` is from 512 to 8192.
  static func generateWithSmoothPrime(bits: Int, random: inout DeterministicRandom) throws(RSAError) -> RSAPrivateKey {
    guard RSAPublicKey.sizes.contains(bits) else { throw .modulusSize(bits: bits) }
    let smooth = Natural.smoothPrime(bits: (bits + 1) / 2, random: &random)
    let other = Natural.randomPrime(bits: bits / 2, predecessorCoprimeTo: 65537, random: &random)
    return try RSAPrivateKey(
      validated: RSAPrivateComponents(
        prime1: max(smooth, other), prime2: min(smooth, other), publicExponent: 65537))
  }

  /// Creates a key from two random starts and the `offsets` of the primes above them, without a search.
  ///
  /// Throws if these numbers do not form a valid key.
  static func generate(
    bits: Int, at offsets: PrimeOffsets, random: inout DeterministicRandom
  ) throws(RSAError) -> RSAPrivateKey {
    let prime1 = Natural.randomOdd(bits: (bits + 1) / 2, random: &random) + Natural(UInt(offsets.first))
    let prime2 = Natural.randomOdd(bits: bits / 2, random: &random) + Natural(UInt(offsets.second))
    return try RSAPrivateKey(
      validated: RSAPrivateComponents(
        prime1: max(prime1, prime2), prime2: min(prime1, prime2), publicExponent: 65537))
  }

  /// The distances of the primes from the random starts of `generate`; nil for keys that it did not generate.
  func offsets(random: inout DeterministicRandom) -> PrimeOffsets? {
    let bits = publicKey.bits
    let start1 = Natural.randomOdd(bits: (bits + 1) / 2, random: &random)
    let start2 = Natural.randomOdd(bits: bits / 2, random: &random)
    guard let components = try? disclosedComponents() else { return nil }
    let primes = [components.prime1, components.prime2]
    for (one, other) in [(primes[0], primes[1]), (primes[1], primes[0])] {
      if let first = one.offset(from: start1), let second = other.offset(from: start2) {
        return PrimeOffsets(first: first, second: second)
      }
    }
    return nil
  }

  /// Whether one prime is the first after the random start, and the other is a prime of `other`.
  func isMade(sharingPrimeWith other: RSAPrivateKey, random: inout DeterministicRandom) -> Bool {
    let start = Natural.randomOdd(bits: publicKey.bits / 2, random: &random)
    guard let own = try? disclosedComponents(), let shared = try? other.disclosedComponents().prime1 else {
      return false
    }
    return own.prime1 == shared && own.prime2.offset(from: start) != nil
      || own.prime2 == shared && own.prime1.offset(from: start) != nil
  }
}

/// The distances of a key's primes from the random numbers at which their searches started.
struct PrimeOffsets: Sendable, Hashable {
  let first: Int
  let second: Int
}

extension RSAPrivateKey {
  /// A key of exactly `bits` bits, by the conditions of FIPS 186-5 appendix A.1.1: primes of equal size with their two
  /// most significant bits set, far enough apart, whose predecessors share no divisor with the exponent; d above
  /// 2^(bits/2). The primes are the first ones from a random start.
  ///
  /// Throws when `bits` is not one of 512 to 8192, or `exponent` is even, below 3 or above 256 bits.
  public static func generate(
    bits: Int, exponent: Natural = 65537, random: inout DeterministicRandom
  ) throws(RSAError) -> RSAPrivateKey {
    guard RSAPublicKey.sizes.contains(bits) else { throw .modulusSize(bits: bits) }
    guard exponent.isOdd, exponent >= 3, exponent.bitWidth <= 256 else { throw .exponent }
    while true {
      let prime1 = Natural.randomPrime(bits: (bits + 1) / 2, predecessorCoprimeTo: exponent, random: &random)
      let prime2 = Natural.randomPrime(bits: bits / 2, predecessorCoprimeTo: exponent, random: &random)
      guard isFar(prime1, from: prime2, bits: bits) else { continue }
      let components = try RSAPrivateComponents(
        prime1: max(prime1, prime2), prime2: min(prime1, prime2), publicExponent: exponent)
      guard components.privateExponent.bitWidth > bits / 2 else { continue }
      return try RSAPrivateKey(validated: components)
    }
  }

  /// A key with one prime of `other`, as two devices make that boot with the same entropy: whoever has both moduli has
  /// both keys. For lessons only.
  ///
  /// Throws when `bits` is not one of 512 to 8192.
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

  /// |p − q| > 2^(bits/2 − 100).
  private static func isFar(_ prime1: Natural, from prime2: Natural, bits: Int) -> Bool {
    guard let difference = try? max(prime1, prime2).subtracting(min(prime1, prime2)) else { return false }
    return difference.bitWidth > bits / 2 - 100
  }
}

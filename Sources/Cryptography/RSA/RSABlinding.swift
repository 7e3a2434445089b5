import CGMP

/// The pair r^e mod n and r⁻¹ mod n: the private operation works on c·r^e, which tells nothing about c, and its
/// result is multiplied by r⁻¹ (P. Kocher, 1996).
///
/// Both are squared after each use, which costs less than a new pair and is one.
struct RSABlinding: ~Copyable, Sendable {
  private let modulus: [UInt]
  private let factor, inverse: SecretLimbs

  /// A pair from `random`, which should depend on the secret key.
  init(_ key: RSAPublicKey, random: inout DeterministicRandom) throws(RSAError) {
    while true {
      let drawn = Natural(bigEndian: random.bytes(key.byteCount - 1))
      guard let inverted = drawn.inverse(modulo: key.modulus) else { continue }
      modulus = key.modulus.limbs
      factor = SecretLimbs(try key.rsaep(drawn), count: modulus.count)
      inverse = SecretLimbs(inverted, count: modulus.count)
      return
    }
  }

  /// Copies the pair, each as long as the modulus, and goes on to the next one.
  mutating func next(factor: UnsafeMutablePointer<UInt>, inverse: UnsafeMutablePointer<UInt>) {
    factor.update(from: self.factor.start, count: modulus.count)
    inverse.update(from: self.inverse.start, count: modulus.count)
    square(self.factor)
    square(self.inverse)
  }

  private func square(_ number: borrowing SecretLimbs) {
    let count = modulus.count
    let scratch = SecretLimbs(zeros: 3 * count + 1)
    mpn_sqr(scratch.start, number.start, count)
    mpn_tdiv_qr(scratch.start + 2 * count, number.start, scratch.start, 2 * count, modulus, count)
  }
}

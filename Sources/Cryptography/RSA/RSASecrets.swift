import CGMP

/// The secret numbers of an RSA key, and the calculation with them.
///
/// The calculation uses functions of GMP whose time and memory access do not depend on the numbers. The functions use
/// separate memory, which is wiped afterwards. Only the sizes of the factors are observable.
struct RSASecrets: ~Copyable, Sendable {
  /// The larger and the smaller factor, both without trailing zero limbs.
  private let p, q: SecretLimbs
  private let dP, dQ: SecretLimbs
  /// The number q⁻¹ mod p, which is as long as p.
  private let qInv: SecretLimbs
  /// The private exponent, which can be disclosed but is not used for calculations.
  private let d: SecretLimbs
  /// Whether p was the second of the two primes.
  private let swapped: Bool

  init(_ components: RSAPrivateComponents) throws(RSAError) {
    swapped = components.prime1 < components.prime2
    var ordered = components
    if swapped {
      ordered = try RSAPrivateComponents(
        prime1: components.prime2, prime2: components.prime1, publicExponent: components.publicExponent,
        privateExponent: components.privateExponent)
    }
    let (long, short) = (ordered.prime1.limbs.count, ordered.prime2.limbs.count)
    p = SecretLimbs(ordered.prime1, count: long)
    q = SecretLimbs(ordered.prime2, count: short)
    dP = SecretLimbs(ordered.exponent1, count: long)
    dQ = SecretLimbs(ordered.exponent2, count: short)
    qInv = SecretLimbs(ordered.coefficient, count: long)
    d = SecretLimbs(ordered.privateExponent, count: ordered.modulus.limbs.count)
  }

  /// Writes c^d mod n to `result`, by the Chinese remainder theorem (RSADP in RFC 8017 section 5.1.2, 2.b).
  ///
  /// `representative` must have `count` limbs and be below the modulus. It should be blinded.
  func exponentiate(_ representative: UnsafePointer<UInt>, count: Int, into result: UnsafeMutablePointer<UInt>) {
    let (long, short) = (p.count, q.count)
    let scratch = SecretLimbs(zeros: scratchCount(count))
    let m1 = scratch.start
    let m2 = m1 + long  // as long as m1, with zeros at the end
    let product = m2 + long
    let rest = product + 2 * long
    mpn_sec_powm(m1, representative, count, dP.start, UInt(long * UInt.bitWidth), p.start, long, rest)
    mpn_sec_powm(m2, representative, count, dQ.start, UInt(short * UInt.bitWidth), q.start, short, rest)
    // h = (m1 − m2)·qInv mod p. Because m2 < q < p, adding p once makes the difference positive.
    let borrow = mpn_sub_n(m1, m1, m2, long)
    mpn_cnd_add_n(borrow, m1, m1, p.start, long)
    mpn_sec_mul(product, m1, long, qInv.start, long, rest)
    mpn_sec_div_r(product, 2 * long, p.start, long, rest)
    // m = m2 + q·h
    mpn_sec_mul(result, product, long, q.start, short, rest)
    let carry = mpn_add_n(result, result, m2, short)
    mpn_sec_add_1(result + short, result + short, long, carry, rest)
  }

  private func scratchCount(_ count: Int) -> Int {
    let long = p.count
    let needs = [
      mpn_sec_powm_itch(count, UInt(long * UInt.bitWidth), long),
      mpn_sec_powm_itch(count, UInt(q.count * UInt.bitWidth), q.count),
      mpn_sec_mul_itch(long, long), mpn_sec_div_r_itch(2 * long, long), mpn_sec_mul_itch(long, q.count),
      mpn_sec_add_1_itch(long),
    ]
    return 4 * long + (needs.max() ?? 0)
  }

  /// Copies the numbers to memory that is not wiped.
  func disclosed(publicExponent: Natural) throws(RSAError) -> RSAPrivateComponents {
    let (larger, smaller) = (p.disclosed(), q.disclosed())
    return try RSAPrivateComponents(
      prime1: swapped ? smaller : larger, prime2: swapped ? larger : smaller, publicExponent: publicExponent,
      privateExponent: d.disclosed())
  }
}

/// The pair r^e mod n and r⁻¹ mod n, which hides the input of a private operation (P. Kocher, 1996).
///
/// The operation calculates with c·r^e, which is independent of c, and multiplies its result by r⁻¹. Both numbers are
/// squared after each use, which is a cheaper way to obtain a new pair.
struct RSABlinding: ~Copyable, Sendable {
  private let modulus: [UInt]
  private let factor, inverse: SecretLimbs

  /// Creates a pair from `random`, which should depend on the secret key.
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

  /// Copies the two numbers, each as long as the modulus, and computes the next pair.
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

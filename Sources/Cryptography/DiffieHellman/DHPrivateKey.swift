import CGMP

/// A private key for finite-field Diffie–Hellman (RFC 2631 section 2.1, RFC 7919 section 5).
///
/// GMP computes the powers with functions whose time and memory access do not depend on the numbers. The exponent
/// itself is also in ordinary memory, which is not wiped.
public struct DHPrivateKey: Sendable {
  /// The group of the key.
  public let group: DHGroup
  /// The secret exponent, most significant byte first.
  public let rawRepresentation: [UInt8]
  /// The public key g^x mod p, which is as long as the modulus.
  public let publicKey: [UInt8]

  /// Creates a key with an exponent from `random`. A seeded generator results in the same key on every machine.
  ///
  /// Throws `KeyAgreementError.invalidPrivateKey` if the modulus is even or 1, because GMP cannot compute powers with
  /// it.
  public init(_ group: DHGroup, random: inout DeterministicRandom) throws(KeyAgreementError) {
    var drawn = random.bytes((group.exponentBits + 7) / 8)
    let excess = UInt8(truncatingIfNeeded: drawn.count * 8 - group.exponentBits)
    drawn[0] &= 0xff >> excess
    // The values 0 and 1 would not be secret. In a useful group, they occur once in 2^224 draws.
    if drawn.dropLast().allSatisfy({ $0 == 0 }) { drawn[drawn.count - 1] |= 2 }
    try self.init(group, rawRepresentation: drawn)
  }

  /// Creates the key with this exponent; also throws if the exponent is 0.
  public init(_ group: DHGroup, rawRepresentation: [UInt8]) throws(KeyAgreementError) {
    self.group = group
    self.rawRepresentation = rawRepresentation
    guard let power = Self.power(of: group.generator, rawRepresentation, group.prime) else { throw .invalidPrivateKey }
    publicKey = power
  }

  /// The shared secret Y^x mod p, as long as the modulus. TLS before 1.3 strips its leading zeros (RFC 5246 section
  /// 8.1.2).
  ///
  /// Throws unless 1 < Y < p - 1, because other values result in a secret that an observer can predict (RFC 7919
  /// section 5.1).
  public func sharedSecret(with peer: [UInt8]) throws(KeyAgreementError) -> [UInt8] {
    let value = Natural(bigEndian: peer)
    guard value > 1, let last = try? group.prime.subtracting(1), value < last else { throw .invalidPublicKey }
    guard let secret = Self.power(of: value, rawRepresentation, group.prime) else { throw .invalidPrivateKey }
    return secret
  }

  /// Returns base^exponent mod modulus, as long as the modulus; nil if GMP does not accept the numbers.
  private static func power(of base: Natural, _ exponent: [UInt8], _ modulus: Natural) -> [UInt8]? {
    let count = modulus.limbs.count
    guard modulus.isOdd, modulus > 1, !base.isZero, exponent.contains(where: { $0 != 0 }) else { return nil }
    let limbs = SecretLimbs(bigEndian: exponent, count: (exponent.count + 7) / 8)
    let bits = UInt(limbs.count * UInt.bitWidth)
    let scratch = SecretLimbs(zeros: mpn_sec_powm_itch(base.limbs.count, bits, count))
    let result = SecretLimbs(zeros: count)
    mpn_sec_powm(
      result.start, base.limbs, base.limbs.count, limbs.start, bits, modulus.limbs, count, scratch.start)
    return try? result.disclosed().bigEndianBytes(count: modulus.byteCount)
  }
}

/// The common part of DSA and ECDSA verification (FIPS 186-4 section 4.7, FIPS 186-5 section 6.4.2).
struct DigitalSignature {
  /// The number that a valid signature reproduces.
  let r: Natural
  /// The factor of the group's generator: the digest divided by s.
  let u: Natural
  /// The factor of the public key: r divided by s.
  let v: Natural

  /// Reads a signature in DER (RFC 3279 sections 2.2.2 and 2.2.3) over `message` by a key of a group of `order`.
  ///
  /// - Throws: `SignatureError` if it is malformed, or if r or s is out of range.
  init(_ signature: [UInt8], over message: [UInt8], hash: Hash, order: Natural) throws(SignatureError) {
    let (r, s) = try KeyDER.signature(signature)
    guard !r.isZero, r < order, !s.isZero, s < order, let inverse = s.inverse(modulo: order) else { throw .mismatch }
    let digest = hash.digest(message)
    let number = Natural(bigEndian: digest).shiftedRight(by: digest.count * 8 - order.bitWidth)
    self.r = r
    do {
      u = try (number * inverse).remainder(dividingBy: order)
      v = try (r * inverse).remainder(dividingBy: order)
    } catch {
      throw .mismatch
    }
  }
}

/// The steps that DSA and ECDSA verification have in common (FIPS 186-4 section 4.7, FIPS 186-5 section 6.4.2).
struct DigitalSignature {
  /// The number r, which the verification of a valid signature reproduces.
  let r: Natural
  /// The factor of the group's generator: the digest divided by s.
  let u: Natural
  /// The factor of the public key: r divided by s.
  let v: Natural

  /// Decodes a DER signature (RFC 3279 sections 2.2.2 and 2.2.3) over `message`, by a key in a group of `order`.
  ///
  /// - Throws: `SignatureError` if the signature is malformed, or if r or s is out of range.
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

/// ECDSA private key: a scalar.
///
/// Its signatures are those of RFC 6979, which need no randomness: the same key and message make the same signature.
/// The point is swift-crypto's work, and the arithmetic modulo the order takes the same way for every scalar and nonce.
/// What is not hidden: scalar, nonce and the generator that nonces come from pass through ordinary memory that nobody
/// wipes, and reading and writing keys takes what time it takes.
public struct ECPrivateKey: Sendable {
  /// The public half.
  public let publicKey: ECPublicKey
  /// The scalar, as long as the curve's coordinates: the secret itself.
  public let rawRepresentation: [UInt8]

  /// The curve.
  public var curve: EllipticCurve { publicKey.curve }

  /// The key with this scalar, most significant byte first; nil unless it has the curve's `byteCount` and is 1 to n − 1.
  public init?(_ curve: EllipticCurve, rawRepresentation: [UInt8]) {
    guard let point = curve.point(rawRepresentation), let key = ECPublicKey(curve, point: point) else { return nil }
    publicKey = key
    self.rawRepresentation = rawRepresentation
  }

  /// A key whose scalar is drawn from `random` (rejection sampling, FIPS 186-5 appendix A.2.2).
  public static func generate(_ curve: EllipticCurve, random: inout DeterministicRandom) -> ECPrivateKey {
    while true {
      let drawn = curve.number(random.bytes(curve.byteCount))
      if let scalar = try? drawn.bigEndianBytes(count: curve.byteCount),
        let key = ECPrivateKey(curve, rawRepresentation: scalar)
      {
        return key
      }
    }
  }

  /// ECDSA, FIPS 186-5 section 6.4.1, with the k of RFC 6979 section 3.2: an Ecdsa-Sig-Value in DER (RFC 3279 section
  /// 2.2.3).
  ///
  /// Throws `ArithmeticError` only when the curve's own constants were wrong.
  public func sign(message: [UInt8], hash: Hash) throws(ArithmeticError) -> [UInt8] {
    let arithmetic = try OrderArithmetic(curve)
    let reduced = try curve.number(hash.digest(message)).remainder(dividingBy: curve.order)
    let secret = SecretLimbs(bigEndian: rawRepresentation, count: arithmetic.count)
    var candidates = DeterministicRandom(
      seedMaterial: rawRepresentation + (try reduced.bigEndianBytes(count: curve.byteCount)), hash: hash)
    while true {
      let k = curve.scalar(candidates.bytes(curve.byteCount))
      // Nil unless k is from 1 to n − 1.
      guard let point = curve.point(k) else { continue }
      let r = try Natural(bigEndian: point[1...curve.byteCount]).remainder(dividingBy: curve.order)
      let product = arithmetic.product(SecretLimbs(r, count: arithmetic.count), secret)
      let sum = arithmetic.sum(SecretLimbs(reduced, count: arithmetic.count), product)
      let inverse = arithmetic.inverse(SecretLimbs(bigEndian: k, count: arithmetic.count))
      let s = arithmetic.product(inverse, sum).disclosed()
      if !r.isZero, !s.isZero { return KeyDER.sequence(of: [r, s]) }
    }
  }
}

/// ECDSA private key: a scalar.
///
/// Its signatures are those of RFC 6979, which need no randomness: the same key and message make the same signature.
/// The arithmetic modulo the order does not hide the scalar from someone who measures time; a simulator's keys need
/// no more.
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
    let order = curve.order
    let secret = Natural(bigEndian: rawRepresentation)
    let digest = hash.digest(message)
    let reduced = try curve.number(digest).remainder(dividingBy: order)
    var candidates = DeterministicRandom(
      seedMaterial: rawRepresentation + (try reduced.bigEndianBytes(count: curve.byteCount)), hash: hash)
    while true {
      let k = curve.number(candidates.bytes(curve.byteCount))
      guard let point = curve.point(try k.bigEndianBytes(count: curve.byteCount)),
        let inverse = k.inverse(modulo: order)
      else { continue }
      let r = try Natural(bigEndian: point[1...curve.byteCount]).remainder(dividingBy: order)
      let s = try (inverse * (reduced + r * secret)).remainder(dividingBy: order)
      if !r.isZero, !s.isZero { return KeyDER.sequence(of: [r, s]) }
    }
  }
}

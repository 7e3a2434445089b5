import SwiftASN1

/// A public key on a curve that the Web does not use.
///
/// The curve is P-192, P-224, secp256k1 or a curve of RFC 5639. The key can only verify signatures.
public struct NamedCurvePublicKey: Sendable {
  /// The SubjectPublicKeyInfo that the key was decoded from.
  public let subjectPublicKeyInfo: [UInt8]
  /// The uncompressed point `04 x y` (SEC 1 section 2.3.3).
  public let point: [UInt8]
  private let curve: NamedCurve
  private let coordinates: NamedCurve.Point

  /// The name of the curve, such as `brainpoolP256r1`.
  public var curveName: String { curve.name }
  /// The size of the curve's field in bits.
  public var bits: Int { curve.bits }

  /// Creates the key; nil if the bytes are not a point `04 x y` of the curve.
  init?(_ curve: NamedCurve, point: ArraySlice<UInt8>, encoded: [UInt8]) {
    guard let coordinates = curve.point(point) else { return nil }
    self.curve = curve
    self.coordinates = coordinates
    self.point = Array(point)
    subjectPublicKeyInfo = encoded
  }

  /// Verifies an ECDSA signature (FIPS 186-5 section 6.4.2): an Ecdsa-Sig-Value in DER (RFC 3279 section 2.2.3).
  ///
  /// Throws `SignatureError` if the signature is not valid for `message`.
  public func verify(_ signature: [UInt8], message: [UInt8], hash: Hash) throws(SignatureError) {
    let order = curve.order
    let signature = try DigitalSignature(signature, over: message, hash: hash, order: order)
    do {
      guard let x = curve.combination(signature.u, signature.v, coordinates),
        try x.remainder(dividingBy: order) == signature.r
      else { throw SignatureError.mismatch }
    } catch {
      throw .mismatch
    }
  }
}

extension NamedCurvePublicKey: Hashable {
  /// Whether the keys have the same curve and point.
  public static func == (left: NamedCurvePublicKey, right: NamedCurvePublicKey) -> Bool {
    left.curve.oid == right.curve.oid && left.curve.generator == right.curve.generator && left.point == right.point
  }

  /// Hashes the point of the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(point) }
}

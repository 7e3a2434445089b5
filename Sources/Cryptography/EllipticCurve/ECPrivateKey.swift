import SwiftASN1

/// An ECDSA private key, which is a secret scalar.
///
/// Signatures follow RFC 6979 and need no randomness: the same key and message result in the same signature. The
/// library swift-crypto multiplies the base point. Arithmetic modulo the order performs the same operations for every
/// scalar and nonce.
///
/// The scalar, the nonce and the nonce generator are also in ordinary memory, which is not wiped. The time to read and
/// write keys depends on them.
public struct ECPrivateKey: Sendable {
  /// The public key.
  public let publicKey: ECPublicKey
  /// The secret scalar, which is as long as a coordinate of the curve.
  public let rawRepresentation: [UInt8]

  /// The curve of the key.
  public var curve: EllipticCurve { publicKey.curve }

  /// Creates the key with this big-endian scalar; nil unless it has `byteCount` bytes and is from 1 to n − 1.
  public init?(_ curve: EllipticCurve, rawRepresentation: [UInt8]) {
    guard let point = curve.point(rawRepresentation), let key = ECPublicKey(curve, point: point) else { return nil }
    publicKey = key
    self.rawRepresentation = rawRepresentation
  }

  /// Returns the key whose scalar is 1, so that the public key is the base point.
  public static func one(on curve: EllipticCurve) -> ECPrivateKey? {
    ECPrivateKey(curve, rawRepresentation: [UInt8](repeating: 0, count: curve.byteCount - 1) + [1])
  }

  /// Generates a key whose scalar comes from `random`, by rejection sampling (FIPS 186-5 appendix A.2.2).
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

  /// Signs with ECDSA (FIPS 186-5 section 6.4.1) and the k of RFC 6979 section 3.2.
  ///
  /// The result is an Ecdsa-Sig-Value in DER (RFC 3279 section 2.2.3). Throws `ArithmeticError` only if the curve's
  /// constants are wrong.
  public func sign(message: [UInt8], hash: Hash) throws(ArithmeticError) -> [UInt8] {
    let arithmetic = try OrderArithmetic(curve)
    let reduced = try curve.number(hash.digest(message)).remainder(dividingBy: curve.order)
    let secret = SecretLimbs(bigEndian: rawRepresentation, count: arithmetic.count)
    var candidates = DeterministicRandom(
      seedMaterial: rawRepresentation + (try reduced.bigEndianBytes(count: curve.byteCount)), hash: hash)
    while true {
      let k = curve.scalar(candidates.bytes(curve.byteCount))
      // The point is nil unless k is from 1 to n − 1.
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

extension ECPrivateKey {
  /// The PrivateKeyInfo in DER (RFC 5208 section 5 with RFC 5915), which contains the secret.
  public var pkcs8: [UInt8] {
    let content = KeyDER.sequence { fields in
      try fields.serialize(1)
      try fields.serialize(ASN1OctetString(contentBytes: rawRepresentation[...]))
      try fields.appendConstructedNode(identifier: ECPrivateKey.publicKeyTag) { fields in
        try fields.serialize(ASN1BitString(bytes: publicKey.point[...]))
      }
    }
    return KeyDER.sequence { fields in
      try fields.serialize(0)
      try fields.appendConstructedNode(identifier: .sequence) { fields in
        try fields.serialize(ASN1ObjectIdentifier.AlgorithmIdentifier.idEcPublicKey)
        try fields.serialize(curve.oid)
      }
      try fields.serialize(ASN1OctetString(contentBytes: content[...]))
    }
  }

  /// Decodes an ECPrivateKey (RFC 5915 section 3).
  ///
  /// The curve is named in the structure, in the `parameters` around it, or in both. If both name it, they must agree.
  /// A public key in the structure must belong to the scalar.
  init(sec1 node: ASN1Node, parameters: ASN1Node? = nil) throws {
    let (scalar, named, point) = try DER.sequence(node, identifier: .sequence) { fields in
      guard try Int(derEncoded: &fields) == 1 else { throw ECPrivateKey.malformed("version must be 1") }
      let scalar = try ASN1OctetString(derEncoded: &fields)
      let named = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) { $0 }
      let point = try DER.optionalExplicitlyTagged(&fields, tagNumber: 1, tagClass: .contextSpecific) {
        try ASN1BitString(derEncoded: $0)
      }
      return (scalar.bytes, named, point)
    }
    let curves = try [named, parameters].compactMap { $0 }.map(ECPrivateKey.curve)
    guard let curve = curves.first else { throw ECPrivateKey.malformed("the curve is missing") }
    guard curves.allSatisfy({ $0 == curve }), let key = ECPrivateKey(curve, rawRepresentation: Array(scalar)) else {
      throw ECPrivateKey.malformed("not a scalar of \(curve.rawValue)")
    }
    guard point.map({ Array($0.bytes) == key.publicKey.point }) ?? true else {
      throw ECPrivateKey.malformed("the public key does not match the private scalar")
    }
    self = key
  }

  private static let publicKeyTag = ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific)

  private static func curve(_ parameters: ASN1Node) throws -> EllipticCurve {
    let oid = try? ASN1ObjectIdentifier(derEncoded: parameters)
    guard let curve = EllipticCurve.allCases.first(where: { $0.oid == oid }) else {
      throw KeyError.unsupportedAlgorithm(oid.map { "EC \($0)" } ?? "EC on an unnamed curve")
    }
    return curve
  }

  private static func malformed(_ reason: String) -> KeyError { .malformed(structure: "ECPrivateKey", reason: reason) }
}

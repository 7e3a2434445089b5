import SwiftASN1

extension ECPrivateKey {
  /// PrivateKeyInfo in DER, RFC 5208 section 5 with RFC 5915: the secret itself.
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

  /// Reads ECPrivateKey, RFC 5915 section 3: the curve is named inside, or by the `parameters` around it, which must
  /// not contradict each other; a public key inside must be the one of the scalar.
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
    guard let curve = curves.first else { throw ECPrivateKey.malformed("no curve is named") }
    guard curves.allSatisfy({ $0 == curve }), let key = ECPrivateKey(curve, rawRepresentation: Array(scalar)) else {
      throw ECPrivateKey.malformed("no scalar of \(curve.rawValue)")
    }
    guard point.map({ Array($0.bytes) == key.publicKey.point }) ?? true else {
      throw ECPrivateKey.malformed("the public key does not belong to the scalar")
    }
    self = key
  }

  private static let publicKeyTag = ASN1Identifier(tagWithNumber: 1, tagClass: .contextSpecific)

  private static func curve(_ parameters: ASN1Node) throws -> EllipticCurve {
    let oid = try? ASN1ObjectIdentifier(derEncoded: parameters)
    guard let curve = EllipticCurve.allCases.first(where: { $0.oid == oid }) else {
      throw KeyError.unsupportedAlgorithm(oid.map { "EC \($0)" } ?? "EC on a curve without a name")
    }
    return curve
  }

  private static func malformed(_ reason: String) -> KeyError { .malformed(structure: "ECPrivateKey", reason: reason) }
}

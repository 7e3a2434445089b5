import SwiftASN1

/// A curve whose parameters are in the key itself (ECParameters, SEC 1 section C.2).
///
/// RFC 5480 section 2.1.1 forbids this form. A key in this form verifies signatures if its parameters are those of a
/// curve in `EllipticCurve`, except that it can have any generator (CVE-2020-0601).
extension EllipticCurve {
  /// The prime of the field, and the coefficient b. The coefficient a is p − 3.
  private var constants: (p: Natural, b: Natural) {
    switch self {
    case .p256: EllipticCurve.allConstants[0]
    case .p384: EllipticCurve.allConstants[1]
    case .p521: EllipticCurve.allConstants[2]
    }
  }

  /// The numbers in SP 800-186 section 3.2.1.
  private static let allConstants: [(p: Natural, b: Natural)] = [
    (
      "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff",
      "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"
    ),
    (
      "fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffeffffffff0000000000000000ffffffff",
      "b3312fa7e23ee7e4988e056be3f82d19181d9c6efe8141120314088f5013875ac656398d8a2ed19d2a85c8edd3ec2aef"
    ),
    (
      "1ff" + String(repeating: "f", count: 128),
      "51953eb9618e1c9a1f929a21a0b68540eea2da725b99b315f3b8b489918ef109e156193951ec7e937b1652c0bd3bb1bf073573df"
        + "883d2c34f1ef451fd46b503f00"
    ),
  ].map { (Natural($0.0, radix: 16) ?? 0, Natural($0.1, radix: 16) ?? 0) }

  private static let primeField: ASN1ObjectIdentifier = [1, 2, 840, 10045, 1, 1]

  /// The curve with `generator`, which is `04 x y`, in place of its base point; nil if that is not a point.
  func curve(generator: ArraySlice<UInt8>) -> NamedCurve? {
    let (p, b) = constants
    guard let a = try? p.subtracting(3) else { return nil }
    return NamedCurve("explicit parameters", [0, 0], p: p, a: a, b: b, generator: generator, order: order)
  }

  /// The ECParameters with this generator, or with the base point, in DER.
  func parameters(generator: [UInt8]) throws -> [UInt8] {
    let (p, b) = constants
    let a = try p.subtracting(3)
    let (first, second) = (try a.bigEndianBytes(count: byteCount), try b.bigEndianBytes(count: byteCount))
    return KeyDER.sequence { fields in
      try fields.serialize(1)
      try fields.appendConstructedNode(identifier: .sequence) { fields in
        try fields.serialize(Self.primeField)
        try fields.serialize(p.bigEndianBytes()[...])
      }
      try fields.appendConstructedNode(identifier: .sequence) { fields in
        try fields.serialize(ASN1OctetString(contentBytes: first[...]))
        try fields.serialize(ASN1OctetString(contentBytes: second[...]))
      }
      try fields.serialize(ASN1OctetString(contentBytes: generator[...]))
      try fields.serialize(order.bigEndianBytes()[...])
      try fields.serialize(1)
    }
  }

  /// Decodes ECParameters; nil unless they are those of a curve in this enumeration, with any generator.
  static func explicit(_ node: ASN1Node) -> NamedCurve? {
    guard let (p, a, b, generator, order) = try? numbers(node) else { return nil }
    guard let curve = allCases.first(where: { $0.constants.p == p && $0.constants.b == b && $0.order == order }),
      a == (try? p.subtracting(3))
    else { return nil }
    return curve.curve(generator: generator)
  }

  /// The p, a, b, generator and order of ECParameters. The seed and the cofactor are ignored.
  private static func numbers(
    _ node: ASN1Node
  ) throws -> (p: Natural, a: Natural, b: Natural, generator: ArraySlice<UInt8>, order: Natural) {
    try DER.sequence(node, identifier: .sequence) { fields in
      _ = try Int(derEncoded: &fields)
      let p = try prime(fields.next())
      let (a, b) = try coefficients(fields.next())
      let generator = try ASN1OctetString(derEncoded: &fields).bytes
      let order = try KeyDER.natural(&fields)
      while fields.next() != nil {}
      return (p, a, b, generator, order)
    }
  }

  private static func prime(_ node: ASN1Node?) throws -> Natural {
    guard let node else { throw SignatureError.malformed }
    return try DER.sequence(node, identifier: .sequence) { fields in
      guard try ASN1ObjectIdentifier(derEncoded: &fields) == primeField else { throw SignatureError.malformed }
      return try KeyDER.natural(&fields)
    }
  }

  private static func coefficients(_ node: ASN1Node?) throws -> (Natural, Natural) {
    guard let node else { throw SignatureError.malformed }
    return try DER.sequence(node, identifier: .sequence) { fields in
      let (a, b) = (try ASN1OctetString(derEncoded: &fields).bytes, try ASN1OctetString(derEncoded: &fields).bytes)
      while fields.next() != nil {}
      return (Natural(bigEndian: a), Natural(bigEndian: b))
    }
  }
}

extension ECPublicKey {
  /// The same key with its curve's parameters spelled out, with this generator or with the base point.
  ///
  /// With the key itself as the generator, everyone knows the private key: 1 (CVE-2020-0601).
  public func spellingOutCurve(generator: [UInt8]? = nil) -> PublicKey? {
    let one = [UInt8](repeating: 0, count: curve.byteCount - 1) + [1]
    guard let base = generator ?? curve.point(one),
      let parameters = try? DER.parse(curve.parameters(generator: base))
    else { return nil }
    let der = KeyDER.sequence { fields in
      try fields.appendConstructedNode(identifier: .sequence) { fields in
        try fields.serialize(ASN1ObjectIdentifier.AlgorithmIdentifier.idEcPublicKey)
        fields.serialize(parameters)
      }
      try fields.serialize(ASN1BitString(bytes: point[...]))
    }
    return try? PublicKey(subjectPublicKeyInfo: der)
  }

  /// Signs with ECDSA and the private key 1, which fits this key if the key is its own generator.
  ///
  /// Nil if the curve's arithmetic fails, which does not occur for a nonce below the order.
  public func forgedSignature(over message: [UInt8], hash: Hash) -> [UInt8]? {
    guard let generated = curve.curve(generator: point[...]) else { return nil }
    let digest = hash.digest(message)
    let shift = max(0, digest.count * 8 - curve.bits)
    var candidates = DeterministicRandom(seedMaterial: point + digest, hash: .sha256)
    for _ in 0..<8 {
      let k = curve.number(curve.scalar(candidates.bytes(curve.byteCount)))
      guard let x = generated.combination(k, 0, generated.generator), let inverse = k.inverse(modulo: curve.order),
        let r = try? x.remainder(dividingBy: curve.order),
        let s = try? (inverse * (Natural(bigEndian: digest).shiftedRight(by: shift) + r))
          .remainder(dividingBy: curve.order)
      else { continue }
      if !r.isZero, !s.isZero { return KeyDER.sequence(of: [r, s]) }
    }
    return nil
  }
}

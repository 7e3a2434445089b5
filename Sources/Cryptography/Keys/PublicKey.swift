import SwiftASN1

/// The public key in a certificate.
public enum PublicKey: Sendable, Hashable {
  /// An RSA key, which can verify signatures.
  case rsa(RSAPublicKey)
  /// An ECDSA key on P-256, P-384 or P-521, which can verify signatures.
  case ec(ECPublicKey)
  /// An Ed25519 key, which can verify signatures.
  case ed25519(Ed25519PublicKey)
  /// A key on a curve that only certificates use, which can verify signatures.
  case namedCurve(NamedCurvePublicKey)
  /// A DSA key, which can verify signatures.
  case dsa(DSAPublicKey)
  /// A key whose algorithm or size TrustLab does not support. It can only be described.
  case unsupported(UnsupportedPublicKey)

  /// Decodes a SubjectPublicKeyInfo (RFC 5280 section 4.1.2.7) in strict DER.
  ///
  /// Throws `KeyError` if the bytes are malformed. A well-formed key of an unknown algorithm is not an error, so that a
  /// chain that contains one can still be explained.
  public init(subjectPublicKeyInfo der: [UInt8]) throws(KeyError) {
    if let key = PublicKey.usual(der) {
      self = key
      return
    }
    self = try KeyDER.read(der, as: "SubjectPublicKeyInfo") { node in
      let (algorithm, bits) = try DER.sequence(node, identifier: .sequence) { fields in
        guard let algorithm = fields.next() else { throw ASN1Error.truncatedASN1Field() }
        return (try KeyDER.Algorithm(algorithm), try ASN1BitString(derEncoded: &fields))
      }
      switch algorithm.oid {
      case KeyDER.rsaEncryption, KeyDER.rsa: return try PublicKey.rsa(algorithm, bits, der, .any)
      case .AlgorithmIdentifier.rsaPSS:
        guard let usage = PublicKey.pssUsage(algorithm) else {
          return .unsupported(UnsupportedPublicKey(algorithm, bits, der))
        }
        return try PublicKey.rsa(algorithm, bits, der, usage)
      case .AlgorithmIdentifier.idEcPublicKey: return try PublicKey.ec(algorithm, bits, der)
      case Ed25519PublicKey.algorithm:
        return Ed25519PublicKey(algorithm, bits, der).map { .ed25519($0) }
          ?? .unsupported(UnsupportedPublicKey(algorithm, bits, der))
      case DSAPublicKey.algorithm:
        return try DSAPublicKey(algorithm, bits, der).map { .dsa($0) }
          ?? .unsupported(UnsupportedPublicKey(algorithm, bits, der))
      default: return .unsupported(UnsupportedPublicKey(algorithm, bits, der))
      }
    }
  }

  /// Decodes a key in its most common encoding without a parser; nil for any other encoding.
  private static func usual(_ der: [UInt8]) -> PublicKey? {
    if let key = precomputedP256(der) { return .ec(key) }
    return precomputedRSA(der).map { .rsa($0) }
  }

  /// The bytes before the modulus in nearly every RSA key of 2048, 3072 or 4096 bits, by the encoding's length.
  private static let rsaPrefixes: [Int: [UInt8]] = Dictionary(
    uniqueKeysWithValues: [256, 384, 512].map { size in
      func header(_ tag: UInt8, _ count: Int) -> [UInt8] { [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] }
      let algorithm: [UInt8] = [
        0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
      ]
      let integer = header(0x02, size + 1) + [0]
      let key = header(0x30, integer.count + size + rsaSuffix.count) + integer
      let bits = header(0x03, 1 + key.count + size + rsaSuffix.count) + [0] + key
      let rest = algorithm + bits
      let prefix = header(0x30, rest.count + size + rsaSuffix.count) + rest
      return (prefix.count + size + rsaSuffix.count, prefix)
    })

  /// The encoding of the exponent 65537.
  private static let rsaSuffix: [UInt8] = [0x02, 0x03, 0x01, 0x00, 0x01]

  private static func precomputedRSA(_ der: [UInt8]) -> RSAPublicKey? {
    guard let prefix = rsaPrefixes[der.count], der.starts(with: prefix), der.suffix(rsaSuffix.count) == rsaSuffix[...],
      der[prefix.count] >= 0x80
    else { return nil }
    let modulus = Natural(bigEndian: Array(der[prefix.count..<der.count - rsaSuffix.count]))
    return try? RSAPublicKey(modulus: modulus, exponent: defaultExponent, usage: .any, encoded: der)
  }

  private static let defaultExponent = Natural(bigEndian: [1, 0, 1])

  /// The bytes before `x y` in nearly every P-256 key: id-ecPublicKey, secp256r1, no unused bits, no compression.
  private static let p256Prefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
    0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
  ]

  /// Decodes a P-256 key in its most common encoding without a parser; nil for any other encoding.
  private static func precomputedP256(_ der: [UInt8]) -> ECPublicKey? {
    guard der.count == p256Prefix.count + 64, der.starts(with: p256Prefix) else { return nil }
    return ECPublicKey(.p256, point: Array(der[(p256Prefix.count - 1)...]), encoded: der)
  }

  private static func rsa(
    _ algorithm: KeyDER.Algorithm, _ bits: ASN1BitString, _ der: [UInt8], _ usage: RSAPublicKey.Usage
  ) throws -> PublicKey {
    guard bits.paddingBits == 0 else {
      throw KeyError.malformed(structure: "RSAPublicKey", reason: "the BIT STRING has unused bits")
    }
    let numbers = try KeyDER.naturals(DER.parse(bits.bytes), count: 2)
    // The cost of a verification grows with the size of the exponent. BoringSSL has the same limit.
    guard RSAPublicKey.sizes.contains(numbers[0].bitWidth), numbers[1].bitWidth <= RSAPublicKey.maximumExponentBits
    else {
      return .unsupported(UnsupportedPublicKey(algorithm, bits, der, size: numbers[0].bitWidth))
    }
    return .rsa(try RSAPublicKey(modulus: numbers[0], exponent: numbers[1], usage: usage, encoded: der))
  }

  /// The usage of an RSASSA-PSS key (RFC 4055 section 1.2); nil if its parameters are unknown.
  private static func pssUsage(_ algorithm: KeyDER.Algorithm) -> RSAPublicKey.Usage? {
    guard let parameters = algorithm.parameters else { return .pss(nil) }
    return (try? PSSParameters(parameters)).map { .pss($0) }
  }

  /// Decodes an EC key. A key with an unsupported curve or a compressed point is only described (RFC 5480 section 2).
  private static func ec(
    _ algorithm: KeyDER.Algorithm, _ bits: ASN1BitString, _ der: [UInt8]
  ) throws -> PublicKey {
    let oid = algorithm.parameters.flatMap { try? ASN1ObjectIdentifier(derEncoded: $0) }
    let isCompressed = bits.bytes.first == 2 || bits.bytes.first == 3
    if let curve = NamedCurve.all.first(where: { $0.oid == oid }), !isCompressed {
      guard bits.paddingBits == 0, let key = NamedCurvePublicKey(curve, point: bits.bytes, encoded: der) else {
        throw KeyError.malformed(structure: "ECPoint", reason: "not a point of \(curve.name)")
      }
      return .namedCurve(key)
    }
    guard let curve = EllipticCurve.allCases.first(where: { $0.oid == oid }), !isCompressed
    else { return .unsupported(UnsupportedPublicKey(algorithm, bits, der)) }
    guard bits.paddingBits == 0, let key = ECPublicKey(curve, point: Array(bits.bytes), encoded: der) else {
      throw KeyError.malformed(structure: "ECPoint", reason: "not a point of \(curve.rawValue)")
    }
    return .ec(key)
  }

  /// The SubjectPublicKeyInfo in DER. A key that was decoded from DER keeps its original bytes.
  public var subjectPublicKeyInfo: [UInt8] {
    switch self {
    case .rsa(let key): key.subjectPublicKeyInfo
    case .ec(let key): key.subjectPublicKeyInfo
    case .ed25519(let key): key.subjectPublicKeyInfo
    case .namedCurve(let key): key.subjectPublicKeyInfo
    case .dsa(let key): key.subjectPublicKeyInfo
    case .unsupported(let key): key.subjectPublicKeyInfo
    }
  }

  /// The content of the BIT STRING in SubjectPublicKeyInfo. Its SHA-1 digest is a key identifier (RFC 5280 section
  /// 4.2.1.2, method 1).
  public var subjectPublicKey: [UInt8] {
    switch self {
    case .rsa(let key): key.pkcs1
    case .ec(let key): key.point
    case .ed25519(let key): key.point
    case .namedCurve(let key): key.point
    case .dsa(let key): key.subjectPublicKey
    case .unsupported(let key): key.subjectPublicKey
    }
  }

  /// The size in bits of the modulus, or of the curve's field; nil if unknown.
  public var bits: Int? {
    switch self {
    case .rsa(let key): key.bits
    case .ec(let key): key.curve.bits
    case .ed25519: Ed25519PublicKey.bits
    case .namedCurve(let key): key.bits
    case .dsa(let key): key.bits
    case .unsupported(let key): key.bits
    }
  }

  /// The algorithm, with its curve if there is one: `RSA`, `EC P-256`, `Ed25519`, or an object identifier.
  public var algorithmName: String {
    switch self {
    case .rsa(let key): key.usage == .any ? "RSA" : "RSASSA-PSS"
    case .ec(let key): "EC \(key.curve.rawValue)"
    case .ed25519: "Ed25519"
    case .namedCurve(let key): "EC \(key.curveName)"
    case .dsa: "DSA"
    case .unsupported(let key): key.algorithmName
    }
  }

  /// The algorithm and size of the key, such as `RSA 2048` or `EC P-256`.
  public var description: String {
    switch self {
    case .rsa(let key): "\(algorithmName) \(key.bits)"
    case .ec(let key): "EC \(key.curve.rawValue)"
    case .ed25519, .namedCurve: algorithmName
    case .dsa(let key): "DSA \(key.bits)"
    case .unsupported(let key): key.algorithmName
    }
  }

  /// Verifies that `signature` is valid for `message`; otherwise throws the reason.
  ///
  /// A PSS signature has a salt of `saltLength` bytes (default: the length of the digest). It uses `maskHash` in MGF1
  /// (default: the hash of the message). TLS separately checks that the key's identifier agrees with the scheme's name
  /// (`rsae`, `pss`); see `SignatureScheme.suits(_:)`.
  public func verify(
    _ signature: [UInt8], over message: [UInt8], _ scheme: SignatureScheme, saltLength: Int? = nil,
    maskHash: Hash? = nil
  ) throws(SignatureError) {
    if case .unsupported(let key) = self {
      guard let explicit = key.explicitKey, scheme.keyKind == .ecdsa, let hash = scheme.hash else {
        throw .unsupportedKey(algorithmName)
      }
      return try explicit.verify(signature, message: message, hash: hash)
    }
    if case .ed25519(let key) = self {
      guard scheme == .ed25519 else { throw .keyMismatch(key: algorithmName, scheme: scheme.name) }
      return try key.verify(signature, message: message)
    }
    if case .rsa(let key) = self, scheme == .rsaPKCS1MD5SHA1, key.usage == .any {
      return try key.verifyMD5SHA1(signature, message: message)
    }
    guard let hash = scheme.hash else { throw .keyMismatch(key: algorithmName, scheme: scheme.name) }
    switch (self, scheme.keyKind) {
    case (.rsa(let key), .rsa) where scheme.padding == .pss:
      guard key.permitsPSS(PSSParameters(hash: hash, maskHash: maskHash, saltLength: saltLength)) else {
        throw .keyMismatch(key: algorithmName, scheme: scheme.name)
      }
      try key.verifyPSS(signature, message: message, hash: hash, maskHash: maskHash, saltLength: saltLength)
    case (.rsa(let key), .rsa) where key.usage == .any:
      try key.verifyPKCS1v15(signature, message: message, hash: hash)
    case (.ec(let key), .ecdsa): try key.verify(signature, message: message, hash: hash)
    case (.namedCurve(let key), .ecdsa): try key.verify(signature, message: message, hash: hash)
    case (.dsa(let key), .dsa): try key.verify(signature, message: message, hash: hash)
    default: throw .keyMismatch(key: algorithmName, scheme: scheme.name)
    }
  }
}

extension RSAPublicKey {
  /// The RSAPublicKey in DER (RFC 8017 appendix A.1.1).
  public var pkcs1: [UInt8] { KeyDER.sequence(of: [modulus, exponent]) }

  /// The SubjectPublicKeyInfo in DER. A key that was decoded from DER keeps its original bytes.
  public var subjectPublicKeyInfo: [UInt8] {
    if let encoded { return encoded }
    let key = pkcs1
    return KeyDER.sequence { fields in
      try KeyDER.writeRSAAlgorithm(&fields)
      try fields.serialize(ASN1BitString(bytes: key[...]))
    }
  }
}

extension PublicKey {
  /// Completes a DSA key without domain parameters with those of `issuer`; returns any other key unchanged.
  ///
  /// See RFC 5280 section 6.1.4 (d) to (f) and RFC 3279 section 2.3.2.
  public func inheritingParameters(of issuer: PublicKey?) -> PublicKey {
    guard inheritsParameters, case .unsupported(let key) = self, case .dsa(let parent)? = issuer,
      let whole = DSAPublicKey(parametersOf: parent, key: key)
    else { return self }
    return .dsa(whole)
  }

  /// Whether the key is an Ed25519 key that has parameters or is not 32 bytes long (RFC 8410 sections 3 and 4).
  public var isDamagedEd25519: Bool {
    if case .unsupported(let key) = self { key.algorithm == Ed25519PublicKey.algorithm.oidComponents } else { false }
  }

  /// Whether the key is a DSA key without domain parameters.
  public var inheritsParameters: Bool {
    guard case .unsupported(let key) = self, key.algorithmName == "DSA" else { return false }
    return key.parameters == nil || key.parameters == [0x05, 0x00]
  }
}

/// A public key that TrustLab can only describe.
public struct UnsupportedPublicKey: Sendable, Hashable {
  /// The object identifier of the algorithm.
  public let algorithm: [UInt]
  /// The parameters of the algorithm in DER; nil if there are none.
  public let parameters: [UInt8]?
  /// The algorithm, with its curve if there is one, such as `EC P-256`; the object identifier of an unknown algorithm.
  public let algorithmName: String
  /// The size of the key in bits; nil if unknown.
  public let bits: Int?
  /// The original bytes of the complete SubjectPublicKeyInfo.
  public let subjectPublicKeyInfo: [UInt8]
  /// The content of the BIT STRING in SubjectPublicKeyInfo.
  public let subjectPublicKey: [UInt8]
  /// The EC key if its parameters are spelled out and TrustLab implements the curve; nil for any other key.
  public let explicitKey: NamedCurvePublicKey?

  init(_ algorithm: KeyDER.Algorithm, _ key: ASN1BitString, _ der: [UInt8], size: Int? = nil) {
    let parameters = algorithm.parameters
    let curve = parameters.flatMap { try? ASN1ObjectIdentifier(derEncoded: $0) }
    let known = UnsupportedPublicKey.known(algorithm.oid, curve: curve)
    self.algorithm = algorithm.oid.oidComponents
    self.parameters = parameters.map { Array($0.encodedBytes) }
    algorithmName = known?.name ?? algorithm.oid.description
    bits = size ?? known?.bits ?? UnsupportedPublicKey.modulusSize(algorithm, key)
    subjectPublicKeyInfo = der
    subjectPublicKey = Array(key.bytes)
    let isEC = algorithm.oid == .AlgorithmIdentifier.idEcPublicKey
    explicitKey = (isEC ? parameters : nil).flatMap(EllipticCurve.explicit).flatMap {
      NamedCurvePublicKey($0, point: key.bytes, encoded: der)
    }
  }

  /// The size of the modulus of an RSASSA-PSS key (RFC 4055 section 1.2); nil for any other key.
  private static func modulusSize(_ algorithm: KeyDER.Algorithm, _ key: ASN1BitString) -> Int? {
    guard algorithm.oid == .AlgorithmIdentifier.rsaPSS else { return nil }
    return try? KeyDER.naturals(DER.parse(key.bytes), count: 2).first?.bitWidth
  }

  private struct Known {
    let name: String
    let bits: Int?
  }

  private static func known(_ algorithm: ASN1ObjectIdentifier, curve: ASN1ObjectIdentifier?) -> Known? {
    switch algorithm {
    case .AlgorithmIdentifier.rsaEncryption: Known(name: "RSA", bits: nil)
    case .AlgorithmIdentifier.rsaPSS: Known(name: "RSASSA-PSS", bits: nil)
    case .AlgorithmIdentifier.idEcPublicKey: curves[curve ?? [0, 0]] ?? Known(name: "EC", bits: nil)
    default: others[algorithm]
    }
  }

  private static let curves: [ASN1ObjectIdentifier: Known] = Dictionary(
    EllipticCurve.allCases.map { ($0.oid, Known(name: "EC \($0.rawValue)", bits: $0.bits)) }
      + NamedCurve.all.map { ($0.oid, Known(name: "EC \($0.name)", bits: $0.bits)) }
  ) { first, _ in first }

  private static let others: [ASN1ObjectIdentifier: Known] = [
    [1, 3, 101, 110]: Known(name: "X25519", bits: 255),
    [1, 3, 101, 111]: Known(name: "X448", bits: 448),
    [1, 3, 101, 112]: Known(name: "Ed25519", bits: 255),
    [1, 3, 101, 113]: Known(name: "Ed448", bits: 456),
    DSAPublicKey.algorithm: Known(name: "DSA", bits: nil),
    [1, 2, 840, 10046, 2, 1]: Known(name: "DH", bits: nil),
  ]
}

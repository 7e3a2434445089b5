import SwiftASN1

/// The private key of a CA or a server.
public enum PrivateKey: Sendable {
  /// An RSA private key.
  case rsa(RSAPrivateKey)
  /// An ECDSA private key.
  case ec(ECPrivateKey)
  /// An Ed25519 private key.
  case ed25519(Ed25519PrivateKey)

  /// The public key that belongs to this key.
  public var publicKey: PublicKey {
    switch self {
    case .rsa(let key): .rsa(key.publicKey)
    case .ec(let key): .ec(key.publicKey)
    case .ed25519(let key): .ed25519(key.publicKey)
    }
  }

  /// Signs `message` with a signature scheme.
  ///
  /// Schemes that need randomness get it from `random`. Throws `SignatureError.keyMismatch` or `.modulusTooShort`, and
  /// `RSAError` if the calculation fails.
  public func sign(
    _ message: [UInt8], _ scheme: SignatureScheme, random: inout DeterministicRandom
  ) throws -> [UInt8] {
    switch (self, scheme.keyKind, scheme.hash) {
    case (.rsa(let key), .rsa, let hash?) where scheme.padding == .pss:
      return try key.signPSS(message: message, hash: hash, random: &random)
    case (.rsa(let key), .rsa, let hash?): return try key.signPKCS1v15(message: message, hash: hash)
    case (.rsa(let key), .rsa, nil): return try key.signMD5SHA1(message: message)
    case (.ec(let key), .ecdsa, let hash?): return try key.sign(message: message, hash: hash)
    case (.ed25519(let key), .eddsa, _): return try key.sign(message: message)
    default: throw SignatureError.keyMismatch(key: publicKey.algorithmName, scheme: scheme.name)
    }
  }
}

extension PrivateKey {
  /// Decodes a private key in DER.
  ///
  /// The forms are PrivateKeyInfo (PKCS #8, RFC 5208 section 5, and version 2 of RFC 5958), RSAPrivateKey (PKCS #1, RFC
  /// 8017 appendix A.1.2) and ECPrivateKey with its curve (RFC 5915 section 3). Throws `KeyError` if the bytes have
  /// none of these forms, or if the numbers are inconsistent.
  public init(der: [UInt8]) throws(KeyError) {
    self = try KeyDER.read(der, as: "private key") { node in
      switch try PrivateKey.secondField(node) {
      case .sequence: try PrivateKey(pkcs8: node)
      case .octetString: .ec(try ECPrivateKey(sec1: node))
      default: .rsa(try RSAPrivateKey(pkcs1: node))
      }
    }
  }

  /// The type of the second field, which differs between the structures.
  ///
  /// The field is a SEQUENCE in PrivateKeyInfo, an OCTET STRING in ECPrivateKey and an INTEGER in RSAPrivateKey.
  private static func secondField(_ node: ASN1Node) throws -> ASN1Identifier? {
    try DER.sequence(node, identifier: .sequence) { fields in
      _ = fields.next()
      let second = fields.next()?.identifier
      while fields.next() != nil {}
      return second
    }
  }

  /// Decodes a PrivateKeyInfo structure.
  private init(pkcs8 node: ASN1Node) throws {
    let (algorithm, content) = try DER.sequence(node, identifier: .sequence) { fields in
      guard try KeyDER.natural(&fields) <= 1, let algorithm = fields.next() else {
        throw KeyError.malformed(structure: "PrivateKeyInfo", reason: "version must be 0 or 1")
      }
      let parsed = try KeyDER.Algorithm(algorithm)
      let content = try ASN1OctetString(derEncoded: &fields)
      while fields.next() != nil {}  // attributes, publicKey
      return (parsed, content.bytes)
    }
    switch algorithm.oid {
    case KeyDER.rsaEncryption: self = .rsa(try RSAPrivateKey(pkcs1: DER.parse(content)))
    case .AlgorithmIdentifier.idEcPublicKey:
      self = .ec(try ECPrivateKey(sec1: DER.parse(content), parameters: algorithm.parameters))
    case Ed25519PublicKey.algorithm:
      self = .ed25519(try Ed25519PrivateKey(curvePrivateKey: DER.parse(content)))
    default: throw KeyError.unsupportedAlgorithm(algorithm.oid.description)
    }
  }

  /// Decodes the first private key in PEM text: a `PRIVATE KEY`, `RSA PRIVATE KEY` or `EC PRIVATE KEY`.
  public init(pem: String) throws(KeyError) {
    let blocks: [PEM.Block]
    do {
      blocks = try PEM.decode(pem)
    } catch {
      throw .pem(error)
    }
    guard let block = blocks.first(where: { $0.label.hasSuffix("PRIVATE KEY") }) else {
      throw .label(blocks.first?.label ?? "")
    }
    guard ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"].contains(block.label) else {
      throw .unsupportedAlgorithm(block.label)
    }
    guard !block.isEncrypted else { throw .unsupportedAlgorithm("encrypted \(block.label)") }
    try self.init(der: block.bytes)
  }

  /// The PrivateKeyInfo in DER (PKCS #8, RFC 5208 section 5), which contains the secret.
  public var pkcs8: [UInt8] {
    get throws(RSAError) {
      switch self {
      case .rsa(let key): try key.pkcs8
      case .ec(let key): key.pkcs8
      case .ed25519(let key): key.pkcs8
      }
    }
  }

  /// The PKCS #8 form in PEM with the label `PRIVATE KEY`, which contains the secret.
  public var pem: String {
    get throws(RSAError) { PEM.encode("PRIVATE KEY", try pkcs8) }
  }
}

extension RSAPrivateKey {
  /// The RSAPrivateKey in DER (PKCS #1, RFC 8017 appendix A.1.2), which contains the secret.
  public var pkcs1: [UInt8] {
    get throws(RSAError) {
      let key = try disclosedComponents()
      return KeyDER.sequence(of: [
        0, key.modulus, key.publicExponent, key.privateExponent, key.prime1, key.prime2, key.exponent1, key.exponent2,
        key.coefficient,
      ])
    }
  }

  /// The PrivateKeyInfo in DER (PKCS #8, RFC 5208 section 5), which contains the secret.
  public var pkcs8: [UInt8] {
    get throws(RSAError) {
      let key = try pkcs1
      return KeyDER.sequence { fields in
        try fields.serialize([UInt8]()[...])
        try KeyDER.writeRSAAlgorithm(&fields)
        try fields.serialize(ASN1OctetString(contentBytes: key[...]))
      }
    }
  }

  /// Decodes an RSAPrivateKey with two primes, and checks that all its numbers are consistent.
  convenience init(pkcs1 node: ASN1Node) throws {
    let numbers = try KeyDER.naturals(node, count: 9)
    guard numbers[0].isZero else {
      throw KeyError.malformed(structure: "RSAPrivateKey", reason: "version must be 0 (a key with two primes)")
    }
    let (modulus, primes) = (numbers[1], numbers[4] * numbers[5])
    guard RSAPublicKey.sizes.contains(modulus.bitWidth) else { throw RSAError.modulusSize(bits: modulus.bitWidth) }
    guard modulus == primes else { throw RSAError.inconsistentKey("n is not p * q") }
    let components = try RSAPrivateComponents(
      prime1: numbers[4], prime2: numbers[5], publicExponent: numbers[2], privateExponent: numbers[3])
    guard [components.exponent1, components.exponent2, components.coefficient] == Array(numbers[6...8]) else {
      throw RSAError.inconsistentKey("dP, dQ and qInv do not match d, p and q")
    }
    try self.init(components)
  }
}

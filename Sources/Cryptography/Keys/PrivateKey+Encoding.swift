import SwiftASN1

extension PrivateKey {
  /// Reads PrivateKeyInfo (PKCS #8, RFC 5208 section 5; RFC 5958's attributes and version 2 as well) or RSAPrivateKey
  /// (PKCS #1, RFC 8017 appendix A.1.2), in DER.
  ///
  /// Throws `KeyError` when the bytes are neither, or the numbers do not belong together.
  public init(der: [UInt8]) throws(KeyError) {
    self = try KeyDER.read(der, as: "private key") { node in
      // The second field is a SEQUENCE in PKCS #8 and an INTEGER in PKCS #1.
      let isPKCS8 = try DER.sequence(node, identifier: .sequence) { fields in
        _ = fields.next()
        let second = fields.next()?.identifier
        while fields.next() != nil {}
        return second == .sequence
      }
      return .rsa(try isPKCS8 ? RSAPrivateKey(pkcs8: node) : RSAPrivateKey(pkcs1: node))
    }
  }

  /// Reads the first block of PEM, which is a `PRIVATE KEY` or an `RSA PRIVATE KEY`.
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
    guard ["PRIVATE KEY", "RSA PRIVATE KEY"].contains(block.label) else { throw .unsupportedAlgorithm(block.label) }
    try self.init(der: block.bytes)
  }

  /// PrivateKeyInfo in DER, PKCS #8 (RFC 5208 section 5): the secret itself.
  public var pkcs8: [UInt8] {
    get throws(RSAError) {
      switch self {
      case .rsa(let key): try key.pkcs8
      }
    }
  }

  /// PKCS #8 as PEM, `PRIVATE KEY`: the secret itself.
  public var pem: String {
    get throws(RSAError) { PEM.encode("PRIVATE KEY", try pkcs8) }
  }
}

extension RSAPrivateKey {
  /// RSAPrivateKey in DER, PKCS #1 (RFC 8017 appendix A.1.2): the secret itself.
  public var pkcs1: [UInt8] {
    get throws(RSAError) {
      let key = try disclosedComponents()
      return KeyDER.sequence(of: [
        0, key.modulus, key.publicExponent, key.privateExponent, key.prime1, key.prime2, key.exponent1, key.exponent2,
        key.coefficient,
      ])
    }
  }

  /// PrivateKeyInfo in DER, PKCS #8 (RFC 5208 section 5): the secret itself.
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

  /// Reads PrivateKeyInfo.
  convenience init(pkcs8 node: ASN1Node) throws {
    let content = try DER.sequence(node, identifier: .sequence) { fields in
      guard try KeyDER.natural(&fields) <= 1, let algorithm = fields.next() else {
        throw KeyError.malformed(structure: "PrivateKeyInfo", reason: "version must be 0 or 1")
      }
      let oid = try KeyDER.Algorithm(algorithm).oid
      guard oid == KeyDER.rsaEncryption else { throw KeyError.unsupportedAlgorithm(oid.description) }
      let content = try ASN1OctetString(derEncoded: &fields)
      while fields.next() != nil {}  // attributes, publicKey
      return content.bytes
    }
    try self.init(pkcs1: DER.parse(content))
  }

  /// Reads RSAPrivateKey with two primes, and checks that all its numbers belong together.
  convenience init(pkcs1 node: ASN1Node) throws {
    let numbers = try KeyDER.naturals(node, count: 9)
    guard numbers[0].isZero else {
      throw KeyError.malformed(structure: "RSAPrivateKey", reason: "version must be 0: a key of two primes")
    }
    let (modulus, primes) = (numbers[1], numbers[4] * numbers[5])
    guard RSAPublicKey.sizes.contains(modulus.bitWidth) else { throw RSAError.modulusSize(bits: modulus.bitWidth) }
    guard modulus == primes else { throw RSAError.inconsistentKey("n is not p * q") }
    let components = try RSAPrivateComponents(
      prime1: numbers[4], prime2: numbers[5], publicExponent: numbers[2], privateExponent: numbers[3])
    guard [components.exponent1, components.exponent2, components.coefficient] == Array(numbers[6...8]) else {
      throw RSAError.inconsistentKey("dP, dQ and qInv do not follow from d, p and q")
    }
    try self.init(components)
  }
}

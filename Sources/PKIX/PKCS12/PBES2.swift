import Cryptography

/// Encryption under a passphrase, RFC 8018 section 6.2: PBKDF2 with HMAC-SHA-256 and AES-256-CBC.
enum PBES2 {
  /// What was encrypted, and the AlgorithmIdentifier that says how.
  struct Encrypted {
    let algorithm: [UInt8]
    let content: [UInt8]
  }

  static func encrypt(
    _ content: [UInt8], _ passphrase: String, _ random: inout DeterministicRandom
  ) throws(CipherError) -> Encrypted {
    let salt = random.bytes(16)
    let vector = random.bytes(AESCBC.blockSize)
    let key = try PBKDF2.key(passphrase, salt: salt, iterations: PKCS12.iterations, count: 32)
    let padding = AESCBC.blockSize - content.count % AESCBC.blockSize
    let padded = content + [UInt8](repeating: UInt8(padding), count: padding)
    return Encrypted(
      algorithm: algorithm(salt: salt, vector: vector), content: try AESCBC.encrypt(padded, key: key, iv: vector))
  }

  private static func algorithm(salt: [UInt8], vector: [UInt8]) -> [UInt8] {
    let function = DER.sequence(
      DER.objectIdentifier(OID(1, 2, 840, 113549, 2, 9)), DER.element(DERTag.null, []))  // hmacWithSHA256
    let derivation = DER.sequence(
      DER.objectIdentifier(OID(1, 2, 840, 113549, 1, 5, 12)),  // PBKDF2
      DER.sequence(DER.octetString(salt), DER.integer(PKCS12.iterations), function))
    let cipher = DER.sequence(
      DER.objectIdentifier(OID(2, 16, 840, 1, 101, 3, 4, 1, 42)), DER.octetString(vector))  // aes256-CBC
    return DER.sequence(
      DER.objectIdentifier(OID(1, 2, 840, 113549, 1, 5, 13)), DER.sequence(derivation, cipher))  // PBES2
  }
}

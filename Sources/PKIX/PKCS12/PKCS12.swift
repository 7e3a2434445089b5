import Cryptography

/// A key and its certificates in one file under a passphrase, RFC 7292: what `.p12` and `.pfx` files are.
///
/// Key and certificates are encrypted with PBES2 (RFC 8018: PBKDF2 with HMAC-SHA-256, AES-256-CBC), and the whole is
/// authenticated with HMAC-SHA-256. The same contents and generator give the same bytes.
public struct PKCS12 {
  /// The name that key and certificate are shown under.
  public let friendlyName: String
  /// PrivateKeyInfo of the first certificate's key (RFC 5208).
  public let key: [UInt8]
  /// The key's certificate first, then those of its issuers.
  public let certificates: [Certificate]
  /// How often a passphrase is hashed: as often as `openssl pkcs12` does.
  static let iterations = 2048

  /// A file of `key` and its `certificates`.
  public init(friendlyName: String, key: [UInt8], certificates: [Certificate]) {
    self.friendlyName = friendlyName
    self.key = key
    self.certificates = certificates
  }

  /// The PFX under `passphrase`; salts and vectors come from `random`. Throws what the cipher throws.
  public func encoded(passphrase: String, random: inout DeterministicRandom) throws(CipherError) -> [UInt8] {
    let authenticated = DER.sequence(
      PKCS12.encryptedData(try PBES2.encrypt(certificateBags, passphrase, &random)),
      PKCS12.data(try keyBag(passphrase, &random)))
    return DER.sequence(
      DER.integer(3), PKCS12.data(authenticated), try PKCS12.authentication(of: authenticated, passphrase, &random))
  }

  /// MacData, section 4.
  private static func authentication(
    of content: [UInt8], _ passphrase: String, _ random: inout DeterministicRandom
  ) throws(CipherError) -> [UInt8] {
    let salt = random.bytes(16)
    let key = try PKCS12KeyDerivation.bytes(
      .macKey, PKCS12KeyDerivation.characters(passphrase), salt: salt, iterations: iterations, count: 32, hash: .sha256)
    let code = HMAC.Key(.sha256, key).authenticationCode(content)
    let digest = DER.sequence(
      DER.sequence(DER.objectIdentifier(.sha256), DER.element(DERTag.null, [])), DER.octetString(code))
    return DER.sequence(digest, DER.octetString(salt), DER.integer(iterations))
  }

  /// SafeContents with a CertBag for every certificate, section 4.2.3.
  private var certificateBags: [UInt8] {
    DER.sequence(
      of: certificates.enumerated().map { index, certificate in
        let bag = DER.sequence(
          DER.objectIdentifier(.x509Certificate), PKCS12.explicit(DER.octetString(certificate.der)))
        return PKCS12.bag(.certBag, bag, attributes: index == 0 ? attributes : [])
      })
  }

  /// SafeContents with the PKCS8ShroudedKeyBag, section 4.2.2.
  private func keyBag(_ passphrase: String, _ random: inout DeterministicRandom) throws(CipherError) -> [UInt8] {
    let secret = try PBES2.encrypt(key, passphrase, &random)
    return DER.sequence(
      PKCS12.bag(
        .pkcs8ShroudedKeyBag, DER.sequence(secret.algorithm, DER.octetString(secret.content)), attributes: attributes))
  }

  /// What tells a reader that key and certificate belong together: friendlyName and localKeyId, section 4.2.
  private var attributes: [[UInt8]] {
    let units = friendlyName.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let identifier = Hash.sha1.digest(certificates.first?.der ?? [])
    return [
      PKCS12.attribute(.friendlyName, DER.element(DERTag.bmpString, units)),
      PKCS12.attribute(.localKeyID, DER.octetString(identifier)),
    ]
  }

  private static func attribute(_ type: OID, _ value: [UInt8]) -> [UInt8] {
    DER.sequence(DER.objectIdentifier(type), DER.element(DERTag.set, value))
  }

  private static func bag(_ type: OID, _ value: [UInt8], attributes: [[UInt8]]) -> [UInt8] {
    let set = attributes.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }
    return DER.sequence(DER.objectIdentifier(type), explicit(value), set.isEmpty ? [] : DER.element(DERTag.set, set))
  }

  private static func explicit(_ value: [UInt8]) -> [UInt8] {
    DER.element(DERTag.context(0, constructed: true), value)
  }

  /// ContentInfo of type data, RFC 5652 section 4.
  private static func data(_ content: [UInt8]) -> [UInt8] {
    DER.sequence(DER.objectIdentifier(.pkcs7Data), explicit(DER.octetString(content)))
  }

  /// ContentInfo of type encrypted-data, RFC 5652 section 8.
  private static func encryptedData(_ secret: PBES2.Encrypted) -> [UInt8] {
    let content = DER.sequence(
      DER.objectIdentifier(.pkcs7Data), secret.algorithm, DER.element(DERTag.context(0), secret.content))
    return DER.sequence(
      DER.objectIdentifier(.pkcs7EncryptedData), explicit(DER.sequence(DER.integer(0), content)))
  }
}

extension OID {
  fileprivate static let pkcs7Data = OID(1, 2, 840, 113549, 1, 7, 1)
  fileprivate static let pkcs7EncryptedData = OID(1, 2, 840, 113549, 1, 7, 6)
  fileprivate static let friendlyName = OID(1, 2, 840, 113549, 1, 9, 20)
  fileprivate static let localKeyID = OID(1, 2, 840, 113549, 1, 9, 21)
  fileprivate static let x509Certificate = OID(1, 2, 840, 113549, 1, 9, 22, 1)
  fileprivate static let pkcs8ShroudedKeyBag = OID(1, 2, 840, 113549, 1, 12, 10, 1, 2)
  fileprivate static let certBag = OID(1, 2, 840, 113549, 1, 12, 10, 1, 3)
  fileprivate static let sha256 = OID(2, 16, 840, 1, 101, 3, 4, 2, 1)
}

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

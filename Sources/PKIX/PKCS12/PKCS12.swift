import Cryptography

/// A key and its certificates in one file that a passphrase protects (RFC 7292): a `.p12` or `.pfx` file.
///
/// The key and the certificates are encrypted, and a MAC with the same passphrase protects the whole file. The same
/// contents and random generator produce the same bytes. `PKCS12.Archive` reads such files.
public struct PKCS12: Sendable {
  /// The display name of the key and its certificate.
  public let friendlyName: String
  /// The PrivateKeyInfo of the first certificate's key (RFC 5208).
  public let key: [UInt8]
  /// The key's certificate, followed by those of its issuers.
  public let certificates: [Certificate]
  /// The number of iterations in each key derivation, as in `openssl pkcs12`.
  static let iterations = 2048

  /// The encryption of a file that TrustLab writes.
  public enum Protection: String, Sendable, Hashable, CaseIterable {
    /// PBES1 with 3DES for the key and the certificates.
    case pbes1TripleDES = "pbes1-3des"
    /// PBES1 with 40-bit RC2 for the certificates and 3DES for the key, the common form for twenty years.
    case pbes1RC2 = "pbes1-rc2-40"
    /// PBES2 with AES-256-CBC and HMAC-SHA-256.
    case pbes2AES = "pbes2-aes-256"

    fileprivate var schemes: (certificates: Encryption.Scheme, key: Encryption.Scheme) {
      switch self {
      case .pbes1TripleDES: (.pbes1(.tripleDES), .pbes1(.tripleDES))
      case .pbes1RC2: (.pbes1(.rc2of40), .pbes1(.tripleDES))
      case .pbes2AES: (.pbes2(.aes256, .sha256), .pbes2(.aes256, .sha256))
      }
    }
  }

  /// The authentication of a file that TrustLab writes.
  public enum MAC: String, Sendable, Hashable, CaseIterable {
    /// HMAC-SHA-1.
    case sha1
    /// HMAC-SHA-256, the default of OpenSSL since 3.0.
    case sha256
    /// No authentication.
    case none

    fileprivate var algorithm: (hash: Hash, oid: OID)? {
      switch self {
      case .sha1: (.sha1, OID(1, 3, 14, 3, 2, 26))
      case .sha256: (.sha256, .sha256)
      case .none: nil
      }
    }
  }

  /// Creates a file with `key` and its `certificates`.
  public init(friendlyName: String, key: [UInt8], certificates: [Certificate]) {
    self.friendlyName = friendlyName
    self.key = key
    self.certificates = certificates
  }

  /// Encodes the PFX with `passphrase`. Salts and vectors come from `random`. Throws the error of the cipher.
  public func encoded(
    passphrase: String, protection: Protection = .pbes2AES, mac: MAC = .sha256, random: inout DeterministicRandom
  ) throws(CipherError) -> [UInt8] {
    let (passphrase, schemes) = (Passphrase(passphrase), protection.schemes)
    let certificates = try Encrypted(certificateBags, schemes.certificates, passphrase, &random)
    let authenticated = DER.sequence(
      PKCS12.encryptedData(certificates), PKCS12.data(try keyBag(schemes.key, passphrase, &random)))
    return DER.sequence(
      DER.integer(3), PKCS12.data(authenticated),
      try PKCS12.authentication(of: authenticated, mac, passphrase, &random))
  }

  /// Encrypted data and its AlgorithmIdentifier.
  private struct Encrypted {
    let algorithm: [UInt8]
    let content: [UInt8]

    init(
      _ plaintext: [UInt8], _ scheme: Encryption.Scheme, _ passphrase: Passphrase,
      _ random: inout DeterministicRandom
    ) throws(CipherError) {
      let encryption = Encryption(scheme, iterations: PKCS12.iterations, random: &random)
      algorithm = encryption.algorithm
      content = try encryption.encrypt(plaintext, passphrase)
    }
  }

  /// Encodes MacData (section 4); empty without authentication.
  private static func authentication(
    of content: [UInt8], _ mac: MAC, _ passphrase: Passphrase, _ random: inout DeterministicRandom
  ) throws(CipherError) -> [UInt8] {
    guard let (hash, oid) = mac.algorithm else { return [] }
    let salt = random.bytes(16)
    let key = try PKCS12KeyDerivation.bytes(
      .macKey, passphrase.characters, salt: salt, iterations: iterations, count: hash.digestSize, hash: hash)
    let code = HMAC.Key(hash, key).authenticationCode(content)
    let digest = DER.sequence(
      DER.sequence(DER.objectIdentifier(oid), DER.element(DERTag.null, [])), DER.octetString(code))
    return DER.sequence(digest, DER.octetString(salt), DER.integer(iterations))
  }

  /// The SafeContents with one CertBag for each certificate (section 4.2.3).
  private var certificateBags: [UInt8] {
    DER.sequence(
      of: certificates.enumerated().map { index, certificate in
        let bag = DER.sequence(
          DER.objectIdentifier(.x509Certificate), PKCS12.explicit(DER.octetString(certificate.der)))
        return PKCS12.bag(.certBag, bag, attributes: index == 0 ? attributes : [])
      })
  }

  /// Encodes the SafeContents with the PKCS8ShroudedKeyBag (section 4.2.2).
  private func keyBag(
    _ scheme: Encryption.Scheme, _ passphrase: Passphrase, _ random: inout DeterministicRandom
  ) throws(CipherError) -> [UInt8] {
    let secret = try Encrypted(key, scheme, passphrase, &random)
    return DER.sequence(
      PKCS12.bag(
        .pkcs8ShroudedKeyBag, DER.sequence(secret.algorithm, DER.octetString(secret.content)), attributes: attributes))
  }

  /// The attributes that link the key and its certificate: friendlyName and localKeyId (section 4.2).
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

  /// Encodes a ContentInfo of type data (RFC 5652 section 4).
  private static func data(_ content: [UInt8]) -> [UInt8] {
    DER.sequence(DER.objectIdentifier(.pkcs7Data), explicit(DER.octetString(content)))
  }

  /// Encodes a ContentInfo of type encrypted-data (RFC 5652 section 8).
  private static func encryptedData(_ secret: Encrypted) -> [UInt8] {
    let content = DER.sequence(
      DER.objectIdentifier(.pkcs7Data), secret.algorithm, DER.element(DERTag.context(0), secret.content))
    return DER.sequence(
      DER.objectIdentifier(.pkcs7EncryptedData), explicit(DER.sequence(DER.integer(0), content)))
  }
}

extension OID {
  static let pkcs7Data = OID(1, 2, 840, 113549, 1, 7, 1)
  static let pkcs7EncryptedData = OID(1, 2, 840, 113549, 1, 7, 6)
  static let friendlyName = OID(1, 2, 840, 113549, 1, 9, 20)
  static let localKeyID = OID(1, 2, 840, 113549, 1, 9, 21)
  static let x509Certificate = OID(1, 2, 840, 113549, 1, 9, 22, 1)
  static let keyBag = OID(1, 2, 840, 113549, 1, 12, 10, 1, 1)
  static let pkcs8ShroudedKeyBag = OID(1, 2, 840, 113549, 1, 12, 10, 1, 2)
  static let certBag = OID(1, 2, 840, 113549, 1, 12, 10, 1, 3)
  static let crlBag = OID(1, 2, 840, 113549, 1, 12, 10, 1, 4)
  static let secretBag = OID(1, 2, 840, 113549, 1, 12, 10, 1, 5)
  static let safeContentsBag = OID(1, 2, 840, 113549, 1, 12, 10, 1, 6)
  static let sha256 = OID(2, 16, 840, 1, 101, 3, 4, 2, 1)
}

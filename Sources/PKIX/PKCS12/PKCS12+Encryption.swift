import Cryptography

extension PKCS12 {
  /// The passphrase of a file. PBES1 and the MAC encode it as UTF-16, and PBES2 as UTF-8.
  public struct Passphrase: Sendable, Hashable {
    /// The UTF-16 encoding of RFC 7292 appendix B.1.
    let characters: [UInt8]
    /// The UTF-8 encoding that RFC 8018 section 3 recommends.
    let utf8: [UInt8]

    /// Creates a passphrase. The UTF-16 encoding of an empty passphrase is two zero bytes.
    public init(_ text: String) {
      characters = PKCS12KeyDerivation.characters(text)
      utf8 = Array(text.utf8)
    }

    private init() { (characters, utf8) = ([], []) }

    /// A passphrase without any bytes.
    ///
    /// Some programs encode an empty passphrase in this way, without the two zero bytes.
    public static let absent = Passphrase()
  }

  /// The encryption of a part of a file: PBES1 of PKCS #12 (RFC 7292 appendix C), or PBES2 (RFC 8018 section 6.2).
  public struct Encryption: Sendable, Hashable {
    /// A cipher and the derivation of its key.
    public enum Scheme: Sendable, Hashable {
      /// PBES1 (pbeWithSHAAnd…), whose key is derived by RFC 7292 appendix B with SHA-1.
      case pbes1(Cipher)
      /// PBES2 with PBKDF2, using HMAC with this hash.
      case pbes2(Cipher, Hash)
    }

    /// A supported cipher.
    public enum Cipher: String, Sendable, Hashable, CaseIterable {
      case rc4of128 = "RC4-128"
      case rc4of40 = "RC4-40"
      case tripleDES = "3DES"
      case rc2of128 = "RC2-128"
      case rc2of40 = "RC2-40"
      case aes128 = "AES-128-CBC"
      case aes192 = "AES-192-CBC"
      case aes256 = "AES-256-CBC"
    }

    /// The cipher and the method that derives its key.
    public let scheme: Scheme
    /// The salt of the key derivation.
    public let salt: [UInt8]
    /// The number of iterations of the key derivation.
    public let iterations: Int
    /// The initialization vector of PBES2. PBES1 derives its vector from the passphrase.
    let vector: [UInt8]

    /// A readable name, such as `PBES1 with RC2-40` or `PBES2 with AES-256-CBC and HMAC-SHA-256`.
    public var name: String {
      switch scheme {
      case .pbes1(let cipher): "PBES1 with \(cipher.rawValue)"
      case .pbes2(let cipher, let hash): "PBES2 with \(cipher.rawValue) and HMAC-\(hash.name)"
      }
    }
  }
}

extension PKCS12.Encryption.Cipher {
  fileprivate var keySize: Int {
    switch self {
    case .rc4of40, .rc2of40: 5
    case .rc4of128, .rc2of128, .aes128: 16
    case .tripleDES, .aes192: 24
    case .aes256: 32
    }
  }

  /// The block size in bytes; nil for a stream cipher.
  fileprivate var blockSize: Int? {
    switch self {
    case .rc4of40, .rc4of128: nil
    case .tripleDES, .rc2of40, .rc2of128: 8
    case .aes128, .aes192, .aes256: 16
    }
  }

  fileprivate func crypt(
    _ bytes: [UInt8], key: [UInt8], vector: [UInt8], isEncrypting: Bool
  ) throws(CipherError) -> [UInt8] {
    switch self {
    case .rc4of40, .rc4of128:
      var cipher = try RC4(key: key)
      return cipher.process(bytes)
    case .tripleDES:
      return isEncrypting
        ? try TripleDESCBC.encrypt(bytes, key: key, iv: vector) : try TripleDESCBC.decrypt(bytes, key: key, iv: vector)
    case .rc2of40, .rc2of128:
      let bits = keySize * 8
      return isEncrypting
        ? try RC2CBC.encrypt(bytes, key: key, effectiveBits: bits, iv: vector)
        : try RC2CBC.decrypt(bytes, key: key, effectiveBits: bits, iv: vector)
    case .aes128, .aes192, .aes256:
      return isEncrypting
        ? try AESCBC.encrypt(bytes, key: key, iv: vector) : try AESCBC.decrypt(bytes, key: key, iv: vector)
    }
  }
}

extension PKCS12.Encryption {
  private var cipher: Cipher {
    switch scheme {
    case .pbes1(let cipher), .pbes2(let cipher, _): cipher
    }
  }

  private func keys(_ passphrase: PKCS12.Passphrase) throws(CipherError) -> (key: [UInt8], vector: [UInt8]) {
    switch scheme {
    case .pbes1(let cipher):
      func derived(_ purpose: PKCS12KeyDerivation.Purpose, _ count: Int) throws(CipherError) -> [UInt8] {
        try PKCS12KeyDerivation.bytes(
          purpose, passphrase.characters, salt: salt, iterations: iterations, count: count, hash: .sha1)
      }
      let vector = try cipher.blockSize.map { size throws(CipherError) in try derived(.initializationVector, size) }
      return (try derived(.key, cipher.keySize), vector ?? [])
    case .pbes2(let cipher, let hash):
      let key = try PBKDF2.key(
        passphrase.utf8, salt: salt, iterations: iterations, count: cipher.keySize, hash: hash)
      return (key, vector)
    }
  }

  /// Encrypts `content` with the padding of RFC 8018 section 6.1.1.
  func encrypt(_ content: [UInt8], _ passphrase: PKCS12.Passphrase) throws(CipherError) -> [UInt8] {
    let keys = try keys(passphrase)
    let padding = cipher.blockSize.map { $0 - content.count % $0 } ?? 0
    return try cipher.crypt(
      content + [UInt8](repeating: UInt8(padding), count: padding), key: keys.key, vector: keys.vector,
      isEncrypting: true)
  }

  /// Decrypts `content` and removes the padding; nil if the padding is wrong, for example because the passphrase is
  /// wrong.
  func decrypt(_ content: [UInt8], _ passphrase: PKCS12.Passphrase) throws(CipherError) -> [UInt8]? {
    if let size = cipher.blockSize, content.isEmpty || !content.count.isMultiple(of: size) { return nil }
    let keys = try keys(passphrase)
    let plaintext = try cipher.crypt(content, key: keys.key, vector: keys.vector, isEncrypting: false)
    guard let size = cipher.blockSize else { return plaintext }
    guard let last = plaintext.last, (1...size).contains(Int(last)),
      plaintext.suffix(Int(last)).allSatisfy({ $0 == last })
    else { return nil }
    return Array(plaintext.dropLast(Int(last)))
  }
}

// The encryption as an AlgorithmIdentifier.
extension PKCS12.Encryption {
  /// Creates an encryption with a new salt and, for PBES2, a new initialization vector.
  init(_ scheme: Scheme, iterations: Int, random: inout DeterministicRandom) {
    self.scheme = scheme
    self.iterations = iterations
    switch scheme {
    case .pbes1: (salt, vector) = (random.bytes(8), [])
    case .pbes2(let cipher, _): (salt, vector) = (random.bytes(16), random.bytes(cipher.blockSize ?? 0))
    }
  }

  /// Reads an AlgorithmIdentifier. Throws `CertificateError` if it is malformed, and `PKCS12Error` if it is not
  /// supported.
  init(_ fields: inout DERCursor) throws {
    var algorithm = fields.inside(try fields.next("encryptionAlgorithm", DERTag.sequence))
    let oid = try algorithm.objectIdentifier("algorithm")
    var parameters = algorithm.inside(try algorithm.next("parameters", DERTag.sequence))
    try algorithm.finish("encryptionAlgorithm")
    if let cipher = Self.pbes1[oid] {
      salt = parameters.content(try parameters.next("salt", DERTag.octetString))
      iterations = try parameters.smallInteger("iterations")
      (scheme, vector) = (.pbes1(cipher), [])
      try parameters.finish("pkcs-12PbeParams")
      return
    }
    guard oid == Self.pbes2 else { throw PKCS12Error.unsupported("encryption under \(oid.name)") }
    var derivation = parameters.inside(try parameters.next("keyDerivationFunc", DERTag.sequence))
    var encryption = parameters.inside(try parameters.next("encryptionScheme", DERTag.sequence))
    try parameters.finish("PBES2-params")
    let function = try derivation.objectIdentifier("keyDerivationFunc")
    guard function == Self.pbkdf2 else { throw PKCS12Error.unsupported("the key derivation \(function.name)") }
    var count = derivation.inside(try derivation.next("PBKDF2-params", DERTag.sequence))
    salt = count.content(try count.next("salt", DERTag.octetString))
    iterations = try count.smallInteger("iterationCount")
    let length = count.nextTag == DERTag.integer ? try count.smallInteger("keyLength") : nil
    let hash = try count.isAtEnd ? .sha1 : Self.hash(&count)
    let oidOfCipher = try encryption.objectIdentifier("encryptionScheme")
    guard let cipher = Self.ciphers[oidOfCipher] else {
      throw PKCS12Error.unsupported("the cipher \(oidOfCipher.name)")
    }
    vector = encryption.content(try encryption.next("aes-IV", DERTag.octetString))
    guard vector.count == cipher.blockSize, length.map({ $0 == cipher.keySize }) ?? true else {
      throw encryption.error(
        "PBES2-params", at: encryption.position, "a key or IV size that the cipher does not support", "RFC 8018")
    }
    scheme = .pbes2(cipher, hash)
  }

  static func hash(_ fields: inout DERCursor) throws -> Hash {
    var function = fields.inside(try fields.next("prf", DERTag.sequence))
    let oid = try function.objectIdentifier("prf")
    guard let hash = functions[oid] else { throw PKCS12Error.unsupported("PBKDF2 with \(oid.name)") }
    return hash
  }

  /// The AlgorithmIdentifier.
  var algorithm: [UInt8] {
    switch scheme {
    case .pbes1(let cipher):
      let oid = Self.pbes1.first { $0.value == cipher }?.key ?? Self.pbes2
      return DER.sequence(
        DER.objectIdentifier(oid), DER.sequence(DER.octetString(salt), DER.integer(iterations)))
    case .pbes2(let cipher, let hash):
      let function = Self.functions.first { $0.value == hash }?.key ?? Self.pbkdf2
      let prf = DER.sequence(DER.objectIdentifier(function), DER.element(DERTag.null, []))
      let derivation = DER.sequence(
        DER.objectIdentifier(Self.pbkdf2), DER.sequence(DER.octetString(salt), DER.integer(iterations), prf))
      let oid = Self.ciphers.first { $0.value == cipher }?.key ?? Self.pbes2
      let encryption = DER.sequence(DER.objectIdentifier(oid), DER.octetString(vector))
      return DER.sequence(DER.objectIdentifier(Self.pbes2), DER.sequence(derivation, encryption))
    }
  }

  private static let pbes2 = OID(1, 2, 840, 113549, 1, 5, 13)
  static let pbkdf2 = OID(1, 2, 840, 113549, 1, 5, 12)

  /// RFC 7292 appendix C.
  private static let pbes1: [OID: Cipher] = [
    OID(1, 2, 840, 113549, 1, 12, 1, 1): .rc4of128, OID(1, 2, 840, 113549, 1, 12, 1, 2): .rc4of40,
    OID(1, 2, 840, 113549, 1, 12, 1, 3): .tripleDES, OID(1, 2, 840, 113549, 1, 12, 1, 5): .rc2of128,
    OID(1, 2, 840, 113549, 1, 12, 1, 6): .rc2of40,
  ]

  /// RFC 8018 appendix B.2.
  private static let ciphers: [OID: Cipher] = [
    OID(1, 2, 840, 113549, 3, 7): .tripleDES, OID(2, 16, 840, 1, 101, 3, 4, 1, 2): .aes128,
    OID(2, 16, 840, 1, 101, 3, 4, 1, 22): .aes192, OID(2, 16, 840, 1, 101, 3, 4, 1, 42): .aes256,
  ]

  /// RFC 8018 appendix B.1.
  static let functions: [OID: Hash] = [
    OID(1, 2, 840, 113549, 2, 7): .sha1, OID(1, 2, 840, 113549, 2, 8): .sha224, OID(1, 2, 840, 113549, 2, 9): .sha256,
    OID(1, 2, 840, 113549, 2, 10): .sha384, OID(1, 2, 840, 113549, 2, 11): .sha512,
  ]
}

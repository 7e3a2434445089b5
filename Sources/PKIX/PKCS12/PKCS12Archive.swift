import Cryptography

/// The reason why a PKCS #12 file cannot be opened.
public enum PKCS12Error: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes do not have the syntax of RFC 7292.
  case malformed(CertificateError)
  /// The file uses an algorithm that TrustLab or the opening system does not support.
  case unsupported(String)
  /// The MAC does not match: the passphrase is wrong, or the file was changed.
  case macMismatch
  /// The decrypted data does not have a valid form.
  case undecipherable
  /// The file requires more key derivation iterations than the limit.
  case iterations(Int)

  /// The reason as text for the user.
  public var description: String {
    switch self {
    case .malformed(let error): "not PKCS #12: \(error)"
    case .unsupported(let what): "\(what) is not supported"
    case .macMismatch: "the passphrase is wrong, or the file was changed: the MAC does not match"
    case .undecipherable: "the passphrase is wrong: the content does not decrypt"
    case .iterations(let count):
      "the file requires \(count) passphrase iterations; TrustLab computes at most \(PKCS12.maximumIterations) per file"
    }
  }

  static func wrapping<Result>(_ body: () throws -> Result) throws(PKCS12Error) -> Result {
    do {
      return try body()
    } catch let error as PKCS12Error {
      throw error
    } catch let error as CertificateError {
      throw .malformed(error)
    } catch {
      throw .undecipherable
    }
  }
}

extension PKCS12 {
  /// The maximum number of iterations for all parts of one file. For each part, OpenSSL uses 2048 and keytool 10 000.
  public static let maximumIterations = 1_000_000

  /// A file before it is opened (RFC 7292 section 4).
  public struct Archive: Sendable, Hashable {
    /// The method that protects the file against changes.
    public enum Integrity: Sendable, Hashable {
      /// HMAC with this hash, and a key derived from the passphrase with this number of iterations.
      case mac(Hash, iterations: Int)
      /// PBMAC1 (RFC 9579): HMAC with this hash, and a key that PBKDF2 derives from the passphrase.
      case pbmac1(Hash, PBMAC1)
      /// No protection.
      case none
    }

    /// The method that protects the file against changes.
    public let integrity: Integrity
    /// Whether the parts that can be read without a passphrase are DER (X.690 sections 10 and 11).
    ///
    /// RFC 7292 section 4 also allows indefinite lengths and strings split into pieces.
    public let isDER: Bool
    private let salt: [UInt8]
    private let code: [UInt8]
    /// AuthenticatedSafe in DER.
    private let content: [UInt8]

    /// Reads a file in DER or BER.
    public init(_ bytes: [UInt8]) throws(PKCS12Error) {
      let definite = BER.definite(bytes) ?? bytes
      self = try PKCS12Error.wrapping { try Self(reading: definite, isDER: definite == bytes) }
    }

    private init(reading bytes: [UInt8], isDER: Bool) throws {
      var whole = DERCursor(bytes)
      var fields = whole.inside(try whole.next("PFX", DERTag.sequence))
      try whole.finish("PFX")
      let start = fields.position
      guard try fields.smallInteger("version") == 3 else {
        throw fields.error("version", at: start, "a version other than 3", "RFC 7292 section 4 defines only version 3.")
      }
      var safe = fields.inside(try fields.next("authSafe", DERTag.sequence))
      let type = try safe.objectIdentifier("contentType")
      guard type == .pkcs7Data else {
        throw PKCS12Error.unsupported(
          type == OID(1, 2, 840, 113549, 1, 7, 2) ? "public-key integrity" : "content of the type \(type.name)")
      }
      var explicit = safe.inside(try safe.next("content", DERTag.context(0, constructed: true)))
      let safeContent = explicit.content(try explicit.next("data", DERTag.octetString))
      content = safeContent
      try explicit.finish("content")
      try safe.finish("authSafe")
      self.isDER = isDER && (BER.definite(safeContent) ?? safeContent) == safeContent
      guard !fields.isAtEnd else {
        (integrity, salt, code) = (.none, [], [])
        return
      }
      var mac = fields.inside(try fields.next("macData", DERTag.sequence))
      try fields.finish("PFX")
      var digest = mac.inside(try mac.next("mac", DERTag.sequence))
      var algorithm = digest.inside(try digest.next("digestAlgorithm", DERTag.sequence))
      let oid = try algorithm.objectIdentifier("algorithm")
      let pbmac1 = oid == PBMAC1.identifier ? try PBMAC1(&algorithm) : nil
      guard let hash = pbmac1?.mac ?? Self.hashes[oid] else {
        throw PKCS12Error.unsupported("a MAC with \(oid.name)")
      }
      code = digest.content(try digest.next("digest", DERTag.octetString))
      salt = mac.content(try mac.next("macSalt", DERTag.octetString))
      // PBMAC1 ignores these two: RFC 9579 section 4.
      let iterations = mac.isAtEnd ? 1 : try mac.smallInteger("iterations")
      if let pbmac1 { integrity = .pbmac1(hash, pbmac1) } else { integrity = .mac(hash, iterations: iterations) }
      try mac.finish("macData")
    }

    private static let hashes: [OID: Hash] = [
      OID(1, 3, 14, 3, 2, 26): .sha1, OID(2, 16, 840, 1, 101, 3, 4, 2, 4): .sha224, .sha256: .sha256,
      OID(2, 16, 840, 1, 101, 3, 4, 2, 2): .sha384, OID(2, 16, 840, 1, 101, 3, 4, 2, 3): .sha512,
    ]

    /// Opens the file. `supports` returns whether an encryption may be used. By default, every supported encryption may
    /// be used.
    public func open(
      _ passphrase: Passphrase, supports: @escaping (Encryption) -> Bool = { _ in true }
    ) throws(PKCS12Error) -> Contents {
      try PKCS12Error.wrapping {
        var reader = PKCS12Reader(passphrase, supports: supports)
        switch integrity {
        case .none: break
        case .mac(let hash, let iterations):
          try reader.spend(iterations)
          let key = try PKCS12KeyDerivation.bytes(
            .macKey, passphrase.characters, salt: salt, iterations: iterations, count: hash.digestSize, hash: hash)
          try check(HMAC.Key(hash, key))
        case .pbmac1(let hash, let parameters):
          try reader.spend(parameters.iterations)
          try check(HMAC.Key(hash, try parameters.key(passphrase)))
        }
        try reader.readAuthenticatedSafe(content)
        return reader.contents
      }
    }

    private func check(_ key: HMAC.Key) throws(PKCS12Error) {
      guard ConstantTime.difference(code, key.authenticationCode(content)) == 0 else { throw .macMismatch }
    }
  }

  /// The contents of a file.
  public struct Contents: Sendable, Hashable {
    /// A private key.
    public struct Key: Sendable, Hashable {
      /// PrivateKeyInfo in DER.
      public let information: [UInt8]
      /// Whether the key was encrypted separately from the rest of the file.
      public let isShrouded: Bool
      /// The display name.
      public let friendlyName: String?
      /// The identifier that the key shares with its certificate.
      public let localKeyID: [UInt8]?
    }

    /// A certificate.
    public struct Entry: Sendable, Hashable {
      /// The certificate in DER, as stored in the file.
      public let der: [UInt8]
      /// The display name.
      public let friendlyName: String?
      /// The identifier that the certificate shares with its key.
      public let localKeyID: [UInt8]?
    }

    /// The keys, in order.
    public internal(set) var keys: [Key] = []
    /// The certificates, in order.
    public internal(set) var certificates: [Entry] = []
    /// The types of bags that were ignored.
    public internal(set) var skipped: [String] = []
    /// The encryptions in the file.
    public internal(set) var encryptions: [Encryption] = []

    /// Returns the certificate of a key: the one with the same localKeyID, or else with the same friendlyName.
    public func certificate(of key: Key) -> Entry? {
      let own = key.localKeyID.flatMap { id in certificates.first { $0.localKeyID == id } }
      return own ?? key.friendlyName.flatMap { name in certificates.first { $0.friendlyName == name } }
    }
  }
}

/// Reads the parts of a file and limits the total number of iterations.
private struct PKCS12Reader {
  private(set) var contents = PKCS12.Contents()
  private let passphrase: PKCS12.Passphrase
  private let supports: (PKCS12.Encryption) -> Bool
  private var spent = 0

  /// The maximum depth of nested bags.
  private static let maximumDepth = 4

  init(_ passphrase: PKCS12.Passphrase, supports: @escaping (PKCS12.Encryption) -> Bool) {
    self.passphrase = passphrase
    self.supports = supports
  }

  /// Adds the iterations of a key derivation to the total before the derivation starts.
  mutating func spend(_ iterations: Int) throws {
    spent += iterations
    guard iterations > 0, spent <= PKCS12.maximumIterations else { throw PKCS12Error.iterations(iterations) }
  }

  /// Returns a cursor over the bytes, after their conversion to definite lengths.
  private func cursor(_ bytes: [UInt8]) -> DERCursor { DERCursor(BER.definite(bytes) ?? bytes) }

  /// AuthenticatedSafe, section 4.1.
  mutating func readAuthenticatedSafe(_ bytes: [UInt8]) throws {
    var whole = cursor(bytes)
    var parts = whole.inside(try whole.next("AuthenticatedSafe", DERTag.sequence))
    try whole.finish("AuthenticatedSafe")
    while !parts.isAtEnd {
      var part = parts.inside(try parts.next("ContentInfo", DERTag.sequence))
      let type = try part.objectIdentifier("contentType")
      var explicit = part.inside(try part.next("content", DERTag.context(0, constructed: true)))
      try part.finish("ContentInfo")
      switch type {
      case .pkcs7Data:
        try readSafeContents(explicit.content(try explicit.next("data", DERTag.octetString)), depth: 0)
      case .pkcs7EncryptedData: try readEncryptedData(&explicit)
      default: throw PKCS12Error.unsupported("content of the type \(type.name)")
      }
    }
  }

  /// EncryptedData (RFC 5652 section 8).
  private mutating func readEncryptedData(_ explicit: inout DERCursor) throws {
    var data = explicit.inside(try explicit.next("EncryptedData", DERTag.sequence))
    _ = try data.smallInteger("version")
    var info = data.inside(try data.next("encryptedContentInfo", DERTag.sequence))
    _ = try info.objectIdentifier("contentType")
    let encryption = try PKCS12.Encryption(&info)
    let content = try readEncryptedContent(&info)
    try readSafeContents(try decrypt(content, encryption), depth: 0)
  }

  /// Reads encryptedContent, an octet string with an implicit tag that BER may split into pieces.
  private func readEncryptedContent(_ info: inout DERCursor) throws -> [UInt8] {
    guard info.nextTag == DERTag.context(0, constructed: true) else {
      return info.content(try info.next("encryptedContent", DERTag.context(0)))
    }
    var pieces = info.inside(try info.next("encryptedContent"))
    var content: [UInt8] = []
    while !pieces.isAtEnd { content += pieces.content(try pieces.next("encryptedContent", DERTag.octetString)) }
    return content
  }

  private mutating func decrypt(_ content: [UInt8], _ encryption: PKCS12.Encryption) throws -> [UInt8] {
    guard supports(encryption) else { throw PKCS12Error.unsupported(encryption.name) }
    try spend(encryption.iterations)
    if case .pbes1 = encryption.scheme { try spend(encryption.iterations) }
    guard let plaintext = try encryption.decrypt(content, passphrase) else { throw PKCS12Error.undecipherable }
    contents.encryptions.append(encryption)
    return plaintext
  }

  /// SafeContents, section 4.2.
  private mutating func readSafeContents(_ bytes: [UInt8], depth: Int) throws {
    guard depth < Self.maximumDepth else { throw PKCS12Error.unsupported("a bag inside \(depth) other bags") }
    var whole = cursor(bytes)
    var bags = whole.inside(try whole.next("SafeContents", DERTag.sequence))
    try whole.finish("SafeContents")
    while !bags.isAtEnd {
      var bag = bags.inside(try bags.next("SafeBag", DERTag.sequence))
      let type = try bag.objectIdentifier("bagId")
      let value = try bag.next("bagValue", DERTag.context(0, constructed: true))
      let attributes = try readAttributes(&bag)
      var fields = bag.inside(value)
      switch type {
      case .keyBag: add(fields.content(value), isShrouded: false, attributes)
      case .pkcs8ShroudedKeyBag:
        var information = fields.inside(try fields.next("EncryptedPrivateKeyInfo", DERTag.sequence))
        let encryption = try PKCS12.Encryption(&information)
        let content = information.content(try information.next("encryptedData", DERTag.octetString))
        add(try decrypt(content, encryption), isShrouded: true, attributes)
      case .certBag: try readCertificate(&fields, attributes)
      case .safeContentsBag: try readSafeContents(fields.content(value), depth: depth + 1)
      default: contents.skipped.append(type == .crlBag ? "crlBag" : type == .secretBag ? "secretBag" : type.name)
      }
    }
  }

  private mutating func add(_ information: [UInt8], isShrouded: Bool, _ attributes: Attributes) {
    contents.keys.append(
      PKCS12.Contents.Key(
        information: information, isShrouded: isShrouded, friendlyName: attributes.friendlyName,
        localKeyID: attributes.localKeyID))
  }

  /// Reads a CertBag (section 4.2.3). Certificates of types other than X.509 are ignored.
  private mutating func readCertificate(_ fields: inout DERCursor, _ attributes: Attributes) throws {
    var bag = fields.inside(try fields.next("CertBag", DERTag.sequence))
    let type = try bag.objectIdentifier("certId")
    var explicit = bag.inside(try bag.next("certValue", DERTag.context(0, constructed: true)))
    guard type == .x509Certificate else {
      contents.skipped.append("certBag of \(type.name)")
      return
    }
    contents.certificates.append(
      PKCS12.Contents.Entry(
        der: explicit.content(try explicit.next("x509Certificate", DERTag.octetString)),
        friendlyName: attributes.friendlyName, localKeyID: attributes.localKeyID))
  }

  private struct Attributes {
    var friendlyName: String?
    var localKeyID: [UInt8]?
  }

  /// Reads the attributes friendlyName and localKeyId of a bag; other attributes are ignored.
  private func readAttributes(_ bag: inout DERCursor) throws -> Attributes {
    var found = Attributes()
    guard let set = try bag.optional("bagAttributes", DERTag.set) else { return found }
    var attributes = bag.inside(set)
    while !attributes.isAtEnd {
      var attribute = attributes.inside(try attributes.next("PKCS12Attribute", DERTag.sequence))
      let type = try attribute.objectIdentifier("attrId")
      var values = attribute.inside(try attribute.next("attrValues", DERTag.set))
      switch type {
      case .friendlyName:
        let text = values.content(try values.next("friendlyName", DERTag.bmpString))
        let units = stride(from: 0, to: text.count - text.count % 2, by: 2).map {
          UInt16(text[$0]) << 8 | UInt16(text[$0 + 1])
        }
        found.friendlyName = String(decoding: units, as: UTF16.self)
      case .localKeyID: found.localKeyID = values.content(try values.next("localKeyId", DERTag.octetString))
      default: break
      }
    }
    return found
  }
}

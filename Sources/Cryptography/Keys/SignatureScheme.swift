/// A signature scheme in the registry, with its names in TLS and in X.509.
public struct SignatureScheme: Sendable, Hashable, CustomStringConvertible {
  /// The type of the key that signs.
  public enum KeyKind: String, Sendable, Hashable {
    /// An RSA key (RFC 8017).
    case rsa = "RSA"
    /// An ECDSA key (FIPS 186-5 section 6).
    case ecdsa = "ECDSA"
    /// An EdDSA key (RFC 8032).
    case eddsa = "EdDSA"
    /// A DSA key (FIPS 186-4 section 4).
    case dsa = "DSA"
  }

  /// The method that converts a message to the number that an RSA key signs.
  public enum Padding: String, Sendable, Hashable {
    /// RSASSA-PKCS1-v1_5, RFC 8017 section 8.2.
    case pkcs1v15 = "PKCS #1 v1.5"
    /// RSASSA-PSS, RFC 8017 section 8.1.
    case pss = "PSS"
    /// No padding, as in schemes other than RSA.
    case none
  }

  /// The code point in TLS (RFC 8446 section 4.2.3). In TLS 1.2, its two bytes are the hash and signature algorithms.
  public let codePoint: UInt16
  /// The name in TLS, such as `rsa_pkcs1_sha256`.
  public let name: String
  /// The object identifier in X.509; nil if parameters identify the scheme (PSS).
  public let oid: [UInt]?
  /// The name in X.509, such as `sha256WithRSAEncryption`.
  public let x509Name: String
  /// The type of the key that signs.
  public let keyKind: KeyKind
  /// The padding of an RSA signature.
  public let padding: Padding
  /// The hash of the message; nil if the scheme defines its own hashing (EdDSA, and RSA before TLS 1.2).
  public let hash: Hash?

  private init(
    _ codePoint: UInt16, _ name: String, _ x509Name: String, _ oid: [UInt]?, _ keyKind: KeyKind, _ padding: Padding,
    _ hash: Hash?
  ) {
    self.codePoint = codePoint
    self.name = name
    self.oid = oid
    self.x509Name = x509Name
    self.keyKind = keyKind
    self.padding = padding
    self.hash = hash
  }

  /// Whether the schemes have the same code point.
  public static func == (left: SignatureScheme, right: SignatureScheme) -> Bool { left.codePoint == right.codePoint }

  /// Hashes the code point.
  public func hash(into hasher: inout Hasher) { hasher.combine(codePoint) }

  /// The name of the scheme in TLS.
  public var description: String { name }
}

extension SignatureScheme {
  private static func rsa(
    _ codePoint: UInt16, _ name: String, _ x509Name: String, _ last: UInt, _ hash: Hash
  ) -> SignatureScheme {
    SignatureScheme(
      codePoint, name, x509Name, [1, 2, 840, 113549, 1, 1, last], .rsa, .pkcs1v15, hash)
  }

  private static func pss(_ codePoint: UInt16, _ name: String, _ hash: Hash) -> SignatureScheme {
    SignatureScheme(codePoint, name, "RSASSA-PSS", nil, .rsa, .pss, hash)
  }

  private static func ecdsa(
    _ codePoint: UInt16, _ name: String, _ x509Name: String, _ oid: [UInt], _ hash: Hash
  ) -> SignatureScheme {
    SignatureScheme(codePoint, name, x509Name, oid, .ecdsa, .none, hash)
  }

  private static func dsa(
    _ codePoint: UInt16, _ name: String, _ x509Name: String, _ oid: [UInt], _ hash: Hash
  ) -> SignatureScheme {
    SignatureScheme(codePoint, name, x509Name, oid, .dsa, .none, hash)
  }

  /// RSA PKCS #1 v1.5 with MD5, used in certificates until 2008 and by TLS 1.2 clients that still offer it.
  public static let rsaPKCS1MD5 = rsa(0x0101, "rsa_pkcs1_md5", "md5WithRSAEncryption", 4, .md5)
  /// RSA PKCS #1 v1.5 with SHA-1.
  public static let rsaPKCS1SHA1 = rsa(0x0201, "rsa_pkcs1_sha1", "sha1WithRSAEncryption", 5, .sha1)
  /// RSA PKCS #1 v1.5 with SHA-224.
  public static let rsaPKCS1SHA224 = rsa(0x0301, "rsa_pkcs1_sha224", "sha224WithRSAEncryption", 14, .sha224)
  /// RSA PKCS #1 v1.5 with SHA-256.
  public static let rsaPKCS1SHA256 = rsa(0x0401, "rsa_pkcs1_sha256", "sha256WithRSAEncryption", 11, .sha256)
  /// RSA PKCS #1 v1.5 with SHA-384.
  public static let rsaPKCS1SHA384 = rsa(0x0501, "rsa_pkcs1_sha384", "sha384WithRSAEncryption", 12, .sha384)
  /// RSA PKCS #1 v1.5 with SHA-512.
  public static let rsaPKCS1SHA512 = rsa(0x0601, "rsa_pkcs1_sha512", "sha512WithRSAEncryption", 13, .sha512)

  /// RSA with combined MD5 and SHA-1 and no DigestInfo, for TLS 1.0 and 1.1 (RFC 2246 section 4.7).
  ///
  /// No message or registry contains this scheme. Its code point is from the range for private use.
  public static let rsaPKCS1MD5SHA1 = SignatureScheme(
    0xff01, "rsa_pkcs1_md5_sha1", "", nil, .rsa, .pkcs1v15, nil)

  /// ECDSA with SHA-1.
  public static let ecdsaSHA1 = ecdsa(0x0203, "ecdsa_sha1", "ecdsa-with-SHA1", [1, 2, 840, 10045, 4, 1], .sha1)
  /// ECDSA with SHA-224, which only certificates use (RFC 5758 section 3.2).
  public static let ecdsaSHA224 = ecdsa(
    0x0303, "ecdsa_sha224", "ecdsa-with-SHA224", [1, 2, 840, 10045, 4, 3, 1], .sha224)
  /// ECDSA with SHA-256; in TLS 1.3 only with a P-256 key.
  public static let ecdsaSHA256 = ecdsa(
    0x0403, "ecdsa_secp256r1_sha256", "ecdsa-with-SHA256", [1, 2, 840, 10045, 4, 3, 2], .sha256)
  /// ECDSA with SHA-384; in TLS 1.3 only with a P-384 key.
  public static let ecdsaSHA384 = ecdsa(
    0x0503, "ecdsa_secp384r1_sha384", "ecdsa-with-SHA384", [1, 2, 840, 10045, 4, 3, 3], .sha384)
  /// ECDSA with SHA-512; in TLS 1.3 only with a P-521 key.
  public static let ecdsaSHA512 = ecdsa(
    0x0603, "ecdsa_secp521r1_sha512", "ecdsa-with-SHA512", [1, 2, 840, 10045, 4, 3, 4], .sha512)

  /// RSA PSS with SHA-256 and a key whose identifier is rsaEncryption.
  public static let rsaPSSSHA256 = pss(0x0804, "rsa_pss_rsae_sha256", .sha256)
  /// RSA PSS with SHA-384 and a key whose identifier is rsaEncryption.
  public static let rsaPSSSHA384 = pss(0x0805, "rsa_pss_rsae_sha384", .sha384)
  /// RSA PSS with SHA-512 and a key whose identifier is rsaEncryption.
  public static let rsaPSSSHA512 = pss(0x0806, "rsa_pss_rsae_sha512", .sha512)
  /// RSA PSS with SHA-256 and a key whose identifier is id-RSASSA-PSS.
  public static let rsaPSSKeySHA256 = pss(0x0809, "rsa_pss_pss_sha256", .sha256)
  /// RSA PSS with SHA-384 and a key whose identifier is id-RSASSA-PSS.
  public static let rsaPSSKeySHA384 = pss(0x080a, "rsa_pss_pss_sha384", .sha384)
  /// RSA PSS with SHA-512 and a key whose identifier is id-RSASSA-PSS.
  public static let rsaPSSKeySHA512 = pss(0x080b, "rsa_pss_pss_sha512", .sha512)
  /// Ed25519.
  public static let ed25519 = SignatureScheme(
    0x0807, "ed25519", "id-Ed25519", [1, 3, 101, 112], .eddsa, .none, nil)

  // Schemes that only certificates use. TLS has no code points for PSS with some hashes, so these code points are from
  // the private-use range. The DSA code points are from RFC 5246 section 7.4.1.4.1.

  /// RSA PSS with SHA-1, the default in RFC 4055 section 3.1.
  public static let rsaPSSSHA1 = pss(0xff02, "rsa_pss_sha1", .sha1)
  /// RSA PSS with SHA-224.
  public static let rsaPSSSHA224 = pss(0xff03, "rsa_pss_sha224", .sha224)
  /// DSA with SHA-1 (RFC 3279 section 2.2.2).
  public static let dsaSHA1 = dsa(0x0202, "dsa_sha1", "dsa-with-SHA1", [1, 2, 840, 10040, 4, 3], .sha1)
  /// DSA with SHA-224 (RFC 5758 section 3.1).
  public static let dsaSHA224 = dsa(
    0x0302, "dsa_sha224", "dsa-with-SHA224", [2, 16, 840, 1, 101, 3, 4, 3, 1], .sha224)
  /// DSA with SHA-256 (RFC 5758 section 3.1).
  public static let dsaSHA256 = dsa(
    0x0402, "dsa_sha256", "dsa-with-SHA256", [2, 16, 840, 1, 101, 3, 4, 3, 2], .sha256)

  /// The schemes that only certificates, CRLs and OCSP responses use.
  public static let ofCertificates: [SignatureScheme] = [rsaPSSSHA1, rsaPSSSHA224, dsaSHA1, dsaSHA224, dsaSHA256]

  /// All registered schemes, in the order of their code points.
  public static let all: [SignatureScheme] = [
    rsaPKCS1MD5, rsaPKCS1SHA1, ecdsaSHA1, rsaPKCS1SHA224, ecdsaSHA224, rsaPKCS1SHA256, ecdsaSHA256, rsaPKCS1SHA384,
    ecdsaSHA384,
    rsaPKCS1SHA512, ecdsaSHA512, rsaPSSSHA256, rsaPSSSHA384, rsaPSSSHA512, ed25519, rsaPSSKeySHA256,
    rsaPSSKeySHA384, rsaPSSKeySHA512,
  ]

  /// The RSASSA-PSS scheme with `hash` for an RSA key; nil if there is none.
  public init?(pss hash: Hash) {
    let schemes: [SignatureScheme] = [.rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512, .rsaPSSSHA1, .rsaPSSSHA224]
    guard let scheme = schemes.first(where: { $0.hash == hash }) else { return nil }
    self = scheme
  }

  /// Whether `key` may use this scheme in TLS, by its type and, for PSS, its identifier (RFC 8446 section 4.2.3).
  public func suits(_ key: PublicKey) -> Bool {
    switch key {
    case .rsa(let key):
      let needsOwnKey = (0x0809...0x080b).contains(codePoint)
      return keyKind == .rsa && (key.usage == .any) != needsOwnKey
    case .ec: return keyKind == .ecdsa
    case .ed25519: return keyKind == .eddsa
    // RFC 8422 section 5.1.1 no longer defines such a curve, and TrustLab does not sign with DSA.
    case .namedCurve, .dsa, .unsupported: return false
    }
  }

  /// The scheme with this code point in TLS; nil if the registry contains none.
  public init?(codePoint: UInt16) {
    guard let scheme = SignatureScheme.all.first(where: { $0.codePoint == codePoint }) else { return nil }
    self = scheme
  }

  /// The scheme with this object identifier in X.509; nil if the registry contains none.
  public init?(oid: [UInt]) {
    let schemes = SignatureScheme.all + SignatureScheme.ofCertificates
    guard let scheme = schemes.first(where: { $0.oid == oid }) else { return nil }
    self = scheme
  }

  /// The scheme with this name in TLS or X.509; nil if there is none.
  public init?(name: String) {
    guard let scheme = SignatureScheme.all.first(where: { $0.name == name || $0.oid != nil && $0.x509Name == name })
    else { return nil }
    self = scheme
  }
}

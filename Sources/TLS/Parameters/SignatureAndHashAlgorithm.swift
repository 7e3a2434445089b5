/// How something is signed, as two bytes on the wire: RFC 5246 section 7.4.1.4.1 and RFC 8446 section 4.2.3.
///
/// Offers name many that this package cannot verify with; those it can are `SignatureScheme`s.
public struct SignatureAndHashAlgorithm: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// Hash and signature in RFC 5246, one code point in RFC 8446: `0x0401` is `rsa_pkcs1_sha256`.
  public let rawValue: UInt16

  /// The algorithm that travels as `rawValue`, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The algorithm called `name` in RFC 8446 section 4.2.3: `rsa_pkcs1_sha256`.
  public init?(name: String) {
    guard let row = Self.registry.first(where: { $0.name == name }) else { return nil }
    self = row.algorithm
  }

  /// One row of the registry.
  public struct Registration: Sendable, Hashable {
    /// The algorithm itself.
    public let algorithm: SignatureAndHashAlgorithm
    /// Its name in RFC 8446.
    public let name: String

    fileprivate init(_ code: UInt16, _ name: String) {
      algorithm = SignatureAndHashAlgorithm(rawValue: code)
      self.name = name
    }
  }

  /// Every algorithm this package knows by name.
  public static let registry: [Registration] = [
    Registration(0x0401, "rsa_pkcs1_sha256"), Registration(0x0501, "rsa_pkcs1_sha384"),
    Registration(0x0601, "rsa_pkcs1_sha512"), Registration(0x0301, "rsa_pkcs1_sha224"),
    Registration(0x0201, "rsa_pkcs1_sha1"), Registration(0x0101, "rsa_pkcs1_md5"),
    Registration(0x0403, "ecdsa_secp256r1_sha256"), Registration(0x0503, "ecdsa_secp384r1_sha384"),
    Registration(0x0603, "ecdsa_secp521r1_sha512"), Registration(0x0303, "ecdsa_sha224"),
    Registration(0x0203, "ecdsa_sha1"), Registration(0x0804, "rsa_pss_rsae_sha256"),
    Registration(0x0805, "rsa_pss_rsae_sha384"), Registration(0x0806, "rsa_pss_rsae_sha512"),
    Registration(0x0809, "rsa_pss_pss_sha256"), Registration(0x080a, "rsa_pss_pss_sha384"),
    Registration(0x080b, "rsa_pss_pss_sha512"), Registration(0x0807, "ed25519"), Registration(0x0808, "ed448"),
  ]

  /// The name in RFC 8446, or the number where there is none.
  public var description: String { Self.registry.first { $0.algorithm == self }?.name ?? rawValue.codePoint }
}

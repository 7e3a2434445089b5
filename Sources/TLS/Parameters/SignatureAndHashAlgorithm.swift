import Cryptography

/// How something is signed, as two bytes on the wire: RFC 5246 section 7.4.1.4.1 and RFC 8446 section 4.2.3.
///
/// Any two bytes can be offered; those with a name are `SignatureScheme`s.
public struct SignatureAndHashAlgorithm: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// Hash and signature in RFC 5246, one code point in RFC 8446: `0x0401` is `rsa_pkcs1_sha256`.
  public let rawValue: UInt16

  /// The algorithm that travels as `rawValue`, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The two bytes of `scheme`.
  public init(_ scheme: SignatureScheme) { rawValue = scheme.codePoint }

  /// The algorithm's row in the registry, nil when it has none.
  public var scheme: SignatureScheme? { SignatureScheme(codePoint: rawValue) }

  /// The name in RFC 8446, or the number where there is none.
  public var description: String { scheme?.name ?? rawValue.codePoint }
}

extension SignatureScheme {
  /// What a client or server signs and verifies with unless it is told otherwise: all that these machines can, what
  /// RFC 5246 has first and PSS (RFC 8446 section 4.2.3) after it, SHA-1 last, MD5 and SHA-224 not at all.
  ///
  /// PSS comes after PKCS #1 v1.5 so that old lessons keep their signatures; who wants it first says so.
  public static let defaults: [SignatureScheme] = [
    .ecdsaSHA256, .rsaPKCS1SHA256, .ecdsaSHA384, .rsaPKCS1SHA384, .ecdsaSHA512, .rsaPKCS1SHA512,
    .rsaPSSSHA256, .rsaPSSSHA384, .rsaPSSSHA512, .rsaPSSKeySHA256, .rsaPSSKeySHA384, .rsaPSSKeySHA512, .ecdsaSHA1,
    .rsaPKCS1SHA1,
  ]
}

extension SignatureAndHashAlgorithm {
  /// What is wrong with a signature of this kind over `content` by `key`; nil when nothing is.
  func fault(of signature: [UInt8], over content: [UInt8], by key: PublicKey) -> String? {
    guard let scheme else { return "unknown algorithm \(self)" }
    do {
      guard scheme.suits(key) else {
        throw SignatureError.keyMismatch(key: key.algorithmName, scheme: scheme.name)
      }
      try key.verify(signature, over: content, scheme)
      return nil
    } catch {
      return "\(error)"
    }
  }
}

extension PublicKey {
  /// The kind of signature the key makes; nil for one that can only be told about.
  public var keyKind: SignatureScheme.KeyKind? {
    switch self {
    case .rsa: .rsa
    case .ec: .ecdsa
    case .ed25519, .unsupported: nil
    }
  }

  /// Whether the key can do its part in a key exchange: one for RSASSA-PSS decrypts nothing (RFC 4055 section 1.2).
  func suits(_ keyExchange: CipherSuite.KeyExchange) -> Bool {
    if keyExchange == .rsa, case .rsa(let key) = self { return key.usage == .any }
    return true
  }
}

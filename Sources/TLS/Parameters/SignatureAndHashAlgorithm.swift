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

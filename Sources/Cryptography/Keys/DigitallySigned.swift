import Explanation

/// A signature with its algorithm (RFC 5246 section 4.7). Before TLS 1.2 it is the signature only (RFC 2246 section
/// 4.7).
///
/// ```
/// struct { SignatureAndHashAlgorithm algorithm; opaque signature<0..2^16-1>; } DigitallySigned;
/// ```
public struct DigitallySigned: Sendable, Hashable {
  /// The algorithm of `signature`; nil before TLS 1.2, because the kind of the key determines it.
  public var algorithm: SignatureAndHashAlgorithm?
  /// The signature.
  public var signature: [UInt8]

  /// Creates a signature made with `algorithm`.
  public init(algorithm: SignatureAndHashAlgorithm?, signature: [UInt8]) {
    self.algorithm = algorithm
    self.signature = signature
  }
}

/// The algorithm of a signature, as two bytes on the wire: RFC 5246 section 7.4.1.4.1 and RFC 8446 section 4.2.3.
///
/// Any two bytes can be offered; those with a name are `SignatureScheme`s.
public struct SignatureAndHashAlgorithm: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// Hash and signature in RFC 5246, one code point in RFC 8446: `0x0401` is `rsa_pkcs1_sha256`.
  public let rawValue: UInt16

  /// Creates the algorithm with this value, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The two bytes of `scheme`.
  public init(_ scheme: SignatureScheme) { rawValue = scheme.codePoint }

  /// HashAlgorithm: 4 is SHA-256.
  public var hash: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 8) }

  /// SignatureAlgorithm: 1 is RSA, 3 is ECDSA.
  public var signature: UInt8 { UInt8(truncatingIfNeeded: rawValue) }

  /// The algorithm's row in the registry; nil if it has none.
  public var scheme: SignatureScheme? { SignatureScheme(codePoint: rawValue) }

  /// The name in RFC 8446, or the number if it has none.
  public var description: String { scheme?.name ?? "0x\(Hex.string([hash, signature]))" }
}

import Explanation

/// A signature with its algorithm (RFC 5246 section 4.7). Before TLS 1.2, it has no algorithm (RFC 2246 section
/// 4.7).
///
/// ```
/// struct { SignatureAndHashAlgorithm algorithm; opaque signature<0..2^16-1>; } DigitallySigned;
/// ```
public struct DigitallySigned: Sendable, Hashable {
  /// The algorithm of `signature`; nil before TLS 1.2, because the type of the key determines it.
  public var algorithm: SignatureAndHashAlgorithm?
  /// The bytes of the signature.
  public var signature: [UInt8]

  /// Creates a value from a signature and its algorithm.
  public init(algorithm: SignatureAndHashAlgorithm?, signature: [UInt8]) {
    self.algorithm = algorithm
    self.signature = signature
  }
}

/// The algorithm of a signature, encoded as two bytes (RFC 5246 section 7.4.1.4.1, RFC 8446 section 4.2.3).
///
/// A client may offer any two bytes. Those that have a name are also `SignatureScheme`s.
public struct SignatureAndHashAlgorithm: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The hash and signature bytes of RFC 5246, or one code point in RFC 8446, such as `0x0401` for `rsa_pkcs1_sha256`.
  public let rawValue: UInt16

  /// Creates the algorithm with this code point, which may be unregistered.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Creates the algorithm with the code point of `scheme`.
  public init(_ scheme: SignatureScheme) { rawValue = scheme.codePoint }

  /// The HashAlgorithm byte, such as 4 for SHA-256.
  public var hash: UInt8 { UInt8(truncatingIfNeeded: rawValue >> 8) }

  /// The SignatureAlgorithm byte, such as 1 for RSA and 3 for ECDSA.
  public var signature: UInt8 { UInt8(truncatingIfNeeded: rawValue) }

  /// The registered scheme with this code point; nil if there is none.
  public var scheme: SignatureScheme? { SignatureScheme(codePoint: rawValue) }

  /// The name in RFC 8446; the code point if there is no name.
  public var description: String { scheme?.name ?? "0x\(Hex.string([hash, signature]))" }
}

/// The reason why a signature is not valid.
public enum SignatureError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The signature is not as long as the modulus.
  case length(expected: Int, found: Int)
  /// The signature, as a number, is not below the modulus.
  case representativeOutOfRange
  /// The recovered bytes do not have the padding of the scheme (`00 01 FF … FF 00` in PKCS #1 v1.5).
  ///
  /// Either another key made the signature, or the signature is damaged.
  case padding
  /// The padding is correct, but the rest is not a DigestInfo of a known hash in strict DER.
  case digestInfo
  /// The signature uses a different hash from its scheme.
  case hash(expected: Hash, found: Hash)
  /// The signature contains another digest, so it was made over another message.
  case digest(expected: [UInt8], found: [UInt8])
  /// The bytes do not have the form that the scheme requires (Ecdsa-Sig-Value in DER).
  case malformed
  /// The signature is a BIT STRING with unused bits, which no scheme produces.
  case unusedBits(Int)
  /// The verification equation does not hold. The key, the message or the signature is wrong; they cannot be
  /// distinguished.
  case mismatch
  /// The key signed this message, but with this scheme instead of the stated one.
  case otherForm(String)
  /// The scheme requires another type of key. The values name the key's algorithm and the scheme.
  case keyMismatch(key: String, scheme: String)
  /// TrustLab knows only the name of this scheme.
  case unsupportedScheme(String)
  /// TrustLab knows only the name of this key's algorithm.
  case unsupportedKey(String)
  /// The modulus is too short for this hash.
  case modulusTooShort(for: Hash)

  /// A description of the reason.
  public var description: String {
    switch self {
    case .length(let expected, let found):
      "a signature of \(found) bytes; this key makes signatures of \(expected) bytes"
    case .representativeOutOfRange: "the signature, as a number, is not below the modulus"
    case .padding: "the padding does not fit the scheme: another key signed, or bytes were changed"
    case .digestInfo: "the signature does not contain a DigestInfo of a known hash"
    case .hash(let expected, let found): "a \(found.name) digest was signed, not a \(expected.name) digest"
    case .digest: "the signed digest does not match the message"
    case .malformed: "the bytes do not have the form of a signature of this scheme"
    case .unusedBits(let count):
      "the signature does not consist of whole bytes: its BIT STRING has \(count) unused bit\(count == 1 ? "" : "s")"
    case .mismatch: "this key did not sign this message"
    case .otherForm(let form): "the issuer's key made the signature, but with the algorithm \(form)"
    case .keyMismatch(let key, let scheme): "\(scheme) does not fit a key for \(key)"
    case .unsupportedScheme(let name): "TrustLab does not support signatures with \(name)"
    case .unsupportedKey(let name): "TrustLab does not support keys for \(name)"
    case .modulusTooShort(let hash): "the modulus is too short for a signature with \(hash.name)"
    }
  }
}

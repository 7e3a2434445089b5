/// Why an RSA key cannot be, or an RSA operation gives no result.
public enum RSAError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A modulus of this many bits; only 512 to 8192 are taken.
  case modulusSize(bits: Int)
  /// A modulus that is even, and so no product of two odd primes.
  case evenModulus
  /// A public exponent that is even, below 3 or not below the modulus.
  case exponent
  /// A private key whose numbers do not belong together, with the relation that does not hold.
  case inconsistentKey(String)
  /// "Representative out of range": a number that is not below the modulus (RFC 8017 section 5).
  case representativeOutOfRange
  /// "Message too long" (RFC 8017 section 7.2.1): at most modulus − 11 bytes can be encrypted.
  case messageTooLong(limit: Int, found: Int)
  /// "Intended encoded message length too short" (RFC 8017 section 9.2): the modulus is too small for this hash.
  case modulusTooShort(for: Hash)
  /// "Decryption error" (RFC 8017 section 7.2.2), which tells nothing more on purpose.
  case decryptionError
  /// The result of the private operation failed its check: the computation went wrong, nothing is given out.
  case faultDetected

  /// The reason in words.
  public var description: String {
    switch self {
    case .modulusSize(let bits): "a modulus of \(bits) bits; only 512 to 8192 are taken"
    case .evenModulus: "the modulus is even"
    case .exponent: "the public exponent must be odd, at least 3 and below the modulus"
    case .inconsistentKey(let relation): "the numbers of the private key do not belong together: \(relation)"
    case .representativeOutOfRange: "representative out of range: the number is not below the modulus"
    case .messageTooLong(let limit, let found): "message too long: \(found) bytes, at most \(limit) fit"
    case .modulusTooShort(let hash): "the modulus is too short for a signature with \(hash.name)"
    case .decryptionError: "decryption error"
    case .faultDetected: "the private operation went wrong: its result does not lead back to the input"
    }
  }
}

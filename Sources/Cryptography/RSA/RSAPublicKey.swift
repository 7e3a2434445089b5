/// An RSA public key (RFC 8017 section 3.1).
public struct RSAPublicKey: Sendable {
  /// The modulus n, the product of the primes: an odd number of 512 to 8192 bits.
  public let modulus: Natural
  /// The public exponent e: an odd number of at least 3 and below the modulus.
  public let exponent: Natural
  /// The usage that the algorithm identifier of the key permits.
  public let usage: Usage
  /// The SubjectPublicKeyInfo that the key was decoded from; nil for a generated key.
  let encoded: [UInt8]?

  /// The usage that the algorithm identifier of a key permits (RFC 4055 section 1.2).
  public enum Usage: Sendable, Hashable {
    /// The identifier rsaEncryption permits all operations.
    case any
    /// The identifier id-RSASSA-PSS permits only PSS signatures. If the key has parameters, they determine the hash and
    /// the minimum salt length (section 3.3).
    case pss(PSSParameters?)
  }

  /// The accepted sizes of a modulus in bits. Smaller ones are easy to factor; larger ones only cost time.
  public static let sizes = 512...8192

  /// The maximum size of the exponent in a certificate, in bits.
  static let maximumExponentBits = 33

  /// Creates a public key from its numbers; throws if they do not form a valid key.
  public init(modulus: Natural, exponent: Natural) throws(RSAError) {
    try self.init(modulus: modulus, exponent: exponent, usage: .any, encoded: nil)
  }

  init(modulus: Natural, exponent: Natural, usage: Usage, encoded: [UInt8]?) throws(RSAError) {
    guard RSAPublicKey.sizes.contains(modulus.bitWidth) else { throw .modulusSize(bits: modulus.bitWidth) }
    guard modulus.isOdd else { throw .evenModulus }
    guard exponent.isOdd, exponent >= 3, exponent < modulus else { throw .exponent }
    self.modulus = modulus
    self.exponent = exponent
    self.usage = usage
    self.encoded = encoded
  }

  /// The size of the modulus in bits.
  public var bits: Int { modulus.bitWidth }

  /// The size of the modulus in bytes (k in RFC 8017), which ciphertexts and signatures also have.
  public var byteCount: Int { modulus.byteCount }

  /// Whether the key may verify a PSS signature with these parameters.
  func permitsPSS(_ form: PSSParameters) -> Bool {
    guard case .pss(let own?) = usage else { return true }
    return own.hash == form.hash && own.maskHash == form.maskHash && form.saltLength >= own.saltLength
  }

  /// RSAEP (RFC 8017 section 5.1.1): m^e mod n. Throws if m is not below n.
  public func rsaep(_ message: Natural) throws(RSAError) -> Natural {
    guard message < modulus else { throw .representativeOutOfRange }
    do {
      return try message.power(exponent, modulo: modulus)
    } catch {
      throw .evenModulus
    }
  }

  /// RSAVP1 (RFC 8017 section 5.2.2): s^e mod n. Throws if s is not below n.
  public func rsavp1(_ signature: Natural) throws(RSAError) -> Natural { try rsaep(signature) }
}

extension RSAPublicKey: Hashable {
  /// Whether the keys have the same numbers, regardless of their encodings.
  public static func == (left: RSAPublicKey, right: RSAPublicKey) -> Bool {
    left.modulus == right.modulus && left.exponent == right.exponent
  }

  /// Hashes the modulus of the key.
  public func hash(into hasher: inout Hasher) { hasher.combine(modulus) }
}

/// The reason why a key is invalid, or why an operation has no result.
public enum RSAError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The modulus has this number of bits; only 512 to 8192 are accepted.
  case modulusSize(bits: Int)
  /// The modulus is even, so it is not a product of two odd primes.
  case evenModulus
  /// The public exponent is even, below 3 or not below the modulus.
  case exponent
  /// The numbers of a private key are inconsistent. The value is the violated relation.
  case inconsistentKey(String)
  /// "Representative out of range": the number is not below the modulus (RFC 8017 section 5).
  case representativeOutOfRange
  /// "Message too long" (RFC 8017 section 7.2.1): the message is longer than the modulus minus 11 bytes.
  case messageTooLong(limit: Int, found: Int)
  /// "Intended encoded message length too short" (RFC 8017 section 9.2): the modulus is too short for this hash.
  case modulusTooShort(for: Hash)
  /// "Decryption error" (RFC 8017 section 7.2.2), which intentionally has no details.
  case decryptionError
  /// The result of the private operation failed its check and is not returned.
  case faultDetected

  /// A description of the reason.
  public var description: String {
    switch self {
    case .modulusSize(let bits): "a modulus of \(bits) bits; only 512 to 8192 are accepted"
    case .evenModulus: "the modulus is even"
    case .exponent: "the public exponent must be odd, at least 3 and below the modulus"
    case .inconsistentKey(let relation): "the values of the private key are inconsistent: \(relation)"
    case .representativeOutOfRange: "representative out of range: the number is not below the modulus"
    case .messageTooLong(let limit, let found): "message too long: \(found) bytes, at most \(limit) fit"
    case .modulusTooShort(let hash): "the modulus is too short for a signature with \(hash.name)"
    case .decryptionError: "decryption error"
    case .faultDetected: "the private-key operation failed: the public key does not reproduce the input from the result"
    }
  }
}

extension RSAPublicKey {
  /// Encrypts with RSAES-PKCS1-v1_5 (RFC 8017 section 7.2.1). The ciphertext is as long as the modulus.
  ///
  /// Throws `RSAError.messageTooLong` if `message` is longer than the modulus minus 11 bytes. The padding comes from
  /// `random`.
  public func encryptPKCS1v15(_ message: [UInt8], random: inout DeterministicRandom) throws(RSAError) -> [UInt8] {
    let limit = byteCount - 11
    guard message.count <= limit else { throw .messageTooLong(limit: limit, found: message.count) }
    let encoded = [0, 2] + random.nonzeroBytes(byteCount - message.count - 3) + [0] + message
    do {
      return try rsaep(Natural(bigEndian: encoded)).bigEndianBytes(count: byteCount)
    } catch {
      throw .representativeOutOfRange
    }
  }
}

/// The result of a decryption that must not reveal to its caller whether it failed.
public struct PKCS1v15Decryption: Sendable, Hashable {
  /// The decrypted message, or its replacement.
  public let bytes: [UInt8]
  /// Whether the padding was correct and the message had the requested length.
  ///
  /// Only the explanation of a run may read this property. If a server's messages, timing or state depend on it, the
  /// server is the oracle that D. Bleichenbacher's attack (1998) needs to decrypt any ciphertext.
  public let wasWellFormed: Bool
  /// Whether the block began with 00 02. Only the explanation of a run may read this property.
  public let beganRightly: Bool

  /// Creates the result of a decryption.
  public init(bytes: [UInt8], wasWellFormed: Bool, beganRightly: Bool) {
    self.bytes = bytes
    self.wasWellFormed = wasWellFormed
    self.beganRightly = beganRightly
  }
}

extension RSAPrivateKey {
  /// Decrypts with RSAES-PKCS1-v1_5 (RFC 8017 section 7.2.2); throws `RSAError.decryptionError` for any defect.
  ///
  /// A protocol that reveals the failure to its peer is vulnerable to Bleichenbacher's attack. TLS therefore uses
  /// `decryptPKCS1v15(_:orElse:)`.
  public func decryptPKCS1v15(_ ciphertext: [UInt8]) throws(RSAError) -> [UInt8] {
    guard ciphertext.count == publicKey.byteCount else { throw .decryptionError }
    let representative = Natural(bigEndian: ciphertext)
    guard representative < publicKey.modulus else { throw .decryptionError }
    let encoded = try privateOperation(representative)
    guard encoded.starts(with: [0, 2]), let separator = encoded.dropFirst(2).firstIndex(of: 0), separator >= 10 else {
      throw .decryptionError
    }
    return Array(encoded[(separator + 1)...])
  }

  /// Decrypts in the way that RFC 5246 section 7.4.7.1 requires of a TLS server.
  ///
  /// The result is the message if its padding is correct and it is as long as `replacement`; otherwise the result is
  /// `replacement`. The caller generates a random `replacement` beforehand. The code reads all bytes and selects the
  /// result with masks. Its source therefore has no branch that depends on the plaintext, but Swift cannot guarantee
  /// this for the machine code. If the ciphertext has the wrong length or is not below the modulus, which is public, it
  /// is replaced at once. Throws only if the calculation itself fails.
  public func decryptPKCS1v15(
    _ ciphertext: [UInt8], orElse replacement: [UInt8]
  ) throws(RSAError) -> PKCS1v15Decryption {
    let representative = Natural(bigEndian: ciphertext)
    let start = publicKey.byteCount - replacement.count
    guard ciphertext.count == publicKey.byteCount, representative < publicKey.modulus, start >= 11 else {
      return PKCS1v15Decryption(bytes: replacement, wasWellFormed: false, beganRightly: false)
    }
    let encoded = try privateOperation(representative)
    let beginning = encoded[0] | (encoded[1] ^ 2)
    var wrong = beginning | encoded[start - 1]
    for byte in encoded[2..<start - 1] { wrong |= ConstantTime.isZero(byte) }
    let mask = ~ConstantTime.isZero(wrong)  // all ones if a check failed
    let bytes = zip(encoded[start...], replacement).map { ($0 & ~mask) | ($1 & mask) }
    return PKCS1v15Decryption(bytes: bytes, wasWellFormed: mask == 0, beganRightly: beginning == 0)
  }
}

extension RSAPrivateKey {
  /// Signs with RSASSA-PKCS1-v1_5 (RFC 8017 section 8.2.1). The signature is as long as the modulus.
  ///
  /// Throws `RSAError.modulusTooShort` if the modulus is too short for a digest of `hash`.
  public func signPKCS1v15(message: [UInt8], hash: Hash) throws(RSAError) -> [UInt8] {
    try signPKCS1v15(digest: hash.digest(message), hash: hash)
  }

  /// Signs a digest if the message is not available.
  public func signPKCS1v15(digest: [UInt8], hash: Hash) throws(RSAError) -> [UInt8] {
    let encoded = try EMSAPKCS1v15.encode(digest: digest, hash: hash, count: publicKey.byteCount)
    return try privateOperation(Natural(bigEndian: encoded))
  }
}

extension RSAPublicKey {
  /// Verifies an RSASSA-PKCS1-v1_5 signature over `message` (RFC 8017 section 8.2.2); throws the reason if it is not
  /// valid.
  public func verifyPKCS1v15(_ signature: [UInt8], message: [UInt8], hash: Hash) throws(SignatureError) {
    try verifyPKCS1v15(signature, digest: hash.digest(message), hash: hash)
  }

  /// Verifies a signature over a digest if the message is not available.
  ///
  /// The function encodes the digest again and compares the results. It does not parse the signature, because an
  /// attacker can deceive a lax parser (D. Bleichenbacher, 2006). It accepts only the encoding with NULL parameters.
  /// For old signers, RFC 8017 also permits the encoding without parameters.
  public func verifyPKCS1v15(_ signature: [UInt8], digest: [UInt8], hash: Hash) throws(SignatureError) {
    guard signature.count == byteCount else { throw .length(expected: byteCount, found: signature.count) }
    guard let recovered = try? rsavp1(Natural(bigEndian: signature)).bigEndianBytes(count: byteCount) else {
      throw .representativeOutOfRange
    }
    guard let expected = try? EMSAPKCS1v15.encode(digest: digest, hash: hash, count: byteCount) else {
      throw .modulusTooShort(for: hash)
    }
    guard recovered == expected else {
      throw EMSAPKCS1v15.difference(recovered, digest: digest, hash: hash)
    }
  }
}

/// The signature scheme of TLS 1.0 and 1.1 for an RSA key (RFC 2246 section 4.7).
///
/// The signature is PKCS #1 block type 1 around MD5(message) and SHA-1(message), without DigestInfo.
extension RSAPrivateKey {
  /// Signs `message`. The signature is as long as the modulus.
  ///
  /// Throws `RSAError.modulusTooShort` if the modulus is too short for 36 bytes.
  public func signMD5SHA1(message: [UInt8]) throws(RSAError) -> [UInt8] {
    let digests = Hash.md5.digest(message) + Hash.sha1.digest(message)
    let encoded = try EMSAPKCS1v15.encode(md5SHA1: digests, count: publicKey.byteCount)
    return try privateOperation(Natural(bigEndian: encoded))
  }
}

extension RSAPublicKey {
  /// Verifies `signature` over `message`; throws the reason if it is not valid.
  ///
  /// The function encodes the message again and compares the results, as for RSASSA-PKCS1-v1_5.
  public func verifyMD5SHA1(_ signature: [UInt8], message: [UInt8]) throws(SignatureError) {
    guard signature.count == byteCount else { throw .length(expected: byteCount, found: signature.count) }
    guard let recovered = try? rsavp1(Natural(bigEndian: signature)).bigEndianBytes(count: byteCount) else {
      throw .representativeOutOfRange
    }
    let digests = Hash.md5.digest(message) + Hash.sha1.digest(message)
    guard let expected = try? EMSAPKCS1v15.encode(md5SHA1: digests, count: byteCount) else {
      throw .modulusTooShort(for: .sha1)
    }
    if recovered == expected { return }
    guard recovered.starts(with: expected.dropLast(digests.count)) else { throw .padding }
    throw .digest(expected: digests, found: Array(recovered.suffix(digests.count)))
  }
}

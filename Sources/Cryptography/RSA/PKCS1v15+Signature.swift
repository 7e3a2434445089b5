extension RSAPrivateKey {
  /// RSASSA-PKCS1-v1_5, RFC 8017 section 8.2.1: the signature of `message`, as long as the modulus.
  ///
  /// Throws `RSAError.modulusTooShort` when the modulus has no room for a digest of `hash`.
  public func signPKCS1v15(message: [UInt8], hash: Hash) throws(RSAError) -> [UInt8] {
    try signPKCS1v15(digest: hash.digest(message), hash: hash)
  }

  /// The same for a message of which only the digest is at hand; `digest` is taken as it is.
  public func signPKCS1v15(digest: [UInt8], hash: Hash) throws(RSAError) -> [UInt8] {
    let encoded = try EMSAPKCS1v15.encode(digest: digest, hash: hash, count: publicKey.byteCount)
    return try privateOperation(Natural(bigEndian: encoded))
  }
}

extension RSAPublicKey {
  /// RSASSA-PKCS1-v1_5, RFC 8017 section 8.2.2: returns when `signature` holds over `message`, else throws why not.
  public func verifyPKCS1v15(_ signature: [UInt8], message: [UInt8], hash: Hash) throws(SignatureError) {
    try verifyPKCS1v15(signature, digest: hash.digest(message), hash: hash)
  }

  /// The same for a message of which only the digest is at hand.
  ///
  /// The message is encoded anew and compared: nothing of what the signature contains is parsed, so that no lax parser
  /// can be fooled (D. Bleichenbacher, 2006). The only encoding accepted is the one with NULL parameters; RFC 8017
  /// lets a verifier also accept that without parameters, for the sake of old signers, and this one does not.
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

/// The encoding EMSA-PKCS1-v1_5 (RFC 8017 section 9.2): `00 01 FF … FF 00 DigestInfo`.
enum EMSAPKCS1v15 {
  /// The encoded message of `count` bytes for a digest.
  static func encode(digest: [UInt8], hash: Hash, count: Int) throws(RSAError) -> [UInt8] {
    try encode(hash.digestInfoPrefix + digest, hash: hash, count: count)
  }

  /// The encoded message of `count` bytes for concatenated MD5 and SHA-1 digests, without DigestInfo.
  ///
  /// The encoding has block type 1 (RFC 2246 section 4.7).
  static func encode(md5SHA1 digests: [UInt8], count: Int) throws(RSAError) -> [UInt8] {
    try encode(digests, hash: .sha1, count: count)
  }

  private static func encode(_ digestInfo: [UInt8], hash: Hash, count: Int) throws(RSAError) -> [UInt8] {
    guard count >= digestInfo.count + 11 else { throw .modulusTooShort(for: hash) }
    var encoded: [UInt8] = [0, 1]
    encoded.reserveCapacity(count)
    encoded.append(contentsOf: repeatElement(0xff, count: count - digestInfo.count - 3))
    encoded.append(0)
    encoded += digestInfo
    return encoded
  }

  /// The reason why the recovered message differs from the expected one, used only for explanations.
  static func difference(_ recovered: [UInt8], digest: [UInt8], hash: Hash) -> SignatureError {
    guard recovered.starts(with: [0, 1]) else { return .padding }
    let rest = recovered.dropFirst(2).drop { $0 == 0xff }
    guard rest.first == 0, rest.startIndex >= 10 else { return .padding }
    let digestInfo = Array(rest.dropFirst())
    for other in Hash.allCases where digestInfo.starts(with: other.digestInfoPrefix) {
      let found = Array(digestInfo.dropFirst(other.digestInfoPrefix.count))
      guard found.count == other.digestSize else { return .digestInfo }
      return other == hash ? .digest(expected: digest, found: found) : .hash(expected: hash, found: other)
    }
    return .digestInfo
  }
}

extension Hash {
  /// The DER of DigestInfo up to the digest, with NULL parameters, as listed in RFC 8017 section 9.2 note 1.
  var digestInfoPrefix: [UInt8] { Hash.digestInfoPrefixes[self] ?? [] }

  private static let digestInfoPrefixes = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0, $0.encodedDigestInfoPrefix) })

  private var encodedDigestInfoPrefix: [UInt8] {
    let algorithm: [UInt8] =
      switch self {
      case .md5: [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x02, 0x05]
      case .sha1: [0x2b, 0x0e, 0x03, 0x02, 0x1a]
      case .sha224: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x04]
      case .sha256: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01]
      case .sha384: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x02]
      case .sha512: [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x03]
      }
    let identifier = [0x06, UInt8(algorithm.count)] + algorithm + [0x05, 0x00]
    let size = UInt8(digestSize)
    return [0x30, UInt8(identifier.count) + size + 4, 0x30, UInt8(identifier.count)] + identifier + [0x04, size]
  }
}

/// The encoding EMSA-PSS (RFC 8017 section 9.1) with MGF1.
///
/// In MGF1, TLS accepts only the hash of the message. It requires a salt as long as the digest (RFC 8446 section
/// 4.2.3). Certificates specify both (RFC 4055 section 3.1).
enum EMSAPSS {
  /// Performs EMSA-PSS-ENCODE for a modulus of `bits` + 1 bits.
  static func encode(digest: [UInt8], salt: [UInt8], hash: Hash, bits: Int) throws(RSAError) -> [UInt8] {
    let count = (bits + 7) / 8
    guard count >= digest.count + salt.count + 2 else { throw .modulusTooShort(for: hash) }
    let fingerprint = hash.digest([UInt8](repeating: 0, count: 8) + digest + salt)
    let padding = [UInt8](repeating: 0, count: count - salt.count - digest.count - 2)
    var masked = xor(padding + [1] + salt, mask(fingerprint, hash, count - digest.count - 1))
    masked[0] &= 0xff >> UInt8(8 * count - bits)
    return masked + fingerprint + [0xbc]
  }

  /// Performs EMSA-PSS-VERIFY: checks that `encoded` is an encoding of the digest in `bits` bits.
  static func verify(
    _ encoded: [UInt8], digest: [UInt8], saltLength: Int, hash: Hash, maskHash: Hash, bits: Int
  ) throws(SignatureError) {
    let size = hash.digestSize
    guard saltLength >= 0, saltLength <= encoded.count - size - 2 else { throw .modulusTooShort(for: hash) }
    let masked = encoded.dropLast(size + 1)
    let fingerprint = Array(encoded.dropLast().suffix(size))
    let free = 0xff >> UInt8(8 * encoded.count - bits)
    guard encoded.last == 0xbc, masked[0] & ~UInt8(free) == 0 else { throw .padding }
    var block = xor(masked, mask(fingerprint, maskHash, masked.count))
    block[0] &= UInt8(free)
    guard block.dropLast(saltLength + 1).allSatisfy({ $0 == 0 }), block[block.count - saltLength - 1] == 1 else {
      throw .padding
    }
    let expected = hash.digest([UInt8](repeating: 0, count: 8) + digest + block.suffix(saltLength))
    guard fingerprint == expected else { throw .mismatch }
  }

  /// The length of the salt in `encoded`; nil unless it has the form that step 10 in section 9.1.2 requires.
  static func saltLength(of encoded: [UInt8], hash: Hash, maskHash: Hash, bits: Int) -> Int? {
    let size = hash.digestSize
    guard encoded.count >= size + 2, encoded.last == 0xbc, (0...8).contains(8 * encoded.count - bits) else {
      return nil
    }
    let masked = encoded.dropLast(size + 1)
    var block = xor(masked, mask(Array(encoded.dropLast().suffix(size)), maskHash, masked.count))
    block[0] &= UInt8(0xff >> UInt8(8 * encoded.count - bits))
    guard let start = block.firstIndex(where: { $0 != 0 }), block[start] == 1 else { return nil }
    return block.count - start - 1
  }

  /// The mask generation function MGF1 (RFC 8017 appendix B.2.1).
  private static func mask(_ seed: [UInt8], _ hash: Hash, _ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var counter: UInt32 = 0
    while bytes.count < count {
      bytes += hash.digest(seed + withUnsafeBytes(of: counter.bigEndian) { Array($0) })
      counter &+= 1
    }
    return Array(bytes.prefix(count))
  }

  private static func xor(_ left: some Sequence<UInt8>, _ right: [UInt8]) -> [UInt8] {
    zip(left, right).map { $0 ^ $1 }
  }
}

extension RSAPrivateKey {
  /// Signs with RSASSA-PSS (RFC 8017 section 8.1.1) and a salt from `random` that is as long as the digest.
  ///
  /// Throws `RSAError.modulusTooShort` if the modulus is too short for digest and salt.
  public func signPSS(message: [UInt8], hash: Hash, random: inout DeterministicRandom) throws(RSAError) -> [UInt8] {
    let salt = random.bytes(hash.digestSize)
    let encoded = try EMSAPSS.encode(
      digest: hash.digest(message), salt: salt, hash: hash, bits: publicKey.bits - 1)
    return try privateOperation(Natural(bigEndian: encoded))
  }
}

extension RSAPublicKey {
  /// Verifies an RSASSA-PSS signature (RFC 8017 section 8.1.2).
  ///
  /// MGF1 uses `maskHash` (default: the hash of the message), and the salt has `saltLength` bytes (default: the length
  /// of the digest). Throws the reason if the signature is not valid.
  public func verifyPSS(
    _ signature: [UInt8], message: [UInt8], hash: Hash, maskHash: Hash? = nil, saltLength: Int? = nil
  ) throws(SignatureError) {
    guard signature.count == byteCount else { throw .length(expected: byteCount, found: signature.count) }
    guard let recovered = try? rsavp1(Natural(bigEndian: signature)) else { throw .representativeOutOfRange }
    guard let encoded = try? recovered.bigEndianBytes(count: (bits + 6) / 8) else { throw .padding }
    try EMSAPSS.verify(
      encoded, digest: hash.digest(message), saltLength: saltLength ?? hash.digestSize, hash: hash,
      maskHash: maskHash ?? hash, bits: bits - 1)
  }

  /// The PSS parameters with which this key signed `message`. They may differ from the stated parameters.
  ///
  /// Nil for a signature by another key, over another message or with another padding.
  public func pssForm(of signature: [UInt8], over message: [UInt8]) -> PSSParameters? {
    guard signature.count == byteCount, let recovered = try? rsavp1(Natural(bigEndian: signature)),
      let encoded = try? recovered.bigEndianBytes(count: (bits + 6) / 8)
    else { return nil }
    for hash in PSSParameters.knownHashes {
      for maskHash in PSSParameters.knownHashes {
        let length = EMSAPSS.saltLength(of: encoded, hash: hash, maskHash: maskHash, bits: bits - 1)
        guard let length else { continue }
        let verified: Void? = try? EMSAPSS.verify(
          encoded, digest: hash.digest(message), saltLength: length, hash: hash, maskHash: maskHash, bits: bits - 1)
        if verified != nil { return PSSParameters(hash: hash, maskHash: maskHash, saltLength: length) }
      }
    }
    return nil
  }
}

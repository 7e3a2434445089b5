/// EMSA-PKCS1-v1_5, RFC 8017 section 9.2: `00 01 FF … FF 00 DigestInfo`.
enum EMSAPKCS1v15 {
  /// The encoded message of `count` bytes for a digest.
  static func encode(digest: [UInt8], hash: Hash, count: Int) throws(RSAError) -> [UInt8] {
    let digestInfo = hash.digestInfoPrefix + digest
    guard count >= digestInfo.count + 11 else { throw .modulusTooShort(for: hash) }
    var encoded: [UInt8] = [0, 1]
    encoded.reserveCapacity(count)
    encoded.append(contentsOf: repeatElement(0xff, count: count - digestInfo.count - 3))
    encoded.append(0)
    encoded += digestInfo
    return encoded
  }

  /// Why a message that was recovered from a signature is not the one expected; the verdict does not depend on it.
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
  /// The DER of DigestInfo up to the digest, as RFC 8017 section 9.2 note 1 lists them, with NULL parameters.
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

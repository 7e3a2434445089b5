/// HKDF, RFC 5869: from a secret that is not uniform to as many keys as are needed.
public enum HKDF {
  /// HKDF-Extract, section 2.2: the pseudorandom key, as long as a digest; no salt is as many zeros.
  public static func extract(_ hash: Hash, salt: [UInt8], _ secret: [UInt8]) -> [UInt8] {
    HMAC.authenticationCode(hash, key: salt, secret)
  }

  /// HKDF-Expand, section 2.3: `count` bytes for the purpose `info`; nil for more than 255 digests.
  public static func expand(_ hash: Hash, key: [UInt8], info: [UInt8], count: Int) -> [UInt8]? {
    guard (0...255 * hash.digestSize).contains(count) else { return nil }
    let key = HMAC.Key(hash, key)
    var (output, block, number): ([UInt8], [UInt8], UInt8) = ([], [], 0)
    while output.count < count {
      number += 1
      block = key.authenticationCode([block, info, [number]])
      output += block
    }
    return Array(output.prefix(count))
  }
}

import Cryptography

/// The pseudo-random function of TLS 1.2, RFC 5246 section 5.
///
/// ```
/// P_hash(secret, seed) = HMAC_hash(secret, A(1) + seed) + HMAC_hash(secret, A(2) + seed) + …
/// A(0) = seed, A(i) = HMAC_hash(secret, A(i-1))
/// PRF(secret, label, seed) = P_hash(secret, label + seed)
/// ```
public enum PRF12 {
  /// The first `count` bytes of PRF(`secret`, `label`, `seed`) with the suite's hash.
  public static func output(
    _ hash: Hash, secret: [UInt8], label: String, seed: [UInt8], count: Int
  ) -> [UInt8] {
    let key = HMAC.Key(hash, secret)
    let seed = Array(label.utf8) + seed
    var a = seed
    var output: [UInt8] = []
    while output.count < count {
      a = key.authenticationCode(a)
      output += key.authenticationCode([a, seed])
    }
    return Array(output.prefix(max(0, count)))
  }
}

/// The pseudo-random function of TLS 1.0 and 1.1, RFC 2246 section 5 and RFC 4346 section 5: as long as one of the two
/// hashes holds, so does the function.
///
/// ```
/// S1 = the first half of the secret, S2 = the second; both have the byte in the middle of an odd number
/// PRF(secret, label, seed) = P_MD5(S1, label + seed) XOR P_SHA-1(S2, label + seed)
/// ```
public enum PRF10 {
  /// The first `count` bytes of PRF(`secret`, `label`, `seed`).
  public static func output(secret: [UInt8], label: String, seed: [UInt8], count: Int) -> [UInt8] {
    let half = (secret.count + 1) / 2
    let md5 = PRF12.output(.md5, secret: Array(secret.prefix(half)), label: label, seed: seed, count: count)
    let sha1 = PRF12.output(.sha1, secret: Array(secret.suffix(half)), label: label, seed: seed, count: count)
    return zip(md5, sha1).map { $0 ^ $1 }
  }
}

extension CipherSuite.PRF {
  /// The hashes inside; their digests of the handshake messages are joined.
  public var hashes: [Hash] {
    switch self {
    case .ssl3, .md5SHA1: [.md5, .sha1]
    case .sha256: [.sha256]
    case .sha384: [.sha384]
    }
  }

  /// The first `count` bytes of PRF(`secret`, `label`, `seed`); in SSL 3.0 without the label.
  public func output(secret: [UInt8], label: String, seed: [UInt8], count: Int) -> [UInt8] {
    switch self {
    case .ssl3: SSL3.output(secret: secret, seed: seed, count: count)
    case .md5SHA1: PRF10.output(secret: secret, label: label, seed: seed, count: count)
    case .sha256: PRF12.output(.sha256, secret: secret, label: label, seed: seed, count: count)
    case .sha384: PRF12.output(.sha384, secret: secret, label: label, seed: seed, count: count)
    }
  }
}

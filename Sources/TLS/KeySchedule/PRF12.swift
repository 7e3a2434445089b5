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

extension CipherSuite.PRF {
  /// The hash inside.
  public var hash: Hash {
    switch self {
    case .sha256: .sha256
    case .sha384: .sha384
    }
  }
}

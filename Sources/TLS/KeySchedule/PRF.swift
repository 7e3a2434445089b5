import Cryptography

/// The pseudorandom function of TLS 1.2 (RFC 5246 section 5).
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
    output(HMAC.Key(hash, secret), label: label, seed: seed, count: count)
  }

  /// The first `count` bytes for a prepared secret.
  fileprivate static func output(_ key: HMAC.Key, label: String, seed: [UInt8], count: Int) -> [UInt8] {
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

/// The pseudorandom function of TLS 1.0 and 1.1 (RFC 2246 section 5, RFC 4346 section 5).
///
/// The function is secure as long as one of its two hash functions is.
///
/// ```
/// S1 = the first half of the secret, S2 = the second; both have the byte in the middle of an odd number
/// PRF(secret, label, seed) = P_MD5(S1, label + seed) XOR P_SHA-1(S2, label + seed)
/// ```
public enum PRF10 {
  /// The first `count` bytes of PRF(`secret`, `label`, `seed`).
  public static func output(secret: [UInt8], label: String, seed: [UInt8], count: Int) -> [UInt8] {
    output(keys(secret), label: label, seed: seed, count: count)
  }

  /// The two halves of a secret, prepared as HMAC keys.
  fileprivate static func keys(_ secret: [UInt8]) -> (md5: HMAC.Key, sha1: HMAC.Key) {
    let half = (secret.count + 1) / 2
    return (HMAC.Key(.md5, Array(secret.prefix(half))), HMAC.Key(.sha1, Array(secret.suffix(half))))
  }

  fileprivate static func output(
    _ keys: (md5: HMAC.Key, sha1: HMAC.Key), label: String, seed: [UInt8], count: Int
  ) -> [UInt8] {
    let md5 = PRF12.output(keys.md5, label: label, seed: seed, count: count)
    let sha1 = PRF12.output(keys.sha1, label: label, seed: seed, count: count)
    return zip(md5, sha1).map { $0 ^ $1 }
  }
}

extension CipherSuite.PRF {
  /// The hash functions that the function uses. Their digests of the handshake messages are concatenated.
  public var hashes: [Hash] {
    switch self {
    case .ssl3, .md5SHA1: [.md5, .sha1]
    case .sha256: [.sha256]
    case .sha384: [.sha384]
    }
  }

  /// The first `count` bytes of PRF(`secret`, `label`, `seed`). SSL 3.0 ignores the label.
  public func output(secret: [UInt8], label: String, seed: [UInt8], count: Int) -> [UInt8] {
    PRFSecret(self, secret).output(label: label, seed: seed, count: count)
  }
}

/// A secret that is prepared for the pseudorandom function: the blocks that depend only on the secret are hashed once.
struct PRFSecret: Sendable {
  private enum Prepared: Sendable {
    case ssl3
    case md5SHA1(md5: HMAC.Key, sha1: HMAC.Key)
    case hash(HMAC.Key)
  }

  /// The bytes of the secret.
  let bytes: [UInt8]
  private let prepared: Prepared

  init(_ function: CipherSuite.PRF, _ bytes: [UInt8]) {
    self.bytes = bytes
    switch function {
    case .ssl3: prepared = .ssl3
    case .md5SHA1:
      let keys = PRF10.keys(bytes)
      prepared = .md5SHA1(md5: keys.md5, sha1: keys.sha1)
    case .sha256: prepared = .hash(HMAC.Key(.sha256, bytes))
    case .sha384: prepared = .hash(HMAC.Key(.sha384, bytes))
    }
  }

  /// The first `count` bytes of the function for `label` and `seed`.
  func output(label: String, seed: [UInt8], count: Int) -> [UInt8] {
    switch prepared {
    case .ssl3: SSL3.output(secret: bytes, seed: seed, count: count)
    case .md5SHA1(let md5, let sha1): PRF10.output((md5, sha1), label: label, seed: seed, count: count)
    case .hash(let key): PRF12.output(key, label: label, seed: seed, count: count)
    }
  }
}

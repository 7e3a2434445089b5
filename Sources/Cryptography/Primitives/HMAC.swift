import Crypto
import CryptoExtras

/// HMAC, RFC 2104.
public enum HMAC {
  /// The MAC of `message`, which is as long as a digest of `hash`.
  public static func authenticationCode(_ hash: Hash, key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    Key(hash, key).authenticationCode(message)
  }

  /// A key prepared for many messages: the two blocks that depend only on the key are hashed once.
  public struct Key: Sendable {
    private enum Prepared: Sendable {
      case md5(Padded<Insecure.MD5>)
      case sha1(Padded<Insecure.SHA1>)
      case sha224([UInt8])
      case sha256(Padded<SHA256>)
      case sha384(Padded<SHA384>)
      case sha512(Padded<SHA512>)
    }

    /// The hash function.
    public let hash: Hash
    private let prepared: Prepared

    /// Prepares a key of any length.
    public init(_ hash: Hash, _ key: [UInt8]) {
      self.hash = hash
      let short = key.count > hash.blockSize ? hash.digest(key) : key
      let block = short + [UInt8](repeating: 0, count: hash.blockSize - short.count)
      switch hash {
      case .md5: prepared = .md5(Padded(block))
      case .sha1: prepared = .sha1(Padded(block))
      case .sha224: prepared = .sha224(block)
      case .sha256: prepared = .sha256(Padded(block))
      case .sha384: prepared = .sha384(Padded(block))
      case .sha512: prepared = .sha512(Padded(block))
      }
    }

    /// The MAC of `message`, which is as long as a digest of the hash.
    public func authenticationCode(_ message: [UInt8]) -> [UInt8] { authenticationCode([message]) }

    /// The MAC of a message that is passed in parts.
    public func authenticationCode(_ parts: [[UInt8]]) -> [UInt8] {
      switch prepared {
      case .md5(let key): key.code(parts)
      case .sha1(let key): key.code(parts)
      case .sha224(let block): Key.sha224(block, parts)
      case .sha256(let key): key.code(parts)
      case .sha384(let key): key.code(parts)
      case .sha512(let key): key.code(parts)
      }
    }

    /// Computes H(K ^ opad, H(K ^ ipad, text)) for SHA-224, which has no intermediate state.
    private static func sha224(_ block: [UInt8], _ parts: [[UInt8]]) -> [UInt8] {
      let inner = Hash.sha224.digest(block.map { $0 ^ 0x36 } + parts.joined())
      return Hash.sha224.digest(block.map { $0 ^ 0x5c } + inner)
    }
  }

  /// Computes H(K ^ opad, H(K ^ ipad, text)) (RFC 2104 section 2); both functions have already processed their padded
  /// key.
  private struct Padded<Function: HashFunction & Sendable>: Sendable {
    private let inner: Function
    private let outer: Function

    init(_ block: [UInt8]) {
      inner = Padded.function(after: block.map { $0 ^ 0x36 })
      outer = Padded.function(after: block.map { $0 ^ 0x5c })
    }

    func code(_ parts: [[UInt8]]) -> [UInt8] {
      var (inner, outer) = (inner, outer)
      for part in parts { part.withUnsafeBytes { inner.update(bufferPointer: $0) } }
      inner.finalize().withUnsafeBytes { outer.update(bufferPointer: $0) }
      return outer.finalize().withUnsafeBytes { Array($0) }
    }

    private static func function(after block: [UInt8]) -> Function {
      var function = Function()
      block.withUnsafeBytes { function.update(bufferPointer: $0) }
      return function
    }
  }
}

/// HKDF (RFC 5869), which derives keys from a secret that is not uniformly random.
public enum HKDF {
  /// HKDF-Extract (section 2.2): the pseudorandom key, as long as a digest. Without a salt, zeros are used.
  public static func extract(_ hash: Hash, salt: [UInt8], _ secret: [UInt8]) -> [UInt8] {
    HMAC.authenticationCode(hash, key: salt, secret)
  }

  /// HKDF-Expand (section 2.3): `count` bytes for the purpose `info`; nil for more bytes than 255 digests have.
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

/// PBKDF2, which derives a key from a passphrase (RFC 8018 section 5.2).
public enum PBKDF2 {
  /// Derives `count` bytes from a passphrase with `iterations` of HMAC with `hash`.
  ///
  /// Throws `CipherError.keySize` if `count` or `iterations` is not positive.
  public static func key(
    _ passphrase: [UInt8], salt: [UInt8], iterations: Int, count: Int, hash: Hash = .sha256
  ) throws(CipherError) -> [UInt8] {
    guard count > 0, iterations > 0 else { throw .keySize(count) }
    do {
      let key = try KDF.Insecure.PBKDF2.deriveKey(
        from: passphrase, salt: salt, using: function(hash), outputByteCount: count,
        unsafeUncheckedRounds: iterations)
      return key.withUnsafeBytes { Array($0) }
    } catch {
      throw .keySize(count)
    }
  }

  private static func function(_ hash: Hash) -> KDF.Insecure.PBKDF2.HashFunction {
    switch hash {
    case .md5: .insecureMD5
    case .sha1: .insecureSHA1
    case .sha224: .insecureSHA224
    case .sha256: .sha256
    case .sha384: .sha384
    case .sha512: .sha512
    }
  }
}

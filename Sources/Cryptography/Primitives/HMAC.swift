import Crypto
import CryptoExtras

/// HMAC, RFC 2104.
public enum HMAC {
  /// The MAC of `message`, which is as long as a digest of `hash`.
  public static func authenticationCode(_ hash: Hash, key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    Key(hash, key).authenticationCode(message)
  }

  /// A key that is at most as long as a block of the hash function (RFC 2104 section 2).
  ///
  /// The digests of its blocks are not kept: to copy the state of a hash function costs as much as to hash a block.
  public struct Key: Sendable {
    /// The hash function.
    public let hash: Hash
    private let short: [UInt8]

    /// Prepares a key of any length.
    public init(_ hash: Hash, _ key: [UInt8]) {
      self.hash = hash
      short = key.count > hash.blockSize ? hash.digest(key) : key
    }

    /// Calls `body` with the key, padded to a block and combined with ipad or opad.
    private func withBlock<Result>(_ pad: UInt8, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
      withUnsafeTemporaryAllocation(byteCount: hash.blockSize, alignment: 16) { block in
        for index in block.indices { block[index] = index < short.count ? short[index] ^ pad : pad }
        return body(UnsafeRawBufferPointer(block))
      }
    }

    /// The MAC of `message`, which is as long as a digest of the hash.
    public func authenticationCode(_ message: [UInt8]) -> [UInt8] { authenticationCode([message]) }

    /// The MAC of a message that is passed in parts.
    public func authenticationCode(_ parts: [[UInt8]]) -> [UInt8] {
      switch hash {
      case .md5: code(Insecure.MD5.self, parts)
      case .sha1: code(Insecure.SHA1.self, parts)
      case .sha224:
        withBlock(0x5c) { outer in
          hash.digest(Array(outer) + withBlock(0x36) { hash.digest(Array($0) + parts.joined()) })
        }
      case .sha256: code(SHA256.self, parts)
      case .sha384: code(SHA384.self, parts)
      case .sha512: code(SHA512.self, parts)
      }
    }

    /// Computes H(K ^ opad, H(K ^ ipad, text)).
    private func code<Function: HashFunction>(_: Function.Type, _ parts: [[UInt8]]) -> [UInt8] {
      var (inside, outside) = (Function(), Function())
      withBlock(0x36) { inside.update(bufferPointer: $0) }
      for part in parts { part.withUnsafeBytes { inside.update(bufferPointer: $0) } }
      withBlock(0x5c) { outside.update(bufferPointer: $0) }
      inside.finalize().withUnsafeBytes { outside.update(bufferPointer: $0) }
      return outside.finalize().withUnsafeBytes { Array($0) }
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
    var block = key.authenticationCode(info + [1])
    if count == hash.digestSize { return block }
    var (output, number) = (block, UInt8(1))
    while output.count < count {
      number += 1
      block = key.authenticationCode(block + info + [number])
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

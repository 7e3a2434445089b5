import Crypto

/// HMAC, RFC 2104.
public enum HMAC {
  /// The authentication code of `message`, as long as a digest of `hash`.
  public static func authenticationCode(_ hash: Hash, key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    Key(hash, key).authenticationCode(message)
  }

  /// A key made ready for many messages: the two blocks that depend on it alone are hashed once.
  public struct Key: Sendable {
    private enum Prepared: Sendable {
      case md5(Crypto.HMAC<Insecure.MD5>)
      case sha1(Crypto.HMAC<Insecure.SHA1>)
      case sha224([UInt8])
      case sha256(Crypto.HMAC<SHA256>)
      case sha384(Crypto.HMAC<SHA384>)
      case sha512(Crypto.HMAC<SHA512>)
    }

    /// The hash function inside.
    public let hash: Hash
    private let prepared: Prepared

    /// A key of any length.
    public init(_ hash: Hash, _ key: [UInt8]) {
      self.hash = hash
      let symmetric = SymmetricKey(data: key)
      switch hash {
      case .md5: prepared = .md5(.init(key: symmetric))
      case .sha1: prepared = .sha1(.init(key: symmetric))
      case .sha224: prepared = .sha224(key)
      case .sha256: prepared = .sha256(.init(key: symmetric))
      case .sha384: prepared = .sha384(.init(key: symmetric))
      case .sha512: prepared = .sha512(.init(key: symmetric))
      }
    }

    /// The authentication code of `message`, as long as a digest of the hash.
    public func authenticationCode(_ message: [UInt8]) -> [UInt8] { authenticationCode([message]) }

    /// The authentication code of the parts of a message, joined.
    public func authenticationCode(_ parts: [[UInt8]]) -> [UInt8] {
      switch prepared {
      case .md5(let start): Key.code(start, parts)
      case .sha1(let start): Key.code(start, parts)
      case .sha224(let key): Key.code(.sha224, key, parts)
      case .sha256(let start): Key.code(start, parts)
      case .sha384(let start): Key.code(start, parts)
      case .sha512(let start): Key.code(start, parts)
      }
    }

    private static func code<Function: HashFunction>(
      _ start: Crypto.HMAC<Function>, _ parts: [[UInt8]]
    ) -> [UInt8] {
      var function = start
      for part in parts { function.update(data: part) }
      return Array(function.finalize())
    }

    /// RFC 2104 section 2 in its own steps, for the hash that swift-crypto does not have.
    private static func code(_ hash: Hash, _ key: [UInt8], _ parts: [[UInt8]]) -> [UInt8] {
      let short = key.count > hash.blockSize ? hash.digest(key) : key
      let block = short + [UInt8](repeating: 0, count: hash.blockSize - short.count)
      let inner = hash.digest(block.map { $0 ^ 0x36 } + parts.joined())
      return hash.digest(block.map { $0 ^ 0x5c } + inner)
    }
  }
}

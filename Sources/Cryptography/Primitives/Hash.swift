import Crypto

/// A hash function, by the name that registries give it.
public enum Hash: String, CaseIterable, Sendable, Hashable {
  /// MD5, RFC 1321: broken, kept to show why.
  case md5
  /// SHA-1, FIPS 180-4: broken, kept to show why.
  case sha1
  /// SHA-224, FIPS 180-4.
  case sha224
  /// SHA-256, FIPS 180-4.
  case sha256
  /// SHA-384, FIPS 180-4.
  case sha384
  /// SHA-512, FIPS 180-4.
  case sha512

  /// How many bytes a digest has.
  public var digestSize: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha224: 28
    case .sha256: 32
    case .sha384: 48
    case .sha512: 64
    }
  }

  /// How many bytes the function takes in at a time: the B of HMAC (RFC 2104 section 2).
  public var blockSize: Int {
    switch self {
    case .md5, .sha1, .sha224, .sha256: 64
    case .sha384, .sha512: 128
    }
  }

  /// The name as FIPS 180-4 and RFC 1321 write it: `SHA-256`.
  public var name: String {
    switch self {
    case .md5: "MD5"
    case .sha1: "SHA-1"
    case .sha224: "SHA-224"
    case .sha256: "SHA-256"
    case .sha384: "SHA-384"
    case .sha512: "SHA-512"
    }
  }

  /// The digest of `bytes`.
  public func digest(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    // Arrays and slices are hashed where they are.
    bytes.withContiguousStorageIfAvailable { digest(UnsafeRawBufferPointer($0)) }
      ?? Array(bytes).withUnsafeBytes { digest($0) }
  }

  private func digest(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    switch self {
    case .md5: Hash.digest(bytes, Insecure.MD5.self)
    case .sha1: Hash.digest(bytes, Insecure.SHA1.self)
    case .sha224: SHA224.digest(bytes)
    case .sha256: Hash.digest(bytes, Crypto.SHA256.self)
    case .sha384: Hash.digest(bytes, Crypto.SHA384.self)
    case .sha512: Hash.digest(bytes, Crypto.SHA512.self)
    }
  }

  private static func digest<Function: HashFunction>(
    _ bytes: UnsafeRawBufferPointer, _ function: Function.Type
  ) -> [UInt8] {
    var function = function.init()
    function.update(bufferPointer: bytes)
    return function.finalize().withUnsafeBytes { Array($0) }
  }
}

import Crypto

/// AES in Galois/Counter Mode (NIST SP 800-38D), with tags of 16 bytes.
public enum AESGCM {
  /// The size of the tag, which encryption adds, in bytes.
  public static let tagSize = 16

  /// Encrypts a plaintext; returns the ciphertext followed by its tag.
  ///
  /// The key must have 16, 24 or 32 bytes, and the nonce at least 12 (TLS uses 12). Never use a nonce twice with the
  /// same key.
  public static func seal(
    _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    try seal(plaintext, key: key, nonce: nonce, authenticating: additionalData, behind: [])
  }

  /// Encrypts a plaintext; returns a header, such as that of a record, followed by ciphertext and tag, without another
  /// copy.
  public static func seal(
    _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8], behind head: [UInt8]
  ) throws(CipherError) -> [UInt8] {
    let (key, nonce) = try prepared(key, nonce)
    do {
      let box = try AES.GCM.seal(plaintext, using: key, nonce: nonce, authenticating: additionalData)
      return head.followed(by: box.ciphertext, box.tag)
    } catch {
      throw .inputSize(plaintext.count)
    }
  }

  /// Decrypts a ciphertext followed by its tag, if the tag is correct.
  public static func open(
    _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    try open(sealed[...], key: key, nonce: nonce, authenticating: additionalData)
  }

  /// Decrypts a ciphertext and tag that are part of a larger message.
  public static func open(
    _ sealed: ArraySlice<UInt8>, key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8]
  ) throws(CipherError) -> [UInt8] {
    let (key, nonce) = try prepared(key, nonce)
    guard sealed.count >= tagSize else { throw .inputSize(sealed.count) }
    do {
      let box = try AES.GCM.SealedBox(
        nonce: nonce, ciphertext: sealed.dropLast(tagSize), tag: sealed.suffix(tagSize))
      return [].followed(by: try AES.GCM.open(box, using: key, authenticating: additionalData))
    } catch {
      throw .authenticationFailure
    }
  }

  private static func prepared(
    _ key: [UInt8], _ nonce: [UInt8]
  ) throws(CipherError) -> (SymmetricKey, AES.GCM.Nonce) {
    guard [16, 24, 32].contains(key.count) else { throw .keySize(key.count) }
    guard let prepared = try? AES.GCM.Nonce(data: nonce) else { throw .nonceSize(nonce.count) }
    return (SymmetricKey(data: key), prepared)
  }
}

/// ChaCha20 with Poly1305 (RFC 8439 section 2.8), with tags of 16 bytes.
public enum ChaCha20Poly1305 {
  /// The size of the tag, which encryption adds, in bytes.
  public static let tagSize = 16

  /// Encrypts a plaintext; returns the ciphertext followed by its tag.
  ///
  /// The key must have 32 bytes, and the nonce 12. Never use a nonce twice with the same key.
  public static func seal(
    _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    try seal(plaintext, key: key, nonce: nonce, authenticating: additionalData, behind: [])
  }

  /// Encrypts a plaintext; returns a header, such as that of a record, followed by ciphertext and tag, without another
  /// copy.
  public static func seal(
    _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8], behind head: [UInt8]
  ) throws(CipherError) -> [UInt8] {
    let (key, nonce) = try prepared(key, nonce)
    do {
      let box = try ChaChaPoly.seal(plaintext, using: key, nonce: nonce, authenticating: additionalData)
      return head.followed(by: box.ciphertext, box.tag)
    } catch {
      throw .inputSize(plaintext.count)
    }
  }

  /// Decrypts a ciphertext followed by its tag, if the tag is correct.
  public static func open(
    _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    try open(sealed[...], key: key, nonce: nonce, authenticating: additionalData)
  }

  /// Decrypts a ciphertext and tag that are part of a larger message.
  public static func open(
    _ sealed: ArraySlice<UInt8>, key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8]
  ) throws(CipherError) -> [UInt8] {
    let (key, nonce) = try prepared(key, nonce)
    guard sealed.count >= tagSize else { throw .inputSize(sealed.count) }
    do {
      let box = try ChaChaPoly.SealedBox(
        nonce: nonce, ciphertext: sealed.dropLast(tagSize), tag: sealed.suffix(tagSize))
      return [].followed(by: try ChaChaPoly.open(box, using: key, authenticating: additionalData))
    } catch {
      throw .authenticationFailure
    }
  }

  private static func prepared(
    _ key: [UInt8], _ nonce: [UInt8]
  ) throws(CipherError) -> (SymmetricKey, ChaChaPoly.Nonce) {
    guard key.count == 32 else { throw .keySize(key.count) }
    guard nonce.count == 12, let prepared = try? ChaChaPoly.Nonce(data: nonce) else { throw .nonceSize(nonce.count) }
    return (SymmetricKey(data: key), prepared)
  }
}

extension [UInt8] {
  /// Concatenates these bytes and those of two other collections.
  fileprivate func followed(by first: some Collection<UInt8>, _ second: some Collection<UInt8> = []) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count + first.count + second.count) { memory, used in
      used = memory.initialize(fromContentsOf: self)
      used = memory[used...].initialize(fromContentsOf: first)
      used = memory[used...].initialize(fromContentsOf: second)
    }
  }
}

/// The reason why a cipher has no result.
public enum CipherError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The key has this number of bytes. AES requires 16, 24 or 32 bytes, and ChaCha20 requires 32.
  case keySize(Int)
  /// The nonce or IV has this wrong number of bytes.
  case nonceSize(Int)
  /// The input length is not a multiple of the block size, or is less than the tag size.
  case inputSize(Int)
  /// All nonces for this key have been used.
  case nonceExhausted
  /// The tag is wrong for this ciphertext, nonce and key.
  case authenticationFailure

  /// A description of the reason.
  public var description: String {
    switch self {
    case .keySize(let count): "a key of \(count) bytes; AES takes 16, 24 or 32 bytes, and ChaCha20 takes 32"
    case .nonceSize(let count): "a nonce or initialization vector of \(count) bytes"
    case .inputSize(let count): "an input of \(count) bytes"
    case .nonceExhausted: "every nonce has been used with this key"
    case .authenticationFailure: "the authentication tag does not match"
    }
  }
}

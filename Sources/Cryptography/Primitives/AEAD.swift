import Crypto

/// AES in Galois/Counter Mode (NIST SP 800-38D), with tags of 16 bytes.
public enum AESGCM {
  /// The number of bytes that encryption adds.
  public static let tagSize = 16

  /// Returns the ciphertext followed by its tag.
  ///
  /// The key has 16, 24 or 32 bytes, the nonce at least 12 (TLS uses 12). A nonce must never be used twice with the
  /// same key.
  public static func seal(
    _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    try seal(plaintext, key: key, nonce: nonce, authenticating: additionalData, behind: [])
  }

  /// Returns the ciphertext and tag after a header, such as that of a record, without another copy.
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

  /// Decrypts a part of a larger message in the same way.
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
  /// The number of bytes that encryption adds.
  public static let tagSize = 16

  /// Returns the ciphertext followed by its tag.
  ///
  /// The key has 32 bytes, the nonce 12. A nonce must never be used twice with the same key.
  public static func seal(
    _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    try seal(plaintext, key: key, nonce: nonce, authenticating: additionalData, behind: [])
  }

  /// Returns the ciphertext and tag after a header, such as that of a record, without another copy.
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

  /// Decrypts a part of a larger message in the same way.
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
  /// Joins these bytes and those of two more collections.
  fileprivate func followed(by first: some Collection<UInt8>, _ second: some Collection<UInt8> = []) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count + first.count + second.count) { memory, used in
      used = memory.initialize(fromContentsOf: self)
      used = memory[used...].initialize(fromContentsOf: first)
      used = memory[used...].initialize(fromContentsOf: second)
    }
  }
}

/// The reason that a cipher has no result.
public enum CipherError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A key of this many bytes; AES takes 16, 24 or 32, ChaCha20 32.
  case keySize(Int)
  /// A nonce or initialization vector of this many bytes.
  case nonceSize(Int)
  /// A length that is not a multiple of the block size, or is less than a tag.
  case inputSize(Int)
  /// All nonces have been used with this key.
  case nonceExhausted
  /// The tag does not belong to these bytes, this nonce and this key.
  case authenticationFailure

  /// The reason in words.
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

import Crypto

/// AES in Galois/Counter Mode, NIST SP 800-38D, with tags of 16 bytes.
public enum AESGCM {
  /// How many bytes sealing adds.
  public static let tagSize = 16

  /// The ciphertext followed by its tag.
  ///
  /// The key has 16, 24 or 32 bytes, the nonce at least 12 (TLS uses 12) and never serves twice with the same key.
  public static func seal(
    _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    try seal(plaintext, key: key, nonce: nonce, authenticating: additionalData, behind: [])
  }

  /// The same behind a head, such as that of a record, so that nothing need be copied into place.
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

  /// The plaintext of a ciphertext followed by its tag, once the tag has been found to be right.
  public static func open(
    _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    try open(sealed[...], key: key, nonce: nonce, authenticating: additionalData)
  }

  /// The same of a part of something larger.
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

/// ChaCha20 with Poly1305, RFC 8439 section 2.8, with tags of 16 bytes.
public enum ChaCha20Poly1305 {
  /// How many bytes sealing adds.
  public static let tagSize = 16

  /// The ciphertext followed by its tag.
  ///
  /// The key has 32 bytes, the nonce 12, and it never serves twice with the same key.
  public static func seal(
    _ plaintext: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    try seal(plaintext, key: key, nonce: nonce, authenticating: additionalData, behind: [])
  }

  /// The same behind a head, such as that of a record, so that nothing need be copied into place.
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

  /// The plaintext of a ciphertext followed by its tag, once the tag has been found to be right.
  public static func open(
    _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    try open(sealed[...], key: key, nonce: nonce, authenticating: additionalData)
  }

  /// The same of a part of something larger.
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
  /// These bytes and those of two more collections, in one piece of memory.
  fileprivate func followed(by first: some Collection<UInt8>, _ second: some Collection<UInt8> = []) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count + first.count + second.count) { memory, used in
      used = memory.initialize(fromContentsOf: self)
      used = memory[used...].initialize(fromContentsOf: first)
      used = memory[used...].initialize(fromContentsOf: second)
    }
  }
}

/// Why a cipher gave no result.
public enum CipherError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A key of this many bytes; AES takes 16, 24 or 32, ChaCha20 32.
  case keySize(Int)
  /// A nonce or initialization vector of this many bytes.
  case nonceSize(Int)
  /// A length that is no multiple of the block, or less than a tag.
  case inputSize(Int)
  /// Every nonce has served with this key: one more would serve twice.
  case nonceExhausted
  /// The tag does not belong to these bytes, this nonce and this key.
  case authenticationFailure

  /// The reason in words.
  public var description: String {
    switch self {
    case .keySize(let count): "a key of \(count) bytes; AES takes 16, 24 or 32, ChaCha20 32"
    case .nonceSize(let count): "a nonce or initialization vector of \(count) bytes"
    case .inputSize(let count): "an input of \(count) bytes"
    case .nonceExhausted: "every nonce has been used with this key"
    case .authenticationFailure: "the authentication tag does not match"
    }
  }
}

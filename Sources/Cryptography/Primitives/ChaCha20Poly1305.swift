import Crypto

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
    let (key, nonce) = try prepared(key, nonce)
    do {
      let box = try ChaChaPoly.seal(plaintext, using: key, nonce: nonce, authenticating: additionalData)
      var sealed: [UInt8] = []
      sealed.reserveCapacity(plaintext.count + tagSize)
      sealed.append(contentsOf: box.ciphertext)
      sealed.append(contentsOf: box.tag)
      return sealed
    } catch {
      throw .inputSize(plaintext.count)
    }
  }

  /// The plaintext of a ciphertext followed by its tag, once the tag has been found to be right.
  public static func open(
    _ sealed: [UInt8], key: [UInt8], nonce: [UInt8], authenticating additionalData: [UInt8] = []
  ) throws(CipherError) -> [UInt8] {
    let (key, nonce) = try prepared(key, nonce)
    guard sealed.count >= tagSize else { throw .inputSize(sealed.count) }
    do {
      let box = try ChaChaPoly.SealedBox(
        nonce: nonce, ciphertext: sealed.dropLast(tagSize), tag: sealed.suffix(tagSize))
      return Array(try ChaChaPoly.open(box, using: key, authenticating: additionalData))
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

import Crypto
import CryptoExtras

/// AES in CBC mode (NIST SP 800-38A section 6.2) for whole blocks. The caller adds padding.
public enum AESCBC {
  /// The size of a block in bytes. The length of an input is a multiple of it.
  public static let blockSize = 16

  /// Encrypts `blocks`; the ciphertext is as long as the plaintext. The key must have 16, 24 or 32 bytes, and the IV
  /// 16.
  public static func encrypt(_ blocks: [UInt8], key: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
    let (key, vector) = try prepared(blocks, key, iv)
    guard !blocks.isEmpty else { return [] }
    do {
      return Array(try AES._CBC.encrypt(blocks, using: key, iv: vector, noPadding: true))
    } catch {
      throw .inputSize(blocks.count)
    }
  }

  /// Decrypts `blocks`; the plaintext is as long as the ciphertext. The key must have 16, 24 or 32 bytes, and the IV
  /// 16.
  public static func decrypt(_ blocks: [UInt8], key: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
    let (key, vector) = try prepared(blocks, key, iv)
    guard !blocks.isEmpty else { return [] }
    do {
      return Array(try AES._CBC.decrypt(blocks, using: key, iv: vector, noPadding: true))
    } catch {
      throw .inputSize(blocks.count)
    }
  }

  private static func prepared(
    _ blocks: [UInt8], _ key: [UInt8], _ iv: [UInt8]
  ) throws(CipherError) -> (SymmetricKey, AES._CBC.IV) {
    guard [16, 24, 32].contains(key.count) else { throw .keySize(key.count) }
    guard iv.count == blockSize, let vector = try? AES._CBC.IV(ivBytes: iv) else { throw .nonceSize(iv.count) }
    guard blocks.count.isMultiple(of: blockSize) else { throw .inputSize(blocks.count) }
    return (SymmetricKey(data: key), vector)
  }
}

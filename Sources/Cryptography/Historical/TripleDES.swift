/// 3DES-EDE in CBC mode (NIST SP 800-67, SP 800-38A section 6.2) for whole blocks. The caller adds padding.
///
/// 3DES was the last choice of clients without AES. Its blocks are so short that one key must not protect more than a
/// few gigabytes (K. Bhargavan, G. Leurent: Sweet32, 2016). SP 800-131A has forbidden it since 2024. TrustLab
/// implements 3DES because the library that provides the other ciphers no longer has it. The code reads tables at
/// secret indices, so other processes on the machine may be able to learn the key.
public enum TripleDESCBC {
  /// The size of a block in bytes. The length of an input is a multiple of it.
  public static let blockSize = 8
  /// The size of a key in bytes, which consists of three DES keys.
  public static let keySize = 24

  /// Encrypts `blocks`; the ciphertext is as long as the plaintext. The key must have 24 bytes, and the IV 8.
  public static func encrypt(_ blocks: [UInt8], key: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
    let (keys, vector) = try prepared(blocks, key, iv)
    var previous = vector
    var output: [UInt8] = []
    output.reserveCapacity(blocks.count)
    for start in stride(from: 0, to: blocks.count, by: blockSize) {
      var block = UInt64(bigEndian: blocks[start..<start + blockSize]) ^ previous
      block = DES.permuted(block, by: DES.initialPermutation)
      block = keys[2].rounds(keys[1].rounds(keys[0].rounds(block), backwards: true))
      previous = DES.permuted(block, by: DES.finalPermutation)
      output += previous.bigEndianBytes
    }
    return output
  }

  /// Decrypts `blocks`; the plaintext is as long as the ciphertext. The key must have 24 bytes, and the IV 8.
  public static func decrypt(_ blocks: [UInt8], key: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
    let (keys, vector) = try prepared(blocks, key, iv)
    var previous = vector
    var output: [UInt8] = []
    output.reserveCapacity(blocks.count)
    for start in stride(from: 0, to: blocks.count, by: blockSize) {
      let ciphertext = UInt64(bigEndian: blocks[start..<start + blockSize])
      var block = DES.permuted(ciphertext, by: DES.initialPermutation)
      block = keys[0].rounds(keys[1].rounds(keys[2].rounds(block, backwards: true)), backwards: true)
      output += (DES.permuted(block, by: DES.finalPermutation) ^ previous).bigEndianBytes
      previous = ciphertext
    }
    return output
  }

  private static func prepared(
    _ blocks: [UInt8], _ key: [UInt8], _ iv: [UInt8]
  ) throws(CipherError) -> (keys: [DES], iv: UInt64) {
    guard key.count == keySize else { throw .keySize(key.count) }
    guard iv.count == blockSize else { throw .nonceSize(iv.count) }
    guard blocks.count.isMultiple(of: blockSize) else { throw .inputSize(blocks.count) }
    let keys = (0..<3).map { DES(key: UInt64(bigEndian: key[8 * $0..<8 * $0 + 8])) }
    return (keys, UInt64(bigEndian: iv[...]))
  }
}

extension UInt64 {
  /// Creates a number from at most eight big-endian bytes.
  fileprivate init(bigEndian bytes: ArraySlice<UInt8>) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }

  fileprivate var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }
}

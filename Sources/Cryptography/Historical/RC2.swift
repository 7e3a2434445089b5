/// RC2 in CBC mode (RFC 2268, NIST SP 800-38A section 6.2) for whole blocks. The caller adds padding.
///
/// R. Rivest designed RC2 in 1987, and it was secret until 1996. With 40 effective bits, it could be exported from the
/// United States. For that reason, PKCS #12 files were encrypted with it for two decades; a brute-force search finds
/// such a key. TrustLab implements RC2 because the library that provides the other ciphers never had it. The code reads
/// tables at secret indices, so other processes on the machine may be able to learn the key.
public enum RC2CBC {
  /// The size of a block in bytes. The length of the input must be a multiple of it.
  public static let blockSize = 8

  /// Encrypts `blocks`; the ciphertext is as long as the plaintext.
  ///
  /// The key has 1 to 128 bytes, of which `effectiveBits` (1 to 1024) are used. The IV has 8 bytes.
  public static func encrypt(
    _ blocks: [UInt8], key: [UInt8], effectiveBits: Int, iv: [UInt8]
  ) throws(CipherError) -> [UInt8] {
    let cipher = try prepared(blocks, key, effectiveBits, iv)
    var previous = iv
    var output: [UInt8] = []
    output.reserveCapacity(blocks.count)
    for start in stride(from: 0, to: blocks.count, by: blockSize) {
      previous = cipher.encrypted(zip(blocks[start..<start + blockSize], previous).map { $0 ^ $1 })
      output += previous
    }
    return output
  }

  /// Decrypts `blocks`; the plaintext is as long as the ciphertext. The key and IV must have the sizes that `encrypt`
  /// requires.
  public static func decrypt(
    _ blocks: [UInt8], key: [UInt8], effectiveBits: Int, iv: [UInt8]
  ) throws(CipherError) -> [UInt8] {
    let cipher = try prepared(blocks, key, effectiveBits, iv)
    var previous = iv
    var output: [UInt8] = []
    output.reserveCapacity(blocks.count)
    for start in stride(from: 0, to: blocks.count, by: blockSize) {
      let ciphertext = Array(blocks[start..<start + blockSize])
      output += zip(cipher.decrypted(ciphertext), previous).map { $0 ^ $1 }
      previous = ciphertext
    }
    return output
  }

  private static func prepared(
    _ blocks: [UInt8], _ key: [UInt8], _ effectiveBits: Int, _ iv: [UInt8]
  ) throws(CipherError) -> RC2 {
    guard (1...128).contains(key.count), (1...1024).contains(effectiveBits) else { throw .keySize(key.count) }
    guard iv.count == blockSize else { throw .nonceSize(iv.count) }
    guard blocks.count.isMultiple(of: blockSize) else { throw .inputSize(blocks.count) }
    return RC2(key: key, effectiveBits: effectiveBits)
  }
}

/// Encrypts and decrypts one block of four words (RFC 2268 sections 2 to 4).
private struct RC2 {
  /// The expanded key K[0] to K[63].
  private let words: [UInt16]

  /// Expands a key of 1 to 128 bytes (section 2).
  init(key: [UInt8], effectiveBits: Int) {
    var bytes = key + [UInt8](repeating: 0, count: 128 - key.count)
    for index in key.count..<128 { bytes[index] = Self.table[Int(bytes[index - 1] &+ bytes[index - key.count])] }
    let count = (effectiveBits + 7) / 8
    let mask = UInt8(truncatingIfNeeded: 255 >> (8 * count - effectiveBits))
    bytes[128 - count] = Self.table[Int(bytes[128 - count] & mask)]
    for index in (0..<128 - count).reversed() {
      bytes[index] = Self.table[Int(bytes[index + 1] ^ bytes[index + count])]
    }
    words = (0..<64).map { UInt16(bytes[2 * $0]) | UInt16(bytes[2 * $0 + 1]) << 8 }
  }

  /// Encrypts a block: five mixing rounds, one mashing round, six, one, and five again (section 3).
  func encrypted(_ block: [UInt8]) -> [UInt8] {
    var r = Self.words(of: block)
    for round in 0..<16 {
      for i in 0..<4 {
        let (a, b, c) = (r[(i + 3) % 4], r[(i + 2) % 4], r[(i + 1) % 4])
        let sum = r[i] &+ words[4 * round + i] &+ (a & b) &+ (~a & c)
        r[i] = sum << Self.shifts[i] | sum >> (16 - Self.shifts[i])
      }
      if round == 4 || round == 10 { for i in 0..<4 { r[i] &+= words[Int(r[(i + 3) % 4] & 63)] } }
    }
    return Self.bytes(of: r)
  }

  /// Decrypts a block by reversing the encryption (section 4).
  func decrypted(_ block: [UInt8]) -> [UInt8] {
    var r = Self.words(of: block)
    for round in (0..<16).reversed() {
      if round == 4 || round == 10 { for i in (0..<4).reversed() { r[i] &-= words[Int(r[(i + 3) % 4] & 63)] } }
      for i in (0..<4).reversed() {
        let (a, b, c) = (r[(i + 3) % 4], r[(i + 2) % 4], r[(i + 1) % 4])
        let sum = r[i] >> Self.shifts[i] | r[i] << (16 - Self.shifts[i])
        r[i] = sum &- words[4 * round + i] &- (a & b) &- (~a & c)
      }
    }
    return Self.bytes(of: r)
  }

  private static func words(of block: [UInt8]) -> [UInt16] {
    (0..<4).map { UInt16(block[2 * $0]) | UInt16(block[2 * $0 + 1]) << 8 }
  }

  private static func bytes(of words: [UInt16]) -> [UInt8] {
    words.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
  }

  /// The rotations s[0] to s[3].
  private static let shifts: [UInt16] = [1, 2, 3, 5]

  /// The PITABLE of section 2: the numbers from 0 to 255 in an order derived from the digits of pi.
  private static let table: [UInt8] = [
    0xd9, 0x78, 0xf9, 0xc4, 0x19, 0xdd, 0xb5, 0xed, 0x28, 0xe9, 0xfd, 0x79, 0x4a, 0xa0, 0xd8, 0x9d, 0xc6, 0x7e, 0x37,
    0x83, 0x2b, 0x76, 0x53, 0x8e, 0x62, 0x4c, 0x64, 0x88, 0x44, 0x8b, 0xfb, 0xa2, 0x17, 0x9a, 0x59, 0xf5, 0x87, 0xb3,
    0x4f, 0x13, 0x61, 0x45, 0x6d, 0x8d, 0x09, 0x81, 0x7d, 0x32, 0xbd, 0x8f, 0x40, 0xeb, 0x86, 0xb7, 0x7b, 0x0b, 0xf0,
    0x95, 0x21, 0x22, 0x5c, 0x6b, 0x4e, 0x82, 0x54, 0xd6, 0x65, 0x93, 0xce, 0x60, 0xb2, 0x1c, 0x73, 0x56, 0xc0, 0x14,
    0xa7, 0x8c, 0xf1, 0xdc, 0x12, 0x75, 0xca, 0x1f, 0x3b, 0xbe, 0xe4, 0xd1, 0x42, 0x3d, 0xd4, 0x30, 0xa3, 0x3c, 0xb6,
    0x26, 0x6f, 0xbf, 0x0e, 0xda, 0x46, 0x69, 0x07, 0x57, 0x27, 0xf2, 0x1d, 0x9b, 0xbc, 0x94, 0x43, 0x03, 0xf8, 0x11,
    0xc7, 0xf6, 0x90, 0xef, 0x3e, 0xe7, 0x06, 0xc3, 0xd5, 0x2f, 0xc8, 0x66, 0x1e, 0xd7, 0x08, 0xe8, 0xea, 0xde, 0x80,
    0x52, 0xee, 0xf7, 0x84, 0xaa, 0x72, 0xac, 0x35, 0x4d, 0x6a, 0x2a, 0x96, 0x1a, 0xd2, 0x71, 0x5a, 0x15, 0x49, 0x74,
    0x4b, 0x9f, 0xd0, 0x5e, 0x04, 0x18, 0xa4, 0xec, 0xc2, 0xe0, 0x41, 0x6e, 0x0f, 0x51, 0xcb, 0xcc, 0x24, 0x91, 0xaf,
    0x50, 0xa1, 0xf4, 0x70, 0x39, 0x99, 0x7c, 0x3a, 0x85, 0x23, 0xb8, 0xb4, 0x7a, 0xfc, 0x02, 0x36, 0x5b, 0x25, 0x55,
    0x97, 0x31, 0x2d, 0x5d, 0xfa, 0x98, 0xe3, 0x8a, 0x92, 0xae, 0x05, 0xdf, 0x29, 0x10, 0x67, 0x6c, 0xba, 0xc9, 0xd3,
    0x00, 0xe6, 0xcf, 0xe1, 0x9e, 0xa8, 0x2c, 0x63, 0x16, 0x01, 0x3f, 0x58, 0xe2, 0x89, 0xa9, 0x0d, 0x38, 0x34, 0x1b,
    0xab, 0x33, 0xff, 0xb0, 0xbb, 0x48, 0x0c, 0x5f, 0xb9, 0xb1, 0xcd, 0x2e, 0xc5, 0xf3, 0xdb, 0x47, 0xe5, 0xa5, 0x9c,
    0x77, 0x0a, 0xa6, 0x20, 0x68, 0xfe, 0x7f, 0xc1, 0xad,
  ]
}

import Cryptography

/// The key that authenticates a PKCS #12 file, RFC 7292 appendix B.2 with the identifier 3 and SHA-256.
///
/// The key is as long as a digest, so that one round of the appendix gives all of it.
enum PKCS12MACKey {
  static func bytes(_ passphrase: String, salt: [UInt8], iterations: Int) -> [UInt8] {
    let hash = Hash.sha256
    let diversifier = [UInt8](repeating: 3, count: hash.blockSize)
    let units: [UInt8] = passphrase.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    let characters = units + [0, 0]
    let start = diversifier + filling(salt, hash.blockSize) + filling(characters, hash.blockSize)
    return (1..<max(2, iterations)).reduce(hash.digest(start)) { digest, _ in hash.digest(digest) }
  }

  /// `bytes` repeated up to the next multiple of `size`.
  private static func filling(_ bytes: [UInt8], _ size: Int) -> [UInt8] {
    guard !bytes.isEmpty else { return [] }
    return (0..<(bytes.count + size - 1) / size * size).map { bytes[$0 % bytes.count] }
  }
}

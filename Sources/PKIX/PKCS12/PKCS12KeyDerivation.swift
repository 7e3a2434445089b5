import Cryptography

/// Derives keys, vectors and MAC keys from a passphrase for PBES1 and the MAC of PKCS #12 (RFC 7292 appendix B.2).
public enum PKCS12KeyDerivation {
  /// The purpose of the derived bytes: the ID of appendix B.3.
  public enum Purpose: UInt8, Sendable, Hashable, CaseIterable {
    /// A key of a cipher.
    case key = 1
    /// An initialization vector.
    case initializationVector = 2
    /// The key of the MAC.
    case macKey = 3
  }

  /// Encodes the passphrase for the derivation (appendix B.1) as big-endian UTF-16 with two zero bytes at the end.
  public static func characters(_ passphrase: String) -> [UInt8] {
    passphrase.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] } + [0, 0]
  }

  /// Derives `count` bytes for `purpose` from the encoded passphrase `characters`. Throws `CipherError.keySize` unless
  /// `count` and `iterations` are positive.
  public static func bytes(
    _ purpose: Purpose, _ characters: [UInt8], salt: [UInt8], iterations: Int, count: Int, hash: Hash
  ) throws(CipherError) -> [UInt8] {
    guard count > 0, iterations > 0 else { throw .keySize(count) }
    let size = hash.blockSize
    let diversifier = [UInt8](repeating: purpose.rawValue, count: size)
    var input = filling(salt, size) + filling(characters, size)
    var output: [UInt8] = []
    while true {
      let block = (1..<iterations).reduce(hash.digest(diversifier + input)) { digest, _ in hash.digest(digest) }
      output += block
      if output.count >= count { return Array(output.prefix(count)) }
      let addend = Array(filling(block, size).prefix(size))
      for start in stride(from: 0, to: input.count, by: size) { add(addend, to: &input, at: start) }
    }
  }

  /// Adds `addend` and one to a part of `input`, as big-endian numbers of equal length. The carry is dropped.
  private static func add(_ addend: [UInt8], to input: inout [UInt8], at start: Int) {
    var carry = 1
    for index in addend.indices.reversed() {
      let sum = Int(input[start + index]) + Int(addend[index]) + carry
      input[start + index] = UInt8(truncatingIfNeeded: sum)
      carry = sum >> 8
    }
  }

  /// Repeats `bytes` up to the next multiple of `size`.
  private static func filling(_ bytes: [UInt8], _ size: Int) -> [UInt8] {
    guard !bytes.isEmpty else { return [] }
    return (0..<(bytes.count + size - 1) / size * size).map { bytes[$0 % bytes.count] }
  }
}

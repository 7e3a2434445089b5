import CryptoExtras

/// A key from a passphrase, RFC 8018 section 5.2, with HMAC-SHA-256.
public enum PBKDF2 {
  /// `count` bytes from the UTF-8 of `passphrase` after so many `iterations`; at least one of each.
  ///
  /// Throws `CipherError.keySize` when `count` or `iterations` is not positive.
  public static func key(
    _ passphrase: String, salt: [UInt8], iterations: Int, count: Int
  ) throws(CipherError) -> [UInt8] {
    guard count > 0, iterations > 0 else { throw .keySize(count) }
    do {
      let key = try KDF.Insecure.PBKDF2.deriveKey(
        from: Array(passphrase.utf8), salt: salt, using: .sha256, outputByteCount: count,
        unsafeUncheckedRounds: iterations)
      return key.withUnsafeBytes { Array($0) }
    } catch {
      throw .keySize(count)
    }
  }
}

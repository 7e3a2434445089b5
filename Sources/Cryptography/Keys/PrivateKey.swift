/// A private key as authorities and servers hold it.
public enum PrivateKey: Sendable {
  /// RSA.
  case rsa(RSAPrivateKey)
  /// ECDSA.
  case ec(ECPrivateKey)

  /// The public half.
  public var publicKey: PublicKey {
    switch self {
    case .rsa(let key): .rsa(key.publicKey)
    case .ec(let key): .ec(key.publicKey)
    }
  }

  /// The signature of `message`.
  ///
  /// Schemes that need randomness draw it from `random`. Throws `SignatureError.keyMismatch`, `.unsupportedScheme` or
  /// `.modulusTooShort`, and `RSAError` when the calculation went wrong.
  public func sign(
    _ message: [UInt8], _ scheme: SignatureScheme, random: inout DeterministicRandom
  ) throws -> [UInt8] {
    guard scheme.isImplemented, let hash = scheme.hash else { throw SignatureError.unsupportedScheme(scheme.name) }
    switch (self, scheme.keyKind) {
    case (.rsa(let key), .rsa) where scheme.padding == .pss:
      return try key.signPSS(message: message, hash: hash, random: &random)
    case (.rsa(let key), .rsa): return try key.signPKCS1v15(message: message, hash: hash)
    case (.ec(let key), .ecdsa): return try key.sign(message: message, hash: hash)
    default: throw SignatureError.keyMismatch(key: publicKey.algorithmName, scheme: scheme.name)
    }
  }
}

/// A private key as authorities and servers hold it.
public enum PrivateKey: Sendable {
  /// RSA.
  case rsa(RSAPrivateKey)

  /// The public half.
  public var publicKey: PublicKey {
    switch self {
    case .rsa(let key): .rsa(key.publicKey)
    }
  }

  /// The signature of `message`.
  ///
  /// Schemes that need randomness draw it from `random`. Throws `SignatureError.keyMismatch`, `.unsupportedScheme` or
  /// `.modulusTooShort`, and `RSAError` when the calculation went wrong.
  public func sign(
    _ message: [UInt8], _ scheme: SignatureScheme, random: inout DeterministicRandom
  ) throws -> [UInt8] {
    switch self {
    case .rsa(let key):
      guard scheme.keyKind == .rsa else {
        throw SignatureError.keyMismatch(key: publicKey.algorithmName, scheme: scheme.name)
      }
      guard scheme.padding == .pkcs1v15, let hash = scheme.hash else {
        throw SignatureError.unsupportedScheme(scheme.name)
      }
      return try key.signPKCS1v15(message: message, hash: hash)
    }
  }
}

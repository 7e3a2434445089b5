import Cryptography

extension PublicKey {
  /// The kind of signature the key makes; nil for one that can only be told about.
  public var keyKind: SignatureScheme.KeyKind? {
    switch self {
    case .rsa: .rsa
    case .ec: .ecdsa
    case .ed25519, .unsupported: nil
    }
  }

  /// Whether the key can do its part in a key exchange: one for RSASSA-PSS decrypts nothing (RFC 4055 section 1.2).
  func suits(_ keyExchange: CipherSuite.KeyExchange) -> Bool {
    if keyExchange == .rsa, case .rsa(let key) = self { return key.usage == .any }
    return true
  }
}

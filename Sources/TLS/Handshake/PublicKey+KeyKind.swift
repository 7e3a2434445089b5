import Cryptography

extension PublicKey {
  /// The kind of signature the key makes; nil for one that can only be told about.
  public var keyKind: SignatureScheme.KeyKind? {
    switch self {
    case .rsa: .rsa
    case .ec: .ecdsa
    case .unsupported: nil
    }
  }
}

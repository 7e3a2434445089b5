import Cryptography

extension NamedGroup {
  /// How to agree on a secret in this group; nil where this package cannot.
  public var curve: KeyAgreementCurve? {
    switch self {
    case .secp256r1: .p256
    case .x25519: .x25519
    default: nil
    }
  }
}

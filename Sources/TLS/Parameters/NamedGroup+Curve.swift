import Cryptography

extension NamedGroup {
  /// The group that an ECDSA key lives in.
  public init(_ curve: EllipticCurve) {
    switch curve {
    case .p256: self = .secp256r1
    case .p384: self = .secp384r1
    case .p521: self = .secp521r1
    }
  }

  /// How to agree on a secret in this group; nil where this package cannot.
  public var curve: KeyAgreementCurve? {
    switch self {
    case .secp256r1: .p256
    case .secp384r1: .p384
    case .secp521r1: .p521
    case .x25519: .x25519
    default: nil
    }
  }
}

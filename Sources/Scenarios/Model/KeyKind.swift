import Cryptography

/// Kind and size of a key, as a scenario writes it.
public enum KeyKind: Sendable, Hashable, CustomStringConvertible {
  /// RSA with a modulus of so many bits: `rsa-2048`.
  case rsa(Int)
  /// A key on a curve: `ec-p256`.
  case ec(EllipticCurve)

  /// Reads `rsa-2048` (512 to 8192 bits), `ec-p256`, `ec-p384` or `ec-p521`; nil for anything else.
  public init?(_ text: String) {
    switch text {
    case "ec-p256": self = .ec(.p256)
    case "ec-p384": self = .ec(.p384)
    case "ec-p521": self = .ec(.p521)
    default:
      guard text.hasPrefix("rsa-"), let bits = Int(text.dropFirst(4)), (512...8192).contains(bits) else { return nil }
      self = .rsa(bits)
    }
  }

  /// As a scenario writes it.
  public var description: String {
    switch self {
    case .rsa(let bits): "rsa-\(bits)"
    case .ec(let curve): "ec-\(curve)".lowercased()
    }
  }
}

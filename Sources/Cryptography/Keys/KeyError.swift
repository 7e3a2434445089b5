/// Why bytes or text are no key.
public enum KeyError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes are not the ASN.1 structure that they should be: its name, and what was wrong.
  case malformed(structure: String, reason: String)
  /// The text is not PEM.
  case pem(PEMError)
  /// The PEM block holds something else.
  case label(String)
  /// The numbers cannot be a key.
  case rsa(RSAError)
  /// A private key for this algorithm cannot be used.
  case unsupportedAlgorithm(String)

  /// The reason in words.
  public var description: String {
    switch self {
    case .malformed(let structure, let reason): "not a \(structure) in DER: \(reason)"
    case .pem(let error): error.description
    case .label(let label): "a PEM block of \(label), not of a private key"
    case .rsa(let error): error.description
    case .unsupportedAlgorithm(let name): "private keys for \(name) cannot be used"
    }
  }
}

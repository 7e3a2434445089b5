import Cryptography

extension AlgorithmIdentifier {
  /// The scheme a signature algorithm stands for, nil when this library knows none or the parameters are not its own.
  ///
  /// RSA PKCS #1 v1.5 has the parameters NULL, or none (RFC 4055 section 5); ECDSA has none (RFC 5758 section 3.2).
  public var signatureScheme: SignatureScheme? {
    guard let scheme = AlgorithmIdentifier.schemes[oid] else { return nil }
    let fits = parameters.isEmpty || scheme.keyKind == .rsa && parameters == [DERTag.null, 0]
    return fits ? scheme : nil
  }

  /// The identifier of a scheme, nil where parameters and not the identifier tell the scheme.
  public init?(_ scheme: SignatureScheme) {
    guard let arcs = scheme.oid else { return nil }
    self.init(OID(arcs: arcs), parameters: scheme.keyKind == .rsa ? [DERTag.null, 0] : [])
  }

  private static let schemes: [OID: SignatureScheme] = Dictionary(
    SignatureScheme.all.compactMap { scheme in scheme.oid.map { (OID(arcs: $0), scheme) } }
  ) { first, _ in first }
}

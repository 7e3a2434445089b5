import Cryptography

extension AlgorithmIdentifier {
  /// The scheme a signature algorithm stands for, nil when this library knows none or the parameters are not its own.
  ///
  /// RSA PKCS #1 v1.5 has the parameters NULL, or none (RFC 4055 section 5); ECDSA has none (RFC 5758 section 3.2); PSS
  /// always has parameters, which say the hash and the length of the salt (RFC 4055 section 3.1).
  public var signatureScheme: SignatureScheme? {
    if oid == .rsassaPSS { return pssParameters.flatMap { SignatureScheme(pss: $0.hash) } }
    guard let scheme = AlgorithmIdentifier.schemes[oid] else { return nil }
    let fits = parameters.isEmpty || scheme.keyKind == .rsa && parameters == [DERTag.null, 0]
    return fits ? scheme : nil
  }

  /// The parameters of a signature in PSS; nil for another algorithm, or parameters that are not known here.
  public var pssParameters: PSSParameters? { oid == .rsassaPSS ? PSSParameters(der: parameters) : nil }

  /// The identifier of a scheme, nil where X.509 has none. In PSS the salt is as long as the digest.
  public init?(_ scheme: SignatureScheme) {
    if scheme.padding == .pss, let hash = scheme.hash {
      self.init(.rsassaPSS, parameters: PSSParameters(hash: hash).der)
      return
    }
    guard let arcs = scheme.oid else { return nil }
    self.init(OID(arcs: arcs), parameters: scheme.keyKind == .rsa ? [DERTag.null, 0] : [])
  }

  private static let schemes: [OID: SignatureScheme] = Dictionary(
    SignatureScheme.all.compactMap { scheme in scheme.oid.map { (OID(arcs: $0), scheme) } }
  ) { first, _ in first }
}

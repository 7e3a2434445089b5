/// Which policies of the subject's domain count as policies of the issuer's, RFC 5280 section 4.2.1.5.
public struct PolicyMappings: CertificateExtension {
  /// One pair.
  public struct Mapping: Sendable, Hashable {
    /// The policy as the issuer's domain knows it.
    public let issuerDomainPolicy: OID
    /// The policy as the subject's domain knows it.
    public let subjectDomainPolicy: OID

    /// The issuer takes `subject` for `issuer`.
    public init(_ issuer: OID, _ subject: OID) {
      issuerDomainPolicy = issuer
      subjectDomainPolicy = subject
    }
  }

  /// id-ce-policyMappings.
  public static let oid = OID.policyMappings
  /// The pairs, in order.
  public let mappings: [Mapping]

  /// These pairs.
  public init(_ mappings: [Mapping]) { self.mappings = mappings }

  /// Reads a PolicyMappings, which holds at least one pair.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var list = whole.inside(try whole.next("PolicyMappings", DERTag.sequence))
    try whole.finish("PolicyMappings")
    var mappings: [Mapping] = []
    repeat {
      var pair = list.inside(try list.next("PolicyMapping", DERTag.sequence))
      let issuer = try pair.objectIdentifier("issuerDomainPolicy")
      mappings.append(Mapping(issuer, try pair.objectIdentifier("subjectDomainPolicy")))
      try pair.finish("PolicyMapping")
    } while !list.isAtEnd
    self.mappings = mappings
  }

  /// The encoding.
  public var der: [UInt8] {
    DER.sequence(
      of: mappings.map {
        DER.sequence(DER.objectIdentifier($0.issuerDomainPolicy), DER.objectIdentifier($0.subjectDomainPolicy))
      })
  }

  /// `1.2.3.4 for 1.2.3.5`: the subject's policy for the issuer's.
  public var meaning: String {
    mappings.map { "\($0.subjectDomainPolicy.name) for \($0.issuerDomainPolicy.name)" }.joined(separator: ", ")
  }
}

/// Under which policies the certificate was issued, RFC 5280 section 4.2.1.4.
public struct CertificatePolicies: CertificateExtension {
  /// id-ce-certificatePolicies.
  public static let oid = OID.certificatePolicies
  /// The policies, in order.
  public let policies: [OID]
  /// Whether a qualifier is neither a CPS pointer nor a user notice.
  let hasUnknownQualifier: Bool

  /// A certificate under these policies.
  public init(_ policies: [OID]) {
    self.policies = policies
    hasUnknownQualifier = false
  }

  /// Reads a CertificatePolicies: at least one policy, and none twice.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var list = whole.inside(try whole.next("CertificatePolicies", DERTag.sequence))
    try whole.finish("CertificatePolicies")
    var policies: [OID] = []
    var qualifiers: Set<OID> = []
    repeat { policies.append(try CertificatePolicies.policy(&list, &qualifiers)) } while !list.isAtEnd
    hasUnknownQualifier = !qualifiers.isSubset(of: CertificatePolicies.knownQualifiers)
    guard Set(policies).count == policies.count else {
      throw whole.error(
        "CertificatePolicies", at: 0, "a policy that appears twice",
        "RFC 5280 section 4.2.1.4: a policy MUST NOT appear more than once.")
    }
    self.policies = policies
  }

  /// id-qt-cps and id-qt-unotice.
  private static let knownQualifiers: Set<OID> = [
    OID(1, 3, 6, 1, 5, 5, 7, 2, 1), OID(1, 3, 6, 1, 5, 5, 7, 2, 2),
  ]

  private static func policy(
    _ list: inout DERCursor, _ found: inout Set<OID>
  ) throws(CertificateError) -> OID {
    var parts = list.inside(try list.next("PolicyInformation", DERTag.sequence))
    let policy = try parts.objectIdentifier("policyIdentifier")
    guard let element = try parts.optional("policyQualifiers", DERTag.sequence) else {
      try parts.finish("PolicyInformation")
      return policy
    }
    try parts.finish("PolicyInformation")
    var qualifiers = parts.inside(element)
    repeat {
      var qualifier = qualifiers.inside(try qualifiers.next("PolicyQualifierInfo", DERTag.sequence))
      found.insert(try qualifier.objectIdentifier("policyQualifierId"))
      _ = try qualifier.next("qualifier")
      try qualifier.finish("PolicyQualifierInfo")
    } while !qualifiers.isAtEnd
    return policy
  }

  /// The encoding.
  public var der: [UInt8] { DER.sequence(of: policies.map { DER.sequence(DER.objectIdentifier($0)) }) }

  /// `anyPolicy, 2.16.840.1.101.3.2.1.48.1`.
  public var meaning: String { policies.map(\.name).joined(separator: ", ") }
}

extension OID {
  /// Any policy, RFC 5280 section 4.2.1.4.
  public static let anyPolicy = OID(2, 5, 29, 32, 0)
}

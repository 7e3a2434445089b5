/// The policies under which the certificate was issued (RFC 5280 section 4.2.1.4).
public struct CertificatePolicies: CertificateExtension {
  /// id-ce-certificatePolicies.
  public static let oid = OID.certificatePolicies
  /// The policies, in order.
  public let policies: [OID]
  /// Whether a qualifier is neither a CPS pointer nor a user notice.
  let hasUnknownQualifier: Bool

  /// Creates the extension with these policies.
  public init(_ policies: [OID]) {
    self.policies = policies
    hasUnknownQualifier = false
  }

  /// Reads a CertificatePolicies value with at least one policy and no duplicates.
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

  /// The known policy qualifiers: id-qt-cps and id-qt-unotice.
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
  /// The policy anyPolicy, which represents every policy (RFC 5280 section 4.2.1.4).
  public static let anyPolicy = OID(2, 5, 29, 32, 0)
}

/// The policies of the subject's domain that are equivalent to policies of the issuer's domain (RFC 5280 section
/// 4.2.1.5).
public struct PolicyMappings: CertificateExtension {
  /// One mapping.
  public struct Mapping: Sendable, Hashable {
    /// The policy in the issuer's domain.
    public let issuerDomainPolicy: OID
    /// The policy in the subject's domain.
    public let subjectDomainPolicy: OID

    /// Creates a mapping of the issuer's policy `issuer` to the subject's policy `subject`.
    public init(_ issuer: OID, _ subject: OID) {
      issuerDomainPolicy = issuer
      subjectDomainPolicy = subject
    }
  }

  /// id-ce-policyMappings.
  public static let oid = OID.policyMappings
  /// The mappings, in order.
  public let mappings: [Mapping]

  /// Creates the extension with these mappings.
  public init(_ mappings: [Mapping]) { self.mappings = mappings }

  /// Reads a PolicyMappings value with at least one mapping.
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

  /// The mappings in one line, such as `1.2.3.4 for 1.2.3.5`: the subject's policy, then the issuer's.
  public var meaning: String {
    mappings.map { "\($0.subjectDomainPolicy.name) for \($0.issuerDomainPolicy.name)" }.joined(separator: ", ")
  }
}

/// The points on the path from which a policy is required and policy mapping is inhibited (RFC 5280 section 4.2.1.11).
public struct PolicyConstraints: CertificateExtension {
  /// id-ce-policyConstraints.
  public static let oid = OID.policyConstraints
  /// The number of certificates that may follow before a policy is required.
  public let requireExplicitPolicy: Int?
  /// The number of certificates that may follow before policy mapping is inhibited.
  public let inhibitPolicyMapping: Int?

  /// Creates the constraints. At least one of the two should be given.
  public init(requireExplicitPolicy: Int? = nil, inhibitPolicyMapping: Int? = nil) {
    self.requireExplicitPolicy = requireExplicitPolicy
    self.inhibitPolicyMapping = inhibitPolicyMapping
  }

  /// Reads a PolicyConstraints value that is not empty.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("PolicyConstraints", DERTag.sequence))
    try whole.finish("PolicyConstraints")
    guard !parts.isAtEnd else {
      throw parts.error(
        "PolicyConstraints", at: 0, "empty",
        "RFC 5280 section 4.2.1.11: at least one of the two fields MUST be present.")
    }
    requireExplicitPolicy = try PolicyConstraints.count(0, "requireExplicitPolicy", &parts)
    inhibitPolicyMapping = try PolicyConstraints.count(1, "inhibitPolicyMapping", &parts)
    try parts.finish("PolicyConstraints")
  }

  private static func count(
    _ number: UInt8, _ field: String, _ parts: inout DERCursor
  ) throws(CertificateError) -> Int? {
    parts.nextTag == DERTag.context(number) ? try parts.count(field, DERTag.context(number)) : nil
  }

  /// The encoding.
  public var der: [UInt8] {
    func field(_ number: UInt8, _ count: Int?) -> [UInt8] {
      count.map { DER.element(DERTag.context(number), Array(DER.integer($0).dropFirst(2))) } ?? []
    }
    return DER.sequence(field(0, requireExplicitPolicy), field(1, inhibitPolicyMapping))
  }

  /// `requireExplicitPolicy 0, inhibitPolicyMapping 1`.
  public var meaning: String {
    [("requireExplicitPolicy", requireExplicitPolicy), ("inhibitPolicyMapping", inhibitPolicyMapping)]
      .compactMap { name, count in count.map { "\(name) \($0)" } }.joined(separator: ", ")
  }
}

/// The point on the path from which anyPolicy is ignored (RFC 5280 section 4.2.1.14).
public struct InhibitAnyPolicy: CertificateExtension {
  /// id-ce-inhibitAnyPolicy.
  public static let oid = OID.inhibitAnyPolicy
  /// The number of certificates that may follow before anyPolicy is ignored.
  public let skipCertificates: Int

  /// Creates the extension with the number of certificates before anyPolicy is ignored.
  public init(_ skipCertificates: Int) { self.skipCertificates = skipCertificates }

  /// Reads an InhibitAnyPolicy.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    skipCertificates = try whole.count("InhibitAnyPolicy")
    try whole.finish("InhibitAnyPolicy")
  }

  /// The encoding.
  public var der: [UInt8] { DER.integer(skipCertificates) }

  /// `after 1 certificate`.
  public var meaning: String { "after \(skipCertificates) certificate\(skipCertificates == 1 ? "" : "s")" }
}

extension Certificate {
  /// The policy mappings; nil if the extension is absent or malformed.
  public var policyMappings: PolicyMappings? { decoded() }
  /// The policy constraints; nil if the extension is absent or malformed.
  public var policyConstraints: PolicyConstraints? { decoded() }
  /// The inhibitAnyPolicy extension; nil if it is absent or malformed.
  public var inhibitAnyPolicy: InhibitAnyPolicy? { decoded() }
  /// The policies under which the certificate was issued; nil if the extension is absent or malformed.
  public var policies: [OID]? { certificatePolicies?.policies }
  /// The certificate policies; nil if the extension is absent or malformed.
  var certificatePolicies: CertificatePolicies? { decoded() }
}

/// From where on a policy is required, and from where on policies are no longer mapped, RFC 5280 section 4.2.1.11.
public struct PolicyConstraints: CertificateExtension {
  /// id-ce-policyConstraints.
  public static let oid = OID.policyConstraints
  /// How many more certificates may follow before a policy is required.
  public let requireExplicitPolicy: Int?
  /// How many more certificates may follow before policies are no longer mapped.
  public let inhibitPolicyMapping: Int?

  /// Constraints; one of the two should be given.
  public init(requireExplicitPolicy: Int? = nil, inhibitPolicyMapping: Int? = nil) {
    self.requireExplicitPolicy = requireExplicitPolicy
    self.inhibitPolicyMapping = inhibitPolicyMapping
  }

  /// Reads a PolicyConstraints, which is not empty.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("PolicyConstraints", DERTag.sequence))
    try whole.finish("PolicyConstraints")
    guard !parts.isAtEnd else {
      throw parts.error(
        "PolicyConstraints", at: 0, "empty", "RFC 5280 section 4.2.1.11: one of its two fields MUST be present.")
    }
    requireExplicitPolicy = try PolicyConstraints.count(0, "requireExplicitPolicy", &parts)
    inhibitPolicyMapping = try PolicyConstraints.count(1, "inhibitPolicyMapping", &parts)
    try parts.finish("PolicyConstraints")
  }

  private static func count(
    _ number: UInt8, _ field: String, _ parts: inout DERCursor
  ) throws(CertificateError) -> Int? {
    parts.nextTag == DERTag.context(number) ? try parts.smallInteger(field, DERTag.context(number)) : nil
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

/// From where on anyPolicy no longer counts, RFC 5280 section 4.2.1.14.
public struct InhibitAnyPolicy: CertificateExtension {
  /// id-ce-inhibitAnyPolicy.
  public static let oid = OID.inhibitAnyPolicy
  /// How many more certificates may follow before anyPolicy no longer counts.
  public let skipCertificates: Int

  /// A number of certificates.
  public init(_ skipCertificates: Int) { self.skipCertificates = skipCertificates }

  /// Reads an InhibitAnyPolicy.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    skipCertificates = try whole.smallInteger("InhibitAnyPolicy")
    try whole.finish("InhibitAnyPolicy")
  }

  /// The encoding.
  public var der: [UInt8] { DER.integer(skipCertificates) }

  /// `after 1 certificate`.
  public var meaning: String { "after \(skipCertificates) certificate\(skipCertificates == 1 ? "" : "s")" }
}

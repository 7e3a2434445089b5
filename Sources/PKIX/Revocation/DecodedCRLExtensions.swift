import Explanation

/// The decoded extensions of a CRL (RFC 5280 section 5.2), and the defect that makes it unusable.
struct DecodedCRLExtensions: Sendable {
  private(set) var number: [UInt8]?
  /// The number of the complete CRL on which a delta CRL is based; nil for a complete CRL.
  private(set) var baseNumber: [UInt8]?
  private(set) var scope: IssuingDistributionPoint?
  private(set) var authorityKeyIdentifier: AuthorityKeyIdentifier?
  /// The defect of the first extension that makes the CRL unusable (sections 5.2 and 5.3).
  private(set) var defect: CRLExtensionDefect?
  /// Whether the CRL meets the requirements of section 5 on CRL issuers.
  ///
  /// These concern version 2, nextUpdate, date formats, the CRL number, and the authority key identifier.
  private(set) var isConforming: Bool

  /// Decodes the extensions. `isInForm` is whether the dates of the CRL have the required format.
  init(
    _ extensions: [Certificate.Extension], version: Int, isInForm: Bool,
    entries: [CertificateRevocationList.Entry]
  ) {
    isConforming = false
    var seen: Set<OID> = []
    for item in extensions {
      var kind: CRLExtensionDefect.Kind? = seen.insert(item.oid).inserted ? read(item) : .duplicate
      if kind == nil, version == 1 { kind = .version1 }
      if defect == nil, let kind { defect = CRLExtensionDefect(item.oid, kind) }
    }
    isConforming = version == 2 && isInForm && number != nil && authorityKeyIdentifier?.keyIdentifier != nil
    defect = defect ?? entries.lazy.compactMap(\.defect).first
  }

  /// Decodes the extension. Returns the defect that makes the CRL unusable, if there is one.
  private mutating func read(_ item: Certificate.Extension) -> CRLExtensionDefect.Kind? {
    do throws(CertificateError) {
      switch item.oid {
      case .cRLNumber:
        number = try DecodedCRLExtensions.number(item.value)
        return item.critical ? .criticalNumber : nil  // section 5.2.3: MUST be non-critical
      case .deltaCRLIndicator: baseNumber = try DecodedCRLExtensions.number(item.value)
      case .issuingDistributionPoint: scope = try IssuingDistributionPoint(der: item.value)
      case .authorityKeyIdentifier: authorityKeyIdentifier = try AuthorityKeyIdentifier(der: item.value)
      default: return item.critical ? .unknownCritical : nil
      }
      return nil
    } catch {
      return .malformed
    }
  }

  private static func number(_ der: [UInt8]) throws(CertificateError) -> [UInt8] {
    var whole = DERCursor(der)
    let number = try whole.integer("CRLNumber")
    try whole.finish("CRLNumber")
    guard number.count <= 20, let first = number.first, first < 0x80 else {
      throw whole.error("CRLNumber", at: 0, "negative or too long", "RFC 5280 section 5.2.3")
    }
    return number
  }

  /// Returns whether `left` is at most `right`. Both are big-endian numbers without leading zeros.
  static func isAtMost(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    let (left, right) = (left.drop { $0 == 0 }, right.drop { $0 == 0 })
    return left.count == right.count ? !right.lexicographicallyPrecedes(left) : left.count < right.count
  }
}

/// A defect in an extension of a CRL or of an entry. The CRL MUST NOT be used.
struct CRLExtensionDefect: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case unknownCritical
    case malformed
    case duplicate
    /// The CRL has an extension, although its version is 1.
    case version1
    /// The extension cRLNumber is marked critical.
    case criticalNumber
  }

  let oid: OID
  let kind: Kind
  /// The serial number of the entry; nil for an extension of the CRL itself.
  let entry: [UInt8]?

  init(_ oid: OID, _ kind: Kind, entry: [UInt8]? = nil) {
    self.oid = oid
    self.kind = kind
    self.entry = entry
  }

  /// The section of RFC 5280 that states the requirement.
  var section: String {
    switch kind {
    case .version1: "5.1.2.1"
    case .criticalNumber: "5.2.3"
    case .unknownCritical, .malformed, .duplicate: entry == nil ? "5.2" : "5.3"
    }
  }

  var required: String {
    switch kind {
    case .unknownCritical: "only critical extensions that the client supports"
    case .malformed: "extensions that can be decoded"
    case .duplicate: "each extension once"
    case .version1: "version 2 for a CRL with extensions"
    case .criticalNumber: "a cRLNumber that is not critical"
    }
  }

  var found: String {
    let place = entry.map { " of the entry \(Hex.string($0))" } ?? ""
    return switch kind {
    case .unknownCritical: "the unknown critical extension \(oid.name)\(place)"
    case .malformed: "the malformed extension \(oid.name)\(place)"
    case .duplicate: "the extension \(oid.name) twice"
    case .version1: "the extension \(oid.name) in a CRL of version 1"
    case .criticalNumber: "a critical cRLNumber"
    }
  }

  var fix: String {
    switch kind {
    case .unknownCritical:
      "Have the CA omit \(oid.name) from the CRL or mark it not critical, or use a client that supports it."
    case .malformed: "Have the CA encode \(oid.name) as the standard defines it."
    case .duplicate: "Have the CA issue the CRL with only one \(oid.name)."
    case .version1: "Have the CA issue the CRL as version 2, or without extensions."
    case .criticalNumber: "Have the CA issue the CRL with a cRLNumber that is not critical."
    }
  }
}

/// The scope of a CRL: issuingDistributionPoint (RFC 5280 section 5.2.5).
public struct IssuingDistributionPoint: Sendable, Hashable {
  /// The distribution point to which the CRL belongs; nil if there is none.
  public let name: DistributionPointName?
  /// Whether the CRL covers only certificates of end entities.
  public let onlyContainsUserCerts: Bool
  /// Whether the CRL covers only CA certificates.
  public let onlyContainsCACerts: Bool
  /// The revocation reasons that the CRL covers; nil for all.
  public let onlySomeReasons: RevocationReasons?
  /// Whether the CRL also covers certificates of other issuers.
  public let indirectCRL: Bool
  /// Whether the CRL covers only attribute certificates.
  public let onlyContainsAttributeCerts: Bool

  /// Creates the scope of a CRL. By default, the CRL covers all certificates and every reason. An indirect CRL also
  /// covers certificates of other issuers.
  public init(
    _ name: DistributionPointName?, isIndirect: Bool, onlyContainsUserCerts: Bool = false,
    onlyContainsCACerts: Bool = false, onlySomeReasons: RevocationReasons? = nil
  ) {
    self.name = name
    indirectCRL = isIndirect
    self.onlyContainsUserCerts = onlyContainsUserCerts
    self.onlyContainsCACerts = onlyContainsCACerts
    onlyContainsAttributeCerts = false
    self.onlySomeReasons = onlySomeReasons
  }

  /// The encoded scope. False values are omitted (X.690 section 11.5).
  var der: [UInt8] {
    func flag(_ number: UInt8, _ isSet: Bool) -> [UInt8] { isSet ? DER.element(DERTag.context(number), [0xFF]) : [] }
    return DER.sequence(
      name?.der ?? [], flag(1, onlyContainsUserCerts), flag(2, onlyContainsCACerts),
      onlySomeReasons.map { DER.element(DERTag.context(3), $0.bitStringContent) } ?? [], flag(4, indirectCRL),
      flag(5, onlyContainsAttributeCerts))
  }

  /// Reads an IssuingDistributionPoint.
  public init(der: [UInt8]) throws(CertificateError) {
    var whole = DERCursor(der)
    var parts = whole.inside(try whole.next("IssuingDistributionPoint", DERTag.sequence))
    try whole.finish("IssuingDistributionPoint")
    name = try DistributionPointName.readOptional(&parts)
    onlyContainsUserCerts = try IssuingDistributionPoint.flag(1, &parts)
    onlyContainsCACerts = try IssuingDistributionPoint.flag(2, &parts)
    onlySomeReasons = try RevocationReasons.readOptional("onlySomeReasons", DERTag.context(3), &parts)
    indirectCRL = try IssuingDistributionPoint.flag(4, &parts)
    onlyContainsAttributeCerts = try IssuingDistributionPoint.flag(5, &parts)
    try parts.finish("IssuingDistributionPoint")
  }

  private static func flag(_ number: UInt8, _ parts: inout DERCursor) throws(CertificateError) -> Bool {
    guard let element = try parts.optional("flag", DERTag.context(number)) else { return false }
    return parts.content(element) == [0xFF]
  }
}

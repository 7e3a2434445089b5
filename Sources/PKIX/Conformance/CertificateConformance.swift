import Explanation

/// Checks that the certificates of a path conform to RFC 5280 section 4, which states the duties of CAs.
///
/// Path validation (section 6) ignores most of these requirements. Some violations refuse the path only if
/// `isPedantic`. For these, the RFC either asks validators to be lenient (serial numbers, section 4.1.2.2) or allows
/// two interpretations (the authorityKeyIdentifier of a cross-signed anchor).
public struct CertificateConformance: Sendable {
  /// The violations, from the leaf to the anchor.
  public private(set) var findings: [Finding] = []

  private let path: CertificatePath
  private let subjects: [Finding.Subject]
  private let isPedantic: Bool
  private let requiresCriticalNameConstraints: Bool
  private let enforcement: Enforcement

  /// Checks the certificates of `path`, which findings name as in `subjects`.
  ///
  /// `requiresCriticalNameConstraints` follows the RFC; the CA/Browser Forum allows CAs to deviate from it.
  public init(
    _ path: CertificatePath, _ subjects: [Finding.Subject], isPedantic: Bool = false,
    requiresCriticalNameConstraints: Bool = true, enforcement: Enforcement = .standard
  ) {
    self.path = path
    self.subjects = subjects
    self.isPedantic = isPedantic
    self.requiresCriticalNameConstraints = requiresCriticalNameConstraints
    self.enforcement = enforcement
    for (index, certificate) in path.certificates.enumerated() { examine(certificate, index) }
  }

  private mutating func examine(_ certificate: Certificate, _ index: Int) {
    if !certificate.hasConformingSerialNumber {
      let finding = enforcement.check(
        .serialNumber, on: subjects[index], false, found: .bytes(certificate.serialNumber))
      let isAnchor = path.isAnchored && index > 0 && index == path.certificates.count - 1
      findings.append(isPedantic && !isAnchor ? finding : finding.advising)
    }
    checkNames(certificate, index)
    check(.criticality, index, wrongCriticality(certificate))
    checkMissing(certificate, index)
    checkCAFields(certificate, index)
    let isMisplaced = index == 0 && certificate.basicConstraints?.isCA != true
    let misplaced = Rule.nameConstraintsForm.fixed(by: "Issue the certificate without nameConstraints.")
    check(
      isMisplaced ? misplaced : .nameConstraintsForm, index, nameConstraintsForm(certificate, isMisplaced: isMisplaced))
    check(
      .nameForm, index,
      certificate.subjectAlternativeName?.names.lazy.compactMap(\.wrongText).first.map(ShownText.quotedIfNeeded))
    check(.timeForm, index, certificate.hasStandardTimes ? nil : "GeneralizedTime before 2050")
    check(.defaultValue, index, certificate.writtenDefault)
  }

  /// Records a finding for `problem`, if there is one.
  private mutating func check(_ rule: Rule, _ index: Int, _ problem: String?) {
    guard let problem else { return }
    findings.append(enforcement.check(rule, on: subjects[index], false, found: .word(problem)))
  }

  private mutating func checkNames(_ certificate: Certificate, _ index: Int) {
    if certificate.issuer.isEmpty {
      let fix = "Issue the CA's certificate with a subject, and this certificate with that subject as its issuer."
      return check(.emptyName.fixed(by: fix), index, "issuer is empty")
    }
    guard certificate.subject.isEmpty else { return }
    if index > 0 || certificate.basicConstraints?.isCA == true {
      let fix = "Issue the certificate with a subject."
      return check(.emptyName.fixed(by: fix), index, "a CA without a subject")
    }
    let isNamed = certificate.first(.subjectAltName)?.critical == true
    check(.emptyName, index, isNamed ? nil : "no subject, and no critical subjectAltName")
  }

  private func wrongCriticality(_ certificate: Certificate) -> String? {
    for item in certificate.extensions {
      if item.critical, CertificateConformance.neverCritical.contains(item.oid) {
        return "\(item.oid.name) is critical"
      }
      guard !item.critical else { continue }
      let must =
        item.oid == .policyConstraints || item.oid == .inhibitAnyPolicy
        || item.oid == .nameConstraints && requiresCriticalNameConstraints
        || item.oid == .basicConstraints && certificate.basicConstraints?.isCA == true
      if must { return "\(item.oid.name) is not critical" }
    }
    return nil
  }

  private mutating func checkMissing(_ certificate: Certificate, _ index: Int) {
    let isAnchor = path.isAnchored && index == path.certificates.count - 1
    let lacksIssuerKey = !certificate.isSelfIssued && certificate.authorityKeyIdentifier?.keyIdentifier == nil
    var missing: [String] = []
    if index > 0, certificate.first(.basicConstraints) == nil { missing.append(OID.basicConstraints.name) }
    if certificate.basicConstraints?.isCA == true, certificate.first(.subjectKeyIdentifier) == nil {
      missing.append(OID.subjectKeyIdentifier.name)
    }
    if lacksIssuerKey, !certificate.hasUndecodable(.authorityKeyIdentifier), isPedantic || !isAnchor {
      missing.append(OID.authorityKeyIdentifier.name)
    }
    guard !missing.isEmpty else { return }
    let names = missing.joined(separator: ", ")
    findings.append(
      enforcement.check(
        .missingExtension.fixed(by: "Issue the certificate again, with \(names)."), on: subjects[index], false,
        required: .word(names), found: .absent))
  }

  private mutating func checkCAFields(_ certificate: Certificate, _ index: Int) {
    let constraints = certificate.basicConstraints
    let signs = certificate.keyUsage?.contains(.keyCertSign)
    if certificate.keyUsage?.isEmpty == true {
      let fix = "Issue the certificate with a bit in keyUsage, or without keyUsage."
      return check(.caFields.fixed(by: fix), index, "keyUsage without a bit")
    }
    if certificate.hasUndecodable(.basicConstraints) { return }
    if constraints?.isCA == true { return check(.caFields, index, signs == false ? "cA without keyCertSign" : nil) }
    if signs == true { return check(.caFields, index, "keyCertSign without cA") }
    guard constraints?.pathLength != nil else { return }
    let fix = "Issue the certificate without pathLenConstraint, or with both cA and keyCertSign."
    check(.caFields.fixed(by: fix), index, "pathLenConstraint without cA")
  }

  private func nameConstraintsForm(_ certificate: Certificate, isMisplaced: Bool) -> String? {
    guard let constraints = certificate.nameConstraints else { return nil }
    if isMisplaced { return "in a certificate that is not a CA certificate" }
    let subtrees = constraints.permitted + constraints.excluded
    return subtrees.first { !$0.hasConformingForm }.map(\.meaning)
  }

  private static let neverCritical: Set<OID> = [
    .authorityKeyIdentifier, .subjectKeyIdentifier, .freshestCRL, .issuerAltName, AuthorityInformationAccess.oid,
    AuthorityInformationAccess.subjectOID, OID(2, 5, 29, 9),
  ]
}

extension Certificate {
  /// Whether both dates have the form required for their years (section 4.1.2.5).
  fileprivate var hasStandardTimes: Bool {
    var whole = DERCursor(der)
    guard let outer = try? whole.next("Certificate") else { return false }
    var parts = whole.inside(outer)
    guard let signed = try? parts.next("tbsCertificate") else { return false }
    var fields = parts.inside(signed)
    _ = try? fields.optional("version", DERTag.context(0, constructed: true))
    for field in ["serialNumber", "signature", "issuer"] { _ = try? fields.next(field) }
    guard let validity = try? fields.next("validity") else { return false }
    var dates = fields.inside(validity)
    let tags = [try? dates.next("notBefore").tag, try? dates.next("notAfter").tag]
    return DERTime.isUsual(tags[0], notBefore) && DERTime.isUsual(tags[1], notAfter)
  }

  /// A value that equals its DEFAULT but is encoded (X.690 section 11.5); nil if there is no such value.
  fileprivate var writtenDefault: String? {
    if let item = extensions.first(where: writesCriticality) {
      return "\(item.oid.name) encodes critical FALSE, its default"
    }
    let parameters = signatureAlgorithm.parameters
    if signatureAlgorithm.oid == .rsassaPSS, parameters.suffix(5) == [0xA3, 3, DERTag.integer, 1, 1] {
      return "RSASSA-PSS-params encodes trailerField 1, its default"
    }
    guard let item = first(.basicConstraints), basicConstraints?.isCA == false,
      item.value.dropFirst(2).starts(with: [DERTag.boolean, 1, 0])
    else { return nil }
    return "basicConstraints encodes cA FALSE, its default"
  }

  private func writesCriticality(_ item: Extension) -> Bool {
    guard !item.critical, item.range.upperBound <= der.count else { return false }
    var cursor = DERCursor(der).inside(item.range)
    guard let element = try? cursor.next("Extension", DERTag.sequence) else { return false }
    var parts = cursor.inside(element)
    guard (try? parts.next("extnID")) != nil else { return false }
    return parts.nextTag == DERTag.boolean
  }

  /// Whether the serial number is positive and at most 20 octets long (section 4.1.2.2).
  fileprivate var hasConformingSerialNumber: Bool {
    guard let first = serialNumber.first else { return false }
    return first < 0x80 && serialNumber.count <= 20 && serialNumber != [0]
  }
}

extension GeneralName {
  /// The text of a name that does not have the form required by section 4.2.1.6; nil for conforming names.
  fileprivate var wrongText: String? {
    switch self {
    case .dnsName(let name): HostText.isPreferredSyntax(name) ? nil : name
    case .rfc822Name(let name): Mailbox(name) == nil ? name : nil
    case .uniformResourceIdentifier(let name): GeneralName.isAbsolute(name) ? nil : name
    case .ipAddress, .directoryName, .other: nil
    }
  }

  /// Returns whether a URI has a scheme and more text after it (RFC 3986 section 3).
  private static func isAbsolute(_ text: String) -> Bool {
    let scheme = text.utf8.prefix { $0 != UInt8(ascii: ":") }
    let isScheme = scheme.allSatisfy {
      (97...122).contains($0 | 0x20) || (48...57).contains($0) || [43, 45, 46].contains($0)
    }
    return isScheme && !scheme.isEmpty && scheme.count + 1 < text.utf8.count
  }
}

extension GeneralSubtree {
  /// Whether a name constraint has the form required by section 4.2.1.10.
  ///
  /// A host has no wildcard label and no leading period, a mailbox has one `@`, and a mask has no gaps.
  fileprivate var hasConformingForm: Bool {
    switch self {
    case .dnsName(let name): name.isEmpty || HostText.isPreferredSyntax(name) && !name.contains("*")
    case .ipAddress: prefixLength != nil
    case .rfc822Name(let name): name.utf8.contains(64) ? Mailbox(name) != nil : HostText.isConstraint(name)
    case .uniformResourceIdentifier(let name): HostText.isConstraint(name)
    case .directoryName, .other: true
    }
  }
}

extension HostText {
  /// Returns whether a host name has the preferred syntax (RFC 1034 section 3.5, changed by RFC 1123 section 2.1).
  ///
  /// Each label has 1 to 63 letters, digits and hyphens, and neither begins nor ends with a hyphen.
  ///
  /// A wildcard label in the first place is not checked here.
  static func isPreferredSyntax(_ name: String) -> Bool {
    guard (1...253).contains(name.utf8.count) else { return false }
    for (place, label) in name.utf8.split(separator: 46, omittingEmptySubsequences: false).enumerated() {
      guard (1...63).contains(label.count), label.first != 45, label.last != 45 else { return false }
      for byte in label {
        let isPlain = (97...122).contains(byte | 0x20) || (48...57).contains(byte) || byte == 45
        guard isPlain || byte == 42 && place == 0 else { return false }
      }
    }
    return true
  }

  /// Returns whether the text is a host, or a period followed by a domain.
  static func isConstraint(_ name: String) -> Bool {
    name.isEmpty || isPreferredSyntax(name.hasPrefix(".") ? String(name.dropFirst()) : name)
  }
}

/// Rules for the requirements of RFC 5280 section 4 on CAs, in addition to those of section 6.
extension Rule {
  /// A serial number must be positive (section 4.1.2.2).
  public static let serialNumber = Rule(
    .chain, "serial-number",
    "serialNumber is positive and has at most 20 octets.",
    .rfc(5280, "4.1.2.2"),
    fix: "Issue the certificate with a positive serial number of at most 20 octets.")

  /// Subject and issuer names must not be empty (sections 4.1.2.4 and 4.1.2.6).
  public static let emptyName = Rule(
    .chain, "empty-name",
    "Every certificate has an issuer, and a subject or a critical subjectAltName; a CA certificate has a subject.",
    .rfc(5280, "4.1.2.4 and 4.1.2.6"),
    fix: "Issue the certificate with a subject, or with a critical subjectAltName.")

  /// Extensions must be critical if the RFC requires it (section 4.2).
  public static let criticality = Rule(
    .chain, "criticality",
    "An extension is critical if the standard requires it, and not critical if the standard forbids it.",
    .rfc(5280, "4.2"),
    fix: "Issue the certificate with the extension marked critical or not critical, as its section requires.")

  /// Required extensions must be present (sections 4.2.1.1, 4.2.1.2 and 4.2.1.9).
  public static let missingExtension = Rule(
    .chain, "missing-extension",
    "A CA certificate has basicConstraints and subjectKeyIdentifier; every certificate that is not self-signed has "
      + "authorityKeyIdentifier.",
    .rfc(5280, "4.2.1.1, 4.2.1.2, 4.2.1.9"),
    fix: "Issue the certificate with the missing extension.")

  /// The fields that mark a CA must agree with each other (sections 4.2.1.3 and 4.2.1.9).
  public static let caFields = Rule(
    .chain, "authority-fields",
    "cA, keyCertSign and pathLenConstraint are consistent: only a CA's key signs certificates.",
    .rfc(5280, "4.2.1.3 and 4.2.1.9"),
    fix: "Issue the certificate with both cA and keyCertSign, or with neither.")

  /// Name constraints must have the required form (section 4.2.1.10).
  public static let nameConstraintsForm = Rule(
    .chain, "name-constraints-form",
    "Only CA certificates have nameConstraints; it contains hosts, mailboxes and address prefixes.",
    .rfc(5280, "4.2.1.10"),
    fix: "Write hosts without a wildcard and without a leading period: example.com.")

  /// Host names must have the required form (section 4.2.1.6).
  public static let nameForm = Rule(
    .chain, "name-form",
    "A dNSName consists of letters, digits and hyphens, an rfc822Name is a mailbox, and a URI is absolute.",
    .rfc(5280, "4.2.1.6"),
    fix: "Issue the certificate with each name in the form that its type requires.")

  /// Dates must have the form required for their years (section 4.1.2.5).
  public static let timeForm = Rule(
    .chain, "time-form",
    "Dates from 1950 to 2049 are encoded as UTCTime, and later dates as GeneralizedTime.",
    .rfc(5280, "4.1.2.5"),
    fix: "Issue the certificate with each date in the type that its year requires.")

  /// Default values must be omitted (X.690 section 11.5).
  public static let defaultValue = Rule(
    .chain, "default-value",
    "A value that equals its DEFAULT is omitted, as DER requires.",
    Clause(document: "X.690", section: "11.5"),
    fix: "Issue the certificate again with an encoder that omits the value.", decides: false)

  /// All rules about the form of certificates.
  public static let conformance: [Rule] = [
    serialNumber, emptyName, criticality, missingExtension, caFields, nameConstraintsForm, nameForm,
    timeForm, defaultValue,
  ]
}

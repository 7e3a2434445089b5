import Explanation

/// The reason why a CRL does not establish the status of a certificate.
///
/// It includes the requirement of RFC 5280, the CRL's value, and the fix.
public struct CRLRejection: Error, Sendable, Hashable {
  /// The kind of reason.
  public let obstacle: RevocationRejectionReason
  /// The requirement of the RFC as text.
  public let required: String
  /// The value found in the CRL or in the certificate of its issuer.
  public let found: String
  /// The fix for the problem, as an imperative.
  public let fix: String
  /// The section of RFC 5280 that states the requirement.
  public let section: String

  init(_ obstacle: RevocationRejectionReason, _ section: String, required: String, found: String, fix: String) {
    self.obstacle = obstacle
    self.section = section
    self.required = required
    self.found = found
    self.fix = fix
  }
}

/// The status of one certificate according to CRLs, and the reasons why other CRLs were rejected.
public struct RevocationStatement: Sendable, Hashable {
  /// The status.
  public let status: RevocationStatus
  /// The earliest thisUpdate of the CRLs that determine the status; nil if it is undetermined.
  public let asOf: Instant?
  /// The reasons for the rejected CRLs, those nearest to a result first; empty if the status is known.
  public let rejections: [CRLRejection]

  init(_ status: RevocationStatus, asOf: Instant? = nil, rejections: [CRLRejection] = []) {
    self.status = status
    self.asOf = asOf
    self.rejections = rejections
  }
}

/// The reasons for rejecting the CRLs of one certificate, one for each CRL: the one nearest to a result.
struct CRLRejections {
  private var order: [CertificateRevocationList] = []
  private var reasons: [CertificateRevocationList: CRLRejection] = [:]

  /// Whether no CRL was rejected.
  var isEmpty: Bool { order.isEmpty }

  mutating func add(_ rejection: CRLRejection, of crl: CertificateRevocationList) {
    guard let known = reasons[crl] else {
      order.append(crl)
      reasons[crl] = rejection
      return
    }
    if known.obstacle < rejection.obstacle { reasons[crl] = rejection }
  }

  /// The distinct reasons, those nearest to a result first.
  var all: [CRLRejection] {
    var seen: Set<CRLRejection> = []
    let unique = order.compactMap { reasons[$0] }.filter { seen.insert($0).inserted }
    return unique.enumerated().sorted {
      $0.element.obstacle == $1.element.obstacle
        ? $0.offset < $1.offset : $0.element.obstacle > $1.element.obstacle
    }.map(\.element)
  }
}

/// The checks of whether one CRL applies to one certificate (RFC 5280 sections 5 and 6.3.3 (a) and (b)).
extension CRLApplicability {
  /// The first reason why the CRL does not apply; nil if it applies. The signature is not considered.
  var rejection: CRLRejection? { scopeRejection ?? dateRejection ?? extensionRejection }

  /// The location of the CRL as part of a fix, such as ` (http://ca.example/ca.crl)`.
  private var location: String { certificate.crlLocations.first.map { " (\($0))" } ?? "" }

  private var scopeRejection: CRLRejection? {
    guard let scope = crl.decodedExtensions.scope else { return nil }
    let isCA = certificate.basicConstraints?.isCA == true
    let kind = isCA ? "CA certificates" : "end-entity certificates"
    guard let flag = scope.flag(excludingCA: isCA) else { return nameRejection(scope) }
    return CRLRejection(
      .otherScope, "6.3.3 (b)(2)", required: "a CRL whose scope includes \(kind)",
      found: "issuingDistributionPoint \(flag) in the CRL of \(crl.issuer)",
      fix: "Use the CRL of \(crl.issuer) that covers \(kind)\(location).")
  }

  /// Returns the rejection if the distribution points do not share a name ((b)(2)(i)).
  private func nameRejection(_ scope: IssuingDistributionPoint) -> CRLRejection? {
    guard let name = scope.name, !sharesName(name) else { return nil }
    let own = certificate.distributionPoints.map { "cRLDistributionPoints \($0.meaning)" }
    return CRLRejection(
      .otherScope, "6.3.3 (b)(2)(i)",
      required: own.map { "an issuingDistributionPoint with a name from the certificate's \($0)" }
        ?? "a CRL without a distribution point, because the certificate names none",
      found: "issuingDistributionPoint \(name.meaning) in the CRL of \(crl.issuer)",
      fix: "Use the CRL of the distribution point that the certificate names\(location), or have the CA repeat that "
        + "name in issuingDistributionPoint.")
  }

  private var dateRejection: CRLRejection? {
    let isListed = entry(nil) != nil
    func rejection(_ required: String, _ found: String, _ fix: String) -> CRLRejection {
      CRLRejection(
        isListed ? .notCurrentButListed : .notCurrent, "6.3.3 (a)", required: required,
        found: "\(found) in the CRL of \(crl.issuer)" + (isListed ? ", which lists the certificate as revoked" : ""),
        fix: fix)
    }
    if crl.thisUpdate > time {
      return rejection(
        "thisUpdate no later than \(time)", "thisUpdate \(crl.thisUpdate)",
        "Check the clocks of the client and of the CA: the CRL is not yet valid. If they are right, use the CRL of "
          + "that day.")
    }
    if let end = crl.nextUpdate, end < time {
      return rejection(
        "nextUpdate no earlier than \(time)", "nextUpdate \(end) (expired)",
        "Get the current CRL of \(crl.issuer)\(location). If there is none, have the CA issue one. Check the clock.")
    }
    guard crl.nextUpdate == nil, crl.thisUpdate.adding(days: CRLApplicability.maximumDaysWithoutNextUpdate) < time
    else {
      return nil
    }
    return rejection(
      "nextUpdate, or thisUpdate at most \(CRLApplicability.maximumDaysWithoutNextUpdate) days ago",
      "no nextUpdate and thisUpdate \(crl.thisUpdate)",
      "Have the CA issue a CRL with nextUpdate (RFC 5280 section 5.1.2.5).")
  }

  private var extensionRejection: CRLRejection? {
    guard let defect = crl.decodedExtensions.defect else { return nil }
    return CRLRejection(
      .unprocessedExtension, defect.section, required: defect.required,
      found: "\(defect.found) in the CRL of \(crl.issuer)", fix: defect.fix)
  }

  /// The rejection if the CRL violates requirements of section 5 on CRL issuers; nil if it conforms.
  var nonconformance: CRLRejection? {
    guard !crl.decodedExtensions.isConforming else { return nil }
    return CRLRejection(
      .nonconforming, "5.1.1.1",
      required: "version 2, nextUpdate, UTCTime through 2049, cRLNumber, and a keyIdentifier in authorityKeyIdentifier",
      found: crl.missingParts.joined(separator: ", ") + " in the CRL of \(crl.issuer)",
      fix: "Have the CA issue a CRL that follows the profile of RFC 5280 section 5.")
  }
}

extension IssuingDistributionPoint {
  /// Returns the flag that excludes CA certificates, or end-entity certificates, from the CRL.
  fileprivate func flag(excludingCA isCA: Bool) -> String? {
    if onlyContainsAttributeCerts { return "onlyContainsAttributeCerts" }
    if onlyContainsUserCerts, isCA { return "onlyContainsUserCerts" }
    return onlyContainsCACerts && !isCA ? "onlyContainsCACerts" : nil
  }
}

extension CertificateRevocationList {
  /// The parts that are missing from this CRL although section 5 requires issuers to include them.
  fileprivate var missingParts: [String] {
    var parts: [String] = []
    if version == 1 { parts.append("version 1") }
    if nextUpdate == nil { parts.append("no nextUpdate") }
    if number == nil { parts.append("no cRLNumber") }
    if decodedExtensions.authorityKeyIdentifier?.keyIdentifier == nil { parts.append("no keyIdentifier of the issuer") }
    return parts.isEmpty ? ["a date in the wrong time type for its year"] : parts
  }
}

/// The rejections because of a CRL's signer (RFC 5280 section 6.3.3 (f) and (g)).
extension CRLRejection {
  /// Creates the rejection if the key that signed the CRL does not have the keyUsage to do so.
  static func lacksCRLSign(_ issuer: Certificate) -> CRLRejection {
    CRLRejection(
      .noValidIssuer, "6.3.3 (f)", required: "cRLSign in keyUsage of the CRL's issuer",
      found: "keyUsage \(issuer.keyUsage?.meaning ?? "") of \(issuer.subject)",
      fix: "Issue the certificate of \(issuer.subject) again with cRLSign in keyUsage, or sign the CRL with a key that "
        + "has cRLSign.")
  }

  /// Creates the rejection if no certificate of the issuer is available.
  static func noCertificate(of crl: CertificateRevocationList) -> CRLRejection {
    CRLRejection(
      .noValidIssuer, "6.3.3 (f)", required: "a certificate of the CRL's issuer under the same root",
      found: "no certificate of \(crl.issuer) for the key that signed the CRL",
      fix: "Add the certificate of \(crl.issuer) to the certificates of the client.")
  }

  /// Creates the rejection if the signature on the CRL does not verify with the key of `issuer`.
  static func badSignature(on crl: CertificateRevocationList, by issuer: Certificate) -> CRLRejection {
    func rejection(_ section: String, _ required: String, _ found: String, _ fix: String) -> CRLRejection {
      CRLRejection(.signatureInvalid, section, required: required, found: found, fix: fix)
    }
    let (outer, inner) = (crl.signatureAlgorithm, crl.signedSignatureAlgorithm)
    if outer != inner {
      return rejection(
        "5.1.1.2", "the same algorithm in signatureAlgorithm and signature", "\(outer) and \(inner)",
        "Have the CA issue the CRL again with software that writes the same algorithm in both fields.")
    }
    if outer.signatureScheme == nil {
      return rejection(
        "6.3.3 (g)", "a signature algorithm that the client supports", "\(outer) on the CRL of \(crl.issuer)",
        "Have the CA sign the CRL with an algorithm that the client supports.")
    }
    let claimed = crl.decodedExtensions.authorityKeyIdentifier?.keyIdentifier
    if let claimed, let own = issuer.subjectKeyIdentifier?.keyIdentifier, claimed != own {
      return rejection(
        "6.3.3 (g)", "a signature by the key of \(issuer.subject), \(Hex.string(own))",
        "a CRL of another key of \(crl.issuer): authorityKeyIdentifier \(Hex.string(claimed))",
        "Use the CRL that this issuer's key signed, or add the certificate with the other key.")
    }
    return rejection(
      "6.3.3 (g)", "a signature by the key of \(issuer.subject)",
      "the signature on the CRL of \(crl.issuer) does not verify: the CRL was changed, or another key signed it",
      "Get the CRL from the CA again. If it still does not verify, have the CA sign the CRL with the issuer's key.")
  }

  /// Creates the rejection if the certificate of the CRL issuer is revoked, refused, or of unknown status.
  static func refusedIssuer(_ issuer: Certificate, isRevoked: Bool, _ why: String) -> CRLRejection {
    CRLRejection(
      isRevoked ? .issuerRevoked : .noValidIssuer, "6.3.3 (f)",
      required: "a valid certification path of the CRL's issuer under the same root",
      found: "\(issuer.subject), which signed the CRL: \(why)",
      fix: "Use a CRL whose issuer has a valid certificate, or replace the certificate of \(issuer.subject).")
  }

  /// Creates the rejection if the CRLs do not cover all revocation reasons.
  static func someReasons(missing: RevocationReasons) -> CRLRejection {
    CRLRejection(
      .someReasons, "6.3.3 (l)", required: "CRLs for all reasons",
      found: "no CRL for \(missing.meaning)",
      fix: "Add the CRL for the other reasons: onlySomeReasons in issuingDistributionPoint limits this CRL.")
  }
}

/// The rejections of CRLs that no distribution point of the certificate allows (RFC 5280 section 6.3.3 (b)(1)).
extension CRLRejection {
  /// Creates the rejection if there is a delta CRL of the issuer, but no complete CRL.
  static func deltaAlone(_ crl: CertificateRevocationList) -> CRLRejection {
    CRLRejection(
      .noCRL, "5.2.4", required: "the complete CRL that the delta CRL updates",
      found: "only a delta CRL of \(crl.issuer)",
      fix: "Add the complete CRL of \(crl.issuer), with at least number "
        + "\(crl.baseNumber.map(Hex.string) ?? "of its base").")
  }

  /// Creates the rejection if the certificate names the CRL issuer in cRLIssuer, but the CRL is not indirect.
  static func notIndirect(_ crl: CertificateRevocationList) -> CRLRejection {
    CRLRejection(
      .noCRL, "6.3.3 (b)(1)", required: "indirectCRL in the issuingDistributionPoint of the CRL that cRLIssuer names",
      found: "a CRL of \(crl.issuer) without indirectCRL",
      fix: "Have \(crl.issuer) issue an indirect CRL, or remove cRLIssuer from the certificate.")
  }

  /// Creates the rejection if the CRLs were issued by other issuers.
  static func otherIssuers(_ crls: [CertificateRevocationList], _ certificate: Certificate) -> CRLRejection {
    let issuers = Set(crls.map { "\($0.issuer)" }).sorted()
    let shown = issuers.prefix(3).joined(separator: "; ") + (issuers.count > 3 ? "; …" : "")
    let isIndirect = crls.contains { $0.decodedExtensions.scope?.indirectCRL == true }
    let location = certificate.crlLocations.first.map { " (\($0))" } ?? ""
    return CRLRejection(
      .noCRL, "6.3.3 (b)(1)",
      required: "a CRL of \(certificate.issuer)" + (isIndirect ? ", or an indirect CRL that cRLIssuer names" : ""),
      found: "\(isIndirect ? "indirect CRLs and CRLs" : "CRLs") of \(shown) only",
      fix: "Add the CRL that \(certificate.issuer) issues\(location), or an OCSP response about the certificate."
        + (isIndirect ? " An indirect CRL applies only if the certificate names its issuer in cRLIssuer." : ""))
  }
}

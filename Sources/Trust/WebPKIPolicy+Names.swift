import Explanation
import PKIX

extension WebPKIPolicy {
  /// Checks the Baseline Requirements for the names of a server.
  ///
  /// Names must be hosts and addresses, and the common name must be a copy of one of them. The extension subjectAltName
  /// must be critical only if the subject is empty, and extKeyUsage must not be critical.
  var leafNames: [Finding] {
    judged.onLeaf { leaf, subject in
      guard judged.purpose == .server else { return [judged.note(.commonNameForm, subject, .notApplicable)] }
      return [
        commonName(leaf, subject), kinds(leaf, subject),
        uncritical(SubjectAlternativeName.oid, leaf, subject, isAllowed: leaf.subject.isEmpty, "7.1.2.7.12"),
      ]
    }
  }

  /// Checks that extKeyUsage, certificatePolicies and cRLDistributionPoints are not critical.
  ///
  /// See sections 7.1.2.7.6, 7.1.2.6.1 and 7.1.2.11.2.
  var criticality: [Finding] {
    certificates.enumerated().flatMap { index, pair in
      let (certificate, subject) = pair
      let section = index == 0 ? "7.1.2.7.6" : "7.1.2.6.1"
      return [
        (ExtendedKeyUsage.oid, section), (CertificatePolicies.oid, section), (CRLDistributionPoints.oid, "7.1.2.11.2"),
      ]
      .filter { certificate.first($0.0) != nil }
      .map { uncritical($0.0, certificate, subject, isAllowed: false, $0.1) }
    }
  }

  private func kinds(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let other = leaf.subjectAlternativeName?.names.first { name in
      switch name {
      case .dnsName, .ipAddress: false
      default: true
      }
    }
    let rule = Rule.nameForm.citing(.baselineRequirements("7.1.2.7.12"))
      .fixed(by: "Issue the certificate with only dNSName and iPAddress in subjectAltName.")
    return check(
      rule, leaf, subject, other == nil,
      required: .anyOf(["dNSName", "iPAddress"]), found: other.map { .word($0.meaning) } ?? .none)
  }

  private func commonName(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let names = leaf.subject.commonNames
    guard !leaf.hasUndecodable(SubjectAlternativeName.oid) else {
      return judged.note(.commonNameForm, subject, .notEvaluated)
    }
    guard !names.isEmpty else { return judged.note(.commonNameForm, subject, .notApplicable) }
    let copies = leaf.subjectAlternativeName?.names.compactMap(WebPKIPolicy.text) ?? []
    let holds = names.count == 1 && names.allSatisfy { name in name.map { copies.contains($0) } ?? false }
    // Earlier versions also required a copy of one of the names, but ignored its case.
    let folded = Set(copies.map { $0.lowercased() })
    let isOne = names.allSatisfy { name in name.map { folded.contains($0.lowercased()) } ?? false }
    return check(
      .commonNameForm, leaf, subject, holds, since: isOne ? .exactCommonNames : .requirements,
      required: .anyOf(copies.prefix(8).map(ShownText.quotedIfNeeded)),
      found: .words(names.map { $0.map(ShownText.quotedIfNeeded) ?? "no text" }))
  }

  /// Returns the text of a name by section 7.1.4.3. A host is unchanged, and an address has the form of RFC 3986 or RFC
  /// 5952.
  private static func text(_ name: GeneralName) -> String? {
    switch name {
    case .dnsName(let text): text
    case .ipAddress(let bytes): AddressText.canonical(bytes)
    default: nil
    }
  }

  private func uncritical(
    _ oid: OID, _ leaf: Certificate, _ subject: Finding.Subject, isAllowed: Bool, _ section: String
  ) -> Finding {
    let isCritical = leaf.first(oid)?.critical == true
    return check(
      Rule.criticality.citing(.baselineRequirements(section)), leaf, subject, isAllowed || !isCritical,
      found: isCritical ? .word("\(oid.name) is critical") : .none)
  }
}

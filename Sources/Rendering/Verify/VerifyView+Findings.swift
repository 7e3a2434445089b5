import Cryptography
import Explanation
import PKIX
import Trust

extension VerifyView {
  /// What was found on the certificate at `index` of a path; one that another finding implies only advises.
  static func findings(of candidate: TrustEvaluation.Candidate, at index: Int) -> [Finding] {
    candidate.findings.settled.filter { finding in
      if case .certificate(index, _) = finding.subject { true } else { false }
    }
  }

  /// ✗ where something decides, ! where something is violated, · where the signature could not be checked, else ✓.
  static func state(_ findings: [Finding]) -> RichText {
    if findings.refuses { return RichText("✗", .bad) }
    if findings.contains(where: { $0.outcome == .violated }) { return RichText("!", .warning) }
    let isUnchecked = findings.contains { $0.rule == .signatureInvalid && $0.outcome == .notEvaluated }
    return isUnchecked ? RichText("·", .dim) : RichText("✓", .good)
  }

  /// The violations among `findings`, each once: those that decide first.
  static func violations(_ findings: [Finding], indent: Int, isNamed: Bool = false) -> Document {
    var seen: Set<String> = []
    let violated = findings.filter { $0.outcome == .violated }
    var document = Document()
    for finding in violated.filter(\.refuses) + violated.filter({ !$0.refuses })
    where seen.insert("\(finding.rule.id) \(finding.subject.description)").inserted {
      let standing = finding.refuses ? "" : " (advises only)"
      document.bullet(finding.glyph, RichText(finding.rule.id, .name) + RichText(standing), indent: indent)
      document.facts(finding.facts.filter { isNamed || $0.key != "about" }, indent: indent + 4)
    }
    return document
  }

  static func facts(of certificate: Certificate) -> [Document.Fact] {
    let alternatives = certificate.subjectAlternativeName?.names.map(\.meaning) ?? []
    let more = alternatives.count > namesShown ? ", and \(alternatives.count - namesShown) more" : ""
    let names = alternatives.prefix(namesShown).map { $0.shortened(to: 100) }.joined(separator: ", ") + more
    return [
      .init("subject", "\(certificate.subject.description.shortened())"),
      .init("issuer", "\(certificate.issuer.description.shortened())\(certificate.isSelfIssued ? " (itself)" : "")"),
      .init("valid", "\(certificate.notBefore.description) to \(certificate.notAfter.description)"),
      .init("key", "\(certificate.publicKey.description)"),
      .init("signature", "\(certificate.signatureAlgorithm.description)"), .init("names", "\(names)"),
    ]
  }

  private static let namesShown = 12
}

import Explanation
import PKIX
import Trust

extension PathTree.Node {
  /// A certificate of the tree: its state, its name, and what decides against it.
  func line(_ names: CertificateNames) -> RichText {
    let findings = VerifyView.findings(of: candidate, at: depth)
    var spans = VerifyView.state(findings).spans + [Span(" \(names(certificate))")]
    if certificate == candidate.path.anchor, let kind = candidate.anchorKind {
      spans.append(Span("  \(kind.rawValue) anchor", .good))
    }
    let because = findings.deciding.map(\.id)
    if !because.isEmpty { spans.append(Span("  \(because.joined(separator: ", "))", .name)) }
    return RichText(spans)
  }
}

import Explanation
import PKIX
import Trust

extension PathTree.Node {
  /// A certificate of the tree: its state, its name, and what decides against it.
  func line(_ names: CertificateNames, in evaluation: TrustEvaluation) -> RichText {
    let findings = VerifyView.findings(of: candidate, at: depth)
    var spans = VerifyView.state(findings).spans + [Span(" \(names(certificate))")]
    if certificate == candidate.path.anchor, let kind = candidate.anchorKind {
      spans.append(Span("  \(kind.rawValue) anchor", .good))
    }
    if depth > 0, evaluation.sources(of: candidate).dropFirst(depth - 1).first == .network {
      spans.append(Span("  fetched", .warning))
    }
    let because = findings.deciding.map(\.id)
    if !because.isEmpty { spans.append(Span("  \(because.joined(separator: ", "))", .name)) }
    return RichText(spans)
  }
}

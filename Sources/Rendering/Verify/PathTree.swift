import Explanation
import PKIX
import Trust

/// All candidate paths as one tree, from the leaf over its issuers to the anchors, best path first.
struct PathTree {
  /// A certificate at its place in one or more paths.
  struct Node {
    let certificate: Certificate
    let depth: Int
    /// The best candidate that contains this certificate at this place.
    let candidate: TrustEvaluation.Candidate
    var issuers: [Node] = []
  }

  let roots: [Node]

  init(_ candidates: [TrustEvaluation.Candidate]) {
    roots = PathTree.nodes(candidates, depth: 0)
  }

  private static func nodes(_ candidates: [TrustEvaluation.Candidate], depth: Int) -> [Node] {
    var order: [Certificate] = []
    var groups: [Certificate: [TrustEvaluation.Candidate]] = [:]
    for candidate in candidates where candidate.path.certificates.count > depth {
      let certificate = candidate.path.certificates[depth]
      if groups[certificate] == nil { order.append(certificate) }
      groups[certificate, default: []].append(candidate)
    }
    return order.compactMap { certificate in
      guard let group = groups[certificate], let best = group.first else { return nil }
      return Node(
        certificate: certificate, depth: depth, candidate: best, issuers: nodes(group, depth: depth + 1))
    }
  }

  /// Returns one line for every node. `show` returns the glyph and the text of a node.
  func lines(_ show: (Node) -> RichText) -> [Document.Branch] {
    var lines: [Document.Branch] = []
    for root in roots { append(root, lead: "", rest: "", to: &lines, show) }
    return lines
  }

  /// Appends a node and its issuers. A single issuer is below its subject, and several issuers branch off. Below the
  /// deepest level, lines are no longer indented.
  private func append(
    _ node: Node, lead: String, rest: String, to lines: inout [Document.Branch], _ show: (Node) -> RichText
  ) {
    lines.append(.init(lead, show(node)))
    guard node.issuers.count > 1, rest.count < PathTree.deepest else {
      for issuer in node.issuers {
        lines.append(.init(rest + "│", ""))
        append(issuer, lead: rest, rest: rest, to: &lines, show)
      }
      return
    }
    for (index, issuer) in node.issuers.enumerated() {
      let isLast = index == node.issuers.count - 1
      append(
        issuer, lead: rest + (isLast ? "└─ " : "├─ "), rest: rest + (isLast ? "   " : "│  "),
        to: &lines, show)
    }
  }

  private static let deepest = 24
}

extension PathTree.Node {
  /// Returns the line of a certificate in the tree: its state, its name, and the rules that refuse it.
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

import Explanation
import PKIX
import Scenarios
import Trust
import URLLoading

extension VerifyView {
  /// Returns the result as text: verdict, settings, tree of paths, certificates, other paths, and the result for an
  /// app.
  ///
  /// The text lists every certificate of the best path with its violations.
  public func document() -> Document {
    var document = header
    document.heading(evaluation.candidates.count > 1 ? "Paths" : "Path")
    let tree = PathTree(evaluation.candidates).lines { $0.line(names, in: evaluation) }
    document.blocks.append(.tree(tree, indent: 2))
    if let other = certificates.first(where: { names($0) != $0.displayName }) {
      document.paragraph(
        RichText("\(names(other)) is another certificate with the name \(other.displayName).", .dim), indent: 2)
    }
    document.heading("Certificates")
    if let best = evaluation.candidates.first { document += certificates(of: best) }
    for part in [hostFindings, appTransportSecurity, otherPaths, summary] where !part.blocks.isEmpty {
      document.blocks.append(.space)
      document += part
    }
    return document
  }

  /// The App Transport Security decision about the chain, according to the app's property list.
  private var appTransportSecurity: Document {
    var document = Document()
    guard let ats = question.ats else { return document }
    document.heading("App Transport Security")
    document.facts(
      [
        .init("decided by", RichText(ats.decidedBy, .name)), .init("", RichText(ats.reason)),
        .init(
          "a delegate",
          ats.trustMayBeLoosened
            ? "may accept a server that the system refuses" : "cannot accept a server that the system refuses"),
        .init("pins", pinned(ats)),
      ], indent: 2)
    document += Self.violations(atsFindings, indent: 2)
    return document
  }

  /// Returns the keys that pin the host, and the result of their comparison. Only a trusted path is compared.
  private func pinned(_ ats: AppTransportSecurity.Decision) -> RichText {
    let keys = RichText(ats.pinKeyPaths.joined(separator: ", "))
    if keys.isEmpty { return keys }
    switch evaluation.findings.first(where: { $0.rule == .pinMismatch })?.outcome {
    case .satisfied: return RichText("✓ ", .good) + keys
    case .violated: return RichText("✗ ", .bad) + keys
    case .notEvaluated: return keys + RichText(": not compared, because the path is refused anyway")
    default: return keys
    }
  }

  private var header: Document {
    var document = Document()
    let because = verdict.because.map(\.id).joined(separator: ", ")
    let word = RichText(verdict.word.rawValue, verdict.word.style)
    document.bullet(verdict.word.glyph, because.isEmpty ? word : word + RichText("  \(because)", .name))
    if question.evaluator.requirements.store.anchors.certificates.isEmpty {
      document.bullet(
        RichText("!", .warning),
        "No trust anchors were given, so no chain can be accepted: add --roots FILE.",
        indent: 2)
    }
    document.facts(causes + requirements, indent: 2)
    let unused = unused.map(names.callAsFunction)
    let more = unused.count > Self.unusedShown ? ", and \(unused.count - Self.unusedShown) more" : ""
    document.facts(
      [.init("not used", "\(unused.prefix(Self.unusedShown).joined(separator: ", "))\(more)")], indent: 2)
    if let misplaced = evaluation.findings.first(where: { $0.rule == .leafNotFirst && $0.outcome == .violated }) {
      document.bullet(
        RichText("!", .warning),
        "The first certificate, \(misplaced.found.description), is a CA that issued a later certificate. All results "
          + "below are about this CA. Put the server's own certificate first (\(misplaced.rule.id)).", indent: 2)
    }
    if !doubts.isEmpty {
      document.bullet(
        RichText("?", .warning),
        "Unknown checks that could refuse the chain: \(doubts.map(doubt).joined(separator: "; ")).", indent: 2
      )
    }
    return document
  }

  /// Each deciding finding on one line, with its fix. The list of certificates contains all findings.
  private var causes: [Document.Fact] {
    var seen: Set<String> = []
    let deciding = (evaluation.findings + atsFindings).settled.filter { finding in
      finding.refuses && seen.insert("\(finding.rule.id) \(finding.subject.description)").inserted
    }
    return deciding.prefix(Self.causesShown).flatMap { finding -> [Document.Fact] in
      [.init("cause", "\(Self.cause(finding))"), .init("fix", "\(finding.rule.fix)")]
    }
  }

  private static func cause(_ finding: Finding) -> String {
    let parts = [("found ", finding.found.description), ("required: ", finding.required.description)]
    let words = parts.filter { !$0.1.isEmpty }.map { $0.0 + $0.1.shortened(to: 160) }.joined(separator: "; ")
    return "\(finding.subject.description): \(words.isEmpty ? "violated: " + finding.rule.statement : words)"
  }

  private func doubt(_ finding: Finding) -> String {
    let why: String
    switch (finding.rule, finding.confidence) {
    case (_, .unknown(let what)): why = what
    case (.revoked, _) where finding.found == Detail.none || finding.found == .absent: why = unreadStatus
    case (.revoked, _): why = finding.found.description
    case (_, let confidence): why = confidence.note ?? "the reason is not known"
    }
    return "\(finding.rule.id) (\(why))"
  }

  /// The reason why it is unknown whether a certificate is revoked.
  private var unreadStatus: String {
    let (revocation, evidence) = (question.evaluator.requirements.revocation, question.evaluator.evidence.revocation)
    if evidence.lists.isEmpty, evidence.answers.isEmpty { return "no CRL was given: add --crl FILE" }
    if revocation.mode == .none { return "the given files are ignored because of --revocation none" }
    if !revocation.looksAtLists, evidence.answers.isEmpty {
      return "the given CRLs are ignored because of --revocation apple"
    }
    return "no given CRL or OCSP response covers the certificate"
  }

  private var requirements: [Document.Fact] {
    let requirements = question.evaluator.requirements
    let os = requirements.os.map { ", \($0)" } ?? ""
    return [
      .init("host", "\(question.host ?? "none: names are not checked")"),
      .init("purpose", "\((requirements.purpose ?? .any).rawValue)"),
      .init("date", "\(requirements.date.description)\(question.isNow ? " (now)" : "")"),
      .init("profile", "\(requirements.profile.rawValue)\(os)"),
      .init("anchors", "\(anchorCounts)"),
    ]
  }

  private var anchorCounts: String {
    let store = question.evaluator.requirements.store
    let counts = TrustStore.Kind.allCases.compactMap { kind -> String? in
      let count = store.anchors.certificates.count { store.kind(of: $0) == kind }
      return count == 0 ? nil : "\(count) \(kind.rawValue)"
    }
    return counts.isEmpty ? "none" : counts.joined(separator: ", ")
  }

  private func certificates(of candidate: TrustEvaluation.Candidate) -> Document {
    var document = Document()
    for (index, certificate) in candidate.path.certificates.enumerated() {
      let findings = Self.findings(of: candidate, at: index)
      document.blocks.append(.space)
      document.bullet(Self.state(findings), RichText(names(certificate), .strong), indent: 2)
      document.facts(Self.facts(of: certificate), indent: 4)
      document += Self.violations(findings, indent: 4)
    }
    return document
  }

  private var hostFindings: Document {
    guard let host = question.host, let best = evaluation.candidates.first else { return Document() }
    let findings = best.findings.settled.filter { $0.subject == .host(host) }
    var document = Document()
    document.heading("Host")
    document.bullet(Self.state(findings), RichText(host, .strong), indent: 2)
    document += Self.violations(findings, indent: 4)
    return document
  }

  /// The violations on each other path, including those that the best path also has.
  private var otherPaths: Document {
    let others = evaluation.candidates.dropFirst()
    guard !others.isEmpty else { return Document() }
    let known = Set(evaluation.findings.settled)
    var shown = Set(evaluation.path)
    var document = Document()
    document.heading("Other paths")
    for candidate in others.prefix(Self.otherPathsShown) {
      let path = candidate.path.certificates.map(names.callAsFunction).joined(separator: " ← ")
      let findings = candidate.findings.settled
      document.blocks.append(.space)
      document.bullet(Self.state(findings), "\(path)", indent: 2)
      document += Self.violations(findings.filter { !known.contains($0) }, indent: 4, isNamed: true)
      for certificate in candidate.path.certificates where shown.insert(certificate).inserted {
        document.bullet(RichText("·", .dim), RichText(names(certificate), .strong), indent: 4)
        document.facts(Self.facts(of: certificate), indent: 6)
      }
    }
    if others.count > Self.otherPathsShown {
      document.paragraph("and \(others.count - Self.otherPathsShown) more paths: --format json prints all", indent: 2)
    }
    return document
  }

  /// The values that Apple's APIs would return, and the numbers of other checks. Apple's values need the profile of
  /// Apple's systems.
  private var summary: Document {
    var document = Document()
    guard question.evaluator.requirements.profile == .apple else {
      document.heading("Other checks")
      document.facts([.init("outcomes", "\(counts)")], indent: 2)
      return document
    }
    document.heading("Results for an app")
    let result = evaluation.result
    document.facts(
      [
        .init("SecTrust", RichText(result.description, result.isTrusted ? .good : .bad)),
        .init(
          errors.count > 1 ? "errors" : "error",
          "\(errors.map { "\($0.description) \($0.name)" }.joined(separator: ", "))"),
        .init("other checks", "\(counts)"),
      ], indent: 2)
    return document
  }

  private var counts: String {
    let findings = evaluation.findings
    return Finding.Outcome.allCases.filter { $0 != .violated }.compactMap { outcome -> String? in
      let count = findings.count { $0.outcome == outcome }
      return count == 0 ? nil : "\(count) \(outcome.rawValue)"
    }.joined(separator: ", ")
  }

  private static let causesShown = 3
  private static let otherPathsShown = 8
  private static let unusedShown = 12
}

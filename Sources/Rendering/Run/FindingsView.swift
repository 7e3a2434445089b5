import Explanation
import Scenarios
import Simulator

/// Why a verdict is what it is: the findings it was computed from.
public struct FindingsView: Sendable {
  private let findings: [Finding]
  private let verdict: Verdict

  /// A view of these findings and of the verdict computed from them.
  public init(_ findings: [Finding], verdict: Verdict) {
    self.findings = findings
    self.verdict = verdict
  }

  /// All findings as JSON.
  public func json() -> JSONValue { .array(findings.map(\.json)) }

  /// The reasons of the verdict; with `rule`, everything that was found about that rule.
  public func why(rule: String? = nil) -> Document {
    guard let rule else { return why(firstError: false) }
    let about = findings.filter { $0.rule.id == rule }
    var document = Document()
    for finding in about {
      document.bullet(finding.glyph, "\(finding.rule.id): \(finding.outcome.rawValue)")
      document.facts(finding.facts, indent: 4)
    }
    if about.isEmpty {
      let isKnown = RuleCatalogue.rule(rule) != nil
      let hint = Spelling.nearest(to: rule, among: RuleCatalogue.ids).map { ": did you mean '\($0)'?" } ?? ""
      document.paragraph(
        isKnown
          ? "\(rule) was not checked on this connection: it did not come to that, or it does not apply."
          : "there is no rule '\(rule)'\(hint)")
    }
    return document
  }

  func why(firstError: Bool) -> Document {
    var document = Document()
    document.bullet(verdict.word.glyph, headline, indent: 2)
    let reasons = verdict.because.flatMap { rule in findings.filter { $0.refuses && $0.rule == rule } }
    for finding in firstError ? Array(reasons.prefix(1)) : reasons {
      document.bullet(finding.glyph, RichText(finding.rule.id, .name), indent: 4)
      document.facts(finding.facts, indent: 8)
    }
    guard !firstError else { return document }
    let beside = findings.filter { $0.outcome == .violated && !reasons.contains($0) }
    if !beside.isEmpty { document.paragraph("also", indent: 4) }
    for finding in beside {
      document.bullet(finding.glyph, RichText(finding.rule.id, .name) + RichText(Self.standing(finding)), indent: 4)
      if finding.isConsequence { continue }
      document.facts(finding.facts.filter { $0.key != "fix" || finding.weight != .advises }, indent: 8)
    }
    document += counts
    return document
  }

  private var headline: RichText {
    let word = RichText(verdict.word.rawValue, verdict.word.style)
    guard let layer = verdict.layer else { return word }
    return word + " by the layer \(layer.rawValue)"
  }

  private static func standing(_ finding: Finding) -> String {
    switch finding.weight {
    case _ where finding.isConsequence: ": \(finding.found.description), a consequence"
    case .decides: ""
    case .overridden(let by): " (overridden by \(by.rawValue))"
    case .advises: " (advises only)"
    }
  }

  private var counts: Document {
    let parts = Finding.Outcome.allCases.filter { $0 != .violated }.compactMap { outcome -> String? in
      let count = findings.count { $0.outcome == outcome }
      return count == 0 ? nil : "\(count) \(outcome.rawValue)"
    }
    var document = Document()
    if !parts.isEmpty {
      let which = findings.contains { $0.outcome == .violated } ? "of the other checks" : "of all checks"
      document.bullet(RichText("✓", .good), "\(which): \(parts.joined(separator: ", "))", indent: 4)
    }
    return document
  }
}

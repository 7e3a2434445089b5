import Explanation
import Scenarios
import Simulator
import URLLoading

/// The reasons of a verdict, which are the findings that determined it.
public struct FindingsView: Sendable {
  private let findings: [Finding]
  private let verdict: Verdict

  /// Creates a view of these findings and of the verdict computed from them.
  public init(_ findings: [Finding], verdict: Verdict) {
    self.findings = findings
    self.verdict = verdict
  }

  /// All findings as JSON.
  public func json() -> JSONValue { .array(findings.map(\.json)) }

  /// Returns the statements of the rules of these findings, by rule id, in the order of the findings.
  static func rules(of findings: [Finding]) -> JSONValue {
    var seen: Set<String> = []
    let rules = findings.map(\.rule).filter { seen.insert($0.id).inserted }
    return .object(rules.map { .init($0.id, .string($0.statement)) })
  }

  /// Returns the reasons of the verdict. If `rule` is not nil, returns every finding about that rule.
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
          ? "\(rule) was not checked on this connection: the run ended earlier, or the rule does not apply."
          : "there is no rule '\(rule)'\(hint)")
    }
    return document
  }

  /// Returns the reasons of the verdict, which `note` completes.
  func why(firstError: Bool, note: String = "") -> Document {
    var document = Document()
    document.bullet(verdict.word.glyph, headline + RichText(note), indent: 2)
    let reasons = verdict.because.flatMap { rule in findings.filter { $0.refuses && $0.rule == rule } }
    for finding in firstError ? Array(reasons.prefix(1)) : reasons {
      document.bullet(finding.glyph, RichText(finding.rule.id, .name), indent: 4)
      document.facts(finding.facts + earlier(finding), indent: 8)
    }
    guard !firstError else { return document }
    let beside = findings.filter { finding in
      finding.outcome == .violated && !reasons.contains(finding)
        && !(finding.isMendable && reasons.contains { $0.rule == finding.rule })
    }
    if !beside.isEmpty { document.paragraph("also", indent: 4) }
    for finding in beside {
      document.bullet(finding.glyph, RichText(finding.rule.id, .name) + RichText(Self.standing(finding)), indent: 4)
      if finding.isConsequence { continue }
      document.facts(finding.facts.filter { $0.key != "fix" || finding.weight != .advises }, indent: 8)
    }
    document += unpinned
    let unknown = findings.filter { $0.outcome == .unknown }
    if !unknown.isEmpty { document.paragraph("unknown", indent: 4) }
    for finding in unknown {
      document.bullet(finding.glyph, RichText(finding.rule.id, .name) + RichText(Self.standing(finding)), indent: 4)
      document.facts(finding.facts, indent: 8)
    }
    document += counts
    return document
  }

  /// The text if a pinning library has entries, but none for this host, so that no pin is compared.
  private var unpinned: Document {
    var document = Document()
    let skipped = findings.filter { $0.rule == .pinsNotEvaluated && $0.outcome == .notEvaluated && $0.found != .none }
    if !skipped.isEmpty { document.paragraph("not pinned: the library has no entry for this host", indent: 4) }
    for finding in skipped {
      document.bullet(RichText("!", .warning), RichText(finding.rule.id, .name), indent: 4)
      document.facts(finding.facts, indent: 8)
    }
    return document
  }

  /// Returns earlier violations of the same rule after which the client could retry: the 401 responses before the last.
  private func earlier(_ reason: Finding) -> [Document.Fact] {
    let found = findings.filter { $0.rule == reason.rule && $0.isMendable && $0.found != .none }
      .map { $0.found == .absent ? "no credentials" : $0.found.description }
    return found.isEmpty ? [] : [Document.Fact("before", "\(found.joined(separator: "; "))")]
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

extension Finding {
  /// The finding as JSON, with its members in the documented order.
  public var json: JSONValue {
    let rule: [JSONValue.Member] = [.init("rule", .string(rule.id)), .init("clause", .string(rule.clause.description))]
    return .object(rule + assessment + [.init("fix", .string(self.rule.fix))] + consequence)
  }

  /// The members of the finding that are not part of its rule.
  var assessment: [JSONValue.Member] {
    var members: [JSONValue.Member] = [
      .init("subject", .string(subject.description)), .init("outcome", .string(outcome.rawValue)),
      .init("weight", .string(weight.word)),
    ]
    if case .overridden(let by) = weight { members.append(.init("overriddenBy", .string(by.rawValue))) }
    members += [.init("required", .string(required.description)), .init("found", .string(found.description))]
    if let note = confidence.note { members.append(.init("confidence", .string(note))) }
    return members
  }

  /// The member that marks the finding as a consequence of another.
  var consequence: [JSONValue.Member] { isConsequence ? [.init("consequence", true)] : [] }

  /// The glyph and style for the result of the check.
  var glyph: RichText {
    switch (outcome, weight) {
    case (.satisfied, _): RichText("✓", .good)
    case (.violated, .decides): RichText("✗", .bad)
    case (.violated, _): RichText("!", .warning)
    default: RichText("·", .dim)
    }
  }

  /// Whether the finding only reports a violation that decided elsewhere, such as the peer's alert or a refused
  /// certificate.
  var isConsequence: Bool {
    outcome == .violated && weight == .advises && (Rule.passingOn + [.certificateRefused]).contains(rule)
  }

  /// Whether the finding is about a request that the client could repeat with other credentials.
  fileprivate var isMendable: Bool { outcome == .violated && weight == .advises && rule.layer == .httpAuth }

  /// The rule and the subject on one line, with the observed value.
  var line: RichText {
    RichText([Span(rule.id, .name), Span("  \(subject.description)"), Span(difference, .dim)])
  }

  private var difference: String {
    let found = found.description
    guard !found.isEmpty, found.utf8.count < 240, found.count < 60 else { return "" }
    return ": \(found)"
  }

  /// Returns a long list of names reduced to the first ones, or a long text reduced to its beginning. The message's
  /// fields and JSON are complete.
  private static func shortened(_ text: String) -> String {
    let names = text.components(separatedBy: ", ")
    guard names.count > 6, names.dropFirst().allSatisfy({ !$0.contains(" ") }) else {
      return text.shortened()
    }
    return names.prefix(4).joined(separator: ", ").shortened() + ", … \(names.count) in all"
  }

  /// The rule, its source, and the required and observed values.
  var facts: [Document.Fact] {
    var facts = [
      Document.Fact("rule", "\(rule.statement)"), Document.Fact("source", "\(rule.clause.description)"),
      Document.Fact("about", "\(subject.description)"),
      Document.Fact("required", "\(Self.shortened(required.description))"),
      Document.Fact("found", "\(Self.shortened(found.description))"),
    ]
    if case .overridden(let by) = weight { facts.append(.init("overridden", "by \(by.rawValue)")) }
    if let note = confidence.note { facts.append(.init("confidence", "\(note)")) }
    facts.append(.init("fix", "\(rule.fix)"))
    return facts
  }
}

extension Verdict.Word {
  var style: Span.Style {
    switch self {
    case .accepted: .good
    case .refused: .bad
    case .hangs: .warning
    case .notApplicable: .dim
    }
  }

  var glyph: RichText { RichText(self == .accepted ? "✓" : self == .notApplicable ? "–" : "✗", style) }
}

extension Goal.State {
  var glyph: RichText {
    switch self {
    case .prevented: RichText("✓", .good)
    case .later: RichText("!", .warning)
    case .possible: RichText("✗", .bad)
    case .detected: RichText("~", .warning)
    case .notApplicable: RichText("–", .dim)
    }
  }
}

extension AppError {
  var json: JSONValue {
    ["domain": .string(domain.rawValue), "code": .integer(code), "name": .string(name)]
  }
}

extension Judgement.Mismatch {
  var json: JSONValue {
    [
      "path": .string(path), "expected": .string(expected), "found": .string(found),
      "because": .strings(verdict?.because.map(\.id) ?? []),
    ]
  }
}

/// The errors that an app can receive.
public struct ErrorsView: Sendable {
  private let errors: [AppError]

  /// Creates a view of these errors.
  public init(_ errors: [AppError]) { self.errors = errors }

  /// Returns one line for every error that iOS would report; empty if there is none.
  public func document() -> Document {
    var document = Document()
    guard !errors.isEmpty else { return document }
    document.paragraph("iOS would report \(errors.count > 1 ? "one of these errors" : "this error")", indent: 4)
    for error in errors { document.bullet("·", "\(error.description) \(error.name)", indent: 6) }
    return document
  }
}

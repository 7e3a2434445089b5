import Explanation
import Scenarios
import Simulator

/// The results of a fix check, as text and as JSON.
public struct FixCheckView: Sendable {
  /// A case, and its deciding findings with their trials.
  public typealias Case = (name: Scenario, entries: [FixCheck.Entry])

  private let cases: [Case]
  private let isQuiet: Bool

  /// Creates a view of these cases. If `isQuiet` is true, the text contains only wrong fixes.
  public init(_ cases: [Case], isQuiet: Bool = false) {
    self.cases = cases
    self.isQuiet = isQuiet
  }

  private var entries: [FixCheck.Entry] { cases.flatMap(\.entries) }
  private var trials: [FixCheck.Trial] { entries.flatMap(\.trials) }

  /// Whether a fix was applied and did not remove its finding.
  public var hasFalseFix: Bool { trials.contains(where: \.isFalse) }

  /// The result as JSON, version 1: every finding with the trials of its fix, and the totals.
  public func json() -> JSONValue {
    [
      "trustlab": 1, "findings": .integer(entries.count), "played": .integer(entries.count(where: \.isPlayed)),
      "parts": .object(FixCheck.Trial.Result.allCases.map { .init($0.rawValue, .integer(count($0))) }),
      "leadOn": .integer(leadOn),
      "checks": .array(cases.flatMap { item in item.entries.map { Self.json($0, of: item.name) } }),
    ]
  }

  private static func json(_ entry: FixCheck.Entry, of scenario: Scenario) -> JSONValue {
    [
      "scenario": .string(scenario.id), "case": .string(scenario.caseName), "file": .string(scenario.file),
      "load": .optional(entry.load), "rule": .string(entry.finding.rule.id),
      "subject": .string(entry.finding.subject.description),
      "fix": .string(entry.finding.rule.fix), "parts": .array(entry.trials.map(json)),
    ]
  }

  private static func json(_ trial: FixCheck.Trial) -> JSONValue {
    [
      "words": .string(trial.words), "set": .strings(trial.changes), "result": .string(trial.result.rawValue),
      "reason": .optional(trial.reason), "leadsOn": .boolean(trial.leadsOn),
      "verdict": .optional(trial.verdict?.word.rawValue),
      "because": .strings(trial.verdict?.because.map(\.id) ?? []), "new": .strings(trial.new.map(\.id)),
    ]
  }

  /// The number of parts that remove their finding, after which another rule refuses.
  private var leadOn: Int { trials.count(where: \.leadsOn) }

  private func count(_ result: FixCheck.Trial.Result) -> Int { trials.count { $0.result == result } }

  /// The result as text: each finding with its printed fix, the lines that apply each part, and the result.
  public func document() -> Document {
    var document = Document()
    for (scenario, entries) in cases {
      let shown = isQuiet ? entries.filter { $0.trials.contains(where: \.isFalse) } : entries
      if shown.isEmpty { continue }
      document.heading("\(scenario.name)")
      for entry in shown { document += Self.document(entry) }
    }
    if !document.blocks.isEmpty { document.blocks.append(.space) }
    document.paragraph(RichText(sums, hasFalseFix ? .bad : .good))
    return document
  }

  private static func document(_ entry: FixCheck.Entry) -> Document {
    var document = Document()
    let finding = entry.finding
    document.bullet(
      RichText("✗", .bad),
      RichText([
        Span(finding.rule.id, .name), Span("  \(finding.subject.description)"),
        Span(entry.load.map { "  \($0)" } ?? "", .dim),
      ]), indent: 2
    )
    document.facts([Document.Fact("fix", "\(finding.rule.fix)")], indent: 6)
    for trial in entry.trials {
      document.bullet(glyph(trial), RichText(headline(trial)), indent: 4)
      for line in trial.changes { document.paragraph(RichText("set \(line)", .dim), indent: 8) }
    }
    return document
  }

  private static func glyph(_ trial: FixCheck.Trial) -> RichText {
    switch trial.result {
    case .removed where trial.leadsOn: RichText("!", .warning)
    case .removed: RichText("✓", .good)
    case .remains, .hidden: RichText("✗", .bad)
    case .notPlayed: RichText("–", .warning)
    }
  }

  /// Returns the result of a trial in words: `removed by "Renew the certificate": accepted`.
  private static func headline(_ trial: FixCheck.Trial) -> String {
    let part = trial.words.isEmpty ? "" : " \"\(trial.words)\""
    let reason = trial.reason.map { ": \($0)" } ?? ""
    let new = trial.new.isEmpty ? "" : "; new: \(trial.new.map(\.id).joined(separator: ", "))"
    let verdict = trial.verdict.map { "; now \(TestReport.summary(of: $0))" } ?? ""
    switch trial.result {
    case .removed: return "removed by\(part)\(verdict)\(new)"
    case .remains: return "remains after\(part)\(verdict)\(new)"
    case .hidden: return "hidden after\(part)\(reason)\(verdict)\(new)"
    case .notPlayed: return "not tried\(part)\(reason)"
    }
  }

  private var sums: String {
    let played = entries.count(where: \.isPlayed)
    return "findings: \(entries.count) · with a tried fix: \(played) · "
      + "false fixes: \(count(.remains) + count(.hidden))"
      + (leadOn == 0 ? "" : " · then refused by another rule: \(leadOn)")
  }
}

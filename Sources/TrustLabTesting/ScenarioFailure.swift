import Explanation
import Scenarios
import Simulator

/// Why a case is not as expected: each expectation that did not hold, and the findings that decided.
public struct ScenarioFailure: Error, Sendable, CustomStringConvertible {
  /// The case.
  public let scenario: Scenario
  /// The line of its file where what it expects stands, or its row.
  public let line: Int
  /// What is not as expected, or why the case proves nothing.
  public let judgement: Judgement
  /// What came of it.
  public let outcome: Outcome

  /// What did not hold, by which rules, with what was required and found, and how to see the whole run.
  public var description: String {
    var lines = ["\(scenario.name) \(headline)"]
    lines += judgement.mismatches.map { "  \($0)" }
    let reasons = outcome.findings.filter(\.refuses)
    if !reasons.isEmpty { lines.append("because") }
    for finding in reasons {
      lines.append("  \(finding.rule.id): \(finding.rule.statement) (\(finding.rule.clause))")
      let facts = [("required", finding.required), ("found", finding.found)].filter { !$0.1.description.isEmpty }
      let words = facts.map { "\($0.0) \($0.1.description)" }
      lines.append("    \(([finding.subject.description] + words).joined(separator: ", "))")
    }
    lines.append("at \(scenario.file):\(line)")
    return lines.joined(separator: "\n")
  }

  private var headline: String {
    switch judgement.result {
    case .passed: "is as expected"
    case .failed: "is not as expected"
    case .skipped: "proves nothing: \(judgement.reason ?? "it was skipped")"
    }
  }
}

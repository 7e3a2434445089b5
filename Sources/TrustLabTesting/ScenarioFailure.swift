import Explanation
import Scenarios
import Simulator

/// The failure of a case: the expectations that failed, and the findings that determined the outcome.
public struct ScenarioFailure: Error, Sendable, CustomStringConvertible {
  /// The scenario that the case plays.
  public let scenario: Scenario
  /// The line of the expectation or of the row in the file.
  public let line: Int
  /// The failed expectations, or the reason why the case proves nothing.
  public let judgement: Judgement
  /// The outcome of the case.
  public let outcome: Outcome

  /// A description of the failed expectations, the violated rules with required and found values, and the scenario's
  /// location.
  public var description: String {
    var lines = ["\(scenario.name) \(headline)"]
    lines += judgement.mismatches.map { "  \($0)" }
    let reasons = outcome.findings.filter(\.refuses)
    if !reasons.isEmpty { lines.append("because") }
    for finding in reasons {
      lines.append("  \(finding.rule.id): violated: \(finding.rule.statement) (\(finding.rule.clause))")
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

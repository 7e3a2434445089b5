import Endpoint
import Explanation
import Simulator

/// What questions are about: a case, how far its run has come, and how it will end.
public struct Subject: Sendable {
  /// The file of the case.
  public let file: ScenarioFile
  /// The case.
  public let scenario: Scenario
  /// The run as the student has seen it.
  public let now: Simulation
  /// The same run at its end.
  let end: Simulation
  let outcome: Outcome

  /// A case whose run has come as far as `now`.
  public init(_ scenario: Scenario, of file: ScenarioFile, at now: Simulation) {
    self.file = file
    self.scenario = scenario
    self.now = now
    var end = now
    end.run()
    self.end = end
    outcome = end.outcome
  }

  /// Whether nothing is still to come.
  public var isOver: Bool { now.trace.steps.count == end.trace.steps.count }

  /// Whether what has been seen already says what comes out.
  var isDecided: Bool { isOver || !now.outcome.verdict.because.isEmpty }

  /// Whether the engine is sure of what comes out: nothing that could have decided is unknown.
  var isCertain: Bool { Self.isCertain(outcome) }

  static func isCertain(_ outcome: Outcome) -> Bool {
    !outcome.findings.contains { finding in
      if finding.outcome == .unknown { return finding.weight != .advises }
      guard case .unknown = finding.confidence else { return false }
      return finding.outcome == .violated && finding.weight != .advises
    }
  }

  /// The finding that matters most: one that refuses; else one that was overridden; else what this run makes of a rule
  /// that matters to another case of the file.
  var telling: Finding? { violated ?? related ?? outcome.findings.last { $0.rule.decides } }

  /// Why it comes out as it does.
  var reason: Question.Reason {
    if let finding = violated ?? related { return .finding(finding) }
    let count = outcome.findings.count { $0.outcome == .satisfied }
    return .sentence("Nothing refuses it: \(count) checks, all satisfied.")
  }

  private var violated: Finding? {
    let findings = outcome.findings
    if let refusing = findings.first(where: { $0.refuses && outcome.verdict.because.contains($0.rule) }) {
      return refusing
    }
    return findings.first { finding in
      guard case .overridden = finding.weight else { return false }
      return finding.outcome == .violated
    }
  }

  private var related: Finding? {
    let others = Set(
      file.cases.flatMap { ($0.expectation?.because ?? []) + ($0.expectation?.overridden ?? []) })
    return outcome.findings.first { others.contains($0.rule.id) }
  }

  /// What stands in the place of a system's name in a question.
  var who: String { scenario.connections.first.map { "\($0.client.os)" } ?? "the client" }
}

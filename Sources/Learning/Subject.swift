import Endpoint
import Explanation
import Scenarios
import Simulator

/// The subject of questions: a case, the current state of its run, and its result.
public struct Subject: Sendable {
  /// The file of the case.
  public let file: ScenarioFile
  /// The case that the questions are about.
  public let scenario: Scenario
  /// The run, up to the last step that the student has seen.
  public let now: Simulation
  /// The finished run.
  let end: Simulation
  let outcome: Outcome

  /// Creates the subject for a case whose run has progressed to `now`.
  public init(_ scenario: Scenario, of file: ScenarioFile, at now: Simulation) {
    self.file = file
    self.scenario = scenario
    self.now = now
    var end = now
    end.run()
    self.end = end
    outcome = end.outcome
  }

  /// Whether the run is finished.
  public var isOver: Bool { now.trace.steps.count == end.trace.steps.count }

  /// Whether the steps that the student has seen reveal the result.
  var isDecided: Bool { isOver || !now.outcome.verdict.because.isEmpty }

  /// Whether the engine is certain of the result, so that no unknown fact could change it.
  var isCertain: Bool { Self.isCertain(outcome) }

  static func isCertain(_ outcome: Outcome) -> Bool {
    !outcome.findings.contains { finding in
      if finding.outcome == .unknown { return finding.weight != .advises }
      guard case .unknown = finding.confidence else { return false }
      return finding.outcome == .violated && finding.weight != .advises
    }
  }

  /// The most important finding: one that refuses, or one that was overridden.
  ///
  /// If there is neither, it is the finding about a rule that decides another case of the file.
  var telling: Finding? { violated ?? related ?? outcome.findings.last { $0.rule.decides } }

  /// The layers in which the cases of the file are decided. These layers are the topic of the scenario.
  var mechanism: Set<Layer> {
    let ids = file.cases.flatMap { ($0.expectation?.because ?? []) + ($0.expectation?.overridden ?? []) }
    return Set(ids.compactMap { RuleCatalogue.rule($0)?.layer })
  }

  /// The reason for the result of the run.
  var reason: Question.Reason {
    if let finding = violated ?? related { return .finding(finding) }
    let count = outcome.findings.count { $0.outcome == .satisfied }
    return .sentence("No rule causes a refusal: all \(count) checks pass.")
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

  /// The name of the system in a question, or a substitute.
  var who: String { scenario.connections.first.map { "\($0.client.os)" } ?? "the client" }
}

extension Scenario {
  /// The verdict that the file expects, which its tests verify.
  var expectedWord: Verdict.Word { expectation?.expectedVerdict ?? .accepted }
}

extension ScenarioReader {
  /// The maximum number of calculation steps, so that a question fits on one screen.
  private static let mostSteps = 8

  /// Returns the facts about `scenario` that a student needs to answer a question of this kind.
  ///
  /// These are the differences from the baseline, line by line. For a calculation, these are its given numbers and its
  /// steps.
  public func situation(of scenario: Scenario, for kind: Question.Kind) -> [(key: String, value: String)] {
    if let calculation = try? scenario.workedCalculation() {
      return Self.situation(of: calculation, in: scenario, for: kind)
    }
    // The scenario describes only one of the six networks.
    if kind == .detective { return [] }
    let pendingValues = Scenario.wordsAboutIt + ["clock", "seed"]
    let difference = scenario.tree.without(pendingValues).difference(from: baseline.root.without(pendingValues))
    // Several connections replace the request, so a missing request is not a difference.
    let entries = (difference?.entries ?? []).filter { $0.key != "request" || !$0.value.isNull }
    let lines = entries.flatMap { entry in Self.lines(entry.key, entry.value.withoutExpectations) }
    // The network is always listed, even if it did not change: the title may be about another case.
    guard !lines.contains(where: { $0.key == "network" }), let network = scenario.tree["network"] else { return lines }
    return lines + [("network", network.withoutExpectations.flowText)]
  }

  /// Splits a map by its keys, so that each line is one difference.
  private static func lines(_ key: String, _ node: Node) -> [(key: String, value: String)] {
    guard ["client", "server"].contains(key), let entries = node.entries, !entries.isEmpty else {
      return [(key, node.flowText)]
    }
    return entries.map { ("\(key).\($0.key)", $0.value.flowText) }
  }

  private static func situation(
    of calculation: Calculation, in scenario: Scenario, for kind: Question.Kind
  ) -> [(key: String, value: String)] {
    if kind == .compute { return [] }
    let given = scenario.tree["calculation"]?["given"]?.entries ?? []
    let numbers = given.map { "\($0.key) = \($0.value.flowText)" }.joined(separator: ", ")
    if kind == .order { return [("given", numbers)] }
    let steps = calculation.moves.prefix(mostSteps).map(\.arithmetic.equation).joined(separator: "; ")
    return [("given", numbers), ("steps", steps + (calculation.moves.count > mostSteps ? "; …" : ""))]
  }
}

extension Node {
  /// The node without any expectations.
  fileprivate var withoutExpectations: Node {
    switch self {
    case .scalar: self
    case .list(let items, let mark): .list(items.map(\.withoutExpectations), mark)
    case .map(let entries, let mark):
      .map(
        entries.filter { $0.key != "expect" }.map {
          Entry(key: $0.key, mark: $0.mark, value: $0.value.withoutExpectations)
        }, mark)
    }
  }
}

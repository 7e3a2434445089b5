import Explanation
import Simulator
import Endpoint

/// Holds an outcome against an expectation.
struct Judge {
  let simulation: Simulation

  /// Everything that is not as expected of the connections of one date.
  func mismatches(_ outcomes: [Outcome], on date: Scenario, isOnly: Bool) -> [Judgement.Mismatch] {
    var found: [Judgement.Mismatch] = []
    func add(_ more: [Judgement.Mismatch], prefix: String) {
      found += more.map { .init(path: prefix + $0.path, expected: $0.expected, found: $0.found) }
    }
    if !date.isJudgedByParts {
      add(mismatches(Outcome(of: outcomes), date.expectation), prefix: isOnly ? "" : "\(date.clock.day).")
    }
    for (connection, outcome) in zip(date.connections, outcomes) {
      let named = connection.name.flatMap { date.expectation?.connections[$0] }
      guard let expectation = connection.expectation ?? named else { continue }
      add(mismatches(outcome, expectation), prefix: connection.name.map { "\($0)." } ?? "")
    }
    return found
  }

  /// Everything that is not as expected; without an expectation, that it was not accepted.
  func mismatches(_ outcome: Outcome, _ expectation: Expectation?) -> [Judgement.Mismatch] {
    guard let expectation else {
      var accepted = Expectation()
      accepted.verdict = .accepted
      return mismatches(outcome, accepted)
    }
    var found: [Judgement.Mismatch] = []
    func compare(_ path: String, _ expected: String?, _ actual: String?) {
      guard let expected, expected != actual else { return }
      found.append(.init(path: path, expected: expected, found: actual ?? "none"))
    }
    compare("verdict", (expectation.verdict ?? .accepted).rawValue, outcome.verdict.word.rawValue)
    compare("layer", expectation.layer?.rawValue, outcome.verdict.layer?.rawValue)
    compare("because", set(expectation.because), set(outcome.verdict.because.map(\.id)))
    compare("overridden", set(expectation.overridden), set(outcome.overridden))
    compare("decidedBy", expectation.decidedBy, outcome.decidedBy)
    compare("appReview", set(expectation.appReview), set(outcome.appReview))
    compare("path", expectation.path.map(list), list(outcome.path))
    compare("issuerSources", expectation.issuerSources.map(list), list(outcome.issuerSources.map(\.rawValue)))
    compare("trustResult", expectation.trustResult, outcome.trustResult)
    compare("cipherSuite", expectation.cipherSuite, outcome.cipherSuite)
    compare("content", expectation.content, outcome.content.map { String(decoding: $0, as: UTF8.self) })
    compare("server.verdict", expectation.serverVerdict?.rawValue, outcome.server.word.rawValue)
    compare("server.because", set(expectation.serverBecause), set(outcome.server.because.map(\.id)))
    compare("executed", expectation.executed.map(list), list(outcome.executed))
    for goal in Goal.allCases {
      compare("goals.\(goal.rawValue)", expectation.goals[goal]?.rawValue, outcome.goals[goal]?.rawValue)
    }
    if let errors = expectation.errors, Set(errors).isDisjoint(with: outcome.errors),
      !(errors.isEmpty && outcome.errors.isEmpty)
    {
      found.append(
        .init(
          path: "errors", expected: "any of \(list(errors.map(\.description)))",
          found: list(outcome.errors.map(\.description))))
    }
    return found + knowledge(expectation) + values.mismatches(expectation)
  }

  private var values: ValueJudge {
    ValueJudge(trace: simulation.trace, quantities: simulation.calculation?.quantities ?? [:])
  }

  private func knowledge(_ expectation: Expectation) -> [Judgement.Mismatch] {
    expectation.knowledge.flatMap { expected -> [Judgement.Mismatch] in
      let knowledge = simulation.knowledge(of: expected.party)
      let path = "knowledge.\(expected.party)"
      return expected.knows.filter { !knowledge.knows($0) }.map {
        .init(path: "\(path).knows", expected: $0, found: "\(expected.party) cannot come by \($0)")
      }
        + expected.lacks.filter { knowledge.knows($0) }.map {
          .init(path: "\(path).lacks", expected: $0, found: "\(expected.party) knows \($0)")
        }
    }
  }

  private func set(_ words: [String]?) -> String? { words.map { list(Set($0).sorted()) } }

  private func list(_ words: [String]) -> String { "[\(words.joined(separator: ", "))]" }
}

extension Outcome {
  /// The violated rules that were overridden, each once.
  public var overridden: [String] {
    var seen: Set<String> = []
    return findings.compactMap { finding in
      guard finding.outcome == .violated, case .overridden = finding.weight else { return nil }
      return seen.insert(finding.rule.id).inserted ? finding.rule.id : nil
    }
  }
}

extension Scenario {
  /// Whether only its connections say what must come out.
  fileprivate var isJudgedByParts: Bool {
    expectation.map { $0.saysNothing } ?? connections.contains { $0.expectation != nil }
  }
}

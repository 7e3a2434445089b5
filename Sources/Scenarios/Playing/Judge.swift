import Explanation
import Simulator
import Endpoint

/// Holds an outcome against an expectation.
struct Judge {
  let simulation: Simulation

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
    compare("path", expectation.path.map(list), list(outcome.path))
    compare("trustResult", expectation.trustResult, outcome.trustResult)
    compare("cipherSuite", expectation.cipherSuite, outcome.cipherSuite)
    compare("content", expectation.content, outcome.content.map { String(decoding: $0, as: UTF8.self) })
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
    return found + knowledge(expectation)
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

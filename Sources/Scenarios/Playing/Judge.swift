import Endpoint
import Explanation
import Simulator

/// Holds an outcome against an expectation.
struct Judge {
  let simulation: Simulation

  /// Everything that is not as expected of the connections of one date.
  func mismatches(_ outcomes: [Outcome], on date: Scenario, isOnly: Bool) -> [Judgement.Mismatch] {
    var found: [Judgement.Mismatch] = []
    func add(_ more: [Judgement.Mismatch], prefix: String, _ verdict: Verdict? = nil) {
      found += more.map { .init(path: prefix + $0.path, expected: $0.expected, found: $0.found, verdict: verdict) }
    }
    if !date.isJudgedByParts {
      add(mismatches(Outcome(of: outcomes), date.expectation), prefix: isOnly ? "" : "\(date.clock.day).")
    }
    for (connection, outcome) in zip(date.connections, outcomes) {
      let named = connection.name.flatMap { date.expectation?.connections[$0] }
      guard let expectation = connection.expectation ?? named else { continue }
      add(mismatches(outcome, expectation), prefix: connection.name.map { "\($0)." } ?? "", outcome.verdict)
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

/// Holds the bytes of values against an expectation.
struct ValueJudge {
  let trace: Trace
  /// What the names of a calculation stand for.
  var quantities: [Value.ID: Quantity] = [:]

  func mismatches(_ expectation: Expectation) -> [Judgement.Mismatch] {
    single(expectation.values) + expectation.equal.flatMap { mismatches($0, areEqual: true) }
      + expectation.different.flatMap { mismatches($0, areEqual: false) }
      + expectation.neverOnWire.compactMap(wireMismatch)
  }

  /// Numbers are compared as numbers, whether they are written in decimal or in hexadecimal.
  private func single(_ values: [Value.ID: String]) -> [Judgement.Mismatch] {
    values.sorted { $0.key < $1.key }.compactMap { name, expected in
      let path = "values.\(name)"
      guard let value = trace.values[name] else {
        return .init(path: path, expected: expected, found: "there is no \(name)")
      }
      switch quantities[name] {
      case .number(let number):
        return Quantities.number(expected) == number
          ? nil : .init(path: path, expected: expected, found: number.description)
      case .text(let text): return text == expected ? nil : .init(path: path, expected: expected, found: text)
      default:
        let found = Hex.string(value.bytes)
        return found == expected.lowercased() || found.isEmpty && expected == "none"
          ? nil : .init(path: path, expected: expected, found: found)
      }
    }
  }

  private func mismatches(_ names: [Value.ID], areEqual: Bool) -> [Judgement.Mismatch] {
    let path = areEqual ? "equal" : "different"
    let values = names.map { trace.values[$0]?.bytes }
    if let missing = zip(names, values).first(where: { $0.1 == nil })?.0 {
      return [.init(path: path, expected: missing, found: "there is no \(missing)")]
    }
    let distinct = Set(values.compactMap(\.self)).count
    if areEqual ? distinct <= 1 : distinct == names.count { return [] }
    return [
      .init(
        path: path, expected: names.joined(separator: areEqual ? " = " : " ≠ "),
        found: areEqual ? "\(distinct) different values" : "some are equal")
    ]
  }

  private func wireMismatch(_ name: Value.ID) -> Judgement.Mismatch? {
    guard let bytes = trace.values[name]?.bytes, !bytes.isEmpty else {
      return .init(path: "neverOnWire", expected: name, found: "there is no \(name)")
    }
    let step = trace.steps.first { $0.kind == .message && $0.bytes.contains(bytes) }
    return step.map { .init(path: "neverOnWire", expected: name, found: "it travels in step \($0.number)") }
  }
}

import Endpoint
import Explanation
import Scenarios
import Simulator
import TLS

/// A question about the goals that an attacker can reach. The verdict does not show this, because a client may accept
/// although every goal is lost.
struct RiskQuestion {
  let subject: Subject
  let student: Student
  /// The number of times that each state was the answer. States with lower numbers are preferred.
  var used: [String: Int] = [:]

  func question() -> Question? {
    guard !subject.isOver, subject.isCertain else { return nil }
    let label = "risk/\(subject.scenario.name)"
    let goals = student.shuffled(Goal.allCases.filter(isAtStake), for: label)
    let states = goals.map { subject.outcome.goals[$0] ?? .notApplicable }
    func frequency(_ state: Goal.State) -> Int { RiskQuestion.frequency(of: state.rawValue, used) }
    let rarest = zip(goals, states).min { frequency($0.1) < frequency($1.1) }
    guard let (goal, state) = rarest else { return nil }
    let choice = Choice(
      right: Self.option(state), wrong: Goal.State.allCases.filter { $0 != state }.map(Self.option))
    let (options, solution) = choice.arranged(for: student, "states/\(subject.scenario.name)")
    return Question(
      kind: .risk, scenario: subject.scenario.name,
      text: "At the end of the run: \(Self.words(goal)) (\(goal.rawValue))",
      given: [],
      options: options, format: Choice.format(options.count),
      hints: hints(goal) + [Choice.narrowing(options, solution, student, label)], solution: solution,
      reason: .goal(goal, subject.outcome))
  }

  /// Returns the number of times that a state was the answer. One is added for prevented, which is the most common
  /// state.
  static func frequency(of state: String, _ used: [String: Int]) -> Int {
    used[state, default: 0] + (state == Goal.State.prevented.rawValue ? 1 : 0)
  }

  /// Returns whether the goal is relevant. A calculation only has the goals that its author names.
  private func isAtStake(_ goal: Goal) -> Bool {
    guard let risks = subject.scenario.calculation?.risks else { return true }
    return switch goal {
    case .eavesdropping: !risks.eavesdropping.isEmpty
    case .tampering: !risks.tampering.isEmpty
    case .impersonation: !risks.impersonation.isEmpty
    }
  }

  private static func words(_ goal: Goal) -> String {
    switch goal {
    case .eavesdropping: "can a third party learn the content?"
    case .tampering: "can a third party change the content?"
    case .impersonation: "can a third party impersonate the server?"
    }
  }

  private static func option(_ state: Goal.State) -> Question.Option {
    switch state {
    case .prevented: Question.Option("prevented", "no third party could do it")
    case .detected: Question.Option("detected", "a third party tried, and was detected")
    case .later: Question.Option("later", "only after a secret leaks")
    case .possible: Question.Option("possible", "it happened or could happen, unnoticed")
    case .notApplicable: Question.Option("not-applicable", "no content was exchanged")
    }
  }

  private func hints(_ goal: Goal) -> [String] {
    let isClear = subject.end.world.plans.contains { !$0.url.isSecure }
    return switch goal {
    case .eavesdropping:
      [
        "Look at the record keys: are there any, and which parties can obtain them?",
        isClear
          ? "Compare with the URL: what does http protect?"
          : "Compare the parties that created, received or can compute them.",
      ]
    case .tampering:
      [
        "Look at the checks that a receiver makes before it accepts a byte.",
        isClear
          ? "Compare with the URL: what does http check?" : "Compare: which parties can make a valid record?",
      ]
    case .impersonation:
      [
        "Look at the proof of the server's identity, if there is one.",
        "Compare which parties have this proof or could obtain it, and whether this client requires it.",
      ]
    }
  }
}

/// A question about who can compute a value at the end of the run. The wrong options are other groups of parties.
struct KnowledgeQuestion {
  let subject: Subject
  let student: Student
  /// The number of times that each group was the answer. Groups with lower numbers are preferred.
  var used: [String: Int] = [:]

  func question() -> Question? {
    guard !subject.isOver else { return nil }
    let values = candidates
    guard !values.isEmpty else { return nil }
    let label = "who-knows/\(subject.scenario.name)"
    let parties = subject.end.parties.filter { !isCA($0) }
    let known = student.shuffled(values, for: label).map { value in
      (value: value, by: parties.filter { subject.end.knowledge(of: $0).knows(value) })
    }
    func frequency(_ parties: [Party]) -> Int { used[Self.option(parties).text, default: 0] }
    guard let (value, knowing) = known.min(by: { frequency($0.by) < frequency($1.by) }) else { return nil }
    let wrong = student.shuffled(groups(parties).filter { $0 != knowing }, for: label)
      .sorted { distance($0, knowing) < distance($1, knowing) }.prefix(3)
    let choice = Choice(right: Self.option(knowing), wrong: wrong.map(Self.option))
    let (options, solution) = choice.arranged(for: student, "groups/\(subject.scenario.name)")
    return Question(
      kind: .whoKnows, scenario: subject.scenario.name,
      text: "At the end of the run, which parties have \(Self.words(for: value)), or can compute it?\(limit)",
      given: [],
      options: options,
      format: Choice.format(options.count),
      hints: hints(value) + [Choice.narrowing(options, solution, student, label)], solution: solution,
      reason: reason(value, knowing))
  }

  /// The values that a student knows by name. A question about a value does not reveal whether the run creates it.
  private var candidates: [Value.ID] {
    if let calculation = subject.end.calculation {
      return subject.end.trace.valueNames.filter { calculation.quantities[$0] != nil && !isAmbiguous($0, calculation) }
    }
    guard let plan = subject.end.world.plans.last else { return [] }
    let content = Side.allCases.map { plan.scope.name(.applicationData, of: $0, number: 1) }
    guard plan.url.isSecure else { return content }
    let secrets = [
      plan.scope.name(.random, of: .client), plan.scope.name(.premasterSecret), plan.scope.name(.masterSecret),
    ]
    return content + secrets + plan.server.tls.allCredentials.map(\.privateKeyName)
  }

  /// Returns the name of a value. The name of application data is followed by an explanation.
  private static func words(for value: Value.ID) -> String {
    switch (value.kind, value.side, value.number) {
    case (.applicationData, .client, 1): "the client's request (\(value))"
    case (.applicationData, .server, 1): "the server's response (\(value))"
    default: value.description
    }
  }

  /// The sentence that excludes factoring in a calculation, because small numbers can be factored.
  private var limit: String {
    subject.scenario.calculation == nil ? "" : " Assume that no party factors numbers or tries all of them."
  }

  /// Returns whether other parties know the same number under another name, and so also know this value.
  private func isAmbiguous(_ value: Value.ID, _ calculation: Calculation) -> Bool {
    func knowing(_ name: Value.ID) -> [Party] {
      calculation.parties.filter { subject.end.knowledge(of: $0).knows(name) }
    }
    let twins = calculation.names(equalTo: value).filter { subject.end.trace.values[$0] != nil }
    return twins.contains { knowing($0) != knowing(value) }
  }

  private func isCA(_ party: Party) -> Bool {
    subject.scenario.authorities.contains { $0.name == party.name }
  }

  /// Returns every group of parties that could know the value, in the order of the parties.
  ///
  /// If there are many parties, only small and large groups are included.
  private func groups(_ parties: [Party]) -> [[Party]] {
    guard parties.count <= 5 else {
      return [[], parties] + parties.map { [$0] } + parties.map { one in parties.filter { $0 != one } }
    }
    return (0..<(1 << parties.count)).map { bits in
      parties.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element)
    }
  }

  /// Returns the number of parties that are in exactly one of the two groups.
  private func distance(_ left: [Party], _ right: [Party]) -> Int { Set(left).symmetricDifference(right).count }

  private static func option(_ parties: [Party]) -> Question.Option {
    guard let last = parties.last else { return Question.Option("nobody", "or the run does not create it") }
    let others = parties.dropLast().map(\.name).joined(separator: ", ")
    return Question.Option(others.isEmpty ? "only \(last)" : "\(others) and \(last)")
  }

  private func hints(_ value: Value.ID) -> [String] {
    [
      "Look at the origin of \(value), if the run creates it: which party creates it, how is it sent and computed?",
      "Compare the values that each party has with the values that it needs for the computation.",
    ]
  }

  private func reason(_ value: Value.ID, _ knowing: [Party]) -> Question.Reason {
    guard subject.end.trace.values[value] != nil else { return .sentence("This run does not create \(value).") }
    guard let last = knowing.last else { return .sentence("No party obtains \(value) in this run.") }
    return .proof(value, last, subject.end)
  }
}

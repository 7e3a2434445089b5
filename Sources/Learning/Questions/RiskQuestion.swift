import Endpoint
import Explanation
import Scenarios
import Simulator
import TLS

/// What can an attacker do in the end? The verdict does not say: a client can accept while all is lost.
struct RiskQuestion {
  let subject: Subject
  let student: Student
  /// What has been the answer how often: another is asked for where there is one.
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
      kind: .risk, scenario: subject.scenario.name, text: "In the end: \(Self.words(goal)) (\(goal.rawValue))",
      given: [],
      options: options, format: Choice.format(options.count),
      hints: hints(goal) + [Choice.narrowing(options, solution, student, label)], solution: solution,
      reason: .goal(goal, subject.outcome))
  }

  /// How often a state was the answer: most of what is played is prevented, which counts as if it had been asked for.
  static func frequency(of state: String, _ used: [String: Int]) -> Int {
    used[state, default: 0] + (state == Goal.State.prevented.rawValue ? 1 : 0)
  }

  /// A calculation has the goals that its author names.
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
    case .impersonation: "can a third party pass as the server?"
    }
  }

  private static func option(_ state: Goal.State) -> Question.Option {
    switch state {
    case .prevented: Question.Option("prevented", "nobody could")
    case .detected: Question.Option("detected", "someone tried, and was noticed")
    case .later: Question.Option("later", "once a secret has leaked")
    case .possible: Question.Option("possible", "it happened or could, unnoticed")
    case .notApplicable: Question.Option("not-applicable", "nothing was exchanged")
    }
  }

  private func hints(_ goal: Goal) -> [String] {
    let isClear = subject.end.world.plans.contains { !$0.url.isSecure }
    return switch goal {
    case .eavesdropping:
      [
        "Look at who comes by the keys of the records, and whether there are any.",
        isClear ? "Compare with the URL: what does http protect?" : "Compare who made, was sent, or can compute them.",
      ]
    case .tampering:
      [
        "Look at what a receiver checks before it believes a byte.",
        isClear
          ? "Compare with the URL: what does http check?" : "Compare who can make a record that passes the check.",
      ]
    case .impersonation:
      [
        "Look at what proves who the server is, if anything does.",
        "Compare who has that, could come by it, or need not have it for this client.",
      ]
    }
  }
}

/// Who can compute a value when the run is over? The other parties make the wrong options.
struct KnowledgeQuestion {
  let subject: Subject
  let student: Student
  /// What has been the answer how often: another is asked for where there is one.
  var used: [String: Int] = [:]

  func question() -> Question? {
    guard !subject.isOver else { return nil }
    let values = candidates
    guard !values.isEmpty else { return nil }
    let label = "who-knows/\(subject.scenario.name)"
    let parties = subject.end.parties.filter { !isAuthority($0) }
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
      text: "When the run is over: who has \(Self.words(for: value)), or can compute it?\(limit)", given: [],
      options: options,
      format: Choice.format(options.count),
      hints: hints(value) + [Choice.narrowing(options, solution, student, label)], solution: solution,
      reason: reason(value, knowing))
  }

  /// Values that a student knows by name, whether they will come to be or not: asking says nothing about the run.
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

  /// The name of a value; of what is said also what it is, for whoever has not met the name yet.
  private static func words(for value: Value.ID) -> String {
    switch (value.kind, value.side, value.number) {
    case (.applicationData, .client, 1): "the client's request (\(value))"
    case (.applicationData, .server, 1): "the server's answer (\(value))"
    default: value.description
    }
  }

  /// What is possible with numbers for a blackboard, and not meant.
  private var limit: String { subject.scenario.calculation == nil ? "" : " Nobody factors, or tries all numbers." }

  /// Whether the same number has another name, under which others have it: whoever has that one has this one too.
  private func isAmbiguous(_ value: Value.ID, _ calculation: Calculation) -> Bool {
    func knowing(_ name: Value.ID) -> [Party] {
      calculation.parties.filter { subject.end.knowledge(of: $0).knows(name) }
    }
    let twins = calculation.names(equalTo: value).filter { subject.end.trace.values[$0] != nil }
    return twins.contains { knowing($0) != knowing(value) }
  }

  private func isAuthority(_ party: Party) -> Bool {
    subject.scenario.authorities.contains { $0.name == party.name }
  }

  /// Every group of parties that could know it, in the order of the parties; of many only the small and the large ones.
  private func groups(_ parties: [Party]) -> [[Party]] {
    guard parties.count <= 5 else {
      return [[], parties] + parties.map { [$0] } + parties.map { one in parties.filter { $0 != one } }
    }
    return (0..<(1 << parties.count)).map { bits in
      parties.enumerated().filter { bits & (1 << $0.offset) != 0 }.map(\.element)
    }
  }

  /// How many parties are in one of the groups alone.
  private func distance(_ left: [Party], _ right: [Party]) -> Int { Set(left).symmetricDifference(right).count }

  private static func option(_ parties: [Party]) -> Question.Option {
    guard let last = parties.last else { return Question.Option("nobody", "or it never comes to be") }
    let others = parties.dropLast().map(\.name).joined(separator: ", ")
    return Question.Option(others.isEmpty ? "only \(last)" : "\(others) and \(last)")
  }

  private func hints(_ value: Value.ID) -> [String] {
    [
      "Look at where \(value) comes from, if it comes to be: made by whom, sent how, computed from what?",
      "Compare what each party has with what one needs to come by it.",
    ]
  }

  private func reason(_ value: Value.ID, _ knowing: [Party]) -> Question.Reason {
    guard subject.end.trace.values[value] != nil else { return .sentence("\(value) never comes to be in this run.") }
    guard let last = knowing.last else { return .sentence("Nobody comes by \(value) in this run.") }
    return .proof(value, last, subject.end)
  }
}

import Endpoint
import Explanation
import Scenarios
import Simulator

/// What can an attacker do in the end? The verdict does not say: a client can accept while all is lost.
struct RiskQuestion {
  let subject: Subject
  let student: Student

  func question() -> Question? {
    guard !subject.isOver, subject.isCertain else { return nil }
    let goals = Goal.allCases.filter(isAtStake)
    guard !goals.isEmpty else { return nil }
    let goal = goals[student.choice(of: goals.count, for: "risk/\(subject.scenario.name)")]
    let state = subject.outcome.goals[goal] ?? .notApplicable
    let choice = Choice(
      right: Self.option(state), wrong: Goal.State.allCases.filter { $0 != state }.map(Self.option))
    let (options, solution) = choice.arranged(for: student, "states/\(subject.scenario.name)")
    return Question(
      kind: .risk, scenario: subject.scenario.name, text: "In the end: \(Self.words(goal)) (\(goal.rawValue))",
      given: [],
      options: options, format: Choice.format(options.count), hints: hints(goal, state), solution: solution,
      reason: .goal(goal, subject.outcome))
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

  private func hints(_ goal: Goal, _ state: Goal.State) -> [String] {
    let first =
      switch goal {
      case .eavesdropping: "It depends on who comes by the keys of the records, and whether there are any."
      case .tampering: "It depends on what a receiver checks before it believes a byte."
      case .impersonation: "It depends on what proves who the server is, if anything does, and who else has it."
      }
    let third =
      state == .notApplicable
      ? "No content came that far."
      : "It ends as '\(subject.outcome.verdict.word.rawValue)', and \(goal.rawValue) is '\(state.rawValue)'."
    let network = subject.scenario.tree["network"].map { "Look at the network: \($0.flowText)" }
    return [first, network ?? "Look at who has which value.", third]
  }
}

/// Who can compute a value when the run is over? The other parties make the wrong options.
struct KnowledgeQuestion {
  let subject: Subject
  let student: Student

  func question() -> Question? {
    guard !subject.isOver else { return nil }
    let values = candidates
    guard !values.isEmpty else { return nil }
    let label = "who-knows/\(subject.scenario.name)"
    let value = values[student.choice(of: values.count, for: label)]
    let parties = subject.end.parties.filter { !isAuthority($0) }
    let knowing = parties.filter { subject.end.knowledge(of: $0).knows(value) }
    let wrong = student.shuffled(groups(parties).filter { $0 != knowing }, for: label)
      .sorted { distance($0, knowing) < distance($1, knowing) }.prefix(3)
    let choice = Choice(right: Self.option(knowing), wrong: wrong.map(Self.option))
    let (options, solution) = choice.arranged(for: student, "groups/\(subject.scenario.name)")
    return Question(
      kind: .whoKnows, scenario: subject.scenario.name,
      text: "When the run is over: who has \(value), or can compute it?\(limit)", given: [], options: options,
      format: Choice.format(options.count), hints: hints(value, knowing), solution: solution,
      reason: reason(value, knowing))
  }

  /// Values that a student knows by name, whether they will come to be or not: asking says nothing about the run.
  private var candidates: [Value.ID] {
    if let calculation = subject.end.calculation {
      return subject.end.trace.valueNames.filter { calculation.quantities[$0] != nil && !isAmbiguous($0, calculation) }
    }
    guard let plan = subject.end.world.plans.last else { return [] }
    let content = ["application_data.client.1", "application_data.server.1"].map { plan.prefix + $0 }
    guard plan.url.isSecure else { return content }
    let secrets = ["client_random", "premaster_secret", "master_secret"].map { plan.prefix + $0 }
    return content + secrets + plan.server.tls.allCredentials.map(\.privateKeyName)
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

  private func hints(_ value: Value.ID, _ knowing: [Party]) -> [String] {
    guard let derivations = subject.end.trace.values[value]?.derivations else {
      return ["Follow the run.", "Does it come that far?", "It never comes to be."]
    }
    let ways = derivations.map { derivation in
      switch derivation {
      case .generated(let party): "\(party) made it"
      case .published: "it travels in the clear"
      case .computed(let method, let inputs): "\(method), from \(inputs.joined(separator: ", "))"
      }
    }
    return [
      "Ask where it comes from, and what one needs to come by it.",
      "Whoever has all of these has it: made by whom, sent how, computed from what?",
      "How it is come by: \(ways.joined(separator: "; ")).",
    ]
  }

  private func reason(_ value: Value.ID, _ knowing: [Party]) -> Question.Reason {
    guard subject.end.trace.values[value] != nil else { return .sentence("\(value) never comes to be in this run.") }
    guard let last = knowing.last else { return .sentence("Nobody comes by \(value) in this run.") }
    return .proof(value, last, subject.end)
  }
}

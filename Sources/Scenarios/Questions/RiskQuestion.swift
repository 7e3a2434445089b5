import Explanation
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

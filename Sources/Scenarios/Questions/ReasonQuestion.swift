import Explanation
import Simulator

/// Which rule refuses it, if any? Beside the true one stand rules of the same layer that did not fire, and what many
/// believe.
struct ReasonQuestion {
  let subject: Subject
  let student: Student

  /// How many rules there are to choose from, beside none.
  private static let count = 3

  func question() -> Question? {
    let because = subject.outcome.verdict.because
    guard !subject.isDecided, subject.isCertain, let telling = subject.telling,
      !because.isEmpty || subject.outcome.verdict.word == .accepted
    else { return nil }
    let label = "reason/\(subject.scenario.name)"
    let right = because.isEmpty ? nil : because[student.choice(of: because.count, for: label)]
    let wrong = Array(distractors(near: right ?? telling.rule).prefix(right == nil ? Self.count : Self.count - 1))
    guard wrong.count > 1 else { return nil }
    let choice = Choice(
      right: right.map(option) ?? Self.none, wrong: wrong.map(option) + (right == nil ? [] : [Self.none]))
    let (options, solution) = choice.arranged(for: student, label)
    let finding = right.flatMap { rule in subject.outcome.findings.first { $0.refuses && $0.rule == rule } }
    return Question(
      kind: .reason, scenario: subject.scenario.name, text: text, given: [], options: options,
      format: Choice.format(options.count), hints: Hints(subject, about: right).all, solution: solution,
      reason: finding.map(Question.Reason.finding) ?? subject.reason)
  }

  private var text: String {
    subject.scenario.calculation == nil
      ? "Which of these rules will refuse it, if any?" : "Which of these rules will be broken, if any?"
  }

  private func option(_ rule: Rule) -> Question.Option { Question.Option(rule.id, rule.statement) }

  private static let none = Question.Option("none", "none of these rules refuses it")

  /// Rules that do not refuse: overridden ones, what is popularly blamed, those that were held and satisfied, and others
  /// of the layer.
  private func distractors(near rule: Rule) -> [Rule] {
    let findings = subject.outcome.findings
    let isAccepted = subject.outcome.verdict.because.isEmpty
    let violated = Set(findings.filter { $0.outcome == .violated }.map(\.rule))
    let overridden = isAccepted ? findings.filter { $0.outcome == .violated }.map(\.rule) : []
    let held = findings.filter { $0.outcome == .satisfied && $0.rule.layer == rule.layer }.map(\.rule)
    let layer = RuleCatalogue.all.filter { $0.layer == rule.layer }
    let label = "distractors/\(subject.scenario.name)"
    var seen: Set<Rule> = isAccepted ? [] : violated
    let usual = isAccepted && !violated.contains(rule) ? [rule] : []
    let near = usual + Misconception.blamed(for: rule)
    return
      (overridden + near + student.shuffled(held, for: label) + student.shuffled(layer, for: label)
      + Misconception.usual).filter { $0.decides && seen.insert($0).inserted }
  }
}

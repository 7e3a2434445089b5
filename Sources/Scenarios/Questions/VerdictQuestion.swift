import Explanation
import Simulator

/// Will this system load it? In a calculation: will every check hold?
struct VerdictQuestion {
  let subject: Subject
  let student: Student

  func question() -> Question? {
    let words: [Verdict.Word] =
      subject.scenario.calculation == nil ? [.accepted, .refused, .hangs] : [.accepted, .refused]
    guard !subject.isDecided, subject.isCertain, words.contains(subject.outcome.verdict.word) else { return nil }
    if subject.scenario.calculation != nil, !hasChecks { return nil }
    let word = subject.outcome.verdict.word
    let choice = Choice(right: option(word), wrong: words.filter { $0 != word }.map(option))
    let (options, solution) = choice.arranged(for: student, "verdict/\(subject.scenario.name)")
    return Question(
      kind: .verdict, scenario: subject.scenario.name, text: text, given: [], options: options,
      format: Choice.format(options.count), hints: Hints(subject).all, solution: solution,
      reason: subject.reason)
  }

  private var hasChecks: Bool { !subject.outcome.findings.isEmpty }

  private var text: String {
    if subject.scenario.calculation != nil { return "Will every check of this calculation hold?" }
    if !subject.scenario.later.isEmpty { return "Will \(subject.who) load it on every date?" }
    let loads = subject.scenario.connections
    guard let only = loads.first, loads.count == 1 else {
      return loads.count == 2 ? "Are both connections accepted?" : "Are all \(loads.count) connections accepted?"
    }
    return "What will \(subject.who) make of \(only.url)?"
  }

  private func option(_ word: Verdict.Word) -> Question.Option {
    let isToy = subject.scenario.calculation != nil
    return switch word {
    case .accepted: Question.Option("accepted", isToy ? "every check holds" : "the app gets its content")
    case .refused: Question.Option("refused", isToy ? "a check fails" : "something is not as a rule demands")
    case .hangs: Question.Option("hangs", "neither content nor a reason to refuse")
    case .notApplicable: Question.Option("not-applicable", "there is nothing to judge by")
    }
  }
}

import Explanation
import Scenarios
import Simulator

/// A question about whether a system will load the URL or, in a calculation, whether every check succeeds.
struct VerdictQuestion {
  let subject: Subject
  let student: Student

  func question() -> Question? {
    let words = words
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

  /// The options. "Hangs" is one of them if any case of the file hangs.
  private var words: [Verdict.Word] {
    let mayHang = subject.outcome.verdict.word == .hangs || subject.file.cases.contains { $0.expectedWord == .hangs }
    return [.accepted, .refused] + (mayHang ? [.hangs] : [])
  }

  private var hasChecks: Bool { !subject.outcome.findings.isEmpty }

  private var text: String {
    if subject.scenario.calculation != nil { return "Will every check of this calculation hold?" }
    if !subject.scenario.later.isEmpty { return "Will \(subject.who) load the URL on every date?" }
    let loads = subject.scenario.connections
    guard let only = loads.first, loads.count == 1 else {
      return loads.count == 2 ? "Are both connections accepted?" : "Are all \(loads.count) connections accepted?"
    }
    return "What is the result of loading \(only.url) on \(subject.who)?"
  }

  private func option(_ word: Verdict.Word) -> Question.Option {
    let isToy = subject.scenario.calculation != nil
    return switch word {
    case .accepted: Question.Option("accepted", isToy ? "every check holds" : "the app gets its content")
    case .refused: Question.Option("refused", isToy ? "a check fails" : "a rule is violated")
    case .hangs: Question.Option("hangs", "the app gets neither content nor a refusal")
    case .notApplicable: Question.Option("not-applicable", "there is nothing to evaluate")
    }
  }
}

/// A question about the decision of each system for the same app and server. The answer has one letter for each system.
public struct VersionsQuestion {
  let subject: Subject
  let player: ScenarioPlayer

  /// The systems in the question, from left to right.
  public static let systems = ["iOS 8", "iOS 9", "iOS 10", "iOS 13", "iOS 17"]

  /// Returns the letter of a verdict: a (accepted), r (refused) or h (hangs).
  public static func letter(_ word: Verdict.Word) -> String { word.rawValue.first.map(String.init) ?? "?" }

  func question() throws(Diagnostics) -> Question? {
    guard subject.scenario.calculation == nil, let path = ScenarioPath("client.os") else { return nil }
    var row: [Verdict.Word] = []
    var telling: [Subject] = []
    for system in Self.systems {
      let node = Node.scalar(system, quoted: false, subject.scenario.tree.mark)
      guard let changed = try? subject.scenario.changing(path, to: node) else { return nil }
      let other = Subject(changed, of: subject.file, at: try player.simulation(of: changed))
      guard other.isCertain, other.outcome.verdict.word != .notApplicable else { return nil }
      row.append(other.outcome.verdict.word)
      telling.append(other)
    }
    let rules = telling.compactMap { $0.outcome.verdict.because.first }
    // The rule that refuses the run on most of the systems.
    let usual = rules.max { left, right in rules.count { $0 == left } < rules.count { $0 == right } }
    let deciding = telling.first { $0.outcome.verdict.because.first == usual } ?? subject
    return Question(
      kind: .versions, scenario: subject.scenario.name,
      text: "What is the result on \(Self.systems.joined(separator: ", "))?", given: [], options: [],
      format:
        "answer ROW, with one letter for each system, as in 'answer \(Self.example(besides: row))': a = accepted, "
        + "r = refused, h = hangs",
      hints: hints(deciding, row), solution: .row(row), reason: .sentence(Self.sentence(telling)))
  }

  /// Returns an example of a row that is not the answer.
  private static func example(besides row: [Verdict.Word]) -> String {
    row.first == .accepted ? "rrhaa" : "aarrh"
  }

  private func hints(_ deciding: Subject, _ row: [Verdict.Word]) -> [String] {
    let object = Hints(deciding).all
    let changes = zip(row.dropFirst(), row).count { $0 != $1 }
    return [
      object[0], object[2], "From left to right, the result changes \(changes == 0 ? "never" : "\(changes)×").",
    ]
  }

  /// Returns a sentence about each system, with its verdict and the violated rules.
  private static func sentence(_ subjects: [Subject]) -> String {
    zip(systems, subjects).map { system, subject in
      let because = subject.outcome.verdict.because.map(\.id).joined(separator: ", ")
      return "\(system) \(subject.outcome.verdict.word.rawValue)" + (because.isEmpty ? "" : " (\(because))")
    }.joined(separator: "; ")
  }
}

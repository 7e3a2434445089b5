import Explanation
import Scenarios
import Simulator

/// What helps with a verdict and its reason: where to look, what to compare, which rule it turns on. The same words
/// whether the rule is held or broken.
struct Hints {
  private let subject: Subject
  private let finding: Finding?

  /// Hints at `rule`; if none is named, at what matters most.
  init(_ subject: Subject, about rule: Rule? = nil) {
    self.subject = subject
    let own = subject.outcome.findings.filter { $0.rule == rule }
    finding = own.first(where: \.refuses) ?? own.first ?? subject.telling
  }

  /// Where to look.
  var place: String {
    if subject.outcome.verdict.word == .hangs { return "Look at each message: who waits for what, and does it come?" }
    guard let finding else {
      return subject.scenario.calculation == nil
        ? "Look at what each side offers and shows." : "Look at the two sides of each check."
    }
    switch finding.subject {
    case .certificate(let index, let name): return "Look at certificate \(index) of the chain, '\(name)'."
    case .host(let host): return "Look at the host, \(host)."
    case .url(let url): return "Look at \(url)."
    case .connection: return "Look at what client and server agree on."
    case .message(let name): return "Look at the message \(name)."
    case .propertyListKey(let path): return "Look at the property list, at \(path)."
    }
  }

  /// What to compare.
  var comparison: String {
    if subject.outcome.verdict.word == .hangs { return "Compare what is asked with what is answered." }
    guard subject.scenario.calculation == nil else { return "Work out both sides, step by step, and compare." }
    guard let finding, !finding.required.description.isEmpty else {
      return "Compare what it says with what the other end, the system and the app demand."
    }
    return "Compare what is there with what is required: \(finding.required.description)."
  }

  /// The rule that it turns on.
  var rule: String {
    guard let rule = finding?.rule else { return "Nothing that is special here is forbidden by a rule." }
    return "Ask whether this holds: \(rule.statement) (\(rule.clause))"
  }

  /// Exactly three.
  var all: [String] { [place, comparison, rule] }
}

extension Choice {
  /// Which options are left when all but one of the wrong ones are struck out: it narrows, and does not tell.
  static func narrowing(
    _ options: [Question.Option], _ solution: Question.Solution, _ student: Student, _ label: String
  ) -> String {
    guard case .option(let right) = solution, options.count > 2 else { return "Weigh one against the other." }
    let wrong = student.shuffled(options.indices.filter { $0 != right }, for: "narrowing/\(label)")
    let struck = wrong.dropFirst().sorted().map(Question.letter)
    let letters = (struck.dropLast(2) + [struck.suffix(2).joined(separator: " and ")]).joined(separator: ", ")
    return "Strike out \(letters): two are left."
  }
}

import Explanation
import Scenarios
import Simulator

/// Hints about a verdict and its reason: the place to look at, the values to compare, and the relevant rule.
///
/// The hints do not reveal whether the rule is violated.
struct Hints {
  private let subject: Subject
  private let finding: Finding?

  /// Creates hints about `rule`. If `rule` is nil, the hints are about the most important finding.
  init(_ subject: Subject, about rule: Rule? = nil) {
    self.subject = subject
    let own = subject.outcome.findings.filter { $0.rule == rule }
    finding = own.first(where: \.refuses) ?? own.first ?? subject.telling
  }

  /// The hint about the place in the run to look at.
  var place: String {
    if subject.outcome.verdict.word == .hangs {
      return "Look at each message: does the client or server wait for a message that never arrives?"
    }
    guard let finding else {
      return subject.scenario.calculation == nil
        ? "Look at the offers and messages of each side." : "Look at the two values that each check compares."
    }
    switch finding.subject {
    case .certificate(let index, let name): return "Look at certificate \(index) of the chain, '\(name)'."
    case .host(let host): return "Look at the host, \(host)."
    case .url(let url): return "Look at \(url)."
    case .connection: return "Look at the parameters of the connection."
    case .message(let name): return "Look at the message \(name)."
    case .propertyListKey(let path): return "Look at \(path) in the property list."
    }
  }

  /// The hint about the values to compare.
  var comparison: String {
    if subject.outcome.verdict.word == .hangs { return "Compare the requests with the responses." }
    guard subject.scenario.calculation == nil else { return "Calculate both values, step by step, and compare them." }
    guard let finding, !finding.required.description.isEmpty else {
      return "Compare this with the requirements of the other side, the system and the app."
    }
    return "Compare the actual value with the requirement: \(finding.required.description)."
  }

  /// The hint about the relevant rule.
  var rule: String {
    guard let rule = finding?.rule else { return "No rule forbids the special settings of this scenario." }
    return "Does this rule hold here? \(rule.statement) (\(rule.clause))"
  }

  var all: [String] { [place, comparison, rule] }
}

extension Choice {
  /// Returns a hint that excludes all but one of the wrong options. It narrows the choice without revealing the answer.
  static func narrowing(
    _ options: [Question.Option], _ solution: Question.Solution, _ student: Student, _ label: String
  ) -> String {
    guard case .option(let right) = solution, options.count > 2 else { return "Compare the two options." }
    let wrong = student.shuffled(options.indices.filter { $0 != right }, for: "narrowing/\(label)")
    let struck = wrong.dropFirst().sorted().map(Question.letter)
    let letters = (struck.dropLast(2) + [struck.suffix(2).joined(separator: " and ")]).joined(separator: ", ")
    return "Strike out \(letters), so that two options are left."
  }
}

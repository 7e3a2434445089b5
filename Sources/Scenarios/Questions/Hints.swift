import Explanation
import Simulator

/// What helps with a verdict and its reason: the layer, the object, the rule; where nothing refuses, the way to see it.
struct Hints {
  private let subject: Subject
  private let rule: Rule?

  /// Hints at `rule`; if none is named, at the one that refuses.
  init(_ subject: Subject, about rule: Rule? = nil) {
    self.subject = subject
    self.rule = rule ?? subject.outcome.verdict.because.first
  }

  /// Exactly three.
  var all: [String] {
    guard let rule else { return subject.outcome.verdict.word == .hangs ? waiting : passing }
    return [
      "It is a matter of the layer '\(rule.layer.rawValue)'.", object(of: rule), "\(rule.id): \(rule.statement)",
    ]
  }

  private var waiting: [String] {
    [
      "Who waits for what, and does it come?", "Follow each message: does it arrive at the other end?",
      "Something does not arrive, and nobody has a reason to refuse.",
    ]
  }

  private var passing: [String] {
    if subject.scenario.calculation != nil {
      return [
        "Is there a check whose two sides differ?", "Work out both sides of each check, step by step.",
        "Both sides of every check are equal.",
      ]
    }
    let first = "Is there anything that fails, or that an exception lifts?"
    guard let reason = lifted else {
      return [first, "Hold what each side offers and shows against what is demanded.", "Nothing fails that decides."]
    }
    return [
      first, "Something fails: does the app, or whoever set up the device, say anything about it?",
      "What fails does not count: it is lifted by \(reason).",
    ]
  }

  /// What lifts a check that fails; nil when none fails.
  private var lifted: String? {
    for finding in subject.outcome.findings where finding.outcome == .violated {
      if case .overridden(let by) = finding.weight { return by.rawValue }
    }
    return nil
  }

  private func object(of rule: Rule) -> String {
    let own = subject.outcome.findings.filter { $0.rule == rule }
    guard let finding = own.first(where: \.refuses) ?? own.first else { return "Who refuses, and at which step?" }
    let place =
      switch finding.subject {
      case .certificate(let index, let name): "certificate \(index) of the chain, '\(name)'"
      case .host(let host): "the host \(host)"
      case .url(let url): url
      case .connection: "what client and server agree on"
      case .message(let name): name
      case .propertyListKey(let path): "the property list, at \(path)"
      }
    return "Look at \(place)."
  }
}

import Scenarios
import Simulator

/// The words of a scenario around its run: what to know before, what is disputed, and what it has shown.
public struct WordsView: Sendable {
  private let about: Scenario.About

  /// A view of what is said about `scenario`.
  public init(_ scenario: Scenario) { about = scenario.about }

  /// What to know before the run.
  public var before: Document {
    var document = Document()
    document.paragraph(RichText(words: about.before ?? ""))
    return document
  }

  /// What is disputed, as the question that it is: what is asked, and each reading; nothing of the answer.
  public var question: Document {
    var document = Document()
    guard let dispute = about.disputed, !dispute.question.isEmpty else { return document }
    document.bullet(RichText("?", .warning), RichText("Disputed: ", .strong) + RichText(words: dispute.question))
    for reading in dispute.readings { document.bullet(RichText("·", .dim), RichText(words: reading), indent: 2) }
    return document
  }

  /// What this run, which came to `outcome`, says of what is disputed.
  public func answer(_ outcome: Outcome) -> Document {
    var document = question
    guard let dispute = about.disputed else { return document }
    if dispute.question.isEmpty {
      document.facts([.init("disputed", RichText(words: dispute.text))])
      return document
    }
    let because = outcome.verdict.because.map(\.id).joined(separator: ", ")
    let words = outcome.verdict.word.rawValue + (because.isEmpty ? "" : " because of \(because)")
    document.facts([.init("this run", "\(words)"), .init("played", RichText(words: dispute.chosen))], indent: 2)
    return document
  }

  /// What the run has shown.
  public var after: Document {
    var document = Document()
    document.paragraph(RichText(words: about.after ?? ""))
    return document
  }

  /// All of it, as a run in JSON has it.
  var members: [JSONValue.Member] {
    let dispute = about.disputed.map { dispute -> JSONValue in
      [
        "question": dispute.question.isEmpty ? nil : .string(dispute.question),
        "readings": .strings(dispute.readings), "chosen": .string(dispute.chosen),
      ]
    }
    return [
      .init("disputed", .optional(about.disputed?.text)), .init("dispute", dispute ?? nil),
      .init("before", .optional(about.before)), .init("after", .optional(about.after)),
    ]
  }
}

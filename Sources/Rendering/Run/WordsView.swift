import Scenarios
import Simulator

/// The texts that accompany a scenario's run: introduction, dispute, and conclusion.
public struct WordsView: Sendable {
  private let about: Scenario.About

  /// Creates a view of the texts of `scenario`.
  public init(_ scenario: Scenario) { about = scenario.about }

  /// The introduction, which is shown before the run.
  public var before: Document {
    var document = Document()
    document.paragraph(RichText(words: about.before ?? ""))
    return document
  }

  /// The disputed question and its interpretations, without the answer.
  public var question: Document {
    var document = Document()
    guard let dispute = about.disputed, !dispute.question.isEmpty else { return document }
    document.bullet(RichText("?", .warning), RichText("Disputed: ", .strong) + RichText(words: dispute.question))
    for reading in dispute.readings { document.bullet(RichText("·", .dim), RichText(words: reading), indent: 2) }
    return document
  }

  /// Returns the answer to the disputed question according to a run with this `outcome`.
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

  /// The conclusion, which is shown after the run.
  public var after: Document {
    var document = Document()
    document.paragraph(RichText(words: about.after ?? ""))
    return document
  }

  /// All texts as members of a run's JSON.
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

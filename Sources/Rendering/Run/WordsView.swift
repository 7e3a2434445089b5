import Scenarios
import Simulator

/// The texts of a scenario around its run: introduction, dispute, and conclusion.
public struct WordsView: Sendable {
  private let about: Scenario.About

  /// A view of the texts of `scenario`.
  public init(_ scenario: Scenario) { about = scenario.about }

  /// The introduction, shown before the run.
  public var before: Document {
    var document = Document()
    document.paragraph(RichText(words: about.before ?? ""))
    return document
  }

  /// The disputed question and its readings, without the answer.
  public var question: Document {
    var document = Document()
    guard let dispute = about.disputed, !dispute.question.isEmpty else { return document }
    document.bullet(RichText("?", .warning), RichText("Disputed: ", .strong) + RichText(words: dispute.question))
    for reading in dispute.readings { document.bullet(RichText("·", .dim), RichText(words: reading), indent: 2) }
    return document
  }

  /// The result of this run, which has `outcome`, for the disputed question.
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

  /// The conclusion, shown after the run.
  public var after: Document {
    var document = Document()
    document.paragraph(RichText(words: about.after ?? ""))
    return document
  }

  /// All of it, in the form of a run's JSON.
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

import Learning
import Scenarios

/// A question as a student sees it: what it is about, what there is to choose from, and how to answer.
public struct QuestionView: Sendable {
  private let question: Question
  private let scenario: String
  private let title: String
  private let situation: [(key: String, value: String)]
  private let caseName: String?
  private let heading: String?

  /// A view of `question` about the scenario with this id, called `title`, of which `situation` says what is special;
  /// with the name of its case where that is not the main one, and with a `heading` in a quiz.
  public init(
    _ question: Question, scenario: String, title: String, caseName: String? = nil,
    situation: [(key: String, value: String)], heading: String? = nil
  ) {
    self.question = question
    self.scenario = scenario
    self.title = title
    self.caseName = caseName
    self.situation = situation
    self.heading = heading
  }

  /// What differs is shown up to this many lines.
  private static let mostLines = 6

  /// The question, to be shown on a projector: short lines, at most a screen.
  public func document() -> Document {
    var document = Document()
    if let heading {
      document.paragraph(RichText(heading, .strong))
      document.paragraph(RichText([Span(scenario, .name), Span("  \(title)")]))
    }
    // The title is that of the main case, and misleads about others.
    if let caseName { document.paragraph(RichText([Span(scenario, .name), Span(", case: \(caseName)")])) }
    document += special
    if !document.blocks.isEmpty { document.blocks.append(.space) }
    document.bullet(RichText("?", .warning), RichText(question.text, .strong))
    if !question.given.isEmpty { document.paragraph("with \(question.given.joined(separator: ", "))", indent: 2) }
    document += options
    document.blocks.append(.space)
    document.paragraph(RichText(question.format, .dim), indent: 2)
    return document
  }

  private var special: Document {
    var document = Document()
    if !situation.isEmpty { document.paragraph(RichText("what is special here:", .dim)) }
    document.facts(situation.prefix(Self.mostLines).map { .init($0.key, "\($0.value)") }, indent: 2)
    if situation.count > Self.mostLines { document.paragraph(RichText("… and more: 'info'", .dim), indent: 2) }
    return document
  }

  private var options: Document {
    let rows = question.options.enumerated().map { place, option in
      [RichText(Question.letter(place), .strong), RichText(option.text, .name), "\(option.detail)"]
    }
    let hasDetails = question.options.contains { !$0.detail.isEmpty }
    let shown = hasDetails ? rows : rows.map { Array($0.prefix(2)) }
    return rows.isEmpty ? Document() : Document([.table(header: [], rows: shown, indent: 2)])
  }
}

import Learning
import Scenarios

/// A question as a student sees it: what it is about, what there is to choose from, and how to answer.
public struct QuestionView: Sendable {
  private let question: Question
  private let scenario: String
  private let situation: [(key: String, value: String)]
  private let heading: String?

  /// A view of `question` about the scenario with this id, of which `situation` says what is special; with a `heading` in
  /// a quiz. Neither the scenario's title nor its case's name is shown: both may tell what is asked.
  public init(
    _ question: Question, scenario: String, situation: [(key: String, value: String)], heading: String? = nil
  ) {
    self.question = question
    self.scenario = scenario
    self.situation = situation
    self.heading = heading
  }

  /// What differs is shown up to this many lines.
  private static let mostLines = 6
  /// How many lines a question takes at most: one is left for the prompt.
  public static let mostRows = 22

  /// The question on one screen of 24 lines as wide as `style` has it: what does not fit is left to 'info'.
  public func document(_ style: TextStyle = TextStyle()) -> Document {
    for (count, hasDetails) in (0...Self.mostLines).reversed().map({ ($0, true) }) + [(0, false)] {
      let document = document(lines: count, hasDetails: hasDetails)
      if Self.rows(of: document, style) <= Self.mostRows { return document }
    }
    return document(lines: 0, hasDetails: false)
  }

  /// The question with all that is special, for paper.
  public var whole: Document { document(lines: situation.count, hasDetails: true) }

  /// How many lines a document takes.
  public static func rows(of document: Document, _ style: TextStyle) -> Int {
    document.text(style).split(separator: "\n", omittingEmptySubsequences: false).count - 1
  }

  private func document(lines: Int, hasDetails: Bool) -> Document {
    var document = Document()
    if let heading { document.paragraph(RichText([Span(heading, .strong), Span(", about \(scenario)", .dim)])) }
    document += special(lines)
    if !document.blocks.isEmpty { document.blocks.append(.space) }
    document.bullet(RichText("?", .warning), RichText(question.text, .strong))
    if !question.given.isEmpty { document.paragraph("with \(question.given.joined(separator: ", "))", indent: 2) }
    document += options(hasDetails)
    document.blocks.append(.space)
    document.paragraph(RichText(question.format, .dim), indent: 2)
    return document
  }

  private func special(_ lines: Int) -> Document {
    var document = Document()
    if !situation.isEmpty, lines > 0 { document.paragraph(RichText("what is special here:", .dim)) }
    document.facts(situation.prefix(lines).map { .init($0.key, "\($0.value)") }, indent: 2)
    if situation.count > lines {
      document.paragraph(RichText("what is special here has more: 'info'", .dim), indent: 2)
    }
    return document
  }

  private func options(_ mayHaveDetails: Bool) -> Document {
    let hasDetails = mayHaveDetails && question.options.contains { !$0.detail.isEmpty }
    let rows = question.options.enumerated().map { place, option in
      [RichText(Question.letter(place), .strong), RichText(option.text, .name), "\(option.detail)"]
    }
    let shown = hasDetails ? rows : rows.map { Array($0.prefix(2)) }
    return rows.isEmpty ? Document() : Document([.table(header: [], rows: shown, indent: 2)])
  }
}

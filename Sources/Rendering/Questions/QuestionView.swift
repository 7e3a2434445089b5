import Learning
import Scenarios

/// A question for a student, with its subject, its options, and the form of an answer.
public struct QuestionView: Sendable {
  private let question: Question
  private let scenario: String
  private let situation: [(key: String, value: String)]
  private let heading: String?

  /// Creates a view of `question` about a scenario, with the scenario's special settings in `situation`.
  ///
  /// In a quiz, the question has a `heading`. The titles of the scenario and the case are omitted, because they may
  /// reveal the answer.
  public init(
    _ question: Question, scenario: String, situation: [(key: String, value: String)], heading: String? = nil
  ) {
    self.question = question
    self.scenario = scenario
    self.situation = situation
    self.heading = heading
  }

  /// The maximum number of lines for special settings.
  private static let mostLines = 6
  /// The maximum number of lines of a question, which leaves one line for the prompt.
  public static let mostRows = 22

  /// Returns the question for a screen of 24 lines with the width of `style`. 'info' prints the rest.
  public func document(_ style: TextStyle = TextStyle()) -> Document {
    for (count, hasDetails) in (0...Self.mostLines).reversed().map({ ($0, true) }) + [(0, false)] {
      let document = document(lines: count, hasDetails: hasDetails)
      if Self.rows(of: document, style) <= Self.mostRows { return document }
    }
    return document(lines: 0, hasDetails: false)
  }

  /// The question with all special settings, for printing.
  public var whole: Document { document(lines: situation.count, hasDetails: true) }

  /// Returns the number of lines of a document.
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
    if !situation.isEmpty, lines > 0 { document.paragraph(RichText("special settings:", .dim)) }
    document.facts(situation.prefix(lines).map { .init($0.key, "\($0.value)") }, indent: 2)
    if situation.count > lines {
      document.paragraph(RichText("to see more special settings, type 'info'", .dim), indent: 2)
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

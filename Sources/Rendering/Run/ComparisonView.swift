import Explanation
import Simulator

/// What came of many runs, one row each.
public struct ComparisonView: Sendable {
  /// One run: what it differs by, and what came of it; nil where it could not be played, and why.
  public struct Row: Sendable {
    let name: String
    let verdict: Verdict?
    let remark: String

    /// A run that differs by `name`.
    public init(_ name: String, _ outcome: Outcome) {
      self.name = name
      verdict = outcome.verdict
      remark = ""
    }

    /// A run that could not be played.
    public init(_ name: String, notPlayed remark: String) {
      self.name = name
      verdict = nil
      self.remark = remark
    }
  }

  private let title: String
  private let rows: [Row]

  /// A view of these runs, which differ in `title`.
  public init(_ title: String, _ rows: [Row]) {
    self.title = title
    self.rows = rows
  }

  /// A table: what differs, the verdict, the layer and the reasons; then where the verdict changes.
  public func document() -> Document {
    var document = Document()
    let cells = rows.map { row -> [RichText] in
      guard let verdict = row.verdict else {
        return ["\(row.name)", RichText("–", .dim), "", RichText(row.remark, .dim)]
      }
      let word = verdict.word.glyph + RichText(" \(verdict.word.rawValue)", verdict.word.style)
      let because = verdict.because.map(\.id).joined(separator: ", ")
      return ["\(row.name)", word, "\(verdict.layer?.rawValue ?? "")", RichText(because, .name)]
    }
    document.blocks.append(.table(header: ["\(title)", "verdict", "layer", "because"], rows: cells, indent: 0))
    document.paragraph(RichText(summary, .dim))
    return document
  }

  private var summary: String {
    let verdicts = rows.compactMap(\.verdict)
    guard verdicts.count > 1 else { return "" }
    if Set(verdicts).count == 1 { return "All \(verdicts.count) come to the same, for the same reasons." }
    let words = Verdict.Word.allCases.compactMap { word -> String? in
      let count = verdicts.count { $0.word == word }
      return count == 0 ? nil : "\(count) \(word.rawValue)"
    }
    return words.joined(separator: ", ")
  }
}

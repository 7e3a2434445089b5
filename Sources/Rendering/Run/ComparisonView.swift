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

    /// Runs that came to the same.
    init(_ name: String, _ verdict: Verdict?) {
      self.name = name
      self.verdict = verdict
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
    let cells = summed.map { row -> [RichText] in
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

  /// The rows; whole numbers that follow one another and come to the same are one row, `1..1000`.
  private var summed: [Row] {
    var summed: [Row] = []
    var rest = rows[...]
    while let first = rest.first {
      let start = Int(first.name)
      let alike = rest.enumerated().prefix { place, row in
        guard let start, let verdict = first.verdict else { return false }
        let (number, isOverflowing) = start.addingReportingOverflow(place)
        return !isOverflowing && row.verdict == verdict && Int(row.name) == number
      }
      if let last = alike.last?.element, alike.count > Self.mostSingle {
        summed.append(Row("\(first.name)..\(last.name)", first.verdict))
      } else {
        summed += rest.prefix(max(1, alike.count))
      }
      rest = rest.dropFirst(max(1, alike.count))
    }
    return summed
  }

  /// So many rows that come to the same are still shown one by one.
  private static let mostSingle = 3

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

import Simulator

/// The results of many runs, with one row for each run.
public struct ComparisonView: Sendable {
  /// A run in the comparison: the value in which it differs, and its result. If it could not run, the result is the
  /// reason.
  public struct Row: Sendable {
    let name: String
    let result: Result?
    let remark: String

    /// Creates a row for a run that differs by `name`.
    public init(_ name: String, _ outcome: Outcome) {
      let isPlayed = outcome.verdict.word != .notApplicable
      self.init(
        name, Result(verdict: outcome.verdict, goals: outcome.goals),
        isPlayed ? "" : "this OS does not have the loader")
    }

    /// Creates a row for a run that could not be played.
    public init(_ name: String, notPlayed remark: String) { self.init(name, nil, remark) }

    init(_ name: String, _ result: Result?, _ remark: String = "") {
      (self.name, self.result, self.remark) = (name, result, remark)
    }
  }

  /// The verdict of a run, with the states of the goals.
  struct Result: Sendable, Hashable {
    let verdict: Verdict
    let goals: [Goal: Goal.State]

    func state(_ goal: Goal) -> Goal.State { goals[goal, default: .notApplicable] }
  }

  private let title: String
  private let rows: [Row]

  /// Creates a view of these runs, which differ in `title`.
  public init(_ title: String, _ rows: [Row]) {
    self.title = title
    self.rows = rows
  }

  /// Returns a table of verdicts with layers and reasons, a table of goals, and a summary.
  public func document() -> Document {
    var document = Document()
    document.blocks.append(
      .table(header: ["\(title)", "verdict", "layer", "because"], rows: summed.map(Self.verdict), indent: 0))
    if results.contains(where: { result in Goal.allCases.contains { result.state($0) != .notApplicable } }) {
      document.blocks.append(.space)
      document.blocks.append(
        .table(header: ["\(title)"] + Goal.allCases.map { "\($0.rawValue)" }, rows: summed.map(Self.goals), indent: 0))
    }
    document.paragraph(RichText(summary, .dim))
    return document
  }

  private static func verdict(_ row: Row) -> [RichText] {
    guard let verdict = row.result?.verdict else {
      return ["\(row.name)", RichText("–", .dim), "", RichText(row.remark, .dim)]
    }
    let word = verdict.word.glyph + RichText(" \(verdict.word.rawValue)", verdict.word.style)
    let because = verdict.because.map(\.id).joined(separator: ", ")
    let reason = row.remark.isEmpty ? RichText(because, .name) : RichText(row.remark, .dim)
    return ["\(row.name)", word, "\(verdict.layer?.rawValue ?? "")", reason]
  }

  private static func goals(_ row: Row) -> [RichText] {
    ["\(row.name)"]
      + Goal.allCases.map { goal in
        guard let state = row.result?.state(goal), state != .notApplicable else { return RichText("–", .dim) }
        return state.glyph + RichText(" \(state.rawValue)")
      }
  }

  private var results: [Result] { rows.compactMap(\.result) }

  /// The rows after grouping. Consecutive whole numbers with the same result share a row, such as `1..1000`.
  private var summed: [Row] {
    var summed: [Row] = []
    var rest = rows[...]
    while let first = rest.first {
      let start = Int(first.name)
      let alike = rest.enumerated().prefix { place, row in
        guard let start, let result = first.result else { return false }
        let (number, isOverflowing) = start.addingReportingOverflow(place)
        return !isOverflowing && row.result == result && Int(row.name) == number
      }
      if let last = alike.last?.element, alike.count > Self.mostSingle {
        summed.append(Row("\(first.name)..\(last.name)", first.result))
      } else {
        summed += rest.prefix(max(1, alike.count))
      }
      rest = rest.dropFirst(max(1, alike.count))
    }
    return summed
  }

  /// The maximum number of rows with the same result that are shown individually.
  private static let mostSingle = 3

  private var summary: String {
    let results = results
    guard results.count > 1 else { return "" }
    if Set(results).count == 1 { return "All \(results.count) have the same result, for the same reasons." }
    if Set(results.map(\.verdict)).count == 1 { return "All \(results.count) have the same verdict; the goals differ." }
    let words = Verdict.Word.allCases.compactMap { word -> String? in
      let count = results.count { $0.verdict.word == word }
      return count == 0 ? nil : "\(count) \(word.rawValue)"
    }
    return words.joined(separator: ", ")
  }
}

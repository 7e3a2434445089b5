import Scenarios
import Simulator

/// Who gets in past a library, as a table.
public struct PinMatrixView: Sendable {
  private let matrix: PinMatrix

  /// A view of `matrix`.
  public init(_ matrix: PinMatrix) { self.matrix = matrix }

  /// A table for each release: settings against attackers; what refuses stands below it.
  public func document() -> Document {
    var document = Document()
    var releases: [String] = []
    for row in matrix.rows where !releases.contains(row.library) { releases.append(row.library) }
    for release in releases {
      let rows = matrix.rows.filter { $0.library == release }
      document.blocks.append(
        .table(
          header: ["\(release)"] + PinMatrix.attackers.map { RichText($0.name) },
          rows: rows.map { row in [RichText(row.setting)] + row.cells.map { Self.cell($0.verdict) } }, indent: 0))
      for row in rows {
        let reasons = Self.reasons(row)
        if !reasons.isEmpty {
          document.bullet(RichText("–", .dim), RichText("\(row.setting): ", .dim) + RichText(reasons, .name), indent: 2)
        }
      }
      document.blocks.append(.space)
    }
    document.paragraph(
      RichText(
        "● gets in, – is refused. App Transport Security is lifted, so that the library's own word is seen. "
          + "'stolen' has the server's key: no pin stops it; 'user's' is a root that a user installed.", .dim))
    return document
  }

  private static func cell(_ verdict: Verdict) -> RichText {
    verdict.word == .accepted ? RichText("●", .good) : RichText("–", .bad)
  }

  /// The rules that refuse anyone in a row, in order of appearance, each once.
  private static func reasons(_ row: PinMatrix.Row) -> String {
    var seen: [String] = []
    for rule in row.cells.flatMap(\.verdict.because) where !seen.contains(rule.id) { seen.append(rule.id) }
    return seen.joined(separator: ", ")
  }
}

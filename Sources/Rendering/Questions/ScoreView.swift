import Learning

/// What a student has answered so far.
public struct ScoreView: Sendable {
  private let rows: [Score]
  private let student: String

  /// The score of `student`, who may have no name.
  public init(_ rows: [Score], student: String) {
    self.rows = rows
    self.student = student
  }

  /// A line for each question, and the sum.
  public func document() -> Document {
    guard !rows.isEmpty else { return Document([.paragraph("nothing has been asked yet: 'predict' asks", indent: 0)]) }
    let cells = rows.enumerated().map { number, row in
      [
        "\(number + 1)", RichText(row.scenario, .name), "\(row.kind.rawValue)", "\(row.tries)", "\(row.hints)",
        "\(row.confidence.map(String.init) ?? "")", row.result.glyph + " \(row.result.rawValue)",
      ]
    }
    var document = Document([
      .table(header: ["", "about", "asked for", "tries", "hints", "sure", "result"], rows: cells, indent: 0)
    ])
    document.blocks.append(.space)
    let right = rows.count(where: \.result.isRight)
    let alone = rows.count { $0.result == .alone }
    let whose = student.isEmpty ? "" : "student \(student): "
    document.paragraph("\(whose)\(right) of \(rows.count) right, \(alone) at the first try and without a hint")
    return document
  }
}

extension Score.Result {
  var glyph: RichText {
    switch self {
    case .alone: RichText("✓", .good)
    case .helped, .lookedUp: RichText("✓", .warning)
    case .wrong: RichText("✗", .bad)
    case .revealed: RichText("→", .dim)
    case .leftOut, .open: RichText("·", .dim)
    }
  }
}

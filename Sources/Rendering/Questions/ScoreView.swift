/// What a student has answered so far.
public struct ScoreView: Sendable {
  /// One question and what became of it.
  public struct Row: Sendable, Hashable {
    /// What became of a question.
    public enum Result: String, Sendable, Hashable {
      /// Right at the first try, without a hint.
      case alone = "right"
      /// Right after other tries or with hints.
      case helped = "right, with help"
      /// Answered when this run, or another one of the scenario, had already shown it.
      case lookedUp = "right, looked up"
      /// Answered wrongly and certain of it, or not rightly before the run showed it.
      case wrong
      /// Told.
      case revealed
      /// Not answered, as the quiz was given up.
      case leftOut = "left out"
      /// Not answered yet.
      case open
    }

    /// The case it was about.
    public let scenario: String
    /// What was asked for.
    public let kind: String
    /// How many answers were given.
    public let tries: Int
    /// How many hints were taken.
    public let hints: Int
    /// How sure the student was of the last answer, 1 to 3; nil when it was not said.
    public let confidence: Int?
    /// What became of it.
    public let result: Result

    /// A question and what became of it.
    public init(scenario: String, kind: String, tries: Int, hints: Int, confidence: Int?, result: Result) {
      self.scenario = scenario
      self.kind = kind
      self.tries = tries
      self.hints = hints
      self.confidence = confidence
      self.result = result
    }
  }

  private let rows: [Row]
  private let student: String

  /// The score of `student`, who may have no name.
  public init(_ rows: [Row], student: String) {
    self.rows = rows
    self.student = student
  }

  /// A line for each question, and the sum.
  public func document() -> Document {
    guard !rows.isEmpty else { return Document([.paragraph("nothing has been asked yet: 'predict' asks", indent: 0)]) }
    let cells = rows.enumerated().map { number, row in
      [
        "\(number + 1)", RichText(row.scenario, .name), "\(row.kind)", "\(row.tries)", "\(row.hints)",
        "\(row.confidence.map(String.init) ?? "")", row.result.glyph + " \(row.result.rawValue)",
      ]
    }
    var document = Document([
      .table(header: ["", "about", "asked for", "tries", "hints", "sure", "result"], rows: cells, indent: 0)
    ])
    document.blocks.append(.space)
    let right = rows.count { [.alone, .helped, .lookedUp].contains($0.result) }
    let alone = rows.count { $0.result == .alone }
    let whose = student.isEmpty ? "" : "student \(student): "
    document.paragraph("\(whose)\(right) of \(rows.count) right, \(alone) at the first try and without a hint")
    return document
  }
}

extension ScoreView.Row.Result {
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

import Learning
import Scenarios

/// A report on the sheets of a class: scores, the hardest questions, confident mistakes, and the seals.
public struct GradeReport: Sendable {
  /// A sheet and the file that contains it.
  public struct Row: Sendable {
    /// The file name as the teacher wrote it.
    public let file: String
    /// The sheet of a student.
    public let sheet: Sheet
    /// The state of the sheet's seal.
    public let seal: Sheet.Seal

    /// Creates a row of the report.
    public init(file: String, sheet: Sheet, seal: Sheet.Seal) {
      (self.file, self.sheet, self.seal) = (file, sheet, seal)
    }
  }

  /// A teacher's decision that changes the result of one answer.
  public struct Overruling: Sendable, Hashable {
    /// The name of the student.
    public let student: String
    /// The number of the question on the student's sheet.
    public let number: Int
    /// Whether the answer is accepted as right.
    public let isRight: Bool

    /// Parses a decision such as `ann:3=right`.
    ///
    /// - Throws: `Diagnostics` if the text has another form.
    public init(_ text: String) throws(Diagnostics) {
      let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
      guard parts.count == 2, ["right", "wrong"].contains(parts[1]), let colon = parts[0].lastIndex(of: ":"),
        let number = Int(parts[0][parts[0].index(after: colon)...]), number > 0
      else {
        throw Diagnostics(
          "'\(text)' does not overrule an answer",
          hint: "write STUDENT:NUMBER=right or STUDENT:NUMBER=wrong, such as ann:3=right")
      }
      student = String(parts[0][..<colon])
      self.number = number
      isRight = parts[1] == "right"
    }
  }

  private let rows: [Row]
  private let overrulings: [Overruling]

  /// Creates the report on these sheets, in the order of the students.
  public init(_ rows: [Row], overrulings: [Overruling] = []) {
    self.rows = rows.sorted {
      ($0.sheet.student, $0.sheet.lesson, $0.file) < ($1.sheet.student, $1.sheet.lesson, $1.file)
    }
    self.overrulings = overrulings
  }

  /// Whether every seal is valid.
  public var isClean: Bool { rows.allSatisfy { [.sealed, .unaltered].contains($0.seal) } }

  /// The decisions whose question is on no sheet.
  public var unused: [Overruling] {
    overrulings.filter { one in
      !rows.contains { $0.sheet.student == one.student && $0.sheet.entries.indices.contains(one.number - 1) }
    }
  }

  private func isRight(_ place: Int, of sheet: Sheet) -> Bool {
    let ruling = overrulings.last { $0.student == sheet.student && $0.number == place + 1 }
    return ruling?.isRight ?? (sheet.entries.indices.contains(place) && sheet.entries[place].isRight)
  }

  private func right(of sheet: Sheet) -> Int { sheet.entries.indices.count { isRight($0, of: sheet) } }

  private static func words(_ seal: Sheet.Seal) -> String {
    switch seal {
    case .sealed: "sealed"
    case .unaltered: "unaltered"
    case .altered(let number): "altered from question \(number) on"
    case .needsKey: "sealed, needs --class"
    case .withoutKey: "not sealed with the class's key"
    }
  }

  private func seal(_ row: Row) -> RichText {
    let words = Self.words(row.seal)
    switch row.seal {
    case .sealed, .unaltered: return RichText([Span("✓ ", .good), Span(words)])
    case .needsKey, .withoutKey: return RichText([Span("! ", .warning), Span(words, .warning)])
    case .altered: return RichText([Span("✗ ", .bad), Span(words, .bad)])
    }
  }

  /// The questions with their place on the sheet and number of right answers, hardest first.
  private var questions: [(place: String, asked: Int, right: Int, certain: Int)] {
    var tally: [String: (asked: Int, right: Int, certain: Int)] = [:]
    for row in rows {
      for (place, entry) in row.sheet.entries.enumerated() {
        let isRight = isRight(place, of: row.sheet)
        var count = tally[entry.place] ?? (0, 0, 0)
        count.asked += 1
        count.right += isRight ? 1 : 0
        count.certain += entry.confidence == 3 && !isRight ? 1 : 0
        tally[entry.place] = count
      }
    }
    return tally.map { ($0.key, $0.value.asked, $0.value.right, $0.value.certain) }
      .sorted { ($0.right * $1.asked, $0.place) < ($1.right * $0.asked, $1.place) }
  }

  private static let mostQuestions = 10

  /// The report as text, for a teacher.
  public func document() -> Document {
    var document = Document()
    let table = rows.map { row -> [RichText] in
      let sheet = row.sheet
      return [
        RichText(sheet.student.isEmpty ? "(no name)" : sheet.student, .name), "\(sheet.lesson)",
        "\(right(of: sheet)) of \(sheet.entries.count)", "\(sheet.entries.count(where: \.isAlone))",
        "\(sheet.entries.count(where: \.isConfidentMistake))", "\(sheet.begun)", seal(row),
      ]
    }
    document.blocks.append(
      .table(
        header: ["student", "lesson", "right", "alone", "certain, wrong", "begun", "seal"], rows: table, indent: 0))
    document.heading("Hardest questions")
    let hardest = questions.prefix(Self.mostQuestions).map { one -> [RichText] in
      [RichText(one.place, .name), "\(one.right) of \(one.asked) right", "\(one.certain) certain and wrong"]
    }
    document.blocks.append(.table(header: [], rows: Array(hardest), indent: 2))
    document += mistakes
    document += notes
    return document
  }

  /// The wrong answers that students gave with certainty.
  private var mistakes: Document {
    let mistakes = rows.flatMap { row in
      row.sheet.entries.filter(\.isConfidentMistake).map { entry -> [RichText] in
        [
          RichText(row.sheet.student, .name), "\(entry.scenario)", "\(entry.kind)",
          "\(entry.answers.last ?? ""), not \(entry.right)",
        ]
      }
    }
    guard !mistakes.isEmpty else { return Document() }
    var document = Document()
    document.heading("Certain but wrong answers")
    document.blocks.append(.table(header: [], rows: mistakes, indent: 2))
    return document
  }

  private var notes: Document {
    var document = Document([.space])
    for one in overrulings where !unused.contains(one) {
      document.paragraph(
        "overruled: \(one.student), question \(one.number), is now graded \(one.isRight ? "right" : "wrong")")
    }
    let twins = Dictionary(grouping: rows) { $0.sheet.codes }.values.filter { $0.count > 1 }
    for group in twins {
      document.paragraph("these files are the same sheet: \(group.map(\.file).joined(separator: ", "))")
    }
    if rows.contains(where: { $0.seal == .unaltered }) {
      document.paragraph(
        RichText(
          "'unaltered' means that the file was not edited by hand. Without a class file, anyone with the program can "
            + "seal a sheet. 'repl --class FILE' seals a sheet with a key.", .dim))
    }
    return document
  }

  /// Returns one line for each sheet, in CSV (RFC 4180).
  public func csv() -> String {
    let head = ["student", "lesson", "questions", "right", "alone", "certain and wrong", "begun", "seal", "file"]
    let lines = rows.map { row in
      let sheet = row.sheet
      return [
        sheet.student, sheet.lesson, "\(sheet.entries.count)", "\(right(of: sheet))",
        "\(sheet.entries.count(where: \.isAlone))", "\(sheet.entries.count(where: \.isConfidentMistake))",
        "\(sheet.begun)", Self.words(row.seal), row.file,
      ]
    }
    return ([head] + lines).map { $0.map(Self.cell).joined(separator: ",") + "\r\n" }.joined()
  }

  /// Returns a cell that no spreadsheet interprets as a formula.
  private static func cell(_ text: String) -> String {
    let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
    let safe = isFormula ? "'" + text : text
    guard safe.contains(where: { ",\"\n\r".contains($0) }) else { return safe }
    return "\"\(safe.replacing("\"", with: "\"\""))\""
  }

  /// The report as JSON.
  public var json: JSONValue {
    [
      "trustlab": 1,
      "sheets": .array(
        rows.map { row in
          [
            "file": .string(row.file), "student": .string(row.sheet.student), "lesson": .string(row.sheet.lesson),
            "questions": .integer(row.sheet.entries.count), "right": .integer(right(of: row.sheet)),
            "alone": .integer(row.sheet.entries.count(where: \.isAlone)),
            "certainAndWrong": .integer(row.sheet.entries.count(where: \.isConfidentMistake)),
            "begun": .integer(row.sheet.begun), "seal": .string(Self.words(row.seal)),
          ]
        }),
      "questions": .array(
        questions.map { one in
          [
            "question": .string(one.place), "asked": .integer(one.asked), "right": .integer(one.right),
            "certainAndWrong": .integer(one.certain),
          ]
        }),
    ]
  }
}

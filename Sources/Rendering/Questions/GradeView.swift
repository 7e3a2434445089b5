import Endpoint
import Explanation
import Learning
import Scenarios
import Simulator

/// The grade of an answer, and the reasons for the right answer.
public enum GradeView {
  /// Returns whether the answer is right, with remarks.
  public static func document(_ grade: Grade) -> Document {
    var document = Document()
    document.bullet(
      grade.isRight ? RichText("✓", .good) : RichText("✗", .bad), grade.isRight ? "right" : "not right")
    for remark in grade.remarks {
      document.paragraph(RichText(remark, remark.hasPrefix("Harmful") ? .warning : .plain), indent: 2)
    }
    if let parting = grade.parting { document += self.parting(parting) }
    return document
  }

  /// Returns two runs side by side, from the step at which they first differ.
  private static func parting(_ parting: Parting) -> Document {
    func line(_ steps: [Step], _ place: Int) -> RichText {
      steps.indices.contains(place) ? "\(StepView.oneLine(of: steps[place]))" : RichText("·", .dim)
    }
    let rows = (0..<min(mostSteps, max(parting.before.count, parting.after.count))).map { place in
      [line(parting.before, place), line(parting.after, place)]
    }
    var document = Document([.space])
    document.paragraph(RichText("The runs diverge here:", .dim), indent: 2)
    document.blocks.append(.table(header: ["before", "with the change"], rows: rows, indent: 2))
    return document
  }

  private static let mostSteps = 3

  /// Returns the part that fits on a screen of 24 lines with one line below it. A long reason is cut, and 'why' prints
  /// all of it.
  public static func fitted(_ document: Document, _ style: TextStyle = TextStyle()) -> Document {
    var document = document
    guard QuestionView.rows(of: document, style) > mostRows else { return document }
    while document.blocks.count > 1, QuestionView.rows(of: document, style) >= mostRows { document.blocks.removeLast() }
    document.paragraph(RichText("… there is more: 'run' shows the run, 'why' prints all reasons", .dim), indent: 2)
    return document
  }

  private static let mostRows = 20

  /// Returns the right answer and its reasons.
  public static func answer(to question: Question) -> Document {
    var document = Document()
    document.bullet(RichText("→", .good), "the answer: \(words(for: question))")
    return document + reasons(for: question)
  }

  /// Returns the right answer with its letter: `b, chain.expired`.
  static func words(for question: Question) -> String {
    if case .change(let change, _) = question.solution,
      let place = question.options.firstIndex(where: { $0.text == change.description })
    {
      return "\(Question.letter(place)), \(change)"
    }
    guard case .option(let place) = question.solution, question.options.indices.contains(place) else {
      return question.answer
    }
    return "\(question.answer), \(question.options[place].text)"
  }

  /// Returns the result of the question with this number, at the end of the run.
  ///
  /// `isRight` is nil if the question was not answered.
  public static func ending(of question: Question, number: Int, isRight: Bool?) -> Document {
    var document = Document()
    let name = RichText("question \(number), \(question.kind.rawValue): ")
    switch isRight {
    case true?: document.bullet(RichText("✓", .good), name + "your answer was right: \(plain(question))")
    case false?:
      document.bullet(RichText("✗", .bad), name + "your answer was not right; the right answer is \(plain(question))")
    case nil: document.bullet(RichText("?", .warning), name + "still open: type 'answer' or 'reveal'")
    }
    return document
  }

  private static func plain(_ question: Question) -> String {
    guard case .option(let place) = question.solution, question.options.indices.contains(place) else {
      return question.answer
    }
    return question.options[place].text
  }

  /// Returns the reason for the answer: the engine's finding, goal or proof.
  public static func reasons(for question: Question) -> Document {
    var document = Document()
    switch question.reason {
    case .finding(let finding):
      let outcome = finding.outcome == .violated ? "" : "  \(finding.outcome.rawValue)"
      document.bullet(finding.glyph, RichText(finding.rule.id, .name) + RichText(outcome), indent: 2)
      document.facts(
        finding.facts.filter { ["rule", "about", "required", "found", "overridden", "confidence"].contains($0.key) },
        indent: 4)
    case .goal(let goal, let outcome):
      let line = GoalView(outcome).line(on: goal)
      document.bullet(line.glyph, line.text, indent: 2)
    case .proof(let value, let party, let simulation):
      let knowledge = simulation.knowledge(of: party)
      for step in knowledge.proof(of: value)?.suffix(3) ?? [] {
        document.bullet(
          RichText("✓", .good), RichText(step.value, .name) + ": \(KnowledgeView.way(step.how, by: party))", indent: 2)
      }
      document.paragraph(
        RichText("for the whole proof, type 'run', then 'derive \(value) as \(party)'", .dim), indent: 2)
    case .sentence(let sentence): document.paragraph("\(sentence)", indent: 2)
    }
    return document
  }
}

/// The answers that a student has given.
public struct ScoreView: Sendable {
  private let rows: [Score]
  private let student: String

  /// Creates the score of `student`, whose name may be empty.
  public init(_ rows: [Score], student: String) {
    self.rows = rows
    self.student = student
  }

  /// The score as JSON.
  public var json: JSONValue {
    [
      "trustlab": 1, "student": .string(student),
      "questions": .array(
        rows.map { row in
          [
            "scenario": .string(row.scenario), "kind": .string(row.kind.rawValue), "tries": .integer(row.tries),
            "hints": .integer(row.hints), "confidence": row.confidence.map { .integer($0) } ?? .null,
            "result": .string(row.result.rawValue),
          ]
        }),
      "right": .integer(rows.count(where: \.result.isRight)), "alone": .integer(rows.count { $0.result == .alone }),
    ]
  }

  /// The score as text, with a line for each question and the total.
  public func document() -> Document {
    guard !rows.isEmpty else { return Document([.paragraph("there are no questions yet: type 'predict'", indent: 0)]) }
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
    document.paragraph("\(whose)\(right) of \(rows.count) right, \(alone) of them on the first try and without a hint")
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

import Endpoint
import Learning
import Scenarios
import Simulator

/// The pages of a lesson for a class: its text, its plan and its scenarios.
public struct LessonPages: Sendable {
  let lesson: Lesson
  let runs: [CaseResult]
  private let words: String

  /// Creates the pages of `lesson` from its runs and its own text in Markdown.
  public init(_ lesson: Lesson, runs: [CaseResult], words: String = "") {
    self.lesson = lesson
    self.runs = runs
    self.words = words
  }

  /// The number of scenarios that a class can go through together in 45 minutes.
  static let shown = 3

  var title: String { "\(lesson.id): \(lesson.title)" }

  /// The lesson as text, for a teacher.
  public func document() -> Document {
    var document = Document()
    document.heading("\(title)", level: 1)
    document.facts([
      .init("goal", "\(lesson.goal)"), .init("minutes", "\(lesson.minutes)"),
      .init("builds on", "\(lesson.prerequisites.joined(separator: ", "))"),
      .init("SEED labs", "\(lesson.labs.joined(separator: "; "))"),
    ])
    if !lesson.about.isEmpty {
      document.blocks.append(.space)
      document.paragraph(RichText(words: lesson.about))
    }
    document += Self.markdown(words)
    if !lesson.introduces.isEmpty {
      document.heading("New words")
      let rows = lesson.introduces.compactMap(Glossary.term).map { term in
        [RichText(term.name, .name), RichText(Glossary.chinese[term.name] ?? ""), RichText(term.meaning)]
      }
      document.blocks.append(.table(header: ["word", "中文", "meaning"], rows: rows, indent: 0))
    }
    document.heading("A plan of 45 minutes")
    let plan = plan.map { [RichText("\($0.minutes) min", .strong), RichText($0.what), RichText($0.with, .name)] }
    document.blocks.append(.table(header: [], rows: plan, indent: 0))
    document.heading("Scenarios")
    for run in runs { document += scenario(run) }
    return document
  }

  /// The lesson as a self-contained HTML page.
  public func html() -> String { HTMLPage.text(title: title, body: document().html()) }

  private func scenario(_ run: CaseResult) -> Document {
    let words = WordsView(run.scenario)
    var document = Document([.space])
    document.paragraph(RichText([Span(run.scenario.id, .name), Span("  \(run.scenario.about.title)", .strong)]))
    for part in [words.before, words.answer(run.outcome)] { document += part }
    let because = run.outcome.verdict.because.map(\.id).joined(separator: ", ")
    let lost = Goal.allCases.compactMap { goal in run.outcome.goals[goal].map { "\(goal.rawValue) \($0.rawValue)" } }
    document.facts([
      .init("verdict", "\(run.outcome.verdict.word.rawValue)\(because.isEmpty ? "" : ": \(because)")"),
      .init("goals", "\(lost.joined(separator: ", "))"),
      .init("sources", "\(run.scenario.about.sources.joined(separator: "; "))"),
    ])
    return document + words.after
  }

  /// The plan for 45 minutes of class, which is the same for every lesson: see, predict, compare, discuss.
  public var plan: [(minutes: Int, what: String, with: String)] {
    let ids = lesson.scenarios
    let shown = ids.prefix(Self.shown)
    let disputed = runs.filter { $0.scenario.about.disputed != nil }.map(\.scenario.id).prefix(3)
    let discussed = disputed.isEmpty ? ids.suffix(2) : Array(disputed)[...]
    return [
      (5, "Explain the goal and the new words. Ask for a prediction before you run the scenario.", ids.first ?? ""),
      (
        15, "Step through the run together. Let the class predict each decision.",
        shown.joined(separator: ", ")
      ),
      (
        12, "Work in pairs, each student with a worksheet. Answer the questions, and note how sure you are.",
        "quiz \(lesson.id)"
      ),
      (
        8, "Discuss the hardest question, the most confident mistake, and the disputed point.",
        discussed.joined(separator: ", ")
      ),
      (5, "Find one change that leads to another verdict, and explain its cost.", "set, diff, why"),
    ]
  }

  /// Converts the headings, lists and paragraphs of Markdown. All other text is unchanged.
  private static func markdown(_ text: String) -> Document {
    var document = Document()
    for part in text.replacing("\r\n", with: "\n").split(separator: "\n\n") {
      let lines = part.split(separator: "\n").map(String.init)
      guard let first = lines.first else { continue }
      if first.hasPrefix("#") {
        let level = first.prefix { $0 == "#" }.count
        // The page already has the lesson's title.
        if level > 1 { document.heading(RichText(words: String(first.drop { $0 == "#" || $0 == " " })), level: level) }
      } else if first.hasPrefix("- ") || first.hasPrefix("* ") {
        for line in lines { document.bullet("·", RichText(words: String(line.drop { "-* ".contains($0) }))) }
      } else {
        document.blocks.append(.space)
        document.paragraph(RichText(words: lines.joined(separator: " ")))
      }
    }
    return document
  }
}

/// Worksheets with questions for every student of a class, and the answer key.
public struct WorksheetPages: Sendable {
  /// The questions for a student in order, each with the special settings of its scenario.
  public struct Paper: Sendable {
    /// The name of the student.
    public let student: String
    /// The questions, each with its scenario's id and special settings.
    public let questions: [(question: Question, scenario: String, situation: [(key: String, value: String)])]

    /// Creates the paper of a student.
    public init(
      student: String, questions: [(question: Question, scenario: String, situation: [(key: String, value: String)])]
    ) {
      (self.student, self.questions) = (student, questions)
    }
  }

  private let lesson: Lesson
  private let papers: [Paper]

  /// Creates the pages of these papers on `lesson`.
  public init(_ lesson: Lesson, _ papers: [Paper]) {
    (self.lesson, self.papers) = (lesson, papers)
  }

  /// Returns the questions without answers, for printing. Each student's questions begin on a new page.
  public func worksheet() -> String {
    page("worksheet") { paper in
      paper.questions.enumerated().map { number, one in
        let view = QuestionView(one.question, scenario: one.scenario, situation: one.situation)
        let line = one.question.options.isEmpty ? "answer" : "answer        sure (1 to 3)"
        return "<section><h2>\(number + 1)</h2>\(view.forPaper.html())<p class=\"line\">\(line)</p></section>"
      }.joined(separator: "\n")
    }
  }

  /// Returns the answers and their reasons, for the teacher.
  public func key() -> String {
    page("key") { paper in
      paper.questions.enumerated().map { number, one in
        var document = Document()
        document.paragraph(
          RichText([
            Span("\(number + 1)  ", .strong), Span(one.question.scenario, .name),
            Span("  \(one.question.kind.rawValue)", .dim),
          ]))
        document.paragraph(RichText(GradeView.words(for: one.question), .good), indent: 2)
        return (document + GradeView.reasons(for: one.question)).html()
      }.joined(separator: "\n")
    }
  }

  /// Returns the settings that apply by default; empty for a calculation.
  private static func baseline(of paper: Paper) -> String {
    let isOfConnections = paper.questions.contains { one in
      !one.situation.isEmpty && !one.situation.contains { $0.key == "given" }
    }
    guard isOfConnections else { return "" }
    return
      "All other settings are those of a good connection: an app on iOS 10 loads https://api.example/ with TLS 1.2. "
      + "Issuing signed the server's certificate. Root A, which the system trusts, signed Issuing's certificate."
  }

  private func page(_ name: String, _ body: (Paper) -> String) -> String {
    let parts = papers.map { paper in
      let whose = paper.student.isEmpty ? "name: ____________________" : "student \(paper.student)"
      return """
        <article><h1>\(XMLText.escaped("\(lesson.id): \(lesson.title)"))</h1>
        <p class="whose">\(name), \(XMLText.escaped(whose))</p>
        <p class="whose">\(Self.baseline(of: paper))</p>
        \(body(paper))
        </article>
        """
    }
    let style = """
      <style>article{break-after:page}article:last-child{break-after:auto}section{break-inside:avoid;margin:1em 0 1.4em}
      section h2{float:left;margin:0 .6em 0 0;font-size:1.2em}.whose{color:var(--dim)}
      .line{border-bottom:1px solid currentColor;white-space:pre;margin-top:1.6em;color:var(--dim)}
      @media print{:root{color-scheme:light}body{margin:0;font-size:11pt;background:#fff;color:#000}@page{size:A4;margin:18mm}}
      </style>
      """
    return HTMLPage.text(title: "\(lesson.id) \(name)", body: style + parts.joined(separator: "\n"))
  }
}

extension QuestionView {
  /// The question for printing, with all special settings and without instructions for typing an answer.
  var forPaper: Document {
    var document = whole
    if case .paragraph? = document.blocks.last { document.blocks.removeLast() }
    return document
  }
}

import Learning
import Rendering
import Scenarios
import Simulator

/// The lessons, and the way into them.
extension Session {
  func lessons(_ argument: String) throws -> Output {
    let library = try ScenarioLibrary.curriculum()
    let lessons = try library.lessons()
    guard !argument.isEmpty else { return show(LessonsView(lessons, played: teaching.played).document()) }
    let lesson = try lesson(named: argument, among: lessons)
    let files = try library.files(at: library.paths(where: lesson.scenarios.contains))
    let titles = Dictionary(files.map { ($0.id, $0.cases.first?.about.title ?? "") }) { first, _ in first }
    return show(LessonsView.document(of: lesson, titles: titles, played: teaching.played))
  }

  func lesson(named name: String, among lessons: [Lesson]) throws -> Lesson {
    if let lesson = lessons.lesson(name) { return lesson }
    throw Diagnostics("there is no lesson '\(name)'", hint: Spelling.hint(for: name, among: lessons.map(\.id)))
  }

  /// The scenario by which the lesson `name` goes on: the first one that was not played to its end; nil when there is no
  /// such lesson. From then on the end of each scenario says how the lesson goes on.
  mutating func continuing(_ name: String) throws -> String? {
    let library = try ScenarioLibrary.curriculum()
    do { teaching.lesson = try library.lessons().lesson(name) } catch {
      // A scenario is no lesson: what is wrong with their list stops nobody who opens one.
      guard library.path(ofID: name) != nil || Workbench.isThere(name) else { throw error }
      teaching.lesson = nil
    }
    guard let lesson = teaching.lesson else { return nil }
    guard let first = lesson.scenarios.first else {
      throw Diagnostics("\(lesson.id) has no scenarios yet", hint: "'lessons' shows which lessons have")
    }
    return lesson.scenarios.first { !teaching.played.contains($0) } ?? first
  }

  /// Remembers a scenario that was played to its end; says how its lesson goes on.
  mutating func noteProgress() -> String {
    guard let opened, !teaching.played.contains(opened.scenario.id), opened.hasBeenPlayed else { return "" }
    teaching.played.insert(opened.scenario.id)
    guard let lesson = teaching.lesson, lesson.scenarios.contains(opened.scenario.id) else { return "" }
    let done = lesson.scenarios.count { teaching.played.contains($0) }
    let next =
      done < lesson.scenarios.count ? "'open \(lesson.id)' goes on" : "'quiz \(lesson.id)' asks about all of it"
    return "\n\(lesson.id): \(done) of \(lesson.scenarios.count) played; \(next)"
  }

  // Questions about what is still to come, and their answers.

  var examiner: Examiner { Examiner(player: workbench.player, student: teaching.student) }

  mutating func predict(_ argument: String) throws -> Output {
    if let open = teaching.open { return stillOpen(open) }
    let opened = try requireOpened()
    let subject = Subject(opened.scenario, of: opened.file, at: opened.now)
    if argument.isEmpty {
      let known = teaching.settled(about: opened.key)
      let kinds = examiner.kinds(for: opened.scenario.name).filter { !known.contains($0) }
      guard let question = try examiner.question(among: kinds, about: subject) else { throw nothing(left: subject) }
      return ask(question, subject, about: opened.key)
    }
    guard let kind = Question.Kind(rawValue: argument.lowercased()) else {
      let words = Question.Kind.allCases.map(\.rawValue)
      throw Diagnostics(
        "there are no questions of the kind '\(argument)'", hint: Spelling.hint(for: argument, among: words))
    }
    guard let question = try examiner.question(kind, about: subject) else {
      let isEarly = [.flip, .minimal].contains(kind) && !subject.isOver
      throw Diagnostics(
        isEarly ? "'\(argument)' cannot be asked yet" : "there is no '\(argument)' to ask here",
        hint: try placesOfDetective(kind, subject, opened.file) ?? Self.hint(kind, subject))
    }
    return ask(question, subject, about: opened.key)
  }

  /// Where in the curriculum somebody stands between and is not noticed: only there it can be asked who; nil for other
  /// questions, and where it is too late alone.
  private func placesOfDetective(_ kind: Question.Kind, _ subject: Subject, _ file: ScenarioFile) throws -> String? {
    guard kind == .detective else { return nil }
    if DetectiveQuestion.isPossible(subject.scenario) { return subject.now.trace.steps.isEmpty ? nil : "'reset' first" }
    let why = "it is asked where somebody stands between and is not noticed"
    if let other = file.cases.first(where: DetectiveQuestion.isPossible) {
      return "\(why): open \(file.id)\(other.caseName == Scenario.mainCase ? "" : " \(other.caseName)")"
    }
    let cases = try workbench.curriculum().compactMap(\.cases.first)
    return "\(why): \(cases.filter(DetectiveQuestion.isPossible).map(\.id).joined(separator: ", "))"
  }

  private static func hint(_ kind: Question.Kind, _ subject: Subject) -> String {
    if [.flip, .minimal].contains(kind), !subject.isOver { return "it is asked when the end is known: 'run' first" }
    if !kind.isAboutOtherWorlds, subject.isOver { return "nothing is still to come: 'reset' goes back" }
    return "the run says nothing about it, or has said it already; 'predict' alone asks what it can"
  }

  private func nothing(left subject: Subject) -> Diagnostics {
    Diagnostics(
      "there is nothing more to ask about \(subject.scenario.name) here",
      hint: subject.isOver ? "'reset' and 'predict', or 'lessons'" : "'run' plays it to the end; then 'predict' again")
  }

  private mutating func ask(_ question: Question, _ subject: Subject, about run: String) -> Output {
    // What is special about the scenario is said once, before its first question.
    let isFirst = !teaching.asked.contains { $0.about == run } || question.kind == .compute
    teaching.asked.append(.init(question: question, subject: subject, about: run, isOfQuiz: false))
    return show(view(question, subject, isFirst: isFirst))
  }

  /// The question on one screen, after what is special about its scenario when it is the first about it.
  func view(_ question: Question, _ subject: Subject, isFirst: Bool = true, heading: String? = nil) -> Document {
    let reader = isFirst ? try? workbench.library(of: subject.scenario.file).reader : nil
    return QuestionView(
      question, scenario: subject.scenario.id,
      situation: reader?.situation(of: subject.scenario, for: question.kind) ?? [], heading: heading
    ).document(style)
  }

  mutating func answer(_ argument: String) throws -> Output {
    let open = try requireQuestion()
    let grade = try examiner.grade(argument, to: open.question, about: open.subject)
    teaching.update {
      $0.confidence = grade.confidence
      $0.answers.append(argument)
    }
    var document = GradeView.document(grade)
    guard grade.isRight else {
      teaching.update { $0.misses += 1 }
      guard grade.confidence == 3 else {
        document.blocks.append(.paragraph("'hint' helps, 'answer' tries again, 'reveal' tells", indent: 2))
        return show(document)
      }
      // Wrong and certain of it: what one is certain of does not yield to hints.
      teaching.update { $0.result = .wrong }
      return closing(document + GradeView.answer(to: open.question))
    }
    let isLookedUp = open.isLookedUp || hasSeenEnd(of: open)
    teaching.update { asked in
      asked.result = isLookedUp ? .lookedUp : asked.misses + asked.hints == 0 ? .alone : .helped
    }
    // Why is the next question, unless it was answered already; of what is accepted no rule is to blame.
    if open.question.kind == .verdict, !open.isOfQuiz, open.question.countedAnswer != Verdict.Word.accepted.rawValue,
      try examiner.question(.reason, about: open.subject) != nil
    {
      return show(document + Document([.paragraph("and why? 'predict reason' asks, 'run' shows it", indent: 2)]))
    }
    return closing(document + GradeView.reasons(for: open.question))
  }

  mutating func hint() throws -> Output {
    let open = try requireQuestion()
    let hints = open.question.hints
    let stage = min(open.hints, hints.count - 1)
    guard hints.indices.contains(stage) else { return Output(text: "there is no hint") }
    teaching.update { $0.hints = stage + 1 }
    return show(Document([.paragraph("hint \(stage + 1) of \(hints.count): \(hints[stage])", indent: 0)]))
  }

  mutating func reveal() throws -> Output {
    let open = try requireQuestion()
    teaching.update { $0.result = .revealed }
    return closing(GradeView.answer(to: open.question))
  }

  private func requireQuestion() throws -> Progress.Asked {
    if let open = teaching.open { return open }
    throw Diagnostics(
      "no question is open", hint: "'predict' asks about the open scenario, 'quiz' about those of a lesson")
  }

  /// What to do next, once a question is answered or told: one screen, and behind it the way to the next.
  private mutating func closing(_ document: Document) -> Output {
    guard teaching.asked.last?.isOfQuiz == true, let quiz = teaching.quiz, let subject = teaching.asked.last?.subject
    else {
      let next =
        opened?.hasBeenPlayed == true
        ? "'predict' asks the next, 'score' counts" : "'run' shows it; 'predict' asks the next"
      return show(GradeView.fitted(document, style) + Document([.paragraph(RichText(next, .dim), indent: 2)]))
    }
    let count = quiz.lesson.scenarios.count
    let next = quiz.done < count ? "an empty line asks the next question" : "an empty line shows the score"
    let title = subject.scenario.about.title
    return show(
      GradeView.fitted(document, style)
        + Document([
          .paragraph(RichText("\(subject.scenario.name): \(title)", .dim), indent: 2),
          .paragraph(RichText("\(next) (\(quiz.done) of \(count)); 'run' plays this one", .dim), indent: 2),
        ]))
  }

  func score() -> Output {
    let view = ScoreView(teaching.counted.map(\.score), student: teaching.student.id)
    var output = show(view.document())
    output.pictures = [("application/json", view.json.text(pretty: false))]
    return output
  }

  // What the session does while a question is open: it is not forgotten, nothing tells its answer unasked, and who looks
  // the answer up has looked it up.

  /// The open question once more.
  func stillOpen(_ asked: Progress.Asked) -> Output {
    let line = "question \(teaching.asked.count) is still open, about \(asked.subject.scenario.id): 'reveal' closes it"
    return show(Document([.paragraph(RichText(line, .warning), indent: 0)]) + view(asked.question, asked.subject))
  }

  /// Whether a line that begins with this word answers the open question: `a` is `answer a`.
  func isLetterOfOpenQuestion(_ word: String) -> Bool {
    guard let question = teaching.open?.question, case .option = question.solution else { return false }
    return question.options.indices.contains { Question.letter($0) == word.lowercased() }
  }

  /// Whether a question about this scenario is open.
  func isAsked(about opened: Opened) -> Bool { teaching.open?.subject.scenario.id == opened.scenario.id }

  /// The scenario's name; its id alone while a question about it is open, as the name of a case can be the answer.
  func name(of opened: Opened) -> String { isAsked(about: opened) ? opened.scenario.id : opened.scenario.name }

  /// Commands that play other runs, or this one to its end.
  private static let playing = ["export", "diff"]

  /// Remembers that the answer to the open question has been seen.
  mutating func noteLookingUp(with command: ShellCommand) {
    guard let open = teaching.open, let opened, isAsked(about: opened) else { return }
    guard command.group == .many || Self.playing.contains(command.name) || hasSeenEnd(of: open) else { return }
    teaching.update { $0.isLookedUp = true }
  }

  /// Whether a run of the scenario that was asked about has been played that shows the answer.
  func hasSeenEnd(of asked: Progress.Asked) -> Bool {
    guard let opened, opened.scenario.id == asked.subject.scenario.id else { return false }
    let isSame = opened.key == asked.about
    if isSame, asked.subject.isOver || asked.question.kind.isAboutOtherWorlds { return false }
    let isDecided = !opened.now.outcome.verdict.because.isEmpty && [.verdict, .reason].contains(asked.question.kind)
    return isDecided || opened.hasBeenPlayed
  }

  /// What the end of a run says about the questions that were asked before it, when it has just been reached.
  mutating func notePredictions(since before: Opened?) -> String {
    guard let opened, teaching.asked.contains(where: { $0.about == opened.key }), opened.hasBeenPlayed,
      before.map({ $0.key == opened.key && $0.hasBeenPlayed }) != true
    else { return "" }
    var document = Document()
    for (place, asked) in teaching.asked.enumerated()
    where asked.about == opened.key && !asked.question.kind.isAboutOtherWorlds && asked.result != .revealed {
      let isRight = asked.isOpen && (asked.misses == 0 || asked.isOfQuiz) ? nil : !asked.isMissed
      document += GradeView.ending(of: asked.question, number: place + 1, isRight: isRight)
      // The run has told what the answer did not.
      if asked.isOpen, isRight == false { teaching.asked[place].result = .wrong }
    }
    return document.blocks.isEmpty ? "" : "\n" + show(document).text
  }
}

import Learning
import Rendering
import Scenarios
import Simulator

/// The commands about lessons and their questions.
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
    throw Diagnostics("no such lesson: '\(name)'", hint: Spelling.hint(for: name, among: lessons.map(\.id)))
  }

  /// Returns the first unplayed scenario of the lesson `name`; nil if there is no such lesson.
  ///
  /// The lesson becomes the current one, so that the end of each scenario names the next.
  mutating func continuing(_ name: String) throws -> String? {
    let library = try ScenarioLibrary.curriculum()
    do { teaching.lesson = try library.lessons().lesson(name) } catch {
      // An invalid list of lessons must not prevent opening a scenario.
      guard library.path(ofID: name) != nil || Workbench.isThere(name) else { throw error }
      teaching.lesson = nil
    }
    guard let lesson = teaching.lesson else { return nil }
    guard let first = lesson.scenarios.first else {
      throw Diagnostics(
        "the lesson \(lesson.id) has no scenarios yet", hint: "choose a lesson with scenarios from 'lessons'")
    }
    return lesson.scenarios.first { !teaching.played.contains($0) } ?? first
  }

  /// Records a scenario that was played to its end. Returns the student's progress in its lesson.
  mutating func noteProgress() -> String {
    guard let opened, !teaching.played.contains(opened.scenario.id), opened.hasBeenPlayed else { return "" }
    teaching.played.insert(opened.scenario.id)
    guard let lesson = teaching.lesson, lesson.scenarios.contains(opened.scenario.id) else { return "" }
    let done = lesson.scenarios.count { teaching.played.contains($0) }
    let next =
      done < lesson.scenarios.count
      ? "type 'open \(lesson.id)' to continue" : "type 'quiz \(lesson.id)' for questions about it"
    return "\n\(lesson.id): \(done) of \(lesson.scenarios.count) played; \(next)"
  }

  // Questions about later steps, and their answers.

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
        "unknown kind of question '\(argument)'", hint: Spelling.hint(for: argument, among: words))
    }
    guard let question = try examiner.question(kind, about: subject) else {
      let isEarly = [.flip, .minimal].contains(kind) && !subject.isOver
      throw Diagnostics(
        isEarly ? "it is too early for a '\(argument)' question" : "this scenario has no '\(argument)' question now",
        hint: try placesOfDetective(kind, subject, opened.file) ?? Self.hint(kind, subject))
    }
    return ask(question, subject, about: opened.key)
  }

  /// Returns a hint about where the `detective` question can be asked. Returns nil for other questions, and if the
  /// question can be asked now.
  private func placesOfDetective(_ kind: Question.Kind, _ subject: Subject, _ file: ScenarioFile) throws -> String? {
    guard kind == .detective else { return nil }
    if DetectiveQuestion.isPossible(subject.scenario) { return subject.now.trace.steps.isEmpty ? nil : "'reset' first" }
    let why = "the question requires a scenario with an undetected interceptor"
    if let other = file.cases.first(where: DetectiveQuestion.isPossible) {
      return "\(why): open \(file.id)\(other.caseName == Scenario.mainCase ? "" : " \(other.caseName)")"
    }
    let cases = try workbench.curriculum().compactMap(\.cases.first)
    return "\(why): \(cases.filter(DetectiveQuestion.isPossible).map(\.id).joined(separator: ", "))"
  }

  private static func hint(_ kind: Question.Kind, _ subject: Subject) -> String {
    if [.flip, .minimal].contains(kind), !subject.isOver { return "first play the scenario to its end with 'run'" }
    if !kind.isAboutOtherWorlds, subject.isOver { return "the run is over: go back to its beginning with 'reset'" }
    return "this run has no answer, or has already shown it: 'predict' asks any possible question"
  }

  private func nothing(left subject: Subject) -> Diagnostics {
    Diagnostics(
      "there are no more questions about \(subject.scenario.name) here",
      hint: subject.isOver
        ? "use 'reset' and 'predict', or choose another lesson with 'lessons'"
        : "play to the end with 'run', then type 'predict' again")
  }

  private mutating func ask(_ question: Question, _ subject: Subject, about run: String) -> Output {
    // The scenario's special values are shown only before its first question.
    let isFirst = !teaching.asked.contains { $0.about == run } || question.kind == .compute
    teaching.asked.append(.init(question: question, subject: subject, about: run, isOfQuiz: false))
    return show(view(question, subject, isFirst: isFirst))
  }

  /// Returns the question on one screen. The first question about a scenario follows the scenario's special values.
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
        document.blocks.append(.paragraph("'hint' helps, 'answer' tries again, 'reveal' shows the answer", indent: 2))
        return show(document)
      }
      // If the student was certain of a wrong answer, the question ends: hints would not help.
      teaching.update { $0.result = .wrong }
      return closing(document + GradeView.answer(to: open.question))
    }
    let isLookedUp = open.isLookedUp || hasSeenEnd(of: open)
    teaching.update { asked in
      asked.result = isLookedUp ? .lookedUp : asked.misses + asked.hints == 0 ? .alone : .helped
    }
    // The next question asks for the reason, unless it was already answered. An accepted connection has no reason.
    if open.question.kind == .verdict, !open.isOfQuiz, open.question.countedAnswer != Verdict.Word.accepted.rawValue,
      try examiner.question(.reason, about: open.subject) != nil
    {
      return show(
        document
          + Document([.paragraph("and why? 'predict reason' asks you for the reason, 'run' shows it", indent: 2)]))
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
      "no question is open", hint: "use 'predict' for the open scenario, or 'quiz' for a lesson")
  }

  /// Closes an answered or revealed question, and shows how to continue.
  private mutating func closing(_ document: Document) -> Output {
    guard teaching.asked.last?.isOfQuiz == true, let quiz = teaching.quiz, let subject = teaching.asked.last?.subject
    else {
      let next =
        opened?.hasBeenPlayed == true
        ? "'predict' asks the next question, 'score' shows your score"
        : "'run' plays the scenario; 'predict' asks the next question"
      return show(GradeView.fitted(document, style) + Document([.paragraph(RichText(next, .dim), indent: 2)]))
    }
    let count = quiz.lesson.scenarios.count
    let next = quiz.done < count ? "an empty line asks the next question" : "an empty line shows the score"
    let title = subject.scenario.about.title
    return show(
      GradeView.fitted(document, style)
        + Document([
          .paragraph(RichText("\(subject.scenario.name): \(title)", .dim), indent: 2),
          .paragraph(RichText("\(next) (\(quiz.done) of \(count)); 'run' plays this scenario", .dim), indent: 2),
        ]))
  }

  func score() -> Output {
    let view = ScoreView(teaching.counted.map(\.score), student: teaching.student.id)
    var output = show(view.document())
    output.pictures = [("application/json", view.json.text(pretty: false))]
    return output
  }

  // While a question is open, the session repeats it, does not reveal its answer, and records whether the student looks
  // the answer up.

  /// Shows the open question again.
  func stillOpen(_ asked: Progress.Asked) -> Output {
    let line = "question \(teaching.asked.count) about \(asked.subject.scenario.id) is still open: 'reveal' closes it"
    return show(Document([.paragraph(RichText(line, .warning), indent: 0)]) + view(asked.question, asked.subject))
  }

  /// Returns whether a line that begins with this word answers the open question: `a` means `answer a`.
  func isLetterOfOpenQuestion(_ word: String) -> Bool {
    guard let question = teaching.open?.question, case .option = question.solution else { return false }
    return question.options.indices.contains { Question.letter($0) == word.lowercased() }
  }

  /// Returns whether a question about this scenario is open.
  func isAsked(about opened: Opened) -> Bool { teaching.open?.subject.scenario.id == opened.scenario.id }

  /// Returns the name of the scenario. While a question about it is open, returns only its id, because a case name may
  /// be the answer.
  func name(of opened: Opened) -> String { isAsked(about: opened) ? opened.scenario.id : opened.scenario.name }

  /// The commands outside the group `many` that play another run, or play this run to its end.
  private static let playing = ["export", "diff"]

  /// Records that the student has seen the answer to the open question.
  mutating func noteLookingUp(with command: ShellCommand) {
    guard let open = teaching.open, let opened, isAsked(about: opened) else { return }
    guard command.group == .many || Self.playing.contains(command.name) || hasSeenEnd(of: open) else { return }
    teaching.update { $0.isLookedUp = true }
  }

  /// Returns whether the student has played a run that shows the answer.
  func hasSeenEnd(of asked: Progress.Asked) -> Bool {
    guard let opened, opened.scenario.id == asked.subject.scenario.id else { return false }
    let isSame = opened.key == asked.about
    if isSame, asked.subject.isOver || asked.question.kind.isAboutOtherWorlds { return false }
    let isDecided = !opened.now.outcome.verdict.because.isEmpty && [.verdict, .reason].contains(asked.question.kind)
    return isDecided || opened.hasBeenPlayed
  }

  /// Compares the student's predictions with a run that has just reached its end.
  mutating func notePredictions(since before: Opened?) -> String {
    guard let opened, teaching.asked.contains(where: { $0.about == opened.key }), opened.hasBeenPlayed,
      before.map({ $0.key == opened.key && $0.hasBeenPlayed }) != true
    else { return "" }
    var document = Document()
    for (place, asked) in teaching.asked.enumerated()
    where asked.about == opened.key && !asked.question.kind.isAboutOtherWorlds && asked.result != .revealed {
      let isRight = asked.isOpen && (asked.misses == 0 || asked.isOfQuiz) ? nil : !asked.isMissed
      document += GradeView.ending(of: asked.question, number: place + 1, isRight: isRight)
      // The run shows that the answer was wrong.
      if asked.isOpen, isRight == false { teaching.asked[place].result = .wrong }
    }
    return document.blocks.isEmpty ? "" : "\n" + show(document).text
  }
}

import Learning
import Rendering
import Scenarios
import Simulator

/// Questions about what is still to come, and their answers.
extension Session {
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
      throw Complaint(
        message: "there are no questions of the kind '\(argument)'", hint: Spelling.hint(for: argument, among: words))
    }
    guard let question = try examiner.question(kind, about: subject) else {
      let isEarly = [.flip, .minimal].contains(kind) && !subject.isOver
      throw Complaint(
        message: isEarly ? "'\(argument)' cannot be asked yet" : "there is no '\(argument)' to ask here",
        hint: Self.hint(kind, subject))
    }
    return ask(question, subject, about: opened.key)
  }

  private static func hint(_ kind: Question.Kind, _ subject: Subject) -> String {
    if [.flip, .minimal].contains(kind), !subject.isOver { return "it is asked when the end is known: 'run' first" }
    if !kind.isAboutOtherWorlds, subject.isOver { return "nothing is still to come: 'reset' goes back" }
    return "the run says nothing about it, or has said it already; 'predict' alone asks what it can"
  }

  private func nothing(left subject: Subject) -> Complaint {
    Complaint(
      message: "there is nothing more to ask about \(subject.scenario.name) here",
      hint: subject.isOver ? "'reset' and 'predict', or 'lessons'" : "'run' plays it to the end; then 'predict' again")
  }

  private mutating func ask(_ question: Question, _ subject: Subject, about run: String) -> Output {
    // What is special about the scenario is said once, before its first question.
    let isFirst = !teaching.asked.contains { $0.about == run } || question.kind == .compute
    teaching.asked.append(.init(question: question, subject: subject, about: run, isOfQuiz: false))
    return show(view(question, subject, isFirst: isFirst))
  }

  /// The question, after what is special about its scenario when it is the first about it.
  func view(_ question: Question, _ subject: Subject, isFirst: Bool = true, heading: String? = nil) -> Document {
    let reader = isFirst ? try? workbench.library(of: subject.scenario.file).reader : nil
    return QuestionView(
      question, scenario: subject.scenario.id, title: subject.scenario.about.title,
      caseName: subject.scenario.caseName == Scenario.mainCase ? nil : subject.scenario.caseName,
      situation: reader?.situation(of: subject.scenario, for: question.kind) ?? [], heading: heading
    ).document()
  }

  mutating func answer(_ argument: String) throws -> Output {
    let open = try requireQuestion()
    let grade: Grade
    do throws(AnswerError) { grade = try examiner.grade(argument, to: open.question, about: open.subject) } catch {
      throw Complaint(message: error.message, hint: error.hint)
    }
    teaching.update { $0.confidence = grade.confidence }
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
    // Why is the next question, unless it was answered already.
    if open.question.kind == .verdict, !open.isOfQuiz, try examiner.question(.reason, about: open.subject) != nil {
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
    throw Complaint(
      message: "no question is open", hint: "'predict' asks about the open scenario, 'quiz' about those of a lesson")
  }

  /// What to do next, once a question is answered or told; in a quiz the next question.
  private mutating func closing(_ document: Document) -> Output {
    guard teaching.asked.last?.isOfQuiz == true else {
      let next =
        opened?.hasBeenPlayed == true
        ? "'predict' asks the next, 'score' counts" : "'run' shows it; 'predict' asks the next"
      return show(document + Document([.paragraph(RichText(next, .dim), indent: 2)]))
    }
    do { return Output(text: show(document + Document([.space])).text + (try nextOfQuiz().text)) } catch {
      return show(document)
    }
  }

  func score() -> Output {
    show(ScoreView(teaching.counted.map(\.score), student: teaching.student.id).document())
  }
}

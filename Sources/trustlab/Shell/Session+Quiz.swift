import Learning
import Rendering
import Scenarios

/// A walk through a lesson: a question about each of its scenarios.
extension Session {
  mutating func quiz(_ argument: String) throws -> Output {
    let lessons = try ScenarioLibrary.curriculum().lessons()
    if let quiz = teaching.quiz, let open = teaching.open, open.isOfQuiz {
      if try argument.isEmpty || self.lesson(named: argument, among: lessons).id == quiz.lesson.id {
        return show(view(open.question, open.subject, heading: quizHeading))
      }
    } else if let open = teaching.open {
      return stillOpen(open)
    }
    let lesson = try lesson(argument, among: lessons)
    guard !lesson.scenarios.isEmpty else {
      throw Complaint(message: "\(lesson.id) has no scenarios yet", hint: "'lessons' shows which lessons have")
    }
    teaching.leaveOut()
    teaching.quiz = .init(lesson: lesson, start: teaching.asked.count)
    return try nextOfQuiz()
  }

  private func lesson(_ argument: String, among lessons: [Lesson]) throws -> Lesson {
    guard argument.isEmpty else { return try self.lesson(named: argument, among: lessons) }
    if let lesson = opened.flatMap({ lessons.lesson(of: $0.scenario.id) }) { return lesson }
    if let lesson = lessons.first { return lesson }
    throw Complaint(message: "there are no lessons", hint: "'list' prints the scenarios there are")
  }

  private var quizHeading: String {
    teaching.quiz.map { "Quiz \($0.lesson.id), question \($0.done) of \($0.lesson.scenarios.count)" } ?? ""
  }

  /// Opens the next scenario that there is something to ask about, and asks; at the end, the score.
  mutating func nextOfQuiz() throws -> Output {
    while let quiz = teaching.quiz, quiz.done < quiz.lesson.scenarios.count {
      let id = quiz.lesson.scenarios[quiz.done]
      teaching.quiz?.done += 1
      let file = try workbench.file(for: id)
      guard let scenario = examiner.student.pick(file.cases, for: "quiz/\(id)") else { continue }
      let opened = Opened(
        file: file, written: scenario, scenario: scenario, beginning: try workbench.player.simulation(of: scenario))
      self.opened = opened
      earlier = []
      guard let (question, subject) = try questionOfQuiz(quiz.done) else { continue }
      teaching.asked.append(.init(question: question, subject: subject, about: opened.key, isOfQuiz: true))
      return show(view(question, subject, heading: quizHeading))
    }
    guard let quiz = teaching.quiz else { return Output(text: "") }
    teaching.quiz = nil
    let rows = teaching.asked.dropFirst(quiz.start).map(\.score)
    return show(
      Document([.paragraph(RichText("The quiz on \(quiz.lesson.id) is over.", .strong), indent: 0)])
        + ScoreView(Array(rows), student: teaching.student.id).document())
  }

  /// Every third question is about changing a run that is over; the others are asked before it begins.
  private mutating func questionOfQuiz(_ place: Int) throws -> (Question, Subject)? {
    guard let opened else { return nil }
    let start = Subject(opened.scenario, of: opened.file, at: opened.now)
    let kinds = examiner.kinds(for: opened.scenario.name)
    if place % 3 == 2 {
      var over = opened
      while over.step() {}
      let end = Subject(over.scenario, of: over.file, at: over.now)
      if let question = try examiner.question(among: [.minimal, .flip], about: end) {
        self.opened = over
        return (question, end)
      }
    }
    return try examiner.question(among: kinds, about: start).map { ($0, start) }
  }
}

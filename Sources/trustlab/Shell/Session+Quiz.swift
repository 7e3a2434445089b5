import Foundation
import Learning
import Rendering
import Scenarios
import Simulator

/// The commands of a quiz, which has a question about each scenario of a lesson, one per screen.
extension Session {
  mutating func quiz(_ argument: String) throws -> Output {
    let lessons = try ScenarioLibrary.curriculum().lessons()
    if let quiz = teaching.quiz {
      if try argument.isEmpty || self.lesson(named: argument, among: lessons).id == quiz.lesson.id {
        guard let open = teaching.open, open.isOfQuiz else { return try nextOfQuiz() }
        return show(view(open.question, open.subject, heading: quizHeading))
      }
    } else if let open = teaching.open {
      return stillOpen(open)
    }
    let lesson = try lesson(argument, among: lessons)
    guard !lesson.scenarios.isEmpty else {
      throw Diagnostics(
        "the lesson \(lesson.id) has no scenarios yet", hint: "choose a lesson with scenarios from 'lessons'")
    }
    teaching.leaveOut()
    teaching.begun[lesson.id, default: 0] += 1
    teaching.quiz = .init(lesson: lesson, start: teaching.asked.count)
    return try nextOfQuiz()
  }

  private func lesson(_ argument: String, among lessons: [Lesson]) throws -> Lesson {
    guard argument.isEmpty else { return try self.lesson(named: argument, among: lessons) }
    if let lesson = opened.flatMap({ lessons.lesson(of: $0.scenario.id) }) { return lesson }
    if let lesson = lessons.first { return lesson }
    throw Diagnostics("there are no lessons", hint: "choose a scenario from 'list'")
  }

  private var quizHeading: String {
    teaching.quiz.map { "Quiz \($0.lesson.id), question \($0.done) of \($0.lesson.scenarios.count)" } ?? ""
  }

  /// Whether an empty line continues with the next question of the quiz.
  var awaitsNextQuestion: Bool { teaching.quiz != nil && teaching.open == nil }

  /// Asks about the next scenario that has a question. At the end, shows the score.
  mutating func nextOfQuiz() throws -> Output {
    while var quiz = teaching.quiz, quiz.done < quiz.lesson.scenarios.count {
      let place = quiz.done
      let file = try workbench.file(for: quiz.lesson.scenarios[place])
      quiz.done += 1
      let found = try examiner.question(about: file, at: place, of: &quiz)
      teaching.quiz = quiz
      guard let (question, subject) = found else { continue }
      var opened = Opened(
        file: file, written: subject.scenario, scenario: subject.scenario,
        beginning: try workbench.player.simulation(of: subject.scenario))
      if subject.isOver { while opened.step() {} }
      self.opened = opened
      earlier = []
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
}

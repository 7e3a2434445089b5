import Learning
import Rendering
import Scenarios

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
    throw Complaint(message: "there is no lesson '\(name)'", hint: Spelling.hint(for: name, among: lessons.map(\.id)))
  }

  /// The scenario by which the lesson `name` goes on: the first one that was not played to its end; nil when there is no
  /// such lesson. From then on the end of each scenario says how the lesson goes on.
  mutating func continuing(_ name: String) throws -> String? {
    teaching.lesson = try ScenarioLibrary.curriculum().lessons().lesson(name)
    guard let lesson = teaching.lesson else { return nil }
    guard let first = lesson.scenarios.first else {
      throw Complaint(message: "\(lesson.id) has no scenarios yet", hint: "'lessons' shows which lessons have")
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
}

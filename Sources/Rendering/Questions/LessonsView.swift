import Learning
import Scenarios

/// A list of the lessons for a student, with the student's progress and the next commands.
public struct LessonsView: Sendable {
  private let lessons: [Lesson]
  private let played: Set<String>

  /// Creates a view of these lessons, for a student who has played these scenarios to their end.
  public init(_ lessons: [Lesson], played: Set<String> = []) {
    self.lessons = lessons
    self.played = played
  }

  /// The list as text: a line for each lesson, and the first commands.
  public func document() -> Document {
    let rows = lessons.map { lesson -> [RichText] in
      let done = lesson.scenarios.count { played.contains($0) }
      let count = lesson.scenarios.isEmpty ? "planned" : "\(done) of \(lesson.scenarios.count)"
      return [
        glyph(lesson), RichText(lesson.id, .name), "\(lesson.title)", "\(lesson.minutes) min", "\(count)",
      ]
    }
    var document = Document([.table(header: ["", "", "lesson", "time", "played"], rows: rows, indent: 0)])
    document.blocks.append(.space)
    if let next = lessons.first(where: { !isDone($0) && !$0.scenarios.isEmpty }) {
      document.paragraph("The next lesson is \(next.id): \(next.goal)")
      let commands = ["open", "quiz", "lessons"].map { RichText("'\($0) \(next.id)'", .name) }
      document.paragraph(
        "Type " + commands[0] + " to begin, " + commands[1] + " for questions, " + commands[2] + " for more.")
    }
    return document
  }

  /// Returns one lesson as text: its topic, its goal, and its scenarios with their titles.
  public static func document(of lesson: Lesson, titles: [String: String], played: Set<String>) -> Document {
    var document = Document()
    document.paragraph(RichText([Span(lesson.id, .name), Span("  \(lesson.title)", .strong)]))
    document.paragraph(RichText(words: lesson.about))
    document.paragraph("Goal: \(lesson.goal) (\(lesson.minutes) minutes)")
    document.facts([
      .init("builds on", "\(lesson.prerequisites.joined(separator: ", "))"),
      .init("new words", "\(lesson.introduces.joined(separator: ", "))"),
    ])
    let rows = lesson.scenarios.map { id in
      [
        RichText(played.contains(id) ? "✓" : "·", played.contains(id) ? .good : .dim), RichText(id, .name),
        "\(titles[id] ?? "")",
      ]
    }
    document.blocks.append(.space)
    document.blocks.append(.table(header: [], rows: rows, indent: 0))
    if lesson.missing > 0 { document.paragraph(RichText("\(lesson.missing) more are planned", .dim), indent: 2) }
    guard let next = lesson.scenarios.first(where: { !played.contains($0) }) ?? lesson.scenarios.first else {
      return document
    }
    document.blocks.append(.space)
    document.facts([
      .init("begin", RichText("open \(next)", .name)), .init("questions", RichText("quiz \(lesson.id)", .name)),
    ])
    return document
  }

  private func isDone(_ lesson: Lesson) -> Bool { lesson.scenarios.allSatisfy(played.contains) }

  private func glyph(_ lesson: Lesson) -> RichText {
    isDone(lesson) && !lesson.scenarios.isEmpty ? RichText("✓", .good) : RichText("·", .dim)
  }
}

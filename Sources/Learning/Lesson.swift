import Scenarios

/// A lesson of the curriculum: what its students can do afterwards, and the scenarios that get them there.
public struct Lesson: Sendable, Hashable {
  /// Its name: `L1`.
  public let id: String
  /// What it is about, in a few words.
  public let title: String
  /// What it is about and why, in one paragraph; empty where the file has none.
  public let about: String
  /// What its students can do afterwards.
  public let goal: String
  /// How long a class needs, in minutes.
  public let minutes: Int
  /// The ids of the lessons that its students have gone through before.
  public let prerequisites: [String]
  /// The words of the glossary that its students meet here first.
  public let introduces: [String]
  /// The tasks of the SEED labs that its scenarios are about: `PKI 1`.
  public let labs: [String]
  /// The ids of its scenarios, in the order of teaching; those that are not there yet too.
  public let all: [String]
  /// The ids of its scenarios whose file is there, in the order of teaching.
  public let scenarios: [String]

  /// How many of its scenarios are not there yet.
  public var missing: Int { all.count - scenarios.count }
}

extension [Lesson] {
  /// The lesson called `id`, in any case; nil when there is none.
  public func lesson(_ id: String) -> Lesson? { first { $0.id.lowercased() == id.lowercased() } }

  /// The lesson that a scenario belongs to; nil when it belongs to none.
  public func lesson(of scenario: String) -> Lesson? { first { $0.all.contains(scenario) } }
}

extension ScenarioLibrary {
  /// The lessons of the folder, as its `lessons.yaml` has them, in the order in which they build on each other.
  ///
  /// - Throws: `Diagnostics` when the file is missing, or with all that is wrong in it.
  public func lessons() throws(Diagnostics) -> [Lesson] {
    let path = "\(folder)/\(Self.lessonsFile)"
    return try LessonReading(present: ids).lessons(try Self.read(path), path: path)
  }
}

/// Reads `lessons.yaml`: strictly, all that is wrong at once, each with its place.
struct LessonReading {
  /// The ids of the scenarios whose files are there.
  let present: [String]

  private static let file = WordSection(
    "lessons file", "The lessons of a folder of scenarios.",
    [Word("lessons", .list(.section("lesson")), "the lessons, in the order in which they build on each other")])

  private static let lesson = WordSection(
    "lesson", "What its students can do afterwards, and how they get there.",
    [
      Word("id", .text, "its name: L1"),
      Word("title", .text, "what it is about"),
      Word("about", .text, "what it is about and why, in one paragraph"),
      Word("goal", .text, "what its students can do afterwards"),
      Word("minutes", .integer(1...600), "how long a class needs"),
      Word("prerequisites", .list(.text), "the lessons before it that its students have gone through"),
      Word("introduces", .list(.text), "the words of the glossary that its students meet here first"),
      Word("labs", .list(.text), "the tasks of the SEED labs that it is about"),
      Word("scenarios", .list(.text), "its scenarios, in the order of teaching"),
      Word("planned", .list(.text), "those of them whose file is not there yet"),
    ])

  private static let optional = ["about", "planned", "prerequisites", "introduces", "labs"]

  func lessons(_ bytes: [UInt8], path: String) throws(Diagnostics) -> [Lesson] {
    let document = try YAMLDocument(bytes, file: path)
    let sink = DiagnosticSink(lines: [path: document.lines])
    let reader = NodeReader(node: document.root, path: ScenarioLibrary.lessonsFile, sink: sink)
    guard let map = reader.map(Self.file) else { throw Diagnostics(sink.all) }
    if map["lessons"] == nil { reader.fail("there are no lessons", hint: "write lessons: [{ id: L0, … }]") }
    var seen: Set<String> = []
    let lessons = map["lessons"]?.list { item in lesson(item, seen: &seen) } ?? []
    _ = try sink.finish()
    return lessons
  }

  private func lesson(_ reader: NodeReader, seen: inout Set<String>) -> Lesson? {
    guard let map = reader.map(Self.lesson) else { return nil }
    for word in Self.lesson.words where map[word.name] == nil && !Self.optional.contains(word.name) {
      reader.fail("a lesson has '\(word.name)'", hint: "\(word.name): \(word.meaning)")
    }
    let id = map["id"]?.text()
    if let id, !seen.insert("lesson \(id)").inserted { map["id"]?.fail("there are two lessons '\(id)'") }
    let scenarios = map["scenarios"].map { ids($0, seen: &seen) } ?? []
    let planned = Set(map["planned"].map { self.planned($0, of: scenarios.map(\.id)) } ?? [])
    let known = Set(present)
    for scenario in scenarios where !known.contains(scenario.id) && !planned.contains(scenario.id) {
      scenario.reader.fail("there is no scenario '\(scenario.id)'", hint: hint(for: scenario.id))
    }
    guard let id, let title = map["title"]?.text(), let goal = map["goal"]?.text(),
      let minutes = map["minutes"]?.integer(1...600)
    else { return nil }
    let prerequisites = map["prerequisites"].map { self.prerequisites($0, of: id, among: seen) } ?? []
    let introduces = map["introduces"].map { introduced($0, seen: &seen) } ?? []
    let about = map["about"]?.text()?.split(whereSeparator: \.isWhitespace).joined(separator: " ") ?? ""
    let all = scenarios.map(\.id)
    return Lesson(
      id: id, title: title, about: about, goal: goal, minutes: minutes, prerequisites: prerequisites,
      introduces: introduces, labs: map["labs"]?.list { $0.text() } ?? [],
      all: all,
      scenarios: all.filter(known.contains))
  }

  /// Lessons that stand before this one in the file.
  private func prerequisites(_ list: NodeReader, of lesson: String, among seen: Set<String>) -> [String] {
    list.list { item in
      guard let id = item.text() else { return nil }
      guard id != lesson, seen.contains("lesson \(id)") else {
        item.fail("there is no lesson '\(id)' before \(lesson)", hint: "lessons stand in the order of teaching")
        return nil
      }
      return id
    } ?? []
  }

  /// Words, each of which is met first in one lesson alone.
  private func introduced(_ list: NodeReader, seen: inout Set<String>) -> [String] {
    list.list { item in
      guard let word = item.text() else { return nil }
      if !seen.insert("word \(word)").inserted {
        item.fail("'\(word)' is introduced twice", hint: "name it where it is met first")
      }
      return word
    } ?? []
  }

  private func ids(_ list: NodeReader, seen: inout Set<String>) -> [(id: String, reader: NodeReader)] {
    list.list { item in
      guard let id = item.text() else { return nil }
      if !seen.insert(id).inserted { item.fail("'\(id)' is listed twice", hint: "a scenario belongs to one lesson") }
      return (id, item)
    } ?? []
  }

  private func planned(_ list: NodeReader, of scenarios: [String]) -> [String] {
    list.list { item in
      guard let id = item.text() else { return nil }
      guard scenarios.contains(id) else {
        item.fail("'\(id)' is not among the lesson's scenarios", hint: Spelling.hint(for: id, among: scenarios))
        return nil
      }
      return id
    } ?? []
  }

  private func hint(for id: String) -> String {
    Spelling.nearest(to: id, among: present).map {
      "did you mean '\($0)'? If its file is not there yet: planned: [\(id)]"
    }
      ?? "if its file is not there yet: planned: [\(id)]"
  }
}

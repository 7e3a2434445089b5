import Scenarios

/// A lesson of the curriculum: its goal, and the scenarios that lead to it.
public struct Lesson: Sendable, Hashable {
  /// The id of the lesson: `L1`.
  public let id: String
  /// The subject of the lesson, in a few words.
  public let title: String
  /// A paragraph about the subject and the purpose of the lesson; empty if the file has none.
  public let about: String
  /// The skills that students have after the lesson.
  public let goal: String
  /// The time that a class needs, in minutes.
  public let minutes: Int
  /// The ids of the lessons that students complete first.
  public let prerequisites: [String]
  /// The glossary terms that the lesson introduces.
  public let introduces: [String]
  /// The tasks of the SEED labs that the lesson's scenarios cover: `PKI 1`.
  public let labs: [String]
  /// The ids of the lesson's scenarios in teaching order, including planned scenarios without a file.
  public let all: [String]
  /// The ids of the lesson's scenarios that have a file, in teaching order.
  public let scenarios: [String]

  /// The number of the lesson's scenarios without a file.
  public var missing: Int { all.count - scenarios.count }
}

extension [Lesson] {
  /// Returns the lesson with this id, ignoring case; nil if there is none.
  public func lesson(_ id: String) -> Lesson? { first { $0.id.lowercased() == id.lowercased() } }

  /// Returns the lesson that contains a scenario; nil if there is none.
  public func lesson(of scenario: String) -> Lesson? { first { $0.all.contains(scenario) } }
}

extension ScenarioLibrary {
  /// Reads the lessons of the folder from its `lessons.yaml`, in teaching order.
  ///
  /// - Throws: `Diagnostics` if the file is missing, or with all errors in the file.
  public func lessons() throws(Diagnostics) -> [Lesson] {
    let path = "\(folder)/\(Self.lessonsFile)"
    return try LessonReading(present: ids).lessons(try Self.read(path), path: path)
  }
}

/// Reads `lessons.yaml` strictly, and reports every error with its location.
struct LessonReading {
  /// The ids of the scenarios that have a file.
  let present: [String]

  private static let file = WordSection(
    "lessons file", "The lessons of a folder of scenarios.",
    [Word("lessons", .list(.section("lesson")), "the lessons, in the order in which they build on each other")])

  private static let lesson = WordSection(
    "lesson", "A lesson's goal, and the scenarios that lead to it.",
    [
      Word("id", .text, "the id of the lesson: L1"),
      Word("title", .text, "the subject of the lesson"),
      Word("about", .text, "the subject and its purpose, in one paragraph"),
      Word("goal", .text, "the skills that students have after the lesson"),
      Word("minutes", .integer(1...600), "the time that a class needs"),
      Word("prerequisites", .list(.text), "the lessons that students complete first"),
      Word("introduces", .list(.text), "the glossary terms that the lesson introduces"),
      Word("labs", .list(.text), "the tasks of the SEED labs that the lesson covers"),
      Word("scenarios", .list(.text), "the scenarios of the lesson, in teaching order"),
      Word("planned", .list(.text), "the scenarios of the lesson that have no file yet"),
    ])

  private static let optional = ["about", "planned", "prerequisites", "introduces", "labs"]

  func lessons(_ bytes: [UInt8], path: String) throws(Diagnostics) -> [Lesson] {
    let document = try YAMLDocument(bytes, file: path)
    let sink = DiagnosticSink(lines: [path: document.lines])
    let reader = NodeReader(node: document.root, path: ScenarioLibrary.lessonsFile, sink: sink)
    guard let map = reader.map(Self.file) else { throw Diagnostics(sink.all) }
    if map["lessons"] == nil { reader.fail("the file has no lessons", hint: "write lessons: [{ id: L0, … }]") }
    var seen: Set<String> = []
    let lessons = map["lessons"]?.list { item in lesson(item, seen: &seen) } ?? []
    _ = try sink.finish()
    return lessons
  }

  private func lesson(_ reader: NodeReader, seen: inout Set<String>) -> Lesson? {
    guard let map = reader.map(Self.lesson) else { return nil }
    for word in Self.lesson.words where map[word.name] == nil && !Self.optional.contains(word.name) {
      reader.fail("the lesson has no '\(word.name)'", hint: "\(word.name): \(word.meaning)")
    }
    let id = map["id"]?.text()
    if let id, !seen.insert("lesson \(id)").inserted { map["id"]?.fail("the lesson '\(id)' occurs twice") }
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

  /// Reads the ids of prerequisites, which must be earlier in the file.
  private func prerequisites(_ list: NodeReader, of lesson: String, among seen: Set<String>) -> [String] {
    list.list { item in
      guard let id = item.text() else { return nil }
      guard id != lesson, seen.contains("lesson \(id)") else {
        item.fail("there is no lesson '\(id)' before the lesson \(lesson)", hint: "list the lessons in teaching order")
        return nil
      }
      return id
    } ?? []
  }

  /// Reads glossary terms. Only one lesson may introduce each term.
  private func introduced(_ list: NodeReader, seen: inout Set<String>) -> [String] {
    list.list { item in
      guard let word = item.text() else { return nil }
      if !seen.insert("word \(word)").inserted {
        item.fail(
          "the lessons introduce '\(word)' more than once", hint: "list it only in the lesson that uses it first")
      }
      return word
    } ?? []
  }

  private func ids(_ list: NodeReader, seen: inout Set<String>) -> [(id: String, reader: NodeReader)] {
    list.list { item in
      guard let id = item.text() else { return nil }
      if !seen.insert(id).inserted {
        item.fail("the scenario '\(id)' is listed more than once", hint: "list each scenario in only one lesson")
      }
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
      "did you mean '\($0)'? If the scenario has no file yet, add planned: [\(id)]"
    }
      ?? "if the scenario has no file yet, add planned: [\(id)]"
  }
}

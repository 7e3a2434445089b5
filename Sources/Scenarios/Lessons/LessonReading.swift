/// Reads `lessons.yaml`: strictly, all that is wrong at once, each with its place.
struct LessonReading {
  static let fileName = "lessons.yaml"
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
      Word("goal", .text, "what its students can do afterwards"),
      Word("minutes", .integer, "how long a class needs"),
      Word("scenarios", .list(.text), "its scenarios, in the order of teaching"),
      Word("planned", .list(.text), "those of them whose file is not there yet"),
    ])

  func lessons(_ bytes: [UInt8], path: String) throws(Diagnostics) -> [Lesson] {
    let document = try YAMLDocument(bytes, file: path)
    let sink = DiagnosticSink(lines: [path: document.lines])
    let reader = NodeReader(node: document.root, path: Self.fileName, sink: sink)
    guard let map = reader.map(Self.file) else { throw Diagnostics(sink.all) }
    if map["lessons"] == nil { reader.fail("there are no lessons", hint: "write lessons: [{ id: L0, … }]") }
    var seen: Set<String> = []
    let lessons = map["lessons"]?.list { item in lesson(item, seen: &seen) } ?? []
    _ = try sink.finish()
    return lessons
  }

  private func lesson(_ reader: NodeReader, seen: inout Set<String>) -> Lesson? {
    guard let map = reader.map(Self.lesson) else { return nil }
    for word in Self.lesson.words where map[word.name] == nil && word.name != "planned" {
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
    let all = scenarios.map(\.id)
    return Lesson(
      id: id, title: title, goal: goal, minutes: minutes, all: all, scenarios: all.filter(known.contains))
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

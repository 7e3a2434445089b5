/// A lesson of the curriculum: what its students can do afterwards, and the scenarios that get them there.
public struct Lesson: Sendable, Hashable {
  /// Its name: `L1`.
  public let id: String
  /// What it is about, in a few words.
  public let title: String
  /// What its students can do afterwards.
  public let goal: String
  /// How long a class needs, in minutes.
  public let minutes: Int
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
    let path = "\(folder)/\(LessonReading.fileName)"
    return try LessonReading(present: ids).lessons(try Self.read(path), path: path)
  }
}

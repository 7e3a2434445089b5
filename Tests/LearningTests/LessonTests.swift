@testable import Learning
import Oracles
import Testing

@testable import Scenarios

@Suite("Lessons")
struct LessonTests {
  @Test("every scenario belongs to a lesson with a paragraph, a goal and a length")
  func complete() throws {
    let library = try Lab.library()
    let lessons = try library.lessons()
    let listed = lessons.flatMap(\.scenarios)
    #expect(Set(listed) == Set(library.ids))
    #expect(listed.count == library.ids.count)
    for lesson in lessons {
      #expect(!lesson.goal.isEmpty && lesson.goal.count < 100 && !lesson.title.isEmpty)
      #expect((10...120).contains(lesson.minutes))
      #expect((20...800).contains(lesson.about.count) && !lesson.about.contains("\n"), "\(lesson.id)")
      #expect(lesson.all.allSatisfy { $0.hasPrefix("\(lesson.id)-") })
    }
    #expect(lessons.map(\.id) == (0..<lessons.count).map { "L\($0)" })
  }

  @Test("every scenario has texts around its run, and every lesson but the first has prerequisites")
  func words() throws {
    let library = try Lab.library()
    for file in try library.files() {
      let about = try #require(file.cases.first).about
      for text in [about.before, about.after] {
        #expect((60...900).contains(text?.count ?? 0), "\(file.id)")
        // Code is between backticks, each of which is closed.
        #expect((text ?? "").count { $0 == "`" } % 2 == 0, "\(file.id)")
      }
      #expect(!about.sources.isEmpty, "\(file.id)")
    }
    for lesson in try library.lessons() {
      #expect(lesson.prerequisites.isEmpty == (lesson.id == "L0"), "\(lesson.id)")
    }
  }

  @Test("lessons are read strictly, with the place and the nearest word")
  func strict() throws {
    let good = "lessons:\n  - { id: L0, title: t, goal: g, minutes: 10, scenarios: [L0-01, L0-02], planned: [L0-02] }\n"
    #expect(try Self.problems(good) == [])
    let wrong: [(String, String, String)] = [
      ("minutes: 10", "minuts: 10", "'minuts'"),
      ("minutes: 10", "minutes: many", "lessons.yaml.lessons[0].minutes … 600"),
      ("[L0-01, L0-02]", "[L0-01, L0-01, L0-02]", "'L0-01'"),
      ("planned: [L0-02]", "planned: [L0-03]", "'L0-03'"),
      (", planned: [L0-02]", "", "'L0-02'"),
      ("goal: g, ", "", "'goal'"),
      ("goal: g, ", "goal: g, prerequisites: [L1], ", "'L1' … L0"),
      ("goal: g, ", "goal: g, introduces: [TLS, TLS], ", "'TLS'"),
      ("lessons:", "lesson:", "'lesson'"),
    ]
    for (old, new, message) in wrong {
      let found = try Self.problems(good.replacing(old, with: new))
      #expect(found.contains { $0.message.shows(message) && $0.mark?.line ?? 0 > 0 }, "\(new): \(found)")
    }
  }

  /// The errors of the lessons in a folder that has one scenario.
  private static func problems(_ lessons: String) throws -> [Diagnostic] {
    do throws(Diagnostics) {
      _ = try LessonReading(present: ["L0-01"]).lessons(Array(lessons.utf8), path: "lessons.yaml")
      return []
    } catch {
      return error.all
    }
  }
}

import Foundation
import Rendering
import Testing

@Suite("Learning with the program")
struct LearningTests {
  @Test("a prediction, a wrong answer, a hint and the score match the record")
  func transcript() throws {
    let result = try Program.run(["repl", "--student", "17", "--script", "Tests/Golden/predict.script"])
    let golden = try String(
      contentsOf: Program.root.appendingPathComponent("Tests/Golden/predict.txt"), encoding: .utf8)
    #expect(result.output == golden)
    #expect(result.status == 0 && result.errors.isEmpty)
  }

  @Test("an odd student name gets a plain response")
  func student() throws {
    let odd = try Program.run(["repl", "--student", "a\nb"])
    #expect(odd.status == 2 && odd.errors.contains("hint: "))
  }

  @Test("the lessons are listed, as text and as JSON")
  func list() throws {
    let json = try JSONValue(reading: Array(Program.run("list", "lessons", "--format", "json").output.utf8))
    #expect(json["trustlab"] == 1)
    guard case .array(let lessons)? = json["lessons"] else {
      Issue.record("there are no lessons")
      return
    }
    #expect(lessons.count == 17 && lessons.first?["lesson"] == "L0")
    #expect(try Program.run("list", "lessons").output.contains("L15"))
  }
}

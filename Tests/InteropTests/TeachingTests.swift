import Foundation
import Rendering
import Testing

@Suite("Learning in the shell")
struct TeachingTests {
  private func play(_ lines: String..., student: String = "17") throws -> Program.Result {
    let folder = try Program.folder(["script": Data(lines.map { $0 + "\n" }.joined().utf8)])
    return try Program.run(["repl", "--student", student, "--script", folder.appendingPathComponent("script").path])
  }

  @Test("a prediction, a wrong answer, a hint, the right answer and the score are as they were")
  func transcript() throws {
    let result = try Program.run(["repl", "--student", "17", "--script", "Tests/Golden/predict.script"])
    let golden = try String(
      contentsOf: Program.root.appendingPathComponent("Tests/Golden/predict.txt"), encoding: .utf8)
    #expect(result.output == golden)
    #expect(result.status == 0 && result.errors.isEmpty)
  }

  @Test("every answer of a quiz leads to the next question, on screens of 80 columns and 24 rows, up to the score")
  func quiz() throws {
    let result = try play("quiz L0", "reveal", "reveal", "reveal", "reveal", "reveal", "reveal", "reveal")
    #expect(result.status == 0)
    #expect(result.output.contains("question 7 of 7") && result.output.contains("The quiz on L0 is over."))
    let screens = result.output.components(separatedBy: "> reveal\n")
    for screen in screens {
      let lines = screen.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count <= 26 && lines.allSatisfy { $0.count <= 80 }, "\(screen)")
    }
  }

  @Test("wrong and certain opens the explanation and closes the question")
  func misconception() throws {
    let first = try play("open L1-15", "predict reason", "reveal")
    let right = try #require(first.output.components(separatedBy: "the answer: ").last?.first)
    let wrong = try #require("abcd".first { $0 != right })
    let result = try play("open L1-15", "predict reason", "answer \(wrong) 3", "score")
    #expect(
      result.output.contains("✗ not right") && result.output.contains("the answer: \(right), ats.no-forward-secrecy"))
    #expect(result.output.contains("✗ wrong"))
    #expect(try play("open L1-15", "predict reason", "answer \(wrong) 3", "answer \(right)").status == 1)
  }

  @Test("a lesson goes on with the first scenario that was not played to its end")
  func lesson() throws {
    let result = try play("open L0", "run", "open L0", "step", "open L0", "lessons L0", "lessons")
    #expect(result.output.contains("L0: 1 of 7 played; 'open L0' goes on"))
    #expect(result.output.components(separatedBy: "L0-02: An attacker edits").count == 3)
    #expect(
      result.output.contains("✓  L0-01") && result.output.contains("·  L0-02") && result.output.contains("1 of 7"))
  }

  @Test("a saved session says whose it was and replays to the same answers")
  func saving() throws {
    let folder = try Program.folder([:])
    let script = folder.appendingPathComponent("lesson.txt").path
    let first = try play("open L2-01", "predict compute", "hint", "reveal", "score", "save \(script)")
    #expect(try String(contentsOfFile: script, encoding: .utf8).contains("\nstudent 17\nopen L2-01\n"))
    let again = try Program.run(["repl", "--script", script]).output
    let name = "> student 17\nfrom now on the questions are those of 17\n"
    #expect(again.hasPrefix(name) && first.output.hasPrefix(again.dropFirst(name.count)))
  }

  @Test("a question stays open until it is answered, and the end of the run says what became of it")
  func open() throws {
    let first = try play("open L1-15", "predict verdict", "predict", "open L0-01", "predict", "quiz L0").output
    #expect(first.components(separatedBy: "question 1 is still open, about L1-15").count == 4)
    #expect(try play("open L1-15", "predict verdict", "run").output.contains("? question 1, verdict: still open"))
    let missed = try play("open L1-15", "predict verdict", "answer accepted", "run", "score").output
    #expect(missed.contains("✗ question 1, verdict: you were not right, it is refused") && missed.contains("✗ wrong"))
    let right = try play("open L1-15", "predict verdict", "answer refused", "run", "reset", "run").output
    #expect(right.components(separatedBy: "✓ question 1, verdict: you were right, refused").count == 2)
  }

  @Test(
    "an answer that was looked up is marked",
    arguments: [
      ["run"], ["step 99"], ["matrix os"], ["sweep client.os iOS 8, iOS 9"], ["minimal"], ["export text"], ["diff"],
      ["os iOS 10", "run"], ["open L1-15 iOS 8 has no ATS", "run"],
    ])
  func lookedUp(lines: [String]) throws {
    func result(_ lines: [String]) throws -> String {
      let all = ["open L1-15", "predict verdict"] + lines + ["answer refused", "score"]
      let folder = try Program.folder(["script": Data(all.map { $0 + "\n" }.joined().utf8)])
      return try Program.run(["repl", "--script", folder.appendingPathComponent("script").path]).output
    }
    #expect(try result(lines).contains("right, looked up"))
    #expect(try !result(["info", "list L1", "explain ATS", "why"]).contains("looked up"))
  }

  @Test("while a question is open, neither names of cases nor verdicts are shown")
  func secrets() throws {
    let quiz = try play("quiz L0", "info", "list L0", "reset").output
    #expect(!quiz.contains("accepted\n") && !quiz.contains("iOS 8 has no ATS") && !quiz.contains("L0-01/"))
    let after = try play("open L1-15", "predict verdict", "info", "reveal", "info").output
    #expect(after.components(separatedBy: "iOS 8 has no ATS").count == 3)
    #expect(after.contains("shown when the open question is answered"))
  }

  @Test(
    "a slip is answered with the way to do it",
    arguments: [
      ("answer b", "'predict' asks about the open scenario"), ("hint", "'predict' asks"), ("reveal", "'predict' asks"),
      ("predict", "'lessons' shows where to begin"), ("lessons L99", "hint: "), ("quiz L99", "hint: "),
      ("quiz L15", "hint: "), ("open L99", "hint: "),
    ])
  func slips(line: String, hint: String) throws {
    let result = try play(line)
    #expect(result.output.contains("error: ") && result.output.contains(hint), "\(result.output)")
  }

  @Test("a kind that is misspelt is answered with the nearest one, an odd student with a plain one")
  func spelling() throws {
    #expect(try play("open L0-01", "predict verdikt").output.contains("did you mean 'verdict'?"))
    #expect(try play("open L0-01", "predict flip").output.contains("'run' first"))
    let odd = try play("open L0-01", student: "a\nb")
    #expect(odd.status == 2 && odd.errors.contains("hint: take letters and digits"))
  }

  @Test("the lessons are a list, as text and as JSON")
  func list() throws {
    let json = try JSONValue(reading: Array(Program.run("list", "lessons", "--format", "json").output.utf8))
    #expect(json["trustlab"] == 1)
    guard case .array(let lessons)? = json["lessons"] else {
      Issue.record("there are no lessons")
      return
    }
    #expect(lessons.count == 16 && lessons.first?["lesson"] == "L0")
    #expect(try Program.run("list", "lessons").output.contains("Name the three risks"))
  }
}

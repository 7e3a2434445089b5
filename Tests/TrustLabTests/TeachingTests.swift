import Foundation
import Oracles
import Scenarios
import Testing

@testable import trustlab

@Suite("Learning in the shell")
struct TeachingTests {
  /// The output of these lines, typed by student 17, each after its line.
  private func play(_ lines: String...) -> String { Bench.transcript(of: ["student 17"] + lines) }

  /// The number of scenarios in a lesson.
  private static func scenarios(of lesson: String) throws -> Int {
    try ScenarioLibrary.curriculum().ids.count { $0.hasPrefix("\(lesson)-") }
  }

  private func count(_ text: String, in whole: String) -> Int { whole.components(separatedBy: text).count - 1 }

  @Test(
    "a quiz shows one question or answer per screen of 80×24, up to the score",
    arguments: ["L0"])
  func quiz(_ lesson: String) throws {
    let count = try Self.scenarios(of: lesson)
    let lines = ["quiz \(lesson)"] + Array(repeating: ["reveal", ""], count: count).joined()
    var session = Bench.session("student 17")
    let screens = lines.map { session.evaluate($0).text }
    #expect(screens.joined().contains("question \(count) of \(count)"))
    #expect(screens.last?.contains(lesson) == true)
    for screen in screens.dropLast() {
      let rows = screen.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(rows.count <= 24 && rows.allSatisfy { $0.count <= 80 }, "\(screen)")
      #expect(screen.components(separatedBy: "\n? ").count <= 2)
    }
  }

  @Test("'b' goes back while a question is open, and other letters answer it")
  func letters() {
    var session = Bench.session("student 17", "open L1-15", "step 2", "predict risk")
    let back = session.evaluate("b").text
    #expect(back.contains("'answer b'"))
    #expect(session.opened?.position == 1 && session.teaching.open != nil)
    let answer = session.evaluate("a").text
    #expect(answer.contains("right"))
  }

  @Test("leaving names unsaved work, if there is any")
  func loss() {
    #expect(Bench.session("open L1-15", "run").loss == nil)
    #expect(Bench.session("open L1-15", "predict verdict").loss != nil)
    #expect(Bench.session("quiz L0").loss?.shows("L0 … 1") == true)
    #expect(Bench.session("open L1-15", "os iOS 9").loss?.contains("L1-15") == true)
  }

  @Test("a wrong and certain answer opens the explanation and closes the question")
  func misconception() throws {
    let first = play("open L1-15", "predict reason", "reveal")
    let right = try #require(first.components(separatedBy: "the answer: ").last?.first)
    let wrong = try #require("abcd".first { $0 != right })
    let result = play("open L1-15", "predict reason", "answer \(wrong) 3", "score", "answer \(right)")
    #expect(result.contains("✗ not right") && result.contains("the answer: \(right), ats.no-forward-secrecy"))
    #expect(result.contains("✗ wrong") && result.contains("error: "))
  }

  @Test("a lesson continues with the first scenario that was not played to its end")
  func lesson() throws {
    let count = try Self.scenarios(of: "L0")
    let output = play("open L0", "run", "open L0", "step", "open L0", "lessons L0", "lessons")
    #expect(output.contains("L0: 1 of \(count) played"))
    #expect(self.count("L0-02: An attacker edits", in: output) == 2)
    #expect(output.contains("✓  L0-01") && output.contains("·  L0-02") && output.contains("1 of \(count)"))
  }

  @Test("a saved session names its student and replays to the same output")
  func saving() throws {
    let script = FileManager.default.temporaryDirectory.appendingPathComponent("lesson \(UUID()).txt").path
    defer { try? FileManager.default.removeItem(atPath: script) }
    let first = play("open L2-01", "predict compute", "hint", "reveal", "score", "save \"\(script)\"")
    let saved = try String(contentsOfFile: script, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(saved.first?.hasPrefix("# ") == true && saved.dropFirst().first == "student 17")
    #expect(first.hasPrefix(Bench.transcript(of: saved.filter { !$0.hasPrefix("#") })))
  }

  @Test("a question stays open until its answer, and the run's end shows the result")
  func open() {
    let first = play("open L1-15", "predict verdict", "predict", "open L0-01", "predict", "quiz L0")
    #expect(first.split(separator: "\n").count { $0.shows("question 1 … L1-15") } == 3)
    #expect(play("open L1-15", "predict verdict", "run").contains("? question 1, verdict: "))
    let missed = play("open L1-15", "predict verdict", "answer accepted", "run", "score")
    #expect(missed.contains(/✗ question 1, verdict: .*refused/) && missed.contains("✗ wrong"))
    let right = play("open L1-15", "predict verdict", "answer refused", "run", "reset", "run")
    #expect(right.matches(of: /✓ question 1, verdict: .*refused/).count == 1)
  }

  @Test(
    "an answer that was looked up is marked",
    arguments: [
      ["run"], ["step 99"], ["matrix os"], ["sweep client.os iOS 8, iOS 9"], ["minimal"], ["export text"], ["diff"],
      ["os iOS 10", "run"], ["open L1-15 iOS 8 has no ATS", "run"],
    ])
  func lookedUp(lines: [String]) {
    func result(_ lines: [String]) -> String {
      Bench.transcript(of: ["open L1-15", "predict verdict"] + lines + ["answer refused", "score"])
    }
    #expect(result(lines).contains("looked up"))
    #expect(!result(["info", "explain ATS", "why"]).contains("looked up"))
  }

  @Test("while a question is open, neither names of cases nor verdicts are shown")
  func secrets() {
    let quiz = play("quiz L0", "info", "list L0", "reset")
    #expect(!quiz.contains("accepted\n") && !quiz.contains("iOS 8 has no ATS") && !quiz.contains("L0-01/"))
    let after = play("open L1-15", "predict verdict", "info", "reveal", "info")
    #expect(count("iOS 8 has no ATS", in: after) == 2)
  }

  @Test("going back and comparing runs hide the names of cases, too")
  func quiet() {
    let name = "with the exception"
    let lines = ["fork a", "goto a", "os iOS 9", "undo", "undo", "diff a now", "diff file now", "reset"]
    let open = Bench.transcript(of: ["open L1-15 \(name)", "predict verdict"] + lines)
    #expect(count(name, in: open) == 4, "typed, and printed when it was opened: \(open)")
    #expect(count(name, in: Bench.transcript(of: ["open L1-15 \(name)"] + lines)) > 5)
  }

  @Test(
    "a command in the wrong place gets a hint",
    arguments: [
      ("answer b", "'predict'"), ("hint", "'predict'"), ("reveal", "'predict'"),
      ("predict", "'lessons'"), ("lessons L99", "hint: "), ("quiz L99", "hint: "),
      ("open L99", "hint: "), ("student a\u{1b}b", "hint: "),
    ])
  func slips(line: String, hint: String) {
    let output = play(line)
    #expect(output.contains("error: ") && output.contains(hint), "\(output)")
  }

  @Test("a misspelt kind gets the nearest one, and a premature kind the necessary command")
  func spelling() {
    #expect(play("open L0-01", "predict verdikt").contains("'verdict'"))
    #expect(play("open L0-01", "predict flip").contains("'run'"))
  }

  @Test("info shows all special settings of a scenario, and the requests of all connections")
  func special() {
    let info = Bench.session("open L1-11").evaluated("info").text
    for line in ["server.clientAuthentication = required", "client.identity = alice", "certificates = {"] {
      #expect(info.contains("special  \(line)"), "\(info)")
    }
    #expect(!Bench.session("open L1-06").evaluated("predict").text.contains("null"))
  }
}

import Testing

@testable import trustlab

@Suite("The records of students")
struct RecordTests {
  private func count(_ text: String, in whole: String) -> Int { whole.components(separatedBy: text).count - 1 }

  @Test("each student has a separate record, with the open question, and finds it again")
  func students() throws {
    let alice = ["student alice", "open L1-15", "predict verdict", "answer refused", "predict reason"]
    let bob = Bench.transcript(of: alice + ["student bob", "score", "answer a"])
    let own = try #require(bob.components(separatedBy: "> student bob").last)
    #expect(!own.contains(" right") && own.contains("error: "))
    let again = Bench.transcript(of: alice + ["student bob", "predict verdict", "student alice", "score"])
    #expect(again.contains("L1-15") && again.contains("1 of 2"))
  }

  @Test("an answer before any student is named belongs to no student")
  func nobody() {
    let output = Bench.transcript(of: ["open L1-15", "predict verdict", "answer refused", "student bob", "score"])
    #expect(!output.components(separatedBy: "> score")[1].contains("1 of 1"))
  }

  @Test("a repeated quiz continues, and its question counts once")
  func quiz() {
    let output = Bench.transcript(of: ["quiz L1", "quiz L1", "quiz", "score"])
    #expect(count("Quiz L1, question 1 of", in: output) == 3 && output.contains("0 of 1 right"))
  }

  @Test("a quiz on another lesson drops the open question and opens its own")
  func another() {
    let output = Bench.transcript(of: ["quiz L1", "quiz L0", "score"])
    #expect(output.contains("Quiz L0, question 1 of") && count("· left out", in: output) == 1)
    #expect(count("· open", in: output) == 1, "the one of L0: \(output)")
  }

  @Test("a repeated question counts once, by its first answer")
  func once() {
    let lines = ["open L1-15", "predict verdict", "reveal", "predict verdict", "answer refused", "score"]
    let output = Bench.transcript(of: lines)
    #expect(output.contains("0 of 1 right") && output.contains("→ revealed") && output.contains("✓ right\n"))
  }

  @Test("a single letter answers the open question; b still goes back, with a hint")
  func letter() {
    let open = ["open L1-15", "predict verdict"]
    for letter in ["a", "a 2"] {
      let session = Bench.session(open[0], open[1])
      #expect(session.evaluated(letter).text == session.evaluated("answer \(letter)").text)
    }
    #expect(
      Bench.session(open[0], open[1]).evaluated("b").text
        .contains("'answer b'"))
    #expect(Bench.transcript(of: ["open L1-15", "a"]).contains("'a' could be"))
    #expect(
      Bench.transcript(of: ["open L1-15", "predict verdict", "reveal", "step", "b"]).components(separatedBy: "> b\n")
        .last?.contains("'answer b'") == false)
  }

  @Test("a question hides its case's name, which gives the answer, and names the attackers")
  func cases() {
    let output = Bench.transcript(of: ["open L0-03 the real server answers", "predict"])
    #expect(!output.contains(", case: ") && output.contains("[eavesdrop]"))
  }
}

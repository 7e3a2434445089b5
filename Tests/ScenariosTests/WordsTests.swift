import Scenarios
import Testing

@Suite("The words around a run")
struct WordsTests {
  private static let text = """
    before: >-
      A client meets a server
      whose certificate   has ended.
    after: It went by its clock.
    disputed:
      question: Does a date matter?
      readings: ["A: yes", "B: no"]
      chosen: "A, as RFC 5280 has it"
    cases:
      - { name: plain, with: { clock: 2016-06-01 } }
      - { name: with words, with: { clock: 2016-06-01, after: All was well. } }
    """

  @Test("a file has texts before and after the run; a case replaces the latter")
  func read() throws {
    let cases = try Lab.read(Self.text).cases
    #expect(
      cases.map(\.about.before) == Array(repeating: "A client meets a server whose certificate has ended.", count: 3))
    #expect(cases.map(\.about.after) == ["It went by its clock.", nil, "All was well."])
  }

  @Test("a dispute is a question with its readings, or one paragraph")
  func disputed() throws {
    let dispute = try #require(try Lab.read(Self.text).cases.first?.about.disputed)
    #expect(dispute.question == "Does a date matter?" && dispute.readings == ["A: yes", "B: no"])
    #expect(dispute.text == "Does a date matter? A: yes B: no A, as RFC 5280 has it")
    let short = try #require(try Lab.read("disputed: \"A says this, B that. Ours: B\"").cases.first?.about.disputed)
    #expect(short.question.isEmpty && short.text == "A says this, B that. Ours: B")
  }

  @Test("words change nothing in the run")
  func sameRun() throws {
    let (spoken, silent) = (try Lab.play(Self.text), try Lab.play("title: the same"))
    #expect(spoken.simulation.trace.steps.map(\.bytes) == silent.simulation.trace.steps.map(\.bytes))
    #expect(spoken.scenario.differences(from: silent.scenario) == [])
  }

  @Test(
    "half a dispute and an endless paragraph are refused",
    arguments: [
      BadText("no readings", "disputed: { question: Why?, chosen: A }", 1, 11, "", "readings"),
      BadText("a word too many", "disputed: { quest: Why? }", 1, 13, "'quest'", "question"),
      BadText(
        "an endless paragraph", "before: " + String(repeating: "word ", count: 200), 1, 9, "800 … 999",
        ""),
      BadText("a list", "after: [a, b]", 1, 8, "after"),
    ])
  func bad(text: BadText) throws { try text.isTold() }
}

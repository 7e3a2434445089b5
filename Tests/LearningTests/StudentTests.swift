import Learning
import Scenarios
import Testing

@Suite("Students")
struct StudentTests {
  /// All questions for a student about these cases before their runs begin.
  private func sheet(_ id: String) throws -> String {
    let examiner = Examiner(player: Lab.player, student: Student(id))
    var sheet: [String] = []
    for name in ["L0-01", "L1-01", "L1-15", "L2-01", "L2-02", "L4-12"] {
      let subject = try Asking.subject(name)
      for kind in examiner.kinds(for: name) where !kind.isAboutOtherWorlds {
        if let question = try examiner.question(kind, about: subject) { sheet.append(Asking.sheet(question)) }
      }
    }
    return sheet.joined(separator: "\n\n")
  }

  @Test("the same student gets the same sheet, another student another one")
  func sheets() throws {
    let first = try sheet("17")
    #expect(try sheet("17") == first)
    #expect(try sheet("18") != first)
    #expect(try sheet("") != first)
  }

  @Test("students calculate with primes of their own, and get different results")
  func primes() throws {
    let subject = try Asking.subject("L2-01")
    let questions = try (0..<10).compactMap { number in
      try Examiner(player: Lab.player, student: Student("\(number)")).question(.compute, about: subject)
    }
    #expect(questions.count == 10)
    #expect(Set(questions.map(\.given)).count == 10)
    #expect(Set(questions.map(\.answer)).count > 8)
  }

  @Test("any text is a student's name")
  func ids() throws {
    let subject = try Asking.subject("L1-15")
    for id in ["", " ", "a/b", "\u{0}", "é", String(repeating: "x", count: 10_000)] {
      #expect(try Examiner(player: Lab.player, student: Student(id)).question(.verdict, about: subject) != nil)
    }
  }
}

import Cryptography
import Explanation
import Oracles
import Scenarios
import Simulator
import Testing

@Suite("Calculations with toy numbers")
struct CalculationTests {
  private func text(given: String = "p: 61", _ steps: String...) -> String {
    """
    calculation:
      given: { \(given) }
      steps:
    \(steps.map { "    - \($0)" }.joined(separator: "\n"))
    """
  }

  private func value(_ expression: String) throws -> Quantity? {
    let result = try Lab.play(text("x = \(expression)", "y = p"))
    return result.simulation.calculation?.quantities["x"]
  }

  @Test(
    "operators have the precedence of algebra, and powers modulo n stay small",
    arguments: [
      ("2 + 3 * 4", 14), ("(2 + 3) * 4", 20), ("2 ^ 3 ^ 2", 512), ("10 - 4 - 3", 3), ("17 / 5 * 2", 6),
      ("7 mod 4 + 1", 4),
      ("65 ^ 17 mod 3233", 2790), ("2790 * 2 ^ 17 mod 3233", 3017), ("gcd(3233, 2867)", 61), ("lcm(60, 52)", 780),
      ("inverse(17, 3120)", 2753), ("root(3, 2197)", 13), ("floorRoot(3, 2198)", 13), ("0xca1", 3233), ("0 ^ 0", 1),
      ("number(\"hi\")", 26729), ("lcm(0, 0)", 0), ("1 ^ 99999999999999999999999", 1), ("3 ^ 2 ^ 62 mod 1", 0),
      ("hash(\"api.example has the key 17, 3233\") mod 3233", 91),
    ] as [(String, UInt)])
  func values(_ expression: String, _ expected: UInt) throws {
    #expect(try value(expression) == .number(Natural(expected)))
  }

  @Test("a root that is not an integer has no value, and ends the calculation")
  func root() throws {
    #expect(try value("root(3, 2198)") == Quantity.none)
    let wrong = try Lab.faults(text("x = root(3, 2198) + p"))
    #expect(wrong.map { "\($0.mark?.line ?? 0):\($0.mark?.column ?? 0)" } == ["4:11"])
  }

  @Test(
    "an expression that cannot be calculated is shown with its place",
    arguments: [
      ("n = p * qq", 15, "'qq'"), ("n = inverse(p - 55, 9)", 11, "6 … 9"),
      ("n = p / 0", 13, nil), ("n = p mod 0", 13, nil),
      ("n = 3 - p", 13, nil), ("n = gdc(p, 3)", 11, "'gdc'"),
      ("n = gcd(p)", 11, "gcd … 2 … 1"), ("n = (p + 1", 11, nil),
      ("n = p ^ 9999", 13, "4096"), ("n = p p", 13, "'p'"),
      ("n = p ^ p ^ p ^ p", 17, "4096"),
      ("p * 2", 7, nil),
      ("n = p == p", 13, nil), ("n = p % 2", 13, "'%'"),
      ("n = 12ab * p", 11, "'12ab'"), ("n = p *", 14, nil),
      ("n = \"text\" * p", 11, nil), ("{ check: p }", 16, nil),
      ("{ check: p == p == p }", 23, nil),
      ("{ step: n = p, rule: x }", 28, "'x'"),
      ("{ step: n = p, by: nobody }", 15, "'nobody'"), ("{ by: client }", 7, nil),
    ] as [(String, Int, String?)])
  func slips(_ step: String, _ column: Int, _ message: String?) throws {
    let wrong = try Lab.faults(text(step))
    let first = try #require(wrong.first)
    #expect(first.mark?.line == 4 && first.mark?.column == column, "\(first)")
    #expect(first.line?.contains(step) == true)
    if let message { #expect(first.message.shows(message), "\(first)") }
  }

  @Test("reading a file does not calculate anything; playing it does")
  func reading() throws {
    let file = try Lab.read(text("n = p / 0"))
    #expect(throws: Diagnostics.self) { try Lab.player.play(file.cases[0]) }
  }

  @Test("an error suggests the nearest name")
  func nearest() throws {
    #expect(try Lab.diagnostics(text("n = gdc(p, 3)")).first?.hint.shows("'gcd'") == true)
    #expect(try Lab.diagnostics(text(given: "prime: 61", "n = prme * 2")).first?.hint.shows("'prime'") == true)
    #expect(try Lab.diagnostics("calculation: { give: {} }").first?.hint.shows("'given'") == true)
  }

  @Test("hostile expressions end soon, with an error", .timeLimit(.minutes(1)))
  func hostile() throws {
    let large = String(repeating: "9", count: 1200)
    let power = "x = \(large) ^ \(large) mod \(large)"
    let deep = "x = " + String(repeating: "(", count: 500) + "p" + String(repeating: ")", count: 500)
    let long = "x = p" + String(repeating: " + p", count: 400)
    let many = (0..<60).map { "{ step: \"x\($0) = \(large) ^ p ^ 600 mod \(large)\" }" }
    for steps in [[deep], [long], many, ["x = \(String(repeating: "9", count: 1990))"], (0..<101).map { "x\($0) = p" }]
    {
      #expect(try !Lab.faults(text() + "\n" + steps.map { "    - \($0)" }.joined(separator: "\n")).isEmpty)
    }
    #expect(try Lab.diagnostics(text(power)).first?.message.shows("2000") == true)
  }

  @Test("toy numbers and connections exclude each other")
  func exclusion() throws {
    let wrong = try Lab.diagnostics(text("n = p * 3") + "\nserver: { host: a.example }\nclient: { os: iOS 9 }")
    #expect(
      wrong.map(\.message).show(["'calculation' … 'server'", "'calculation' … 'client'"]))
  }

  @Test("every given value needs a recipient, a use and a name")
  func given() throws {
    let wrong = try Lab.diagnostics(
      "calculation: { given: { p: 61, q: 53, 2x: 1 }, parties: { client: [p, r] }, steps: [n = p * 2] }")
    #expect(wrong.map(\.message).show(["'2x'"]))
    let more = try Lab.diagnostics(
      "calculation: { given: { p: 61, q: 53 }, parties: { client: [p, r] }, steps: [n = p * 2] }")
    #expect(
      more.map(\.message).show(["'q'", "'q'", "'r'"]))
    let nobody = try Lab.faults(
      "calculation: { given: { p: 61, q: 53 }, parties: { client: [p], server: [q] }, steps: [n = p * q] }")
    #expect(nobody.map(\.message).show(["p, q"]))
  }

  @Test("a failed check decides the verdict by its rule; a passed check does not")
  func checks() throws {
    let failed = try Lab.play(text("{ check: p == 62 }")).outcome
    #expect(failed.verdict.word == .refused && failed.verdict.because.map(\.id) == ["application.equation-fails"])
    #expect(failed.findings.first?.found == .word("p = 61"))
    #expect(try Lab.play(text("{ check: p == 61 }")).outcome.verdict.word == .accepted)
    let named = try Lab.play(text("{ check: p < 61, rule: chain.signature-invalid }")).outcome
    #expect(named.verdict.layer == .chain && named.verdict.because.map(\.id) == ["chain.signature-invalid"])
  }

  @Test("the check of a faulty program replaces the rule, which is reported as overridden")
  func mutant() throws {
    let file = text("{ check: p == 62, rule: chain.signature-invalid }")
    let faulty = try Lab.play(file + "\n  mutant: { chain.signature-invalid: p / 10 == 6 }").outcome
    #expect(faulty.verdict.word == .accepted && faulty.overridden == ["chain.signature-invalid"])
    let strict = try Lab.play(file + "\n  mutant: { chain.signature-invalid: p / 10 == 7 }").outcome
    #expect(strict.verdict.word == .refused)
    let idle = try Lab.diagnostics(file + "\n  mutant: { chain.expired: p == 61 }")
    #expect(idle.map(\.message).show(["'chain.expired'"]))
  }

  @Test("a value obtained in another way is known; a failed attempt reveals nothing")
  func attempts() throws {
    func knows(_ step: String) throws -> Bool {
      let result = try Lab.play(
        """
        calculation:
          given: { secret: 13, c: 2197 }
          parties: { client: [secret], eavesdropper: [c] }
          steps: [{ step: "\(step)", by: eavesdropper }, "x = secret + c"]
        """)
      return result.simulation.knowledge(of: .eavesdropper).knows("secret")
    }
    #expect(try knows("secret = root(3, c)"))
    #expect(try !knows("secret = root(2, c)"))
    #expect(try !knows("secret = c / 2"))
  }

  @Test("values of an expectation are compared as numbers, and a wrong one is a mismatch")
  func expected() throws {
    let right = try Lab.play(text("n = p * 53") + "\nexpect: { values: { n: 0xca1, p: 61 } }")
    #expect(right.judgement.result == .passed)
    let wrong = try Lab.play(text("n = p * 53") + "\nexpect: { values: { n: 3234 } }")
    #expect(wrong.judgement.mismatches.map(\.path) == ["values.n"])
    #expect(wrong.judgement.mismatches.first?.found == "3233")
    let unknown = try Lab.diagnostics(text("n = p * 53") + "\nexpect: { values: { m: 1 } }")
    #expect(unknown.map(\.message).show(["'m'"]))
  }

  @Test("a calculation has nothing to export")
  func export() throws {
    let scenario = try Lab.scenario(named: "L2-01")
    #expect(throws: Diagnostics.self) { try Lab.player.export(of: scenario) }
  }

  @Test("a calculation plays the same when it is written out in full")
  func full() throws {
    let library = try Lab.library()
    for id in ["L2-01", "L2-03", "L2-06"] {
      let path = try #require(library.path(ofID: id))
      let file = try library.file(at: path)
      let text = library.reader.fullText(of: file)
      let again = try library.reader.read(Array(text.utf8), path: path)
      #expect(again.cases.map(\.caseName) == file.cases.map(\.caseName))
      for scenario in again.cases { #expect(try Lab.player.play(scenario).judgement.result == .passed) }
    }
  }
}

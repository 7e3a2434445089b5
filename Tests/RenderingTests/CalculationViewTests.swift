import Explanation
import Oracles
import Rendering
import Scenarios
import Simulator
import Testing

@Suite("Views of calculations")
struct CalculationViewTests {
  @Test("every form marks toy numbers as toys, and marks no other run")
  func toys() throws {
    #expect(Curriculum.calculations.count >= 6)
    try Self.check((Curriculum.sample(at: .numbers) + Curriculum.calculations).map(Shown.init))
  }

  static func check(_ runs: [Shown]) throws {
    for run in runs {
      let isToy = run.scenario.calculation != nil
      for form in [Shown.Form.text, .markdown, .html, .mermaid, .svg] {
        #expect(run.text(form).contains("TOY") == isToy)
      }
      #expect((try run.json()["toy"] == true) == isToy)
    }
  }

  @Test(
    "every printed command computes the result of its step", .needs(.python))
  func commands() throws {
    var seen: Set<String> = []
    for result in Curriculum.calculations {
      let moves = result.simulation.calculation?.moves ?? []
      let expected = moves.filter { $0.arithmetic.program != nil }.map(\.arithmetic.result)
      let commands = Self.commands(of: RunView(result).document(.numbers).text())
      #expect(commands.count == expected.count)
      for (command, result) in zip(commands, expected) where seen.insert(command).inserted {
        #expect(Program.output(["PATH=\(Python.searchPath)", "sh", "-c", command]) == result + "\n", "\(command)")
      }
    }
    #expect(seen.count > 50)
  }

  private static func commands(of text: String) -> [String] {
    var commands: [String] = []
    var isOpen = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.contains("python3 -c") { commands.append("") } else if !isOpen { continue }
      commands[commands.count - 1] += line + "\n"
      isOpen = line.hasSuffix("\\")
    }
    return commands
  }

  @Test("powers are shown bit by bit, inverses by Euclid's algorithm, and end in the result")
  func tables() throws {
    let result = try #require(Curriculum.result("L2-01"))
    let moves = try #require(result.simulation.calculation?.moves)
    let inverse = try #require(moves[2].arithmetic.tables.first)
    #expect(inverse.rows.last?.last == "1 = 2753*17")
    let ladder = try #require(moves[4].arithmetic.tables.first)
    #expect(ladder.rows.count == 12 && ladder.rows.last?.last == "3065*2790 = 65")
    let text = RunView(result).document(.numbers).text()
    #expect(text.contains("2790 = 65 ^ 17 mod 3233") && text.contains("65^2 = 992"))
    #expect(!RunView(result).document(.fields).text().contains("python3"))
    #expect(RunView(result).document(.fields).text().contains("c = N3 ^ e mod n"))
  }

  @Test("a refusal shows both hashes")
  func hashes() throws {
    let result = try #require(Curriculum.result("L2-02"))
    #expect(
      FindingsView(result.outcome.findings, verdict: result.outcome.verdict).why().text().contains("H1 = 616, H2 = 91"))
  }

  @Test("a proof leads from the public moduli to the private keys")
  func proof() throws {
    let simulation = try #require(Curriculum.result("L2-05")).simulation
    let proof = KnowledgeView.proof(of: "d1", as: .eavesdropper, in: simulation).text()
    #expect(proof.contains("p1: gcd(n1, n2)"))
    let safe = try #require(Curriculum.result("L2-05", "with primes of their own")).simulation
    #expect(!KnowledgeView.proof(of: "d1", as: .eavesdropper, in: safe).text().contains("gcd(n1, n2)"))
  }
}

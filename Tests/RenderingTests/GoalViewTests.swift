import Endpoint
import Explanation
import Rendering
import Scenarios
import Simulator
import Testing

@Suite("Views of goals and of knowledge")
struct GoalViewTests {
  private func outcome(_ id: String, _ name: String = Scenario.mainCase) throws -> Outcome {
    try #require(Curriculum.result(id, name)).outcome
  }

  @Test("a goal and its proof show the quantum step that was not carried out, with its source")
  func quantum() throws {
    func json(_ leak: String) throws -> JSONValue {
      let text = """
        server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
        client: { os: iOS 8 }
        network: [{ leak: \(leak) }]
        """
      let file = try ScenarioLibrary.curriculum().reader.read(Array(text.utf8), path: "test.yaml")
      return RunView(try Curriculum.player.play(try #require(file.cases.first))).json()
    }
    func reason(_ run: JSONValue) -> String { run["goalReasons"]?["eavesdropping"]?.string ?? "" }
    func proof(_ run: JSONValue) -> JSONValue? { run["proofs"]?.items?.first }
    let qubits = try #require(LogicalQubits(for: .quantumFactoring(bits: 2048)))
    let obstacle = Obstacle.quantum(.quantumFactoring(bits: 2048), qubits).description
    let (quantum, stolen) = (try json("{ quantum: 2035-01-01 }"), try json("api.key"))
    #expect(reason(quantum).hasSuffix(obstacle) && !reason(stolen).contains(obstacle))
    #expect(proof(quantum)?["complete"] == .boolean(false) && proof(stolen)?["complete"] == .boolean(true))
    let remarks = proof(quantum)?["steps"]?.items?.compactMap { $0["remark"]?.string } ?? []
    #expect(remarks.contains(obstacle))
  }

  @Test("runs with the same verdict and different goals are not the same")
  func comparison() throws {
    let (weak, good) = (try outcome("L8-06"), try outcome("L8-06", "with good generators"))
    #expect(weak.verdict == good.verdict && weak.goals != good.goals)
    func table(_ outcomes: [Outcome]) -> String {
      ComparisonView("seed", outcomes.enumerated().map { .init("\($0.offset + 1)", $0.element) }).document().text()
    }
    #expect(table([weak, good]).contains("goals differ"))
    #expect(table([weak, good]).contains("possible") && table([weak, good]).contains("✓ prevented"))
    #expect(table([weak, weak]).contains("All 2 "))
    // A range of numbers shares one line only if the goals agree, too.
    #expect(table(Array(repeating: weak, count: 4)).contains("1..4"))
    #expect(!table([weak, weak, weak, good]).contains("1..4"))
  }

  @Test("a derived value has the command that computes it again, at every depth")
  func commands() throws {
    let run = try #require(Curriculum.result("L1-01")).simulation
    for depth in Depth.allCases {
      for value in ["key_block", "client_verify_data", "encrypted_premaster_secret"] as [ValueName] {
        let text = KnowledgeView.proof(of: value, as: .client, in: run, depth).text()
        #expect(text.contains("python3"), "\(value) at \(depth)")
      }
    }
    // Only the client knows the padding.
    let seen = KnowledgeView.proof(of: "encrypted_premaster_secret", as: .eavesdropper, in: run, .story).text()
    #expect(!seen.contains("python3"))
    #expect(!KnowledgeView.proof(of: "client_random", as: .client, in: run, .story).text().contains("python3"))
  }

  @Test("the middle lane stays visible in the line of every message, with any label")
  func middleLane() throws {
    let files = Curriculum.files.filter { $0.id.hasPrefix("L0-") || $0.id.hasPrefix("L1-") }
    var count = 0
    for result in files.compactMap({ Curriculum.result($0.id) }) {
      for line in RunView(result).diagram().text().split(separator: "\n") {
        let columns = Array(line)
        guard line.hasSuffix(" clear") || line.hasSuffix(" encrypted"), columns.count > 69 else { continue }
        count += 1
        #expect(!Set("┆│├┤▶◀").isDisjoint(with: columns[36...38]), "\(result.scenario.name): \(line)")
      }
    }
    #expect(count > 200)
  }
}

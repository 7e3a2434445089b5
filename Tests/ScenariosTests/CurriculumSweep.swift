import Scenarios
import Simulator
import Testing

/// What other suites hold against the first case of every file, held against every case.
@Suite("Every case of the curriculum")
struct CurriculumSweep {
  @Test("whatever a third party can derive comes out as the run has it", arguments: Lab.cases.map(\.name))
  func execution(name: String) throws { try ExecutionTests().everything(name: name) }

  @Test("what is exported is judged as in the scenario", arguments: Lab.cases.map(\.name))
  func export(name: String) throws { try ExportTests().agreement(name: name) }

  @Test("every goal of every connection, tried, costs at most twice the runs themselves")
  func goals() throws {
    var (runs, goals) = (Duration.zero, Duration.zero)
    let clock = ContinuousClock()
    for (pass, cases) in [Lab.cases.prefix(40), Lab.cases[...]].enumerated() {
      for scenario in cases {
        var outcomes: [Outcome] = []
        let run = try clock.measure {
          var simulation = try Lab.player.simulation(of: scenario)
          simulation.run()
          outcomes = Outcome.connections(of: simulation)
        }
        let judged = clock.measure { for outcome in outcomes { _ = outcome.goals } }
        // Keys are made once, in the first pass.
        if pass > 0 { (runs, goals) = (runs + run, goals + judged) }
      }
    }
    let ratio = (runs + goals) / runs
    #expect(ratio <= 3, "runs \(runs), goals \(goals): \(ratio)")
    print("runs \(runs), goals \(goals): \(ratio) times")
  }

  @Test("a run of all of it skips nothing")
  func run() throws {
    let entries = TestRun(try Lab.library().files(), player: Lab.player).entries()
    #expect(entries.allSatisfy { $0.result == .passed } && !entries.isEmpty)
  }
}

import Oracles
import Scenarios
import Testing

/// Checks that other suites make on some cases, here on every case or on those that `Sweep` chooses. Each case is
/// played once for all checks.
@Suite("The cases of the curriculum")
struct CurriculumSweep {
  @Test(
    "each case matches its expectations, its steps, its derivations and its exported files",
    arguments: Sweep.part(of: Lab.cases.map(\.name)))
  func played(name: String) throws {
    let scenario = try Lab.scenario(named: name)
    let simulation = try PlayingTests.walk(scenario)
    #expect(simulation.obstacle == nil)
    let result = Lab.player.judge(simulation, as: scenario)
    #expect(result.judgement.mismatches == [] && result.judgement.result == .passed)
    try ExecutionTests().check(result)
    try ExportTests().check(result)
  }

  @Test("formatting a file keeps its values and comments, and is idempotent", arguments: ScenarioFormatTests.files)
  func formatted(path: String) throws { try ScenarioFormatTests().check(path) }
}

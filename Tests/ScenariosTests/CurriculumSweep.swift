import Oracles
import Scenarios
import Testing

/// What other suites hold against some cases, held against every case, or those that `Sweep` chooses. A case is played
/// once for all that is held against it.
@Suite("The cases of the curriculum")
struct CurriculumSweep {
  @Test(
    "a case comes out as it says, step by step; whatever a third party can derive comes out, and what is exported is judged alike",
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

  @Test("every file keeps what it says and every comment, and is formatted once", arguments: ScenarioFormatTests.files)
  func formatted(path: String) throws { try ScenarioFormatTests().check(path) }
}

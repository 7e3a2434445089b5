import Scenarios
import Testing

/// What other suites hold against the first case of every file, held against every case, which is played once for all.
@Suite("Every case of the curriculum")
struct CurriculumSweep {
  @Test(
    "every case goes step by step, whatever a third party can derive comes out, and what is exported is judged alike",
    arguments: Lab.cases.map(\.name))
  func played(name: String) throws {
    let scenario = try Lab.scenario(named: name)
    let simulation = try PlayingTests.walk(scenario)
    #expect(simulation.obstacle == nil)
    let result = Lab.player.judge(simulation, as: scenario)
    try ExecutionTests().check(result)
    try ExportTests().check(result)
  }
}

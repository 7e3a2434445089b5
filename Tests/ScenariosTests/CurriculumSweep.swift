import Scenarios
import Testing

/// What other suites hold against the first case of every file, held against every case.
@Suite("Every case of the curriculum")
struct CurriculumSweep {
  @Test("whatever a third party can derive comes out as the run has it", arguments: Lab.cases.map(\.name))
  func execution(name: String) throws { try ExecutionTests().everything(name: name) }

  @Test("what is exported is judged as in the scenario", arguments: Lab.cases.map(\.name))
  func export(name: String) throws { try ExportTests().agreement(name: name) }
}

import Scenarios
import Testing

/// What other suites hold against the first case of every file, held against every case.
@Suite("Every case of the curriculum, step by step")
struct CurriculumSweep {
  @Test("every step is one step of its trace")
  func steps() throws { try WalkTests.check(try ScenarioLibrary.curriculum().cases) }
}

import Testing

@testable import trustlab

@Suite("Views before the first step")
struct BeforeFirstStepTests {
  @Test("storage and challenges can be shown before the first step")
  func showing() {
    var session = Bench.session("open L11-15")
    let challenges = session.evaluate("show challenges")
    #expect(challenges.complaint == nil && !challenges.text.isEmpty)
    let storage = session.evaluate("show storage")
    #expect(storage.complaint == nil && storage.text != challenges.text)
    #expect(session.evaluate("show chalenges").complaint != nil)
  }
}

import Explanation
import Oracles
import Simulator
import Testing

@Suite("Traces")
struct TraceTests {
  @Test("steps are numbered from 1, and findings belong to the last one")
  func numbering() throws {
    var trace = Trace()
    let day = try #require(Instant("2016-11-01"))
    let finding = Enforcement.standard.check(
      Rule(.ats, "offer", "Offer.", .apple("ATS")), on: .connection, true)
    trace.attach([finding])
    #expect(trace.steps.isEmpty)
    for secret in ["one", "two"] as [Value.ID] { trace.record(Step(.disclosed(secret), at: day, from: .client)) }
    trace.attach([finding])
    #expect(trace.steps.map(\.number) == [1, 2])
    #expect(trace.steps.map(\.findings.count) == [0, 1])
  }

  @Test("a trace is a value: changes to a copy do not affect it")
  func value() throws {
    let before = Trace(held: [Value("api.key", [1], .generated(by: .server))])
    var after = before
    let day = try #require(Instant("2016-11-01"))
    var step = Step(.leaked("api.key", at: day), at: day, from: .eavesdropper)
    step.leaked = ["api.key"]
    after.record(step)
    #expect(before.steps.isEmpty && before.leaks.isEmpty)
    #expect(after.leaks.map(\.secret) == ["api.key"])
    #expect(before.valueNames == ["api.key"])
  }
}

import Foundation
import Oracles
import Testing

@Suite("The examples")
struct ExampleTests {
  @Test("the scenarios of the example's tests pass")
  func appTests() throws {
    let result = try Program.run("test", "Examples/AppTests/Scenarios")
    #expect(result.status == 0 && result.output.contains("3 passed"), "\(result.output)")
  }

  @Test("a stream with a damaged line has a result for every line, in order", .needs(.python))
  func stream() throws {
    let script = Program.root.appendingPathComponent("Examples/spark/ndjson.py").path
    let requests = try #require(OtherPrograms.output(["python3", script, "1200"]))
    let answers = try Program.run(["ats", "decide", "--ndjson"], input: requests)
    #expect(answers.status == 0)
    let told = Command.output(["python3", script, "--check", "1200"], input: answers.output)
    #expect(told?.contains("1200") == true)
  }
}

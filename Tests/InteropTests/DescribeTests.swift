import Foundation
import Oracles
import Testing

@Suite("describe")
struct DescribeCommandTests {
  @Test("the output of --full plays the same as the scenario")
  func full() throws {
    let folder = try Program.folder([:])
    let path = folder.appendingPathComponent("L1-15.yaml").path
    let written = try Program.run("describe", "L1-15", "--full", "--output", path)
    #expect(written.status == 0 && written.output.isEmpty, "\(written.errors)")
    for name in ["main", "iOS 8 has no ATS", "with the exception"] {
      let arguments = ["--case", name, "--format", "json"]
      let full = try Program.run(["run", path] + arguments)
      #expect(full.errors.isEmpty)
      #expect(try full.output == Program.run(["run", "L1-15"] + arguments).output)
    }
    #expect(try Program.run("test", path).status == 0)
    let other = folder.appendingPathComponent("L13-02.yaml").path
    #expect(try Program.run("describe", "L13-02", "--full", "--output", other).status == 0)
    let tested = try Program.run("test", other)
    #expect(tested.status == 0, "\(tested.output)")
  }

  @Test("a run that hangs is described with layer and rule, like a refusal")
  func hanging() throws {
    let story = try Program.run("describe", "-", input: Self.hanging).output
    let words = story.split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.shows("challenge … challenge.unanswered ("))
  }

  private static let hanging = """
    client: { loader: NSURLConnection, delegate: { methods: [willSendRequest], rules: [] } }
    expect: { verdict: hangs, layer: challenge, because: [challenge.unanswered] }
    """

  @Test("an invalid scenario is an error with a hint, and exit status 2")
  func unknown() throws {
    for arguments in [["describe"], ["describe", "L1-51"], ["describe", "Scenarios"], ["describe", "Makefile"]] {
      let result = try Program.run(arguments)
      #expect(result.status == 2)
      #expect(result.errors.contains("error: ") && result.errors.contains("\nhint: "), "\(result.errors)")
      #expect(result.output.isEmpty)
    }
  }
}

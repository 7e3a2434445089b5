import Foundation
import Testing

@Suite("describe")
struct DescribeCommandTests {
  @Test("what --full writes plays as the scenario does")
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
  }

  @Test("a scenario that is none is an error with a hint, and exit status 2")
  func unknown() throws {
    for arguments in [["describe"], ["describe", "L1-51"], ["describe", "Scenarios"], ["describe", "Makefile"]] {
      let result = try Program.run(arguments)
      #expect(result.status == 2)
      #expect(result.errors.contains("error: ") && result.errors.contains("\nhint: "), "\(result.errors)")
      #expect(result.output.isEmpty)
    }
  }
}

import Foundation
import Oracles
import Rendering
import Testing

@Suite("The fixes of the whole curriculum, by the program")
struct FixSweep {
  @Test("each fix that can be played removes its finding, and few cannot be played", .needs(.jsonschema))
  func curriculum() throws {
    let folder = try Program.folder([:])
    let result = try Program.run("fix-check", "--format", "json", in: folder)
    #expect(result.status == 0, "\(result.errors)")
    let answer = try JSONValue(reading: Array(result.output.utf8))
    #expect(answer["parts"]?["remains"] == 0)
    #expect(answer["parts"]?["hidden"] == 0)
    guard case .integer(let findings)? = answer["findings"], case .integer(let played)? = answer["played"] else {
      Issue.record("the sums are missing")
      return
    }
    #expect(findings >= 500 && played * 100 >= findings * 95, "\(played) of \(findings)")
    let file = folder.appendingPathComponent("fixes.json")
    try Data(result.output.utf8).write(to: file)
    #expect(OtherPrograms.violation(in: file, of: "fix-check") == "")
  }
}

@Suite("The command fix-check")
struct FixCheckCommandTests {
  @Test("it prints the fix, the lines that carry it out and the result")
  func text() throws {
    let result = try Program.run("fix-check", "L1-15", "--filter", "L1-15/main")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output.contains("set server.cipherSuites = "))
    #expect(result.output.contains("✓ removed"))
    #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
  }

  @Test("with --quiet it prints the sums alone if no fix is false")
  func quiet() throws {
    let result = try Program.run("fix-check", "L1-15", "--quiet")
    #expect(result.status == 0, "\(result.errors)")
    #expect(!result.output.contains("set server"))
    #expect(result.output.contains("false fixes: 0"))
  }

  @Test("a missing scenario, a glob without a case and a broken file are unreadable input")
  func unreadable() throws {
    let folder = try Program.folder(["slip.yaml": Data("client: { os: iOS 99 }\n".utf8)])
    #expect(try Program.run("fix-check", "L99-99", in: folder).status == 2)
    #expect(try Program.run("fix-check", "L1-15", "--filter", "nothing", in: folder).status == 2)
    #expect(try Program.run("fix-check", "slip.yaml", in: folder).status == 2)
    #expect(try Program.run("fix-check", "L1-01", in: folder).status == 0)
  }
}

import Foundation
import Oracles
import Scenarios
import Testing

@Suite("A library of scenarios in another package's tests")
struct LibraryTests {
  private func inFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
    try body(folder.path)
  }

  @Test("a folder that does not exist is an error, not an empty test run")
  func missingFolder() throws {
    let library = try ScenarioLibrary(at: "/nowhere/at/all")
    let error = #expect(throws: Diagnostics.self) { try library.cases }
    #expect(error?.all.first?.message.shows("'/nowhere/at/all'") == true)
  }

  @Test("a folder without scenarios is an error")
  func emptyFolder() throws {
    try inFolder([:]) { folder in
      let error = #expect(throws: Diagnostics.self) { try ScenarioLibrary(at: folder).cases }
      #expect(error?.all.count == 1)
    }
  }

  @Test("a case is judged with its sibling")
  func sibling() throws {
    let refused = "certificates: { api: { issuer: Issuing, names: [b.example] } }\nexpect: { verdict: refused }\n"
    let wrong = "cases: [{ name: right, with: { certificates.api.names: [c.example] }, expect: { verdict: accepted } }]"
    try inFolder(["a.yaml": refused + wrong]) { folder in
      let library = try ScenarioLibrary(at: folder)
      let scenario = try #require(try library.cases.first)
      #expect(try Lab.player.play(scenario).judgement.result == .passed)
      let result = try library.result(of: scenario, by: Lab.player)
      #expect(result.judgement.result == .skipped)
      #expect("\(result)" == "a: skipped, its sibling a/right failed, from which it differs in certificates.api.names")
    }
  }

  @Test("a failure is reported with a line for each mismatch")
  func failure() throws {
    let result = try Lab.play("expect: { verdict: hangs, content: other }")
    #expect(
      "\(result)" == """
        test: failed
          verdict: expected hangs, found accepted
          content: expected other, found hello
        """)
    var dump = ""
    Swift.dump(result, to: &dump)
    #expect(dump.utf8.count < 200)
  }
}

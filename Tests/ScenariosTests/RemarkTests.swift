import Cryptography
import Foundation
import Laboratory
import Oracles
import Scenarios
import Simulator
import Testing

@Suite("Remarks on odd but valid input")
struct RemarkTests {
  private func remarks(_ plist: String) throws -> [Diagnostic] {
    let library = try ScenarioLibrary.curriculum()
    let text = "client:\n  infoPlist:\n    \(plist)\nrequest: http://api.example/\n"
    let file = try library.reader.read(Array(text.utf8), path: "own.yaml")
    let scenario = try #require(file.cases.first)
    return try ScenarioLibrary.player(keys: KeyStore.tests).remarks(on: scenario)
  }

  @Test("a misspelt key is reported with its line and the nearest key")
  func misspelt() throws {
    let remark = try #require(try remarks("NSAllowArbitraryLoads: true").first)
    #expect(remark.severity == .warning)
    #expect(remark.message.contains("NSAllowArbitraryLoads"))
    #expect(remark.hint.contains("'NSAllowsArbitraryLoads'"))
    #expect(remark.mark == SourceMark(file: "own.yaml", line: 3, column: 5))
  }

  @Test("a misspelt key of a domain, or a value of the wrong type, is reported")
  func domain() throws {
    let found = try remarks(
      "NSExceptionDomains: { api.example: { NSIncludeSubdomains: true, NSExceptionAllowsInsecureHTTPLoads: \"YES\" } }")
    #expect(found.count == 2)
    #expect(found.contains { $0.message.contains("NSIncludeSubdomains") })
    #expect(found.contains { $0.message.contains("NSExceptionAllowsInsecureHTTPLoads") && $0.mark?.line == 3 })
  }

  @Test("existing keys get no remark")
  func known() throws {
    #expect(try remarks("NSAllowsArbitraryLoads: true").isEmpty)
    #expect(try remarks("NSExceptionDomains: { api.example: { NSIncludesSubdomains: true } }").isEmpty)
  }

  @Test("a name that a certificate cannot hold is an error, its A-label is not")
  func internationalName() throws {
    let reader = try ScenarioLibrary.curriculum().reader
    func text(_ name: String) -> [UInt8] {
      Array("certificates: { api: { issuer: Issuing, names: [api.example, \(name)] } }\n".utf8)
    }
    let error = #expect(throws: Diagnostics.self) { try reader.read(text("é.example"), path: "own.yaml") }
    #expect(error?.all.first?.message.shows("'é.example'") == true)
    #expect(try reader.read(text("xn--9ca.example"), path: "own.yaml").warnings.isEmpty)
  }

  @Test(
    "at the ends of the calendar, the validity of certificates is limited to representable dates",
    arguments: ["0000-01-01", "9999-12-31"])
  func ends(day: String) throws {
    let file = try ScenarioLibrary.curriculum().reader.read(Array("clock: \(day)\n".utf8), path: "own.yaml")
    let result = try ScenarioLibrary.player(keys: KeyStore.tests).play(try #require(file.cases.first))
    #expect(result.outcome.verdict.word == .accepted)
  }

  @Test("a server with TLS 1.3 is only diagnosed; with TLS 1.2 it gets a warning")
  func newerVersion() throws {
    let reader = try ScenarioLibrary.curriculum().reader
    let server = "server: { versions: [TLSv1.2, TLSv1.3] }\n"
    for version in ["TLSv1.2", "TLSv1.1"] {
      let text = "\(server.replacing("TLSv1.2", with: version))client: { os: iOS 18.4 }\n"
      let both = try reader.read(Array(text.utf8), path: "own.yaml")
      #expect(both.warnings.map(\.message).show(["TLSv1.3 … \(version)"]))
    }
    let old = try reader.read(Array("\(server)client: { os: iOS 10 }\n".utf8), path: "own.yaml")
    #expect(old.warnings.isEmpty)
    let alone = try reader.read(Array("server: { versions: [TLSv1.3] }\n".utf8), path: "own.yaml")
    #expect(alone.warnings.isEmpty)
    let scenario = try #require(alone.cases.first)
    #expect(try ScenarioLibrary.player(keys: KeyStore.tests).site(of: scenario).servers.count == 1)
    let error = #expect(throws: Diagnostics.self) { try ScenarioLibrary.player(keys: KeyStore.tests).play(scenario) }
    #expect(error?.all.first?.message.shows("TLSv1.3") == true)
    #expect(error?.all.first?.mark != nil)
  }
}

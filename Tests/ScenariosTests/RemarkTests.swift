import Cryptography
import Foundation
import Laboratory
import Oracles
import Scenarios
import Simulator
import Testing

@Suite("What is odd without being wrong")
struct RemarkTests {
  private func remarks(_ plist: String) throws -> [Diagnostic] {
    let library = try ScenarioLibrary.curriculum()
    let text = "client:\n  infoPlist:\n    \(plist)\nrequest: http://api.example/\n"
    let file = try library.reader.read(Array(text.utf8), path: "own.yaml")
    let scenario = try #require(file.cases.first)
    return try ScenarioLibrary.player(keys: KeyStore.tests).remarks(on: scenario)
  }

  @Test("a misspelt key is named with its line and the key that was meant")
  func misspelt() throws {
    let remark = try #require(try remarks("NSAllowArbitraryLoads: true").first)
    #expect(remark.severity == .warning)
    #expect(remark.message.contains("NSAllowArbitraryLoads"))
    #expect(remark.hint.contains("did you mean 'NSAllowsArbitraryLoads'?"))
    #expect(remark.mark == SourceMark(file: "own.yaml", line: 3, column: 5))
  }

  @Test("so is one of a domain, and a value of the wrong type")
  func domain() throws {
    let found = try remarks(
      "NSExceptionDomains: { api.example: { NSIncludeSubdomains: true, NSExceptionAllowsInsecureHTTPLoads: \"YES\" } }")
    #expect(found.count == 2)
    #expect(found.contains { $0.message.contains("NSIncludeSubdomains") })
    #expect(found.contains { $0.message.contains("takes a boolean") && $0.mark?.line == 3 })
  }

  @Test("keys that exist are not remarked on")
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
    #expect(error?.all.first?.message == "'é.example' is not a DNS name or an address")
    #expect(try reader.read(text("xn--9ca.example"), path: "own.yaml").warnings.isEmpty)
  }

  @Test(
    "at the ends of the calendar certificates are valid for as long as can be written",
    arguments: ["0000-01-01", "9999-12-31"])
  func ends(day: String) throws {
    let file = try ScenarioLibrary.curriculum().reader.read(Array("clock: \(day)\n".utf8), path: "own.yaml")
    let result = try ScenarioLibrary.player(keys: KeyStore.tests).play(try #require(file.cases.first))
    #expect(result.outcome.verdict.word == .accepted)
  }

  @Test("a server of TLS 1.3 alone can be asked and is not played yet; beside 1.2 it is remarked on")
  func newerVersion() throws {
    let reader = try ScenarioLibrary.curriculum().reader
    let server = "server: { versions: [TLSv1.2, TLSv1.3] }\n"
    for version in ["TLSv1.2", "TLSv1.1"] {
      let text = "\(server.replacing("TLSv1.2", with: version))client: { os: iOS 18.4 }\n"
      let both = try reader.read(Array(text.utf8), path: "own.yaml")
      let words = "TLSv1.3 is not played yet: \(version) is the newest of the server's that is"
      #expect(both.warnings.map(\.message) == [words])
    }
    let old = try reader.read(Array("\(server)client: { os: iOS 10 }\n".utf8), path: "own.yaml")
    #expect(old.warnings.isEmpty)
    let alone = try reader.read(Array("server: { versions: [TLSv1.3] }\n".utf8), path: "own.yaml")
    #expect(alone.warnings.isEmpty)
    let scenario = try #require(alone.cases.first)
    #expect(try ScenarioLibrary.player(keys: KeyStore.tests).site(of: scenario).servers.count == 1)
    let error = #expect(throws: Diagnostics.self) { try ScenarioLibrary.player(keys: KeyStore.tests).play(scenario) }
    #expect(error?.all.first?.message == "TLSv1.3 is not played yet, and the server speaks nothing else")
    #expect(error?.all.first?.mark != nil)
  }
}

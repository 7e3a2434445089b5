import Cryptography
import Foundation
import Laboratory
import Oracles
import Scenarios
import Simulator
import TLS
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

  @Test("systems since iOS 12.2 use TLS 1.3 if the server supports it; older ones need TLS 1.2")
  func newerVersion() throws {
    func played(_ os: String, _ versions: String) throws -> (version: ProtocolVersion?, because: [String]) {
      let text = "server: { versions: [\(versions)] }\nclient: { os: \(os) }\n"
      let file = try ScenarioLibrary.curriculum().reader.read(Array(text.utf8), path: "own.yaml")
      #expect(file.warnings.isEmpty)
      let result = try ScenarioLibrary.player(keys: KeyStore.tests).play(try #require(file.cases.first))
      let client = result.simulation.accounts.last?.client
      return (client?.parameters?.version, result.outcome.verdict.because.map(\.id))
    }
    for os in ["iOS 12.2", "iOS 18.4", "iOS 26.4", "macOS 15"] {
      #expect(try played(os, "TLSv1.3").version == .tls13)
      #expect(try played(os, "TLSv1.2, TLSv1.3").version == .tls13)
      #expect(try played(os, "TLSv1.2").version == .tls12)
    }
    #expect(try played("iOS 10", "TLSv1.2, TLSv1.3").version == .tls12)
    #expect(try played("iOS 10", "TLSv1.3").because == ["handshake.no-common-version"])
  }
}

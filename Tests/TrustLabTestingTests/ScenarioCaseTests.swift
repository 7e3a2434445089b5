import Foundation
import Scenarios
import Testing
import TLS
import URLLoading

@testable import TrustLabTesting

@Suite("Scenarios in another package's tests")
struct ScenarioCaseTests {
  private func inFolder(_ files: [String: String], _ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
    try body(folder.path)
  }

  private static let mixed = """
    title: A gateway without forward secrecy
    server: { cipherSuites: [TLS_RSA_WITH_AES_128_GCM_SHA256] }
    expect: { verdict: refused, because: [ats.no-forward-secrecy] }
    cases:
      - name: excepted
        with: { client.infoPlist: { NSExceptionDomains: { api.example: { NSExceptionRequiresForwardSecrecy: false } } } }
        expect: { verdict: accepted }
      - { name: wrong, expect: { verdict: refused, because: [ats.tls-version] } }
    """

  @Test("a case is identified only by its name, and nothing else of it is shown")
  func descriptions() throws {
    try inFolder(["gateway.yaml": Self.mixed]) { folder in
      let cases = try ScenarioCase.all(in: folder)
      #expect(cases.map(\.description) == ["gateway", "gateway/excepted", "gateway/wrong"])
      var dump = ""
      Swift.dump(cases, to: &dump)
      #expect(dump.utf8.count < 300)
    }
  }

  @Test("a failure names the expected result, the deciding rule and the line")
  func failures() throws {
    try inFolder(["gateway.yaml": Self.mixed]) { folder in
      let cases = try ScenarioCase.all(in: folder)
      for scenario in cases.prefix(2) { try scenario.check() }
      let failure = #expect(throws: ScenarioFailure.self) { try cases[2].check() }
      let lines = (failure?.description ?? "").split(separator: "\n").map(String.init)
      #expect(lines.first?.hasPrefix("gateway/wrong ") == true)
      #expect(lines.contains { $0.contains(/because: .*\[ats.tls-version\].*\[ats.no-forward-secrecy\]/) }, "\(lines)")
      #expect(lines.contains { $0.hasPrefix("  ats.no-forward-secrecy: ") })
      #expect(lines.last == "at \(folder)/gateway.yaml:8")
    }
  }

  @Test("a refusal whose accepted sibling fails is a failure, because it proves nothing")
  func siblings() throws {
    let refused = "certificates: { api: { issuer: Issuing, names: [b.example] } }\nexpect: { verdict: refused }\n"
    let wrong = "cases: [{ name: right, with: { certificates.api.names: [c.example] }, expect: { verdict: accepted } }]"
    try inFolder(["a.yaml": refused + wrong]) { folder in
      let failure = #expect(throws: ScenarioFailure.self) { try ScenarioCase.all(in: folder)[0].check() }
      #expect(failure?.description.contains("a/right") == true)
    }
    let right = wrong.replacing("c.example", with: "api.example")
    try inFolder(["a.yaml": refused + right]) { folder in try ScenarioCase.all(in: folder)[0].check() }
  }

  @Test("a missing folder, or one without scenarios, is an error, not an empty test run")
  func folders() throws {
    let missing = #expect(throws: Diagnostics.self) { try ScenarioCase.all(in: "no/such/folder") }
    #expect(missing?.description.contains("'no/such/folder'") == true)
    try inFolder([:]) { folder in
      let empty = #expect(throws: Diagnostics.self) { try ScenarioCase.all(in: folder) }
      #expect(empty?.description.contains(folder) == true)
    }
    try inFolder(["slip.yaml": "expect: { verdikt: x }\n"]) { folder in
      let slip = #expect(throws: Diagnostics.self) { try ScenarioCase.all(in: folder) }
      #expect(slip?.description.contains("slip.yaml:1:") == true)
    }
  }

  @Test("a folder is found relative to the test's file, wherever the tests run")
  func places() throws {
    let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().lastPathComponent
    #expect(try ScenarioCase.all(of: "L1-15").first?.description == "L1-15")
    #expect(try !ScenarioCase.all(in: "Scenarios/L1").isEmpty && !file.isEmpty)
    #expect(throws: Diagnostics.self) { try ScenarioCase.all(of: "L99-99") }
  }

  @Test("a scenario can be written in Swift, with rules as values and an accepted sibling")
  func swift() throws {
    let gateway = try ScenarioCase(
      "our old gateway",
      ["server.cipherSuites": ["TLS_RSA_WITH_AES_128_GCM_SHA256"], "client.os": "iOS 17"],
      expecting: .refused, because: [.atsNoForwardSecrecy])
    #expect(gateway.description == "our old gateway")
    let excepted = try gateway.changing(
      "with the exception",
      ["client.infoPlist": ["NSExceptionDomains": ["api.example": ["NSExceptionRequiresForwardSecrecy": false]]]],
      expecting: .accepted)
    try excepted.check()
    #expect(excepted.description == "our old gateway/with the exception")
    #expect(try gateway.play().outcome.verdict.because == [.atsNoForwardSecrecy])
    try gateway.check()
    let failure = #expect(throws: ScenarioFailure.self) {
      try ScenarioCase("a good one", ["expect.verdict": "hangs"]).check()
    }
    #expect(failure?.description.contains("verdict: expected hangs, found accepted") == true)
  }

  @Test("a mistake in Swift is an error at the test's line, with a suggestion")
  func slips() throws {
    let line = #line + 1
    let slip = #expect(throws: Diagnostics.self) { try ScenarioCase("x", ["client.oss": "iOS 17"]) }
    #expect(slip?.all.first?.mark?.line == line && slip?.all.first?.mark?.file == #filePath)
    #expect(slip?.description.contains("'os'") == true, "\(String(describing: slip))")
    #expect(throws: Diagnostics.self) { try ScenarioCase("x", ["client..os": "iOS 17"]) }
    #expect(throws: Diagnostics.self) { try ScenarioCase("x", ["client.os": "iOS 99"]) }
  }
}

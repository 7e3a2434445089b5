import Explanation
import PKIX
import Simulator
import TLS
import Testing

@testable import Scenarios

@Suite("Faults")
struct FaultTests {
  private func play(_ text: String, _ place: Mutant.Place, _ faults: [Fault]) throws -> CaseResult {
    let mutant = Mutant("test", [place], "", faults, source: "")
    let scenario = try #require(try Lab.read(text).scenario(named: Scenario.mainCase))
    return try ScenarioLibrary.player(keys: Lab.keys, mutant: mutant).play(scenario)
  }

  @Test("every deciding rule can be switched off, and its violation still shows")
  func rules() {
    for rule in RuleCatalogue.all where rule.decides {
      #expect(Enforcement.standard.check(rule, on: .connection, false).refuses, "\(rule.id)")
      let finding = Enforcement([.switchingOff(rule)]).check(rule, on: .connection, false)
      #expect(finding.outcome == .violated && finding.weight == .overridden(by: .mutant), "\(rule.id)")
    }
  }

  @Test("faults of several engines share one list, and each engine finds its own")
  func engines() {
    let enforcement = Enforcement([
      .switchingOff(.expired), .path { $0.comparedName = { _ in "x" } }, .tls { $0.tells = { _ in true } },
      .path { $0.isAnchor = { _, _ in true } },
    ])
    let (path, tls): (PathDecisions, TLSDecisions) = (enforcement.decisions(), enforcement.decisions())
    #expect(path.comparedName?("y") == "x" && path.isAnchor != nil && path.mayCover == nil)
    #expect(tls.tells(.version) && !TLSDecisions.standard.tells(.version))
    #expect(enforcement.isOverridden(.expired) && !enforcement.isOverridden(.nameMismatch))
  }

  @Test("a client's fault overrides App Transport Security: the load continues, and the violation shows")
  func insecureLoad() throws {
    let text = "request: http://api.example/"
    #expect(try Lab.play(text).outcome.verdict.because == [.atsInsecureHTTP])
    let outcome = try play(text, .client, [.switchingOff(.atsInsecureHTTP)]).outcome
    #expect(outcome.verdict.word == .accepted)
    #expect(outcome.findings.contains { $0.rule == .atsInsecureHTTP && $0.weight == .overridden(by: .mutant) })
  }

  @Test("a client's fault affects App Transport Security and the offered suites on every hop")
  func redirectedLoad() throws {
    let text = """
      server:
        cipherSuites: [TLS_RSA_WITH_AES_128_GCM_SHA256]
        content: { GET /: { redirect: 'https://api.example/new' }, GET /new: here }
      client: { os: iOS 10 }
      """
    #expect(try Lab.play(text).outcome.verdict.because == [.atsNoForwardSecrecy])
    let result = try play(text, .client, [.switchingOff(.atsNoForwardSecrecy)])
    #expect(result.connections.map(\.verdict.word) == [.accepted, .accepted])
    #expect(result.connections.map(\.cipherSuite) == Array(repeating: "TLS_RSA_WITH_AES_128_GCM_SHA256", count: 2))
  }

  @Test("a preset is the delegate of an app that has none of its own")
  func delegate() throws {
    let text = """
      certificates: { self-signed: { names: [api.example] } }
      client: { os: iOS 8 }
      server: { presents: [self-signed] }
      """
    #expect(try Lab.play(text).outcome.verdict.word == .refused)
    let preset = try #require(DelegatePreset(named: "accept-all"))
    #expect(try play(text, .delegate, [.delegate(preset)]).outcome.verdict.word == .accepted)
  }
}

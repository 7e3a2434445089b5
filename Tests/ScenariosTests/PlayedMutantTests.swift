import Scenarios
import Simulator
import Testing

@Suite("Mutants in scenarios")
struct PlayedMutantTests {
  private func play(_ text: String, _ mutant: String? = nil) throws -> Outcome {
    let player = ScenarioLibrary.player(keys: Lab.keys, mutant: try mutant.map { try #require(Mutant.named($0)) })
    let scenario = try #require(try Lab.read(text).scenario(named: Scenario.mainCase))
    return try player.play(scenario).outcome
  }

  private func because(_ text: String, _ mutant: String? = nil) throws -> [String] {
    try play(text, mutant).verdict.because.map(\.id)
  }

  @Test("a case of the curriculum catches basic-constraints")
  func curriculum() throws {
    let scenario = try #require(
      Lab.cases.first { $0.id == "L3-09" && $0.caseName == "only keyUsage forgot to forbid it" })
    let player = ScenarioLibrary.player(keys: Lab.keys, mutant: Mutant.named("basic-constraints"))
    #expect(try Lab.player.play(scenario).outcome.verdict.because.map(\.id) == ["chain.not-a-ca"])
    let result = try player.play(scenario)
    #expect(result.outcome.verdict.word == .accepted)
    #expect(result.judgement.result == .failed)
  }

  @Test("a verdict of each file detects each mutant that the file claims to catch")
  func claims() throws {
    let files = try Lab.library().files(naming: ["kills:"]).filter { !$0.cases.flatMap(\.about.kills).isEmpty }
    #expect(files.count >= 9)
    for file in files {
      #expect(TestRun([file], player: Lab.player).falseClaims(of: file).isEmpty, "\(file.id)")
    }
  }

  @Test("a file cannot claim to catch an unknown bug")
  func unknownClaim() throws {
    #expect(try Lab.diagnostics("kills: [basic-constraints]").isEmpty)
    let diagnostics = try Lab.diagnostics("kills: [basic-constraint]")
    #expect(diagnostics.contains { $0.description.contains("'basic-constraints'") })
  }

  @Test("a scenario gives its client or its server a bug of that kind")
  func language() throws {
    let text = "certificates: { api: { issuer: Issuing, names: [api.example], break: client-auth-only } }"
    #expect(try because(text) == ["chain.extended-key-usage"])
    #expect(try play(text + "\nclient: { mutant: eku-ignored }").verdict.word == .accepted)
    for bug in ["client: { mutant: robot }", "server: { mutant: goto-fail }", "client: { mutant: none such }"] {
      #expect(try !Lab.diagnostics(bug).isEmpty)
    }
  }

  @Test("goto-fail skips the signature; Finished still detects a changed message")
  func gotoFail() throws {
    // On x25519 any 32 bytes are a public key; an invalid point on another curve would be noticed at once.
    let text = "client: { os: iOS 11 }\nnetwork: [{ alter: ServerKeyExchange, flip: 300 }]"
    #expect(try because(text) == ["handshake.bad-signature"])
    let outcome = try play(text, "goto-fail")
    #expect(outcome.verdict.because.map(\.id) == ["record.bad-mac"])
    #expect(
      outcome.findings.contains {
        $0.rule.id == "handshake.bad-signature" && $0.weight == .overridden(by: .mutant)
      })
  }

  @Test("afnetworking-2.5.1 accepts a self-signed certificate if App Transport Security is off")
  func acceptingDelegate() throws {
    func text(_ os: String) -> String {
      "client: { os: \(os) }\ncertificates: { api: { issuer: self } }\nserver: { presents: [api] }"
    }
    #expect(try play(text("iOS 8")).verdict.word == .refused)
    #expect(try play(text("iOS 8"), "afnetworking-2.5.1").verdict.word == .accepted)
    #expect(try because(text("iOS 10"), "afnetworking-2.5.1").contains("ats.trust-loosening"))
    #expect(try play(text("iOS 8"), "afnetworking-2.5.2").verdict.word == .refused)
  }

  @Test("afnetworking-2.5.2 accepts another host's certificate, and none of an unknown CA")
  func namelessDelegate() throws {
    let text = "client: { os: iOS 8 }\ncertificates: { api: { issuer: Issuing, names: [evil.example] } }"
    #expect(try because(text) == ["name.mismatch"])
    #expect(try play(text, "afnetworking-2.5.2").verdict.word == .accepted)
  }

  @Test("a server with a client-validation bug accepts a server certificate from a client")
  func servers() throws {
    let text = """
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        phone: { issuer: Issuing, extendedKeyUsage: [serverAuth] }
      client: { identity: phone }
      server: { clientAuthentication: required, clientAuthorities: [Root A] }
      """
    #expect(try because(text) == ["client-auth.extended-key-usage"])
    #expect(try play(text + "\n", "eku-ignored").verdict.word == .accepted)
  }
}

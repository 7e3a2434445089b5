import Endpoint
import Explanation
import Oracles
import Simulator
import Testing

@testable import Scenarios

@Suite("Attacks that can never apply")
struct AttackCheckTests {
  private static let rsa = "client: { os: iOS 8 }\nserver: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }\n"

  private static let crossed = """
    authorities:
      Root B: { trust: system }
      Root A: { trust: none }
      A by B: { issuer: Root B, crossSigns: Root A }
    certificates: { api: { issuer: Root A, names: [api.example] } }
    server: { presents: [api, A by B] }
    client: { os: iOS 9 }

    """

  @Test("the key of a cross-certified CA makes impersonation possible under either root")
  func crossCertified() throws {
    func goal(_ secret: String) throws -> Goal.State? {
      try Lab.play(Self.crossed + "network: [eavesdrop, { leak: \(secret), after: 9 days }]").outcome.goals[
        .impersonation]
    }
    #expect(try goal("Root A.key") == .later && goal("Root B.key") == .later)
  }

  @Test(
    "an attack that can never apply is an error with its place and a fix",
    arguments: [
      ("network: [{ drop: ServerHello, from: client }]", "ServerHello", "'from'"),
      ("network: [{ alter: ServerHello, field: randum, to: 00 }]", "'randum'", "'random'"),
      ("network: [{ drop: CertificateRequest }]", "", "clientAuthentication: required"),
      ("network: [{ drop: Certificate, from: client }]", "", "clientAuthentication"),
      ("network: [{ drop: HTTP response }]", "https", "ApplicationData"),
      (
        "request: http://api.example/\nclient: { os: iOS 8 }\nnetwork: [{ drop: ServerHello }]",
        "", "HTTP request … HTTP response"
      ),
      (rsa + "network: [{ drop: ServerKeyExchange }]", "ServerKeyExchange", "ECDHE"),
      (rsa + "network: [{ leak: server_ecdh_private }]", "server_ecdh_private", "premaster_secret"),
      ("network: [{ leak: encrypted_premaster_secret }]", "", "premaster_secret"),
      (
        "requests: [\"https://api.example/\", \"https://api.example/\"]\nnetwork: [{ leak: master_secret }]",
        "master_secret", "first.master_secret"
      ),
      (crossed + "network: [{ leak: A by B.key }]", "A by B.key", "Root A.key"),
      ("network: [{ strip: false }]", "'strip'", "'network'"),
      ("network: [{ drop: ClientHello, in: attempt2 }]", "'attempt2'", ""),
      ("network: [{ drop: ClientHello, in: first }]", "'first'", "'in'"),
      ("attackers: { budget: 2^129 }", "2^0 … 2^128", "2^40"),
    ])
  func impossible(_ text: String, _ message: String, _ hint: String) throws {
    let found = try Lab.diagnostics(text)
    #expect(found.contains { $0.shows(message, hint) }, "\(found)")
  }

  @Test(
    "an attack that can apply is no error",
    arguments: [
      "network: [{ drop: ServerHello }, { drop: ServerKeyExchange }, { alter: ServerHello, field: random, to: 00 }]",
      "request: http://api.example/\nclient: { os: iOS 8 }\nnetwork: [{ drop: HTTP response }]",
      "request: http://api.example/\nclient: { os: iOS 8, hsts: [api.example] }\nnetwork: [{ drop: ServerHello }]",
      "network: [{ leak: server_ecdh_private }, { leak: master_secret }, { leak: api.key }]",
      "client: { os: iOS 18 }\nserver: { versions: [TLSv1.3] }\nnetwork: [{ leak: psk.2 }, { leak: ticket_nonce.3 }]",
      "client: { os: iOS 18 }\nserver: { versions: [TLSv1.3] }\nnetwork: [{ leak: client_application_write_iv_7 }]",
      "requests: [\"https://api.example/\", \"https://api.example/\"]\nnetwork: [{ leak: second.master_secret }]",
    ])
  func possible(_ text: String) throws { #expect(try Lab.diagnostics(text).isEmpty) }

  @Test("a scenario can name every field that a message of the curriculum has")
  func fields() throws {
    func names(_ field: Field) -> [String] { [field.name] + field.children.flatMap(names) }
    for id in ["L1-01", "L1-02", "L7-01", "L10-01", "L0-02", "L16-01", "L16-02", "L16-05"] {
      let scenario = try Lab.scenario(named: id)
      for step in try Lab.player.play(scenario).simulation.trace.steps where !step.isProtected {
        for name in step.fields.flatMap(names) {
          #expect(AttackCheck.fields.contains(name), "\(name) of step \(step.number)")
        }
      }
    }
  }

  @Test("a missed attack is reported with the words that configured it")
  func missed() {
    let attack = Attack(.drop, to: .handshake(.clientHello), from: .client, above: .tls12)
    #expect(attack.order == "drop ClientHello above TLSv1.2")
    #expect(attack.missed(isMet: false).shows("ClientHello … TLSv1.2"))
    let third = Attack(.cut, to: .tls(.applicationData), number: 3)
    #expect(third.missed(isMet: false).shows("ApplicationData … 3"))
  }
}

@Suite("Sentences and knowledge follow the events of the run")
struct WordsOfRunsTests {
  private func played(_ text: String) throws -> CaseResult {
    try Lab.player.play(try #require(try Lab.read(text).scenario(named: Scenario.mainCase)))
  }

  private static let plain = "client: { os: iOS 8 }\nrequest: http://api.example/\n"

  @Test(
    "an endpoint does not know a message that never reached it",
    arguments: [
      ("{ alter: HTTP response, replace: { hello: hallo } }", false), ("{ drop: HTTP response }", false),
      ("{ observe: HTTP response }", true), ("{ alter: HTTP response, replace: { nobody: said } }", true),
    ])
  func met(_ verb: String, _ isMet: Bool) throws {
    let run = try played(Self.plain + "network: [eavesdrop, \(verb)]").simulation
    #expect(run.knowledge(of: .client).knows("application_data.server.1") == isMet)
    #expect(run.knowledge(of: .eavesdropper).knows("application_data.server.1"))
    #expect(run.knowledge(of: .server).knows("application_data.server.1"))
  }

  @Test("a server learns the premaster secret by decryption, even if others can search for it")
  func decrypts() throws {
    let run = try played(
      "client: { os: iOS 8, random: { premaster_secret: 6 bits } }\n"
        + "server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }"
    ).simulation
    let methods = [Party.server, .eavesdropper].map { party -> Explanation.Method? in
      if case .computed(let method, _)? = run.knowledge(of: party).way(to: "premaster_secret") { method } else { nil }
    }
    #expect(methods == [.rsaDecryption, .premasterSearch(bits: 6)])
    let computed = run.trace.steps.filter { $0.kind == .derivation && $0.from == .server }.flatMap(\.values)
    let ways = computed.filter { $0.id == "premaster_secret" }.flatMap(\.derivations)
    #expect(
      ways.contains { if case .computed(.rsaDecryption, _) = $0 { true } else { false } }
        && !ways.contains { if case .computed(.premasterSearch, _) = $0 { true } else { false } })
  }

  @Test("an attack without effect is not reported as a change")
  func nothing() throws {
    let run = try played(Self.plain + "network: [{ alter: HTTP response, replace: { nobody: said } }]").simulation
    let step = try #require(run.trace.steps.first { $0.kind == .attack })
    #expect(step.interference?.kind == .unaltered)
    let other = try played(Self.plain + "network: [{ alter: HTTP response, replace: { hello: hallo } }]").simulation
    #expect(try #require(other.trace.steps.first { $0.kind == .attack }).interference?.kind == .altered)
  }

  @Test(
    "a leaked premaster secret opens the recording and allows no impersonation of later connections")
  func leakedPremaster() throws {
    let rsa = "client: { os: iOS 8 }\nserver: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }\n"
    let premaster = try played(rsa + "network: [eavesdrop, { leak: premaster_secret, after: 1 day }]").outcome
    #expect(Goal.allCases.map { premaster.goals[$0] } == [.later, .prevented, .prevented])
    let key = try played(rsa + "network: [eavesdrop, { leak: api.key, after: 1 day }]").outcome
    #expect(Goal.allCases.map { key.goals[$0] } == [.later, .prevented, .later])
  }

  @Test("a scenario can set how far a search is carried out")
  func limit() throws {
    let text =
      "client: { os: iOS 8, random: { premaster_secret: 10 bits } }\n"
      + "server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }"
    let scenario = try #require(try Lab.read(text).scenario(named: Scenario.mainCase))
    func reasons(_ limit: Int?) throws -> [GoalReason?] {
      let outcome = try ScenarioLibrary.player(keys: Lab.keys, searchLimit: limit).play(scenario).outcome
      return [outcome.reasons[.eavesdropping], outcome.reasons[.impersonation]]
    }
    #expect(
      try reasons(12) == [
        .has(.eavesdropper, "application_data.client.1"), .tried(.knownPremaster("premaster_secret")),
      ])
    for limit in [nil, 9] {
      let obstacle = Obstacle.tooLarge(bits: 10, limit: limit ?? Execution.quickSearchLimit)
      #expect(
        try reasons(limit) == [
          .counted(.eavesdropper, "application_data.client.1", obstacle),
          .tried(.knownPremaster("premaster_secret"), counted: obstacle),
        ])
    }
  }

  @Test("a run that hangs names its layer and the awaited message", arguments: [("ServerHelloDone", Layer.handshake)])
  func hangs(_ message: String, _ layer: Layer) throws {
    let outcome = try played("network: [{ drop: \(message) }]").outcome
    #expect(outcome.verdict.word == .hangs && outcome.verdict.layer == layer)
    #expect(outcome.awaited.contains(message))
  }

  @Test(
    "an attack on every connection can be limited to one connection",
    arguments: [
      ("refuse-tls", "", []), ("block-revocation", "client: { revocation: hard-fail }", ["chain.revocation-unknown"]),
      (
        "block-issuers",
        "authorities: { Root A: { trust: system }, Issuing: { issuer: Root A, caIssuers: \"http://ca.example/i.cer\" } }\n"
          + "certificates: { api: { issuer: Issuing, names: [api.example] } }\nserver: { presents: [api] }",
        ["chain.no-issuer"]
      ),
    ])
  func inOne(verb: String, more: String, because: [String]) throws {
    let text = """
      \(more)
      connections: [{ name: home, request: "https://api.example/" }, { name: cafe, request: "https://api.example/" }]
      network: [{ \(verb): true, in: cafe }]
      """
    let outcomes = try Lab.play(text).connections
    #expect(outcomes.map { $0.verdict.word == .accepted } == [true, false])
    if !because.isEmpty { #expect(outcomes.last?.verdict.because.map(\.id) == because) }
    let everywhere = try Lab.play(text.replacing("{ \(verb): true, in: cafe }", with: verb)).connections
    #expect(everywhere.map { $0.verdict.word == .accepted } == [false, false])
    try BadText(
      verb, "network: [{ \(verb): true, in: cafee }]", 1, 25 + verb.count, "'cafee'",
      "'in'"
    ).isTold()
  }

  @Test("an attacker strips TLS from one connection only, with its redirects")
  func strippedInOne() throws {
    let text = """
      client: { os: iOS 8 }
      server: { content: { GET /: { redirect: "https://api.example/in" }, GET /in: secret } }
      connections: [{ name: home, request: "http://api.example/" }, { name: cafe, request: "http://api.example/in" }]
      network: [{ strip: true, in: cafe }]
      """
    let parties = try Lab.play(text).simulation.trace.steps.filter { $0.from == .interceptor }.compactMap(\.connection)
    #expect(!parties.isEmpty && parties.allSatisfy { $0.hasPrefix("cafe") }, "\(parties)")
    try BadText("not stripped", "network: [{ strip: false }]", 1, 11, "'strip'", "'network'")
      .isTold()
  }

  @Test("altered text is shown on one line, whatever it contains")
  func oneLine() {
    let (lines, plain) = (Alteration.text(["200 OK": "302 Found\r\nLocation: /"]), Alteration.text(["100": "900"]))
    #expect(!lines.description.unicodeScalars.contains("\n"))
    #expect(lines.description.shows("\\r\\nLocation: /"))
    #expect(plain.description.shows("100 … 900"))
  }
}

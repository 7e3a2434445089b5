import Cryptography
import Explanation
import Scenarios
import Simulator
import TLS
import Testing

@Suite("Playing")
struct PlayingTests {
  private func simulation(_ text: String) throws -> Simulation {
    try Lab.player.simulation(of: try #require(try Lab.read(text).cases.first))
  }

  @Test("a state is a value: a copy does not change while the run continues")
  func values() throws {
    var simulation = try simulation("network: [eavesdrop, { leak: api.key, after: 1 day }]")
    var copies: [Simulation] = [simulation]
    while simulation.step() { copies.append(simulation) }
    for (index, copy) in copies.enumerated() {
      #expect(copy.trace.steps.count == index)
      var again = copy
      again.run()
      #expect(again.isFinished)
      #expect(again.trace.steps.map(\.bytes) == simulation.trace.steps.map(\.bytes))
      #expect(again.trace.steps.map(\.message) == simulation.trace.steps.map(\.message))
      #expect(again.trace.values == simulation.trace.values)
    }
    let hasMore = simulation.step()
    #expect(!hasMore)
  }

  @Test("another client changes nothing that does not depend on it")
  func streams() throws {
    var first = try simulation("seed: 1")
    var second = try simulation("{ seed: 1, server: { groups: [secp384r1] }, client: { os: iOS 9 } }")
    var third = try simulation("seed: 2")
    first.run()
    second.run()
    third.run()
    for name in ["client_random", "server_random", "api.key", "api.certificate"] as [ValueName] {
      #expect(first.trace.values[name]?.bytes == second.trace.values[name]?.bytes, "\(name)")
      #expect(first.trace.values[name] != nil)
    }
    #expect(first.trace.values["master_secret"]?.bytes != second.trace.values["master_secret"]?.bytes)
    #expect(first.trace.values["client_random"]?.bytes != third.trace.values["client_random"]?.bytes)
    #expect(first.trace.values["api.key"]?.bytes == third.trace.values["api.key"]?.bytes)
  }

  @Test("a seed of 64 hexadecimal digits is 32 bytes, quoted or not")
  func longSeeds() throws {
    let digits = String(repeating: "0123456789abcdef", count: 4)
    var plain = try simulation("seed: \(digits)")
    var quoted = try simulation("seed: '\(digits)'")
    plain.run()
    quoted.run()
    let seed = try #require(Seed(digits))
    let drawn = RandomStreams(seed: seed, party: "client").bytes(for: "client_random", count: 32)
    #expect(plain.trace.values["client_random"]?.bytes == drawn)
    #expect(quoted.trace.values["client_random"]?.bytes == drawn)
  }

  @Test(
    "ATS is blamed for a failed negotiation if it would succeed without ATS",
    arguments: [
      ("cipherSuites: [TLS_DHE_RSA_WITH_AES_128_GCM_SHA256]", "iOS 10", "handshake.no-common-suite"),
      ("cipherSuites: [TLS_RSA_WITH_AES_128_GCM_SHA256]", "iOS 10", "ats.no-forward-secrecy"),
      ("cipherSuites: [TLS_DHE_RSA_WITH_AES_128_CBC_SHA]", "iOS 9", "handshake.no-common-suite"),
      ("cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA]", "iOS 9", "ats.no-forward-secrecy"),
      (
        "{ versions: [TLSv1.0], cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA] }", "iOS 10", "ats.tls-version"
      ),
      // The hello under App Transport Security offers curves, which SSL 3.0 does not have.
      ("versions: [SSLv3]", "iOS 10", "handshake.no-common-suite"),
    ])
  func counterfactual(server: String, os: String, rule: String) throws {
    let map = server.hasPrefix("{") ? server : "{ \(server) }"
    let outcome = try Lab.play("server: \(map)\nclient: { os: \(os) }").outcome
    #expect(outcome.verdict.because.map(\.id) == [rule])
    #expect(outcome.verdict.word == .refused)
    #expect(outcome.goals[.eavesdropping] == .notApplicable)
  }

  @Test("expectations that fail show the expected and the found value")
  func mismatches() throws {
    let result = try Lab.play(
      """
      expect:
        verdict: refused
        layer: chain
        because: [chain.expired, name.mismatch]
        overridden: [ats.insecure-http]
        path: [api]
        errors: [NSURLErrorDomain -1202]
        trustResult: kSecTrustResultProceed
        cipherSuite: TLS_RSA_WITH_AES_128_GCM_SHA256
        content: bye
        goals: { eavesdropping: later }
        knowledge: { eavesdropper: { knows: [master_secret], lacks: [client_random] } }
      """)
    #expect(result.judgement.result == .failed)
    let found = Dictionary(
      result.judgement.mismatches.map { ($0.path, "\($0.expected) / \($0.found)") }, uniquingKeysWith: { $1 })
    #expect(
      found == [
        "verdict": "refused / accepted", "layer": "chain / none",
        "because": "[chain.expired, name.mismatch] / []", "overridden": "[ats.insecure-http] / []",
        "path": "[api] / [api, Issuing, Root A]", "errors": "any of [NSURLErrorDomain -1202] / []",
        "trustResult": "kSecTrustResultProceed / kSecTrustResultUnspecified",
        "cipherSuite": "TLS_RSA_WITH_AES_128_GCM_SHA256 / TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
        "content": "bye / hello", "goals.eavesdropping": "later / prevented",
        "knowledge.eavesdropper.knows": "master_secret / eavesdropper cannot learn master_secret",
        "knowledge.eavesdropper.lacks": "client_random / eavesdropper knows client_random",
      ])
  }

  @Test("because is exact: a missing or an additional reason fails")
  func exactness() throws {
    for because in ["[]", "[ats.insecure-http, chain.expired]", "[chain.expired]"] {
      let text = "request: http://api.example/\nexpect: { verdict: refused, because: \(because) }"
      #expect(try Lab.play(text).judgement.mismatches.map(\.path) == ["because"])
    }
  }

  @Test("a refusal whose accepted sibling fails is skipped")
  func skipping() throws {
    func results(_ content: String) throws -> [Judgement.Result] {
      let file = try Lab.read(
        """
        request: http://api.example/
        expect: { verdict: refused }
        cases:
          - name: over HTTPS
            with: { request: https://api.example/ }
            expect: { verdict: accepted, content: \(content) }
        """)
      return TestRun([file], player: Lab.player).entries().map(\.result)
    }
    #expect(try results("bye") == [.skipped, .failed])
    #expect(try results("hello") == [.passed, .passed])
  }

  @Test("a case that fails by itself has failed, even if its sibling fails too")
  func ownFailure() throws {
    // The row fails by itself, because its page is "hello".
    func entries(because rule: String) throws -> [TestRun.Entry] {
      let file = try Lab.read(
        """
        request: http://api.example/
        expect: { verdict: refused, because: [\(rule)] }
        cases:
          - name: over HTTPS
            with: { request: https://api.example/ }
            expect: { verdict: accepted, content: bye }
        """)
      return TestRun([file], player: Lab.player).entries()
    }
    let wrong = try entries(because: "chain.expired")
    #expect(wrong.map(\.result) == [.failed, .failed])
    #expect(wrong.first?.judgement?.mismatches.map(\.path) == ["because"])
    #expect(wrong.first?.judgement?.reason == nil && wrong.first?.sibling?.name == "test/over HTTPS")
    let right = try entries(because: "ats.insecure-http")
    #expect(right.map(\.result) == [.skipped, .failed])
    #expect(right.first?.judgement?.reason?.hasPrefix("its sibling test/over HTTPS failed") == true)
    // A missing sibling does not turn an unexpected acceptance into a skip.
    let file = try Lab.read("expect: { verdict: refused }\nsibling: L99-99")
    let lone = TestRun([file], player: Lab.player).entries()
    #expect(lone.map(\.result) == [.failed] && lone.first?.judgement?.mismatches.map(\.path) == ["verdict"])
  }

  @Test("a refusal whose sibling does not exist is skipped, not passed")
  func missingSibling() throws {
    let file = try Lab.read("request: http://api.example/\nexpect: { verdict: refused }\nsibling: L99-99")
    let run = TestRun([file], player: Lab.player)
    #expect(run.entries().map(\.result) == [.skipped])
  }

  @Test("each of several loads is judged by its own expectation, under its own name")
  func requests() throws {
    let result = try Lab.play(
      """
      requests:
        - { url: https://api.example/, expect: { verdict: accepted } }
        - { url: http://api.example/, name: plain, expect: { verdict: accepted } }
      """)
    #expect(result.judgement.mismatches.map(\.path) == ["plain.verdict"])
    #expect(result.connections.map(\.verdict.word) == [.accepted, .refused])
    #expect(result.simulation.trace.values["first.master_secret"] != nil)
    #expect(result.outcome.verdict.word == .refused)
  }

  @Test("two connections of one run have keys of their own")
  func connections() throws {
    let values = try Lab.play("requests: [https://api.example/, https://api.example/]").simulation.trace.values
    #expect(values["first.master_secret"]?.bytes != values["second.master_secret"]?.bytes)
    #expect(values["second.master_secret"] != nil)
  }

  @Test(
    "a non-ASCII path is sent as percent-encoded UTF-8: RFC 3987 section 3.1")
  func internationalPath() throws {
    let text = "server: { content: { GET /caf\u{e9}: hello } }\nrequest: "
    let outcome = try Lab.play(text + "https://api.example/caf\u{e9}\n").outcome
    #expect(outcome.verdict.word == .accepted && outcome.content == Array("hello".utf8))
    #expect(outcome.executed == ["GET /caf%C3%A9"])
    let same = try Lab.play(text + "https://api.example/caf%C3%A9\n").outcome
    #expect(same.content == Array("hello".utf8))
  }

  @Test("every step of a scenario is one step of its trace", arguments: Lab.sample)
  func steps(name: String) throws { _ = try Self.walk(try Lab.scenario(named: name)) }

  /// Plays the scenario step by step to its end.
  static func walk(_ scenario: Scenario) throws -> Simulation {
    var simulation = try Lab.player.simulation(of: scenario)
    var count = 0
    while simulation.step() {
      count += 1
      try #require(simulation.trace.steps.count == count)
    }
    #expect(simulation.trace.steps.count == count)
    return simulation
  }
}

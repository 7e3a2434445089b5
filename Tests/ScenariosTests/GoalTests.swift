import Endpoint
import Explanation
import Simulator
import Testing

@testable import Scenarios

/// Whether attackers reach a goal, worked out by hand from the standards before the program was run.
@Suite("Goals are attacks that are tried")
struct GoalTests {
  private func outcome(_ text: String, mutant: String? = nil) throws -> Outcome {
    let player = ScenarioLibrary.player(keys: Lab.keys, mutant: mutant.flatMap(Mutant.named))
    let scenario = try #require(try Lab.read(text).scenario(named: Scenario.mainCase))
    return try player.play(scenario).outcome
  }

  private func states(_ outcome: Outcome) -> [Goal.State?] { Goal.allCases.map { outcome.goals[$0] } }

  /// The rules that stopped the attempts with these means, in the order of the attempts.
  private func stopped(_ outcome: Outcome, _ means: Attempt.Means) -> [String]? {
    for attempt in outcome.attempts where attempt.means == means {
      if case .stopped(let rules) = attempt.result { return rules.map(\.id) }
    }
    return nil
  }

  private static let rsa = "server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }\n"

  @Test("a good connection resists every attack, and each attempt names the rule that stopped it")
  func good() throws {
    let outcome = try outcome("client: { os: iOS 9 }")
    #expect(states(outcome) == [.prevented, .prevented, .prevented])
    // RFC 5280 section 6.1: no anchor; RFC 9525 section 6: another name; RFC 5280 section 4.2.1.9: not a CA; RFC
    // 5246 section 7.4.3: the signature is not by the certificate's key.
    #expect(stopped(outcome, .ownRoot) == ["chain.no-anchor"])
    #expect(stopped(outcome, .honest(authority: "Root A")) == ["name.mismatch"])
    #expect(stopped(outcome, .signedByHonest(authority: "Root A"))?.contains("chain.not-a-ca") == true)
    #expect(stopped(outcome, .withoutKey(.ecdheRSA)) == ["handshake.bad-signature"])
    #expect(stopped(outcome, .altered) == ["record.bad-mac"])
    #expect(stopped(outcome, .added) == ["record.bad-mac"])
  }

  @Test("an impostor without the key is stopped at ServerKeyExchange, or at Finished without a signature")
  func withoutKey() throws {
    let outcome = try outcome(Self.rsa + "client: { os: iOS 8 }")
    #expect(outcome.goals[.impersonation] == .prevented)
    #expect(stopped(outcome, .withoutKey(.ecdheRSA)) == ["handshake.bad-signature"])
    #expect(stopped(outcome, .withoutKey(.rsa)) == ["record.bad-mac"])
  }

  @Test("a client that accepts every certificate allows impersonation; its own connection stays encrypted")
  func acceptAll() throws {
    let outcome = try outcome("client: { os: iOS 8, serverTrust: accept-all }")
    #expect(states(outcome) == [.prevented, .prevented, .possible])
    #expect(outcome.reasons[.impersonation] == .tried(.ownRoot))
    #expect(try outcome.verdict.word == .accepted && states(self.outcome("client: { os: iOS 8 }"))[2] == .prevented)
  }

  private static let twoRoots = """
    authorities:
      Root A: { trust: system }
      Issuing: { issuer: Root A, pathLength: 0 }
      Root B: { trust: system }
    certificates:
      api: { issuer: Issuing, names: [api.example] }
      other: { issuer: Root B, names: [other.example] }
    servers:
      api.example: { presents: [api, Issuing] }
      other.example: { presents: [other] }
    request: https://api.example/

    """

  @Test("another trusted root's leaked key allows impersonation from that day, and nothing else")
  func otherRoot() throws {
    let later = try outcome(Self.twoRoots + "network: [eavesdrop, { leak: Root B.key, after: 30 days }]")
    #expect(states(later) == [.prevented, .prevented, .later])
    #expect(later.openings[.impersonation]?.secret == "Root B.key")
    let none = try outcome(Self.twoRoots + "network: [eavesdrop]")
    #expect(none.goals[.impersonation] == .prevented)
    #expect(stopped(none, .honest(authority: "Root B")) == ["name.mismatch"])
  }

  @Test("pins protect against a trusted root whose key has leaked")
  func pinned() throws {
    let leak = "network: [eavesdrop, { leak: Root B.key, after: 30 days }]\n"
    let pinned = try outcome(Self.twoRoots + leak + "client: { os: iOS 9, serverTrust: { pins: [Issuing] } }")
    #expect(pinned.goals[.impersonation] == .prevented)
    #expect(stopped(pinned, .forged(under: "Root B", key: "Root B.key")) == ["pin.mismatch"])
    #expect(try outcome(Self.twoRoots + leak + "client: { os: iOS 9 }").goals[.impersonation] == .later)
  }

  @Test("a leaked key works until its certificate expires, even after a re-key")
  func oldKey() throws {
    func renewed(_ days: Int) -> String {
      """
      certificates:
        api: { issuer: Issuing, names: [api.example], days: \(days) }
        renewed: { issuer: Issuing, names: [api.example] }
      server: { presents: [renewed, Issuing] }
      attackers: { certificates: [api] }
      """
    }
    let valid = try outcome(renewed(365))
    #expect(valid.goals[.impersonation] == .possible)
    #expect(valid.reasons[.impersonation] == .tried(.shown(certificate: "api", key: "api.key")))
    let expired = try outcome(renewed(20))
    #expect(expired.goals[.impersonation] == .prevented)
    #expect(stopped(expired, .shown(certificate: "api", key: "api.key")) == ["chain.expired"])
  }

  @Test("a key that leaks after its certificate has expired opens only the recording")
  func leakAfterExpiry() throws {
    let text = Self.rsa + "client: { os: iOS 8 }\nnetwork: [eavesdrop, { leak: api.key, after: 1000 days }]"
    #expect(try states(outcome(text)) == [.later, .prevented, .prevented])
    let soon = Self.rsa + "client: { os: iOS 8 }\nnetwork: [eavesdrop, { leak: api.key, after: 10 days }]"
    #expect(try states(outcome(soon)) == [.later, .prevented, .later])
  }

  @Test("a guessable premaster secret breaks all three goals if the client encrypts it")
  func guessed() throws {
    let outcome = try outcome(Self.rsa + "client: { os: iOS 8, random: { premaster_secret: 6 bits } }")
    #expect(states(outcome) == [.possible, .possible, .possible])
    #expect(outcome.reasons[.impersonation] == .tried(.knownPremaster("premaster_secret")))
    #expect(try states(self.outcome(Self.rsa + "client: { os: iOS 8 }")) == [.prevented, .prevented, .prevented])
  }

  // RFC 8422 section 5.10: the premaster secret is the result of the agreement.
  @Test("a key agreement has no guessable premaster secret, but an impostor can request RSA")
  func guessedBesideECDHE() throws {
    let random = "random: { premaster_secret: 6 bits }"
    let ats = try outcome("client: { os: iOS 9, \(random) }")
    #expect(states(ats) == [.prevented, .prevented, .prevented])
    let without = try outcome(
      "client: { os: iOS 8, \(random) }\nserver: { cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA] }")
    #expect(states(without) == [.prevented, .prevented, .possible])
  }

  @Test("an active attacker can use a server's decryption oracle, and an eavesdropper cannot")
  func oracle() throws {
    func text(_ capability: String) -> String {
      """
      certificates: { api: { issuer: Issuing, names: [api.example], key: rsa-512 } }
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA], mutant: robot }
      client: { os: iOS 8 }
      # With the usual budget 512 bits are factored, and nobody has to ask: RSA-155.
      attackers: { capability: \(capability), budget: 2^30 }
      """
    }
    let active = try outcome(text("asks-server"))
    #expect(states(active) == [.possible, .prevented, .possible])
    #expect(active.reasons[.eavesdropping] == .oracle)
    #expect(active.attempts.contains { $0.means == .oracle && $0.result == .counted(.questions(bits: 20)) })
    #expect(try states(outcome(text("on-path"))) == [.prevented, .prevented, .prevented])
    let passive = try outcome(text("passive"))
    #expect(states(passive) == [.prevented, .prevented, .prevented])
    #expect(passive.attempts.allSatisfy { if case .beyond = $0.result { true } else { false } })
  }

  @Test(
    "a repeated premaster secret allows impersonation if it leaks; a fresh one does not")
  func repeatedPremaster() throws {
    func text(_ random: String, _ leak: String) -> String {
      """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8\(random) }
      requests: ["https://api.example/", "https://api.example/"]
      network: [eavesdrop, { leak: \(leak), after: 1 day }]
      """
    }
    // RFC 5246 section F.1.1.2: the premaster secret is the only use of the server's key.
    let repeats = ", random: { premaster_secret: repeats }"
    for leak in ["first.premaster_secret", "second.premaster_secret"] {
      let repeated = try outcome(text(repeats, leak))
      #expect(states(repeated) == [.later, .prevented, .later])
      #expect(repeated.attempts.contains { $0.means == .knownPremaster("second.premaster_secret") && $0.leak != nil })
    }
    #expect(try states(outcome(text("", "first.premaster_secret"))) == [.later, .prevented, .prevented])
    // The master secret alone reveals nothing about another connection.
    #expect(try states(outcome(text(repeats, "first.master_secret"))) == [.later, .prevented, .prevented])
  }

  @Test(
    "repeated requests reveal a cookie under SSL 3.0 in CBC mode: RFC 7568 section 4.1")
  func anyPadding() throws {
    func text(
      _ version: String, _ suite: String, _ rest: String = "cookie: id=k7", _ attackers: String = "asks-server"
    ) -> String {
      """
      server: { versions: [\(version)], cipherSuites: [\(suite)] }
      client: { os: iOS 7, \(rest) }
      attackers: { capability: \(attackers) }
      """
    }
    let (block, stream) = ("TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_RSA_WITH_RC4_128_SHA")
    let found = try outcome(text("SSLv3", block))
    #expect(states(found) == [.possible, .prevented, .prevented] && found.reasons[.eavesdropping] == .blockPadding)
    for other in [
      text("TLSv1.0", block), text("SSLv3", stream), text("SSLv3", block, "renegotiation: refused"),
      text("SSLv3", block, "cookie: id=k7", "on-path"),
    ] {
      let safe = try outcome(other)
      #expect(safe.verdict.word == .accepted && safe.goals[.eavesdropping] == .prevented, "\(other)")
    }
  }

  @Test("attackers use a mis-issued certificate, even if the run does not present it")
  func misissued() throws {
    let text = """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Rogue: { issuer: Root A, pathLength: 0 }
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        evil: { issuer: Rogue, names: [NAME] }
      attackers: { certificates: [evil] }
      """
    let outcome = try outcome(text.replacing("NAME", with: "api.example"))
    // Rogue is sent only if the scenario names it; the presented chain includes its issuers.
    #expect(outcome.reasons[.impersonation] == .tried(.shown(certificate: "evil", key: "evil.key")))
    let own = try self.outcome(text.replacing("NAME", with: "evil.example"))
    #expect(own.goals[.impersonation] == .prevented)
    #expect(stopped(own, .shown(certificate: "evil", key: "evil.key")) == ["name.mismatch"])
  }

  @Test("a faulty validator accepts an attack that the correct one stops")
  func mutants() throws {
    let text = "client: { os: iOS 9 }"
    let basic = try outcome(text, mutant: "basic-constraints")
    // keyUsage still forbids it: RFC 5280 section 4.2.1.3.
    #expect(stopped(basic, .signedByHonest(authority: "Root A")) == ["chain.key-usage"])
    let signature = try outcome(text, mutant: "goto-fail")
    #expect(signature.reasons[.impersonation] == .tried(.withoutKey(.ecdheRSA)))
    let names = try outcome("client: { os: iOS 8 }", mutant: "afnetworking-2.5.2")
    #expect(names.reasons[.impersonation] == .tried(.honest(authority: "Root A")))
    let all = try outcome("client: { os: iOS 8 }", mutant: "afnetworking-2.5.1")
    #expect(all.reasons[.impersonation] == .tried(.ownRoot))
  }

  @Test("only a rule that this attack violates counts as detection")
  func detected() throws {
    let impostor = """
      authorities: { Root A: { trust: system }, Issuing: { issuer: Root A, pathLength: 0 }, Nobody: {} }
      certificates:
        api: { issuer: Issuing, names: [api.example], days: DAYS }
        evil: { issuer: Nobody, names: [api.example] }
      network: [{ impersonate: { presents: [evil] } }]
      """
    let noticed = try outcome(impostor.replacing("DAYS", with: "365"))
    #expect(noticed.goals[.impersonation] == .detected)
    #expect(noticed.reasons[.impersonation] == .noticed([.noIssuer]))
    let altered = "network: [{ alter: ServerHello, field: random, to: 00 }]"
    #expect(try outcome(altered).goals[.tampering] == .detected)
  }

  @Test(
    "a test fails if an attack it configures never applies",
    arguments: [
      ("{ alter: ServerHello, field: ticket, to: 00 }", false), ("{ alter: ServerHello, flip: 99999 }", false),
      ("{ drop: ClientHello, above: TLSv1.2 }", false), ("{ alter: ServerHello, field: random, to: 00 }", true),
    ])
  func idle(_ verb: String, _ isMet: Bool) throws {
    let scenario = try #require(try Lab.read("network: [\(verb)]\n").scenario(named: Scenario.mainCase))
    let mismatches = try Lab.player.play(scenario).judgement.mismatches
    #expect(mismatches.contains { $0.path == "network" } == !isMet)
  }

  @Test("an impostor ignores the fallback SCSV: RFC 7507 binds honest servers")
  func fallenBack() throws {
    let text = """
      authorities: { Root A: { trust: system }, Issuing: { issuer: Root A, pathLength: 0 }, Root B: { trust: system } }
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        evil: { issuer: Root B, names: [api.example] }
      server: { versions: [TLSv1.0], cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 8, fallback: signalled }
      network: [eavesdrop, { drop: ClientHello, above: TLSv1.0 }]
      """
    let outcome = try outcome(text + "\nattackers: { certificates: [evil] }")
    #expect(outcome.goals[.impersonation] == .possible)
    #expect(outcome.attempts.allSatisfy { $0.result != .stopped([.inappropriateFallback]) })
  }

  @Test(
    "HSTS keeps an explicit port other than 80: RFC 6797 section 8.3",
    arguments: [
      ("http://api.example/", "https://api.example/"), ("http://api.example:80/", "https://api.example/"),
      ("http://api.example:8080/", "https://api.example:8080/"),
    ])
  func port(_ asked: String, _ loaded: String) throws {
    #expect(try outcome("request: \(asked)\nclient: { hsts: [api.example] }").url == loaded)
  }

  @Test("a value that never existed is not lacked, and a comparison needs two values")
  func vacuous() throws {
    func mismatches(_ text: String) throws -> [String] {
      let scenario = try #require(try Lab.read(text).scenario(named: Scenario.mainCase))
      return try Lab.player.play(scenario).judgement.mismatches.map(\.path)
    }
    let refused = """
      certificates: { api: { issuer: Issuing, names: [api.example], notBefore: 2015-01-01, notAfter: 2016-01-01 } }

      """
    let lacks = "expect: { verdict: refused, knowledge: { eavesdropper: { lacks: [master_secret] } } }"
    #expect(try mismatches(refused + lacks) == ["knowledge.eavesdropper.lacks"])
    #expect(try mismatches(lacks.replacing("refused", with: "accepted")) == [])
    #expect(try mismatches(refused + "expect: { verdict: refused, absent: [master_secret] }") == [])
    #expect(try mismatches("expect: { verdict: accepted, absent: [master_secret] }") == ["absent"])
    #expect(try !Lab.diagnostics("expect: { verdict: accepted, equal: [[master_secret]] }").isEmpty)
    #expect(try Lab.diagnostics("expect: { verdict: accepted, different: [[master_secret, client_random]] }").isEmpty)
  }

  @Test("an attacker with a session's master secret impersonates the server: RFC 5246 section F.1.4")
  func sessions() throws {
    func text(_ hours: Int, _ sessions: String) -> String {
      """
      server: { sessions: \(sessions) }
      client: { sessions: \(sessions) }
      requests: ["https://api.example/", "https://api.example/"]
      network: [eavesdrop, { leak: first.master_secret, after: \(hours) hours }]
      """
    }
    #expect(try outcome(text(2, "resumable")).goals[.impersonation] == .later)
    #expect(try outcome(text(30, "resumable")).goals[.impersonation] == .prevented)
    #expect(try outcome(text(2, "tickets")).goals[.impersonation] == .later)
    #expect(try outcome(text(2, "none")).goals[.impersonation] == .prevented)
  }

  @Test("without the key, a signature or Finished stops an impostor with the server's certificate")
  func withAnotherKey() throws {
    let impostor = """
      network: [{ impersonate: { presents: [api, Issuing], withoutKey: true } }]
      client: { os: iOS 8 }
      server: { cipherSuites: [SUITE] }
      """
    let signed = try outcome(impostor.replacing("SUITE", with: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"))
    #expect(signed.verdict.because.map(\.id) == ["handshake.bad-signature"])
    #expect(signed.goals[.impersonation] == .detected)
    let encrypted = try outcome(impostor.replacing("SUITE", with: "TLS_RSA_WITH_AES_128_CBC_SHA"))
    #expect(encrypted.verdict.word == .refused)
    #expect(encrypted.goals[.impersonation] == .detected)
    #expect(try !Lab.diagnostics("network: [{ impersonate: { presents: [api, Issuing] } }]").isEmpty)
    let held = try outcome("network: [{ impersonate: { presents: [api, Issuing], holds: [api.key] } }]")
    #expect(held.goals[.impersonation] == .possible)
  }

  @Test("stripping works if the client begins with http without HSTS: RFC 6797 section 8.3")
  func strict() throws {
    let text = """
      request: http://api.example/
      network: [eavesdrop, strip]
      client: { os: iOS 8HSTS }
      """
    let stripped = try outcome(text.replacing("HSTS", with: ""))
    #expect(states(stripped) == [.possible, .possible, .possible])
    let strict = try outcome(text.replacing("HSTS", with: ", hsts: [api.example]"))
    #expect(strict.verdict.word == .accepted && strict.url == "https://api.example/")
    #expect(states(strict) == [.prevented, .prevented, .prevented])
    let other = try outcome(text.replacing("HSTS", with: ", hsts: [other.example]"))
    #expect(states(other) == [.possible, .possible, .possible])
    let https = "\ncases: [{ name: https, with: { request: \"https://api.example/\" } }]"
    let begun = try Lab.play(text.replacing("HSTS", with: "") + https, "https").outcome
    #expect(states(begun) == [.prevented, .prevented, .prevented])
  }

  @Test("an injected alert has the standard's level, or the one that the scenario sets")
  func alertLevels() throws {
    func verdict(_ more: String) throws -> Verdict {
      try outcome("network: [{ inject: Alert, after: ServerHello, text: \(more) }]").verdict
    }
    // Fatal alerts end the connection, unknown warnings do not: RFC 5246 section 7.2.
    #expect(try verdict("internal_error").because.map(\.id) == ["handshake.fatal-alert"])
    #expect(try verdict("user_canceled").word == .accepted)
    #expect(try verdict("user_canceled, level: fatal").because.map(\.id) == ["handshake.fatal-alert"])
    // A close_notify is neither: section 7.2.1.
    #expect(try verdict("close_notify").because.map(\.id) == ["record.closed-early"])
  }

  @Test("a run that hangs names its layer and the message that the client awaits")
  func hang() throws {
    let outcome = try outcome("network: [{ drop: ServerHelloDone }]")
    #expect(outcome.verdict.word == .hangs && outcome.verdict.layer == .handshake)
    #expect(outcome.awaited.contains("ServerHelloDone"))
    #expect(outcome.errors.map(\.name) == ["NSURLErrorTimedOut"])
    let answer = try self.outcome("network: [{ drop: ApplicationData, from: server }, { drop: Alert, from: server }]")
    #expect(answer.verdict.word == .hangs && answer.verdict.layer == .application)
    #expect(answer.awaited == ["HTTP response"])
  }
}

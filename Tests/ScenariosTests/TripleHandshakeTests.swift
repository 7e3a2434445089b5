import Explanation
import Simulator
import TLS
import Testing

@testable import Scenarios

/// Master secrets that depend on the whole handshake (RFC 7627), and the attack that they prevent.
@Suite("The extended master secret and the triple handshake")
struct TripleHandshakeTests {
  private func play(_ text: String) throws -> CaseResult {
    let scenario = try #require(try Lab.read(text).scenario(named: Scenario.mainCase))
    return try Lab.player.play(scenario)
  }

  private func outcome(_ text: String) throws -> Outcome { try play(text).outcome }

  @Test(
    "the master secret depends on session_hash if both client and server support it",
    arguments: [
      // The recorded ClientHello of iOS 10 has the extension, that of iOS 8 does not.
      ("iOS 10", "", true, true), ("iOS 10", "", false, false), ("iOS 10", "false", true, false),
      ("iOS 8", "", true, false), ("iOS 8", "true", true, true), ("iOS 8", "true", false, false),
    ])
  func agreement(_ system: String, _ offers: String, _ accepts: Bool, _ isExtended: Bool) throws {
    let word = offers.isEmpty ? "" : ", extendedMasterSecret: \(offers)"
    let played = try play(
      """
      server: { extendedMasterSecret: \(accepts) }
      client: { os: \(system)\(word) }
      """)
    #expect(played.outcome.verdict.word == .accepted)
    let values = played.simulation.trace.values
    #expect((values["session_hash"] != nil) == isExtended)
    let methods = (values["master_secret"]?.derivations ?? []).compactMap { derivation -> Method? in
      if case .computed(let method, _) = derivation { method } else { nil }
    }
    #expect(methods.contains(.pseudoRandom(isExtended ? .extendedMasterSecret : .masterSecret)))
  }

  /// A server that requires a certificate in a renegotiation, and a client that trusts an attacker's root.
  private func mutual(_ server: String = "", _ client: String = "", trust: String = "user") throws -> Outcome {
    try outcome(
      """
      authorities:
        Root A:  { trust: system }
        Issuing: { issuer: Root A, pathLength: 0 }
        Rogue:   { trust: \(trust) }
        Members: {}
      certificates:
        api:   { issuer: Issuing, names: [api.example] }
        evil:  { issuer: Rogue, names: [api.example] }
        alice: { issuer: Members, names: [], extendedKeyUsage: [clientAuth] }
      server:
        cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA256]
        sessions: resumable
        renegotiates: on-request
        clientAuthentication: required
        clientAuthorities: [Members]
        \(server)
      client: { os: iOS 8, identity: alice, sessions: resumable, renegotiation: secure\(client) }
      attackers: { certificates: [evil] }
      """)
  }

  private func result(_ outcome: Outcome) -> Attempt.Result? {
    outcome.attempts.first { $0.means == .tripleHandshake }?.result
  }

  @Test("an attacker whose server certificate the client accepts sends a request as the client")
  func success() throws {
    let played = try mutual()
    #expect(result(played) == .succeeded && played.goals[.tampering] == .possible)
    #expect(played.reasons[.tampering] == .tried(.tripleHandshake))
    #expect(!played.notTried.contains { $0.kind == .tripleHandshake })
  }

  @Test("an extended master secret prevents the attack only if both ends use it")
  func extended() throws {
    let both = try mutual("extendedMasterSecret: true", ", extendedMasterSecret: true")
    #expect(result(both) == .unanswered && both.goals[.tampering] == .prevented)
    #expect(result(try mutual("extendedMasterSecret: true")) == .succeeded)
    #expect(result(try mutual("", ", extendedMasterSecret: true")) == .succeeded)
  }

  @Test("a client that accepts no certificate of the attacker prevents the attack")
  func refused() throws {
    let played = try mutual(trust: "none")
    #expect(played.goals[.tampering] == .prevented && played.goals[.impersonation] == .prevented)
    guard case .stopped(let rules)? = result(played) else {
      Issue.record("\(String(describing: result(played)))")
      return
    }
    #expect(rules.map(\.id).contains("chain.no-anchor"))
  }

  @Test("a possible triple handshake that is not played is named")
  func untried() throws {
    let played = try outcome(
      """
      authorities: { Root A: { trust: system }, Issuing: { issuer: Root A, pathLength: 0 }, Members: {} }
      certificates:
        api:   { issuer: Issuing, names: [api.example] }
        alice: { issuer: Members, names: [], extendedKeyUsage: [clientAuth] }
      server:
        cipherSuites: [TLS_DHE_RSA_WITH_AES_128_CBC_SHA256]
        sessions: resumable
        renegotiates: on-request
        clientAuthentication: required
        clientAuthorities: [Members]
      client: { os: iOS 8, identity: alice, sessions: resumable, renegotiation: secure }
      """)
    #expect(result(played) == nil)
    #expect(played.notTried.contains { $0.kind == .tripleHandshake && $0.goal == .tampering })
  }
}

import Endpoint
import Explanation
import Simulator
import TLS
import Testing

@testable import Scenarios

/// Attacks on the path that need no key: cutting a connection, replaying it, refusing it.
@Suite("Tampering is tried")
struct TamperingTests {
  private func outcome(_ text: String) throws -> Outcome {
    let scenario = try #require(try Lab.read(text).scenario(named: Scenario.mainCase))
    return try Lab.player.play(scenario).outcome
  }

  private func result(_ outcome: Outcome, _ means: Attempt.Means) -> Attempt.Result? {
    outcome.attempts.first { $0.means == means }?.result
  }

  private func answer(_ framing: String, mutant: Bool, _ network: String = "[eavesdrop]") -> String {
    """
    server: { content: { GET /: { body: [one, two, three], framing: \(framing) } } }
    client: { os: iOS 9\(mutant ? ", mutant: incomplete-close" : "") }
    network: \(network)
    """
  }

  @Test(
    "without a length or a required close_notify, a cut response is accepted",
    arguments: [
      // RFC 5246 section 7.2.1, RFC 9112 section 9.8.
      ("close", false, ["record.truncated"]), ("close", true, []),
      // RFC 9112 section 8: the message itself shows that it is incomplete.
      ("content-length", false, ["record.truncated", "application.incomplete-message"]),
      ("content-length", true, ["application.incomplete-message"]),
      ("chunked", true, ["application.incomplete-message"]),
    ])
  func truncation(_ framing: String, _ mutant: Bool, _ rules: [String]) throws {
    let tried = try outcome(answer(framing, mutant: mutant))
    #expect(tried.verdict.word == .accepted && tried.content == Array("onetwothree".utf8))
    #expect(tried.goals[.tampering] == (rules.isEmpty ? .possible : .prevented))
    if rules.isEmpty {
      #expect(result(tried, .cutOff) == .succeeded)
    } else if case .stopped(let own)? = result(tried, .cutOff) {
      #expect(own.map(\.id) == rules)
    } else {
      Issue.record("\(String(describing: result(tried, .cutOff)))")
    }
    let ordered = try outcome(
      answer(framing, mutant: mutant, "[eavesdrop, { cut: ApplicationData, from: server, number: 2 }]"))
    #expect(ordered.verdict.because.map(\.id) == rules)
    #expect(ordered.goals[.tampering] == (rules.isEmpty ? .possible : .detected))
    #expect(ordered.content == (rules.isEmpty ? Array("one".utf8) : nil))
  }

  @Test(
    "without RFC 5746 at the server, an attacker's data can precede the client's",
    arguments: [
      // RFC 5746 section 1, and section 3.7 for a server that supports it.
      ("insecure", "insecure", nil), ("secure", "insecure", nil), ("refused", "insecure", nil),
      ("secure", "secure", ["handshake.unbound-renegotiation"]),
      ("insecure", "secure", ["handshake.unbound-renegotiation"]),
    ] as [(String, String, [String]?)])
  func splicing(_ client: String, _ server: String, _ rules: [String]?) throws {
    for suite in ["TLS_RSA_WITH_AES_128_CBC_SHA", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"] {
      let tried = try outcome(
        """
        client: { os: iOS 8, renegotiation: \(client) }
        server: { renegotiation: \(server), cipherSuites: [\(suite)] }
        """)
      #expect(tried.verdict.word == .accepted)
      #expect(tried.goals[.tampering] == (rules == nil ? .possible : .prevented))
      if rules == nil {
        #expect(result(tried, .spliced) == .succeeded && tried.reasons[.tampering] == .tried(.spliced))
      } else if case .stopped(let own)? = result(tried, .spliced) {
        #expect(own.map(\.id) == rules)
      } else {
        Issue.record("\(String(describing: result(tried, .spliced)))")
      }
    }
  }

  @Test(
    "an injected renegotiation fails if the server refuses it, or requires a certificate first")
  func noSplicing() throws {
    let none = try outcome("client: { os: iOS 8 }")
    #expect(result(none, .spliced) == nil && none.goals[.tampering] == .prevented)
    let text = """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A }
        Members: { key: rsa-2048 }
      certificates:
        api: { issuer: Issuing, names: [api.example] }
        alice: { issuer: Members, extendedKeyUsage: [clientAuth] }
      client: { os: iOS 8, identity: alice, renegotiation: insecure }
      server: { renegotiation: insecure, clientAuthentication: required, clientAuthorities: [Members] }
      """
    let first = try outcome(text)
    #expect(first.verdict.word == .accepted && first.goals[.tampering] == .prevented)
    #expect(result(first, .spliced) == .stopped([.clientCertificateRequired]))
    // For the renegotiation alone, the client sends a certificate, unaware of the first handshake.
    let later = text.replacing("clientAuthentication", with: "renegotiates: on-request, clientAuthentication")
    let second = try outcome(later)
    #expect(second.verdict.word == .accepted && result(second, .spliced) == .succeeded)
  }

  @Test("after close_notify and complete data, nothing is missing: RFC 5246 section 7.2.1")
  func onlyTheEnd() throws {
    let whole = try outcome(answer("content-length", mutant: false, "[{ cut: Alert, from: server }]"))
    #expect(whole.verdict.word == .accepted && whole.goals[.tampering] == .prevented)
    let open = try outcome(answer("close", mutant: false, "[{ cut: Alert, from: server }]"))
    #expect(open.verdict.because == [.truncatedConnection] && open.goals[.tampering] == .detected)
  }

  @Test("plain HTTP also ends with the connection, and a cut is not detected")
  func plain() throws {
    let text = "client: { os: iOS 8 }\nrequest: http://api.example/\nserver: { content: { GET /: { body: [one, two], "
    let whole = try outcome(text + "framing: close } } }")
    #expect(whole.verdict.word == .accepted && whole.content == Array("onetwo".utf8))
  }

  @Test("a recording is accepted again only if the server's random and key share repeat")
  func replay() throws {
    let rsa = "cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA]"
    func tampering(_ server: String, _ seed: String = "1") throws -> (Goal.State?, Attempt.Result?) {
      let outcome = try outcome("seed: \(seed)\nclient: { os: iOS 8 }\nserver: { \(server) }")
      return (outcome.goals[.tampering], result(outcome, .replayed))
    }
    // RFC 5246 section F.1.1: fresh random numbers of both sides.
    for fresh in [rsa, "\(rsa), random: { server_random: 200 bits }", "random: { server_random: constant }"] {
      #expect(try tampering(fresh).0 == .prevented, "\(fresh)")
    }
    #expect(try tampering(rsa, "counting").0 == .prevented)
    let again = try tampering("\(rsa), random: { server_random: constant }")
    #expect(again.0 == .possible && again.1 == .succeeded)
    #expect(try tampering("random: { server_random: repeats, server_ecdh_private: repeats }").0 == .possible)
    #expect(try tampering("\(rsa), random: { server_random: time and 15 bits }").0 == .prevented)
    // Among 2^20 connections, one repeats the number.
    let often = try tampering("\(rsa), random: { server_random: 20 bits }")
    #expect(often.0 == .possible && often.1 == .counted(.questions(bits: 20)))
    #expect(try tampering("random: { server_random: 20 bits }").0 == .prevented)
  }

  @Test("an attacker that cannot open connections replays nothing")
  func capability() throws {
    let text = """
      server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA], random: { server_random: constant } }
      client: { os: iOS 8 }
      attackers: { capability: on-path }
      """
    let outcome = try outcome(text)
    #expect(outcome.goals[.tampering] == .prevented)
    #expect(result(outcome, .replayed) == .beyond(.asksServer))
  }

  @Test("an attempt that the user opens plays the same as when it was tried")
  func worlds() throws {
    for attempt in try outcome(answer("close", mutant: true)).attempts where attempt.goal == .tampering {
      guard let world = attempt.world else { continue }
      var simulation = Simulation(world)
      simulation.run()
      let last = try #require(Outcome.connections(of: simulation).last)
      #expect(attempt.result.isSuccess == (last.goals[.tampering] == .possible && attempt.means == .cutOff))
      if case .stopped(let rules) = attempt.result { #expect(last.verdict.because == rules, "\(attempt.means)") }
    }
  }

  @Test(
    "a guessable ephemeral key of either side makes all three attacks possible, on every curve",
    arguments: ["x25519", "secp256r1", "secp384r1", "secp521r1"])
  func ephemeral(_ group: String) throws {
    for side in ["server", "client"] {
      let text = "server: { groups: [\(group)] }\n"
      let random = "\(side): { random: { \(side)_ecdh_private: 4 bits } }\n"
      let client =
        side == "client" ? random.replacing("{ random", with: "{ os: iOS 10, random") : "client: { os: iOS 10 }\n"
      let server = side == "server" ? "server: { groups: [\(group)], random: { server_ecdh_private: 4 bits } }\n" : text
      guard group != "x25519" || side == "server" else { continue }
      let outcome = try outcome(server + client)
      guard outcome.verdict.word == .accepted else { continue }
      #expect(
        Goal.allCases.map { outcome.goals[$0] } == [.possible, .possible, .possible], "\(side) on \(group)")
      #expect(outcome.reasons[.eavesdropping] == .has(.eavesdropper, "application_data.client.1"))
    }
  }

  @Test("a setting that does not apply to a private key is an error")
  func qualities() throws {
    for quality in ["constant", "time and 3 bits", "from server_random", "63 bits"] {
      let found = try Lab.diagnostics("server: { random: { server_ecdh_private: \(quality) } }")
      #expect(found.map { [$0.mark?.line, $0.mark?.column] } == [[1, 42]], "\(quality)")
    }
    #expect(try Lab.diagnostics("server: { random: { server_ecdh_private: 62 bits } }").isEmpty)
  }

  @Test("a client that begins with TLS sends nothing to an attacker that refuses it")
  func refused() throws {
    let outcome = try outcome("network: [refuse-tls]")
    #expect(outcome.verdict.because == [.truncatedConnection])
    #expect(outcome.goals[.tampering] == .detected && outcome.content == nil)
    let plain = try self.outcome(
      """
      client: { os: iOS 8 }
      request: http://api.example/
      network: [strip, refuse-tls]
      cases: [{ name: it begins with TLS, with: { request: "https://api.example/" }, expect: { verdict: refused } }]
      """)
    #expect(plain.verdict.word == .accepted)
    let known = try self.outcome(
      "client: { os: iOS 8, hsts: [api.example] }\nrequest: http://api.example/\nnetwork: [strip, refuse-tls]")
    #expect(known.verdict.word == .refused && known.content == nil)
  }
}

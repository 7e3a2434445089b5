import Endpoint
import Explanation
import Simulator
import TLS
import Testing

@testable import Scenarios

/// What whoever is on the path can do without a key: cut a connection, play it again, refuse it.
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
    "an answer that is cut is taken where nothing but the connection's end tells its length, and only by a client that does not insist on close_notify",
    arguments: [
      // RFC 5246 section 7.2.1, RFC 9112 section 9.8.
      ("close", false, ["record.truncated"]), ("close", true, []),
      // RFC 9112 section 8: the message itself says that something is missing.
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
    "where the server knows no RFC 5746, somebody's words stand before the client's; where it does, the client's first handshake is bound to nothing of his",
    arguments: [
      // RFC 5746 section 1, and section 3.7 for a server that knows of it.
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
    "a server that takes part in no other handshake is not tried, and one that wants a certificate at first stops it")
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
    // Asked for in the second handshake alone, it is shown by a client that knows of no first one.
    let later = text.replacing("clientAuthentication", with: "renegotiates: on-request, clientAuthentication")
    let second = try outcome(later)
    #expect(second.verdict.word == .accepted && result(second, .spliced) == .succeeded)
  }

  @Test("who has said close_notify and has everything misses nothing: RFC 5246 section 7.2.1")
  func onlyTheEnd() throws {
    let whole = try outcome(answer("content-length", mutant: false, "[{ cut: Alert, from: server }]"))
    #expect(whole.verdict.word == .accepted && whole.goals[.tampering] == .prevented)
    let open = try outcome(answer("close", mutant: false, "[{ cut: Alert, from: server }]"))
    #expect(open.verdict.because == [.truncatedConnection] && open.goals[.tampering] == .detected)
  }

  @Test("plain HTTP ends with the connection as well, and a cut shows nowhere")
  func plain() throws {
    let text = "client: { os: iOS 8 }\nrequest: http://api.example/\nserver: { content: { GET /: { body: [one, two], "
    let whole = try outcome(text + "framing: close } } }")
    #expect(whole.verdict.word == .accepted && whole.content == Array("onetwo".utf8))
  }

  @Test("a recording is taken again only where the server's random and its part of the agreement repeat")
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
    // Among 2^20 connections one has the same number again.
    let often = try tampering("\(rsa), random: { server_random: 20 bits }")
    #expect(often.0 == .possible && often.1 == .counted(.questions(bits: 20)))
    #expect(try tampering("random: { server_random: 20 bits }").0 == .prevented)
  }

  @Test("whoever cannot make connections of their own plays nothing again")
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

  @Test("an attempt that can be opened plays as it was tried")
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
    "an ephemeral key that can be guessed opens the recording, on either side and on every curve, and lets nobody sign",
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

  @Test("what a private key is not made of is an error with its place")
  func qualities() throws {
    for quality in ["constant", "time and 3 bits", "from server_random", "63 bits"] {
      let found = try Lab.diagnostics("server: { random: { server_ecdh_private: \(quality) } }")
      #expect(found.map { [$0.mark?.line, $0.mark?.column] } == [[1, 42]], "\(quality)")
    }
    #expect(try Lab.diagnostics("server: { random: { server_ecdh_private: 62 bits } }").isEmpty)
  }

  @Test("whoever refuses TLS is met with nothing else by a client that begins with it")
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

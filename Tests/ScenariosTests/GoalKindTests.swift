import Endpoint
import Explanation
import Simulator
import TLS
import Testing

@testable import Scenarios

/// Kinds of attack, each with the sibling in which it is prevented. The outcomes were worked out from the standards
/// before the program was run.
@Suite("Each kind of attack is tried")
struct GoalKindTests {
  private func outcome(_ text: String) throws -> Outcome { try Lab.play(text).outcome }

  private func impersonation(_ text: String) throws -> Goal.State? { try outcome(text).goals[.impersonation] }

  private func states(_ outcome: Outcome) -> [Goal.State?] { Goal.allCases.map { outcome.goals[$0] } }

  /// The rules that stopped the attempts with these means, in the order of the attempts.
  private func stopped(_ outcome: Outcome, _ means: Attempt.Means) -> [[String]] {
    outcome.attempts.filter { $0.means == means }.compactMap { attempt in
      if case .stopped(let rules) = attempt.result { rules.map(\.id) } else { nil }
    }
  }

  // RFC 9525 section 6: without a comparison of names, any certificate of the pinned CA is accepted for the host.
  @Test(
    "without a comparison of names, a pinned CA's certificate for the attacker is accepted",
    arguments: [
      "{ library: AFNetworking 3.1, pinning: certificate, pins: [Issuing], validatesDomainName: NAME }",
      "{ pins: [Issuing], comparesName: NAME }",
    ])
  func pinnedAuthority(_ trust: String) throws {
    func played(_ comparesName: Bool) throws -> Outcome {
      try outcome("client: { os: iOS 8, serverTrust: \(trust.replacing("NAME", with: "\(comparesName)")) }")
    }
    let open = try played(false)
    #expect(open.verdict.word == .accepted)
    #expect(states(open) == [.prevented, .prevented, .possible])
    #expect(open.reasons[.impersonation] == .tried(.honest(authority: "Issuing")))
    let closed = try played(true)
    #expect(closed.verdict.word == .accepted)
    #expect(states(closed) == [.prevented, .prevented, .prevented])
    #expect(stopped(closed, .honest(authority: "Issuing")).first?.contains("name.mismatch") == true)
  }

  @Test("a pinned leaf is no CA and cannot certify another key")
  func pinnedLeaf() throws {
    #expect(try impersonation("client: { os: iOS 8, serverTrust: { pins: [api], comparesName: false } }") == .prevented)
  }

  private static func revoked(_ date: String, _ client: String) -> String {
    """
    authorities:
      Root A: { trust: system }
      Issuing: { issuer: Root A, responder: "http://ocsp.issuing.example/", pathLength: 0 }
    certificates:
      api: { issuer: Issuing, names: [api.example], revoked: \(date) }
      renewed: { issuer: Issuing, names: [api.example] }
    server: { presents: [renewed, Issuing] }
    attackers: { certificates: [api] }
    client: { os: iOS 10, revocation: \(client) }
    """
  }

  // RFC 6960 section 5: an attacker on the path drops the response; a client that continues without one is deceived.
  @Test("a revoked key is accepted if the client continues without a response (soft-fail)")
  func blockedResponder() throws {
    let means = Attempt.Means.shown(certificate: "api", key: "api.key")
    let soft = try outcome(Self.revoked("2016-10-20", "soft-fail"))
    #expect(soft.goals[.impersonation] == .possible)
    let last = try #require(soft.attempts.last { $0.goal == .impersonation })
    #expect(last.means == means && last.suppression == .blocked)
    let hard = try outcome(Self.revoked("2016-10-20", "hard-fail"))
    #expect(hard.goals[.impersonation] == .prevented)
    #expect(stopped(hard, means).prefix(2) == [["chain.revoked"], ["chain.revocation-unknown"]])
    let passive = Self.revoked("2016-10-20", "soft-fail").replacing("[api] }", with: "[api], capability: passive }")
    #expect(try impersonation(passive) == .prevented)
  }

  // RFC 5280 section 5.1.2.5: a CRL stays usable until its nextUpdate, even if certificates were revoked since.
  @Test("an attacker can send an older, still current CRL to a client that requires one")
  func outdatedList() throws {
    func text(_ revoked: String) -> String {
      """
      authorities:
        Root A: { trust: system }
        Issuing: { issuer: Root A, crl: "http://crl.issuing.example/issuing.crl", pathLength: 0 }
      certificates:
        api: { issuer: Issuing, names: [api.example], revoked: \(revoked) }
        renewed: { issuer: Issuing, names: [api.example] }
      server: { presents: [renewed, Issuing] }
      attackers: { certificates: [api] }
      client: { os: doc, revocation: hard-fail }
      """
    }
    let young = try outcome(text("2016-10-30"))
    #expect(young.goals[.impersonation] == .possible)
    #expect(young.attempts.last { $0.goal == .impersonation }?.suppression == .outdated(by: 6 * 86_400 - 1))
    #expect(try impersonation(text("2016-10-20")) == .prevented)
  }

  // RFC 8422 defines curves for TLS only, so in SSL 3.0 an attacker needs an RSA key.
  @Test("in SSL 3.0, an impostor presents a certificate with an RSA key")
  func impostorWithoutCurves() throws {
    func text(_ delegate: String) -> String {
      """
      server: { versions: [SSLv3, TLSv1.0], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
      client: { os: iOS 7, fallback: system, delegate: \(delegate) }
      network: [eavesdrop, { drop: ClientHello, above: SSLv3 }]
      """
    }
    let correct = try outcome(text("null"))
    #expect(correct.goals[.impersonation] == .prevented && stopped(correct, .ownRoot) == [["chain.no-anchor"]])
    #expect(try impersonation(text("{ rules: [{ answer: useCredential }] }")) == .possible)
  }

  // RFC 5246 section 7.4.1.4.1: the server signs its key exchange with a scheme that the client offers.
  @Test("an impostor presents an RSA key to a client that accepts no ECDSA signatures")
  func impostorWithoutECDSA() throws {
    func text(_ delegate: String) -> String {
      "client: { os: iOS 8, signatureAlgorithms: [rsa_pkcs1_sha256], delegate: \(delegate) }"
    }
    let correct = try outcome(text("null"))
    #expect(correct.goals[.impersonation] == .prevented && stopped(correct, .ownRoot) == [["chain.no-anchor"]])
    #expect(try impersonation(text("{ rules: [{ answer: useCredential }] }")) == .possible)
  }

  private static func logged(_ timestamps: String, _ rest: String) -> String {
    """
    clock: 2020-03-01
    certificates:
      api: { issuer: Issuing, names: [api.example], timestamps: \(timestamps) }
    client: { os: iOS 13 }
    \(rest)
    """
  }

  // RFC 6962 section 3.3: SCTs in the handshake travel in the clear; they belong to the certificate, not the server.
  @Test(
    "an attacker with the stolen key sends the SCTs that it observed",
    arguments: [
      ("{ embedded: 1, tlsExtension: 1 }", "server: { presents: [api, Issuing] }"),
      ("{ embedded: 1, ocsp: 1 }", "server: { presents: [api, Issuing], staple: current }"),
    ])
  func publicSCTs(_ timestamps: String, _ server: String) throws {
    let leak = "\nnetwork: [eavesdrop, { leak: api.key, after: 1 day }]"
    let stolen = try outcome(Self.logged(timestamps, server + leak))
    #expect(stolen.verdict.word == .accepted)
    #expect(states(stolen) == [.prevented, .prevented, .later])
    #expect(try impersonation(Self.logged(timestamps, server)) == .prevented)
  }

  @Test("a certificate with too few SCTs is refused, whichever party presents it")
  func tooFewTimestamps() throws {
    let text = """
      clock: 2020-03-01
      certificates:
        api: { issuer: Issuing, names: [api.example], timestamps: 3 }
        old: { issuer: Issuing, names: [api.example], timestamps: { embedded: 1 } }
      attackers: { certificates: [old] }
      client: { os: iOS 13 }
      """
    let found = try outcome(text)
    #expect(found.goals[.impersonation] == .prevented)
    let rules = stopped(found, .shown(certificate: "old", key: "old.key")).first
    #expect(rules?.contains("chain.certificate-transparency") == true)
  }

  // RFC 5246 section F.1.4: a session is resumable for at most 24 hours, and resumption sends no certificate.
  @Test("an attacker with a session's leaked secret can resume it during its lifetime")
  func oneLoad() throws {
    func text(_ sessions: String, client: String = "", _ leak: String) -> String {
      """
      server: { sessions: \(sessions) }
      client: { os: iOS 10, sessions: \(client.isEmpty ? sessions : client) }
      network: [eavesdrop, { leak: \(leak) }]
      """
    }
    let leaked = try outcome(text("resumable", "master_secret, after: 1 hour"))
    #expect(states(leaked) == [.later, .prevented, .later])
    #expect(leaked.openings[.impersonation]?.secret == "master_secret")
    #expect(try impersonation(text("tickets", "session_ticket_key, after: 1 hour")) == .later)
    #expect(try impersonation(text("resumable", "master_secret, after: 2 days")) == .prevented)
    #expect(try impersonation(text("resumable", client: "none", "master_secret, after: 1 hour")) == .prevented)
  }

  private static let crossed = """
    authorities:
      Root A: { }
      Root B: { trust: system }
      Issuing: { issuer: Root A }
      Issuing B: { issuer: Root B, crossSigns: Issuing }
    certificates:
      api: { issuer: Issuing, names: [api.example] }
    server: { presents: [api, Issuing B] }

    """

  // RFC 5280 section 3.2: any chain to one of the client's anchors is valid, and all CA certificates are public.
  @Test("an attacker presents a stolen key's honest certificate through cross-certificates, too")
  func crossCertificates() throws {
    let client = "client: { os: iOS 8 }\n"
    let stolen = try outcome(Self.crossed + client + "network: [eavesdrop, { leak: api.key, after: 30 days }]")
    #expect(stolen.verdict.word == .accepted)
    #expect(states(stolen) == [.prevented, .prevented, .later])
    #expect(stolen.attempts.last { $0.goal == .impersonation }?.through == "Issuing B")
    #expect(try impersonation(Self.crossed + client) == .prevented)
    let pinned = "client: { os: iOS 8, serverTrust: { pins: [Issuing], comparesName: false } }"
    #expect(try impersonation(Self.crossed + pinned) == .possible)
    #expect(try impersonation(Self.crossed + pinned.replacing("false", with: "true")) == .prevented)
  }

  // RFC 5246 section 7.4.3: the signature covers both random numbers and the public key, and nothing else.
  @Test("a repeated client random and a known ephemeral key allow replay of a ServerKeyExchange")
  func repeatedKeyExchange() throws {
    func text(_ random: String, _ server: String, _ network: String = "[eavesdrop]") -> String {
      """
      client: { os: iOS 10, random: \(random) }
      server: { random: \(server) }
      network: \(network)
      """
    }
    let weak = "{ server_ecdh_private: 6 bits }"
    let means = Attempt.Means.repeatedKeyExchange("server_ecdh_private")
    let open = try outcome(text("{ client_random: constant }", weak))
    #expect(states(open) == [.possible, .possible, .possible])
    #expect(open.reasons[.impersonation] == .tried(means))
    let seldom = try outcome(text("{ client_random: 20 bits }", weak))
    #expect(seldom.reasons[.impersonation] == .tried(means, counted: .connections(bits: 20)))
    // For a new number the server signs itself, and the attacker finishes (D. Adrian and others, CCS 2015).
    for fresh in ["good", "{ client_random: 200 bits }"] {
      let taken = try outcome(text(fresh, weak))
      #expect(states(taken) == [.possible, .possible, .possible], "\(fresh)")
      #expect(taken.reasons[.impersonation] == .tried(.takenOver("server_ecdh_private")))
    }
    #expect(try impersonation(text("{ client_random: constant }", "good")) == .prevented)
    let leak = "[eavesdrop, { leak: server_ecdh_private, after: 1 day }]"
    #expect(try states(outcome(text("{ client_random: constant }", "good", leak))) == [.later, .prevented, .later])
    #expect(try states(outcome(text("good", "good", leak))) == [.later, .prevented, .prevented])
    let reused = "{ server_ecdh_private: repeats }"
    #expect(try states(outcome(text("good", reused, leak))) == [.later, .prevented, .later])
    #expect(try states(outcome(text("good", reused))) == [.prevented, .prevented, .prevented])
  }

  private static func rsa(_ bits: Int, _ budget: Int) -> String {
    """
    certificates: { api: { issuer: Issuing, names: [api.example], key: rsa-\(bits) } }
    server: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA] }
    client: { os: iOS 8 }
    attackers: { budget: 2^\(budget) }
    """
  }

  // NIST SP 800-57 part 1, table 2: 1024 bits are 2^80, 2048 bits 2^112; RSA-155, of 512 bits, fell in 1999.
  @Test("a budget limits factoring, and the report names the cost above and below it")
  func factoring() throws {
    let all: [Goal.State?] = [.possible, .possible, .possible]
    let none: [Goal.State?] = [.prevented, .prevented, .prevented]
    #expect(try states(outcome(Self.rsa(512, 40))) == all)
    #expect(try states(outcome(Self.rsa(512, 20))) == none)
    #expect(try states(outcome(Self.rsa(2048, 112))) == all)
    #expect(try outcome(Self.rsa(2048, 40)).outOfReach.isEmpty)
    let broken = try outcome(Self.rsa(1024, 80))
    #expect(states(broken) == all)
    let strength = SecurityStrength(ofModulus: 1024)
    #expect(
      broken.reasons[.impersonation]
        == .tried(
          .shown(certificate: "api", key: "api.key"), counted: .workload(.factoring(bits: 1024), strength)))
    let held = try outcome(Self.rsa(1024, 79))
    #expect(states(held) == none)
    #expect(held.outOfReach.contains { $0.name == "api.key" && $0.strength.bits == 80 && $0.goal == .eavesdropping })
  }

  @Test("a budget limits discrete logarithms, which open records and complete the server's handshake")
  func discreteLogarithms() throws {
    func text(_ budget: Int) -> String {
      """
      server: { cipherSuites: [TLS_DHE_RSA_WITH_AES_128_CBC_SHA], dhGroup: oakley-1024 }
      client: { os: iOS 8 }
      attackers: { budget: 2^\(budget) }
      """
    }
    let broken = try outcome(text(80))
    #expect(broken.verdict.word == .accepted)
    #expect(states(broken) == [.possible, .possible, .possible])
    let held = try outcome(text(40))
    #expect(states(held) == [.prevented, .prevented, .prevented])
    #expect(held.outOfReach.contains { $0.name == "server_dh_private" && $0.strength.bits == 80 })
  }

  @Test("the strength of a modulus is interpolated between the rows of the table")
  func strengths() {
    let table = [(1024, 80), (2048, 112), (3072, 128), (7680, 192), (15360, 256), (1536, 96)]
    for (bits, strength) in table { #expect(SecurityStrength(ofModulus: bits).bits == strength, "\(bits)") }
    #expect(SecurityStrength(ofModulus: 512).isInReach(ofBudget: 40))
    #expect(!SecurityStrength(ofModulus: 768).isInReach(ofBudget: 40))
  }

  // RFC 7465: plaintext that is sent repeatedly under RC4 leaks through its biases, an attack that is not played.
  @Test("a kind of attack that is not played is named")
  func notTried() throws {
    func text(_ cookie: String) -> String {
      """
      server: { cipherSuites: [TLS_RSA_WITH_RC4_128_SHA] }
      client: { os: iOS 8\(cookie) }
      """
    }
    let repeated = try outcome(text(", cookie: \"id=7\""))
    #expect(repeated.notTried.map(\.kind) == [.rc4Biases] && repeated.notTried.first?.goal == .eavesdropping)
    #expect(try outcome(text("")).notTried.isEmpty)
  }

  // Each of these bugs lets an attacker impersonate the server.
  @Test(
    "a bug whose own attack is not played is named",
    arguments: ["curveball", "gnutls-error", "skip-tls", "early-ccs"])
  func bugs(name: String) throws {
    func untried(_ mutant: String) throws -> [UntriedAttack] {
      try outcome("client: { os: iOS 8, mutant: \(mutant) }").notTried
    }
    #expect(
      try untried(name).contains { $0.goal == .impersonation && $0.kind == .bug && $0.subject == name })
    #expect(try untried("null").isEmpty)
  }

  // The goals ask about the genuine endpoints. A false server reaches only impersonation, and a stricter client nothing.
  @Test(
    "a bug is named only under the goals that it could reach",
    arguments: [
      ("goto-fail", []), ("first-path-only", []), ("eku-ignored", [Goal.impersonation]),
      ("finished-unchecked", Goal.allCases),
    ])
  func goalsOfBugs(name: String, goals: [Goal]) throws {
    #expect(try outcome("client: { os: iOS 8, mutant: \(name) }").notTried.map(\.goal) == goals)
  }

  // CVE-2020-0601: Q = 1·G' if the generator G' is Q.
  @Test("every party knows the private key 1 of a key that is its own generator")
  func unitKey() throws {
    let text = [
      "authorities: { Root A: { key: ec-p256, trust: system }, Copy A: { spoofsKeyOf: Root A } }", "certificates:",
      "  api: { issuer: Root A, key: ec-p256, names: [api.example] }",
      "  evil: { issuer: Copy A, key: ec-p256, names: [api.example] }",
      "server: { presents: [api], cipherSuites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256] }",
      "client: { os: iOS 10, mutant: MUTANT }", "attackers: { certificates: [evil] }",
    ].joined(separator: "\n")
    let correct = try Lab.play(text.replacing("MUTANT", with: "null"))
    for party in [Party.client, .server, .eavesdropper] {
      #expect(correct.simulation.knowledge(of: party).knows("Copy A.key"), "\(party.name)")
      #expect(!correct.simulation.knowledge(of: party).knows("Root A.key"), "\(party.name)")
    }
    #expect(correct.outcome.goals[.impersonation] == .prevented)
    let fooled = try outcome(text.replacing("MUTANT", with: "curveball"))
    #expect(fooled.reasons[.impersonation] == .tried(.forged(under: "Copy A", key: "Copy A.key")))
  }

  // ROBOT (2018), section 3: the oracle decrypts any number, so it signs.
  @Test("a padding oracle on another host with the server's key can sign for the server")
  func oracleSignature() throws {
    func untried(_ mutant: String) throws -> [UntriedAttack.Kind] {
      let mail = "{ presents: [both, Issuing], cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA256], mutant: \(mutant) }"
      let api = "{ presents: [both, Issuing], cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256] }"
      let lines = [
        "certificates: { both: { issuer: Issuing, names: [api.example, mail.example] } }",
        "servers: { api.example: \(api), mail.example: \(mail) }", "client: { os: iOS 10 }",
        "requests: [\"https://api.example/\", \"https://mail.example/\"]",
      ]
      return try outcome(lines.joined(separator: "\n")).notTried.filter { $0.goal == .impersonation && $0.kind != .bug }
        .map(\.kind)
    }
    #expect(try untried("robot") == [.oracleSignature])
    #expect(try untried("null").isEmpty)
  }
}

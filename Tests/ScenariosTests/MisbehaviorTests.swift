import Explanation
import Laboratory
import Simulator
import Testing

@testable import Scenarios

@Suite("Endpoints that deviate from the protocol")
struct MisbehaviorTests {
  /// A deviation, the rules with which the other side refuses it, and the side that checks them.
  struct Deviation: Sendable, CustomStringConvertible {
    let description: String
    let because: [String]
    /// Whether the peer ends the connection even without this rule, because it cannot continue.
    let isFinal: Bool

    init(_ changes: String, _ because: [String], isFinal: Bool = false) {
      (description, self.because, self.isFinal) = (changes, because, isFinal)
    }
  }

  private static let tls12 = """
    clock: 2016-11-01
    client: { os: iOS 10, infoPlist: { NSAllowsArbitraryLoads: true } }
    expect: { verdict: accepted }

    """

  private static let tls13 =
    """
    clock: 2026-01-01
    client: { os: iOS 26 }
    certificates: { api: { issuer: Root A, names: [api.example], notBefore: 2025-12-01, days: 90, timestamps: 3 } }
    expect: { verdict: accepted }

    """
    + "authorities: { Root A: { trust: system, notBefore: 2020-01-01 } }\n"
    + "server: { presents: [api], versions: [TLSv1.2, TLSv1.3], cipherSuites: [TLS_AES_128_GCM_SHA256] }\n"

  static let inTLS12 = [
    Deviation(
      "server: { cipherSuites: [TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256], misbehaves: suite-not-offered }",
      ["handshake.suite-not-offered"]
    ),
    Deviation(
      "client.os: iOS 8, server: { versions: [TLSv1.1], cipherSuites: [TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256], "
        + "misbehaves: suite-of-other-version }",
      ["handshake.suite-of-other-version"]
    ),
    Deviation(
      "client.os: iOS 8, server: { groups: [x25519], misbehaves: group-not-offered }", ["handshake.no-common-group"]),
    Deviation(
      "client.signatureAlgorithms: [rsa_pkcs1_sha256], server: { signatureAlgorithms: [rsa_pkcs1_sha384], "
        + "misbehaves: scheme-not-offered }",
      ["handshake.no-common-signature-scheme"]
    ),
    Deviation("server.misbehaves: unsolicited-extension", ["handshake.unsupported-extension"]),
    Deviation("server.misbehaves: compression", ["handshake.illegal-parameter"]),
    Deviation("client.misbehaves: compression", ["handshake.illegal-parameter"]),
    Deviation("server.misbehaves: finished", ["handshake.finished-mismatch"]),
    Deviation("client.misbehaves: finished", ["handshake.finished-mismatch"]),
    Deviation("server.misbehaves: signature", ["handshake.bad-signature"]),
    Deviation(
      "client.misbehaves: premaster-version, server.cipherSuites: [TLS_RSA_WITH_AES_128_GCM_SHA256]",
      ["record.bad-mac"], isFinal: true
    ),
    Deviation("client.misbehaves: key-share", ["handshake.bad-key-share"], isFinal: true),
    Deviation("server.misbehaves: no-certificate", ["handshake.illegal-parameter"], isFinal: true),
    Deviation("server.misbehaves: empty-record", ["record.empty"]),
    Deviation("client.misbehaves: empty-record", ["record.empty"]),
    Deviation(
      "client.os: iOS 8, server: { cipherSuites: [TLS_DHE_RSA_WITH_AES_128_CBC_SHA], dhGroup: composite-2048 }",
      ["handshake.bad-dh-group"]
    ),
    Deviation(
      "server: { renegotiates: on-request, content: { GET /: hi } }, client: { renegotiation: secure, misbehaves: renegotiation-info }",
      ["handshake.unbound-renegotiation"]
    ),
    Deviation(
      "server: { renegotiates: on-request, content: { GET /: hi }, misbehaves: renegotiation-info }, client: { renegotiation: secure }",
      ["handshake.unbound-renegotiation"]
    ),
    Deviation(
      "authorities: { Root A: { trust: system }, Issuing: { issuer: Root A }, Members: {} }, "
        + "certificates: { api: { issuer: Issuing, names: [api.example] }, "
        + "alice: { issuer: Members, names: [alice], extendedKeyUsage: [clientAuth] } }, "
        + "server: { clientAuthentication: required, clientAuthorities: [Members] }, "
        + "client: { identity: alice, misbehaves: signature }",
      ["client-auth.bad-certificate-verify"]
    ),
  ]

  static let inTLS13 = [
    Deviation("server: { groups: [ffdhe2048], misbehaves: group-not-offered }", ["handshake.illegal-parameter"]),
    Deviation(
      "client.signatureAlgorithms: [rsa_pss_rsae_sha256, rsa_pkcs1_sha256], server: { signatureAlgorithms: [rsa_pss_rsae_sha384], misbehaves: scheme-not-offered }",
      ["handshake.no-common-signature-scheme"]
    ),
    Deviation("server.misbehaves: unsolicited-extension", ["handshake.unsupported-extension"]),
    Deviation("server.misbehaves: compression", ["handshake.illegal-parameter"]),
    Deviation("client.misbehaves: compression", ["handshake.illegal-parameter"]),
    Deviation("server.misbehaves: finished", ["handshake.finished-mismatch"]),
    Deviation("client.misbehaves: finished", ["handshake.finished-mismatch"]),
    Deviation("server.misbehaves: signature", ["handshake.bad-signature"]),
    Deviation(
      "authorities.Members: { notBefore: 2020-01-01 }, certificates.alice: { issuer: Members, names: [alice.example], "
        + "extendedKeyUsage: [clientAuth], notBefore: 2025-12-01, days: 90 }, "
        + "server: { clientAuthentication: required, clientAuthorities: [Members] }, "
        + "client: { identity: alice, misbehaves: signature }",
      ["client-auth.bad-certificate-verify"]
    ),
    Deviation("server.misbehaves: key-share", ["handshake.bad-key-share"], isFinal: true),
    Deviation("client.misbehaves: key-share", ["handshake.bad-key-share"], isFinal: true),
    Deviation("server.misbehaves: no-certificate", ["handshake.decode-error"], isFinal: true),
    Deviation(
      "server: { cipherSuites: [TLS_AES_128_GCM_SHA256, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256], misbehaves: older-version }",
      ["handshake.downgrade"]
    ),
    Deviation("server.misbehaves: misplaced-extension", ["handshake.illegal-parameter"]),
    Deviation(
      "server.misbehaves: suite-of-other-version", ["handshake.suite-of-other-version"], isFinal: true
    ),
    Deviation("server.misbehaves: session-id", ["handshake.illegal-parameter"]),
    Deviation(
      "server.psk: { identity: a, key: 000102030405060708090a0b0c0d0e0f }, client: { psk: { identity: a, key: 000102030405060708090a0b0c0d0e0f }, misbehaves: binder }",
      ["handshake.finished-mismatch"]
    ),
    Deviation("server.misbehaves: empty-record", ["record.empty"]),
    Deviation("client.misbehaves: empty-record", ["record.empty"]),
  ]

  private static func play(_ base: String, _ changes: String, _ mutant: Mutant? = nil) throws -> Verdict {
    try result(base, changes, mutant).outcome.verdict
  }

  private static func result(_ base: String, _ changes: String, _ mutant: Mutant? = nil) throws -> CaseResult {
    let text = base + "cases: [{ name: changed, with: { \(changes) } }]"
    let scenario = try #require(try Lab.read(text).scenario(named: "changed"))
    return try ScenarioLibrary.player(keys: Lab.keys, mutant: mutant).play(scenario)
  }

  // RFC 8446 section 4.1.4: the client must abort with illegal_parameter if it did not offer the group.
  @Test(
    "a server of TLS 1.3 requests its group with a HelloRetryRequest, and the client refuses a group that it lacks",
    arguments: [("ffdhe2048", false), ("ffdhe3072", false), ("secp521r1", true)])
  func groupNotOffered(_ group: String, isOffered: Bool) throws {
    let changes = "server: { groups: [\(group)], misbehaves: group-not-offered }"
    let result = try Self.result(Self.tls13, changes)
    #expect(result.outcome.verdict.because.map(\.id) == (isOffered ? [] : ["handshake.illegal-parameter"]))
    let sent = result.simulation.trace.steps.compactMap { step -> String? in
      guard case .sent(let transmission, _) = step.event, let message = transmission.message else { return nil }
      return "\(step.from) \(message.name)"
    }
    #expect(sent.prefix(2) == ["client ClientHello", "server HelloRetryRequest"])
    #expect((sent.dropFirst(2).first == "client Alert") == !isOffered, "\(sent)")
  }

  @Test("the peer of a side that deviates in TLS 1.2 refuses for one reason", arguments: inTLS12)
  func tls12(_ deviation: Deviation) throws { try Self.check(deviation, Self.tls12) }

  @Test("the peer of a side that deviates in TLS 1.3 refuses for one reason", arguments: inTLS13)
  func tls13(_ deviation: Deviation) throws { try Self.check(deviation, Self.tls13) }

  private static func check(_ deviation: Deviation, _ base: String) throws {
    let changes = deviation.description
    #expect(try play(base, changes).because.map(\.id) == deviation.because)
    guard !deviation.isFinal, let id = deviation.because.first, let rule = RuleCatalogue.rule(id) else { return }
    let verdicts = try [Mutant.Place.client, .server].map { place in
      try play(base, changes, Mutant("off", [place], "", [.switchingOff(rule)], source: "")).word
    }
    #expect(verdicts.contains(.accepted), "\(id): \(verdicts)")
  }

  @Test("without a deviation, the connection is accepted")
  func correct() throws {
    #expect(try Self.play(Self.tls12, "seed: 2").word == .accepted)
    #expect(try Self.play(Self.tls13, "seed: 2").word == .accepted)
  }

  static let texts = [
    BadText(
      "an unknown word", "server: { misbehaves: suite-not-ofered }", 1, 23, "'suite-not-ofered'", "suite-not-offered"),
    BadText("a word for the other side", "client: { misbehaves: suite-not-offered }", 1, 23, "'suite-not-offered'"),
    BadText(
      "a word for the other side", "server: { misbehaves: [finished, premaster-version] }", 1, 34, "'premaster-version'"
    ),
  ]

  @Test("an error in these words has its place", arguments: texts)
  func told(_ text: BadText) throws { try text.isTold() }

  @Test("each deviation has its own meaning, and a side that can have it")
  func meanings() {
    #expect(Set(Misbehavior.allCases.map(\.meaning)).count == Misbehavior.allCases.count)
    for misbehavior in Misbehavior.allCases { #expect(!misbehavior.sides.isEmpty) }
  }
}

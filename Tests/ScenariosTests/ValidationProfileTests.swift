import Scenarios
import Testing

@Suite("Profiles for certification paths, and a server's checks of its clients")
struct ValidationProfileTests {
  private static func because(_ base: String, _ changes: String) throws -> [String] {
    try Lab.play(base + "cases: [{ name: changed, with: { \(changes) } }]", "changed").outcome.verdict.because.map(\.id)
  }

  private static let servers = """
    clock: 2016-11-01
    client: { os: iOS 10, profile: webpki }
    certificates:
      api: { issuer: Issuing, names: [api.example], days: 300, notBefore: 2016-10-01 }
    expect: { verdict: accepted }

    """

  static let ofServers: [(String, [String])] = [
    ("seed: 2", []),
    ("client.profile: rfc5280, certificates.api.break: generalized-time", []),
    ("client.profile: apple, certificates.api.serial: 0", []),
    ("certificates.api.serial: 0", ["chain.serial-number"]),
    ("certificates.api.break: empty-subject", ["chain.empty-name"]),
    ("certificates.api.break: critical-key-identifier", ["chain.criticality"]),
    ("authorities.Issuing.break: no-subject-key-identifier", ["chain.missing-extension"]),
    ("certificates.api.keyUsage: []", ["chain.authority-fields"]),
    ("certificates.api.nameConstraints: { permitted: [api.example] }", ["chain.name-constraints-form"]),
    (
      #"authorities.Issuing.nameConstraints: { permitted: [example, "DNS:.example"] }"#,
      ["chain.name-constraints-form"]
    ),
    (#"certificates.api.names: [api.example, "DNS:my_host.example"]"#, ["chain.name-form"]),
    ("certificates.api.break: generalized-time", ["chain.time-form"]),
    ("certificates.api.break: is-a-ca", ["chain.ca-as-leaf"]),
    ("client.profile: { name: webpki, maximumIntermediates: 0 }", ["chain.depth"]),
    ("client.profile: { maximumIntermediates: 0 }", ["chain.depth"]),
    ("client.profile: { maximumSignatures: 1 }", ["chain.signature-limit"]),
    ("client.profile: { maximumSignatures: 2 }", []),
    (#"authorities."Root A": { break: key-identifier, notBefore: 2015-01-01 }"#, ["chain.key-identifier-form"]),
    ("certificates.api.commonName: Some server", ["chain.common-name-form"]),
    (
      "client.profile: { name: rfc5280, conformance: required }, certificates.api.break: generalized-time",
      ["chain.time-form"]
    ),
  ]

  @Test("a certificate that a strict profile refuses violates exactly one rule", arguments: ofServers)
  func servers(changes: String, because: [String]) throws {
    #expect(try Self.because(Self.servers, changes) == because)
  }

  private static let hierarchy = """
    clock: 2016-11-01
    authorities:
      Root A: { trust: system }
      Issuing: { issuer: Root A }
      Members: {}
      Board: { issuer: Members }
    client: { identity: alice }
    expect: { verdict: accepted }

    """
  private static let leaves = """
    certificates:
      api: { issuer: Issuing, names: [api.example] }
      alice: { issuer: Board, names: [alice.example], extendedKeyUsage: [clientAuth] }

    """
  private static let clients =
    hierarchy + leaves
    + "server: { clientAuthentication: required, clientAuthorities: [Members], profile: { conformance: pedantic }, "
    + "revocation: hard-fail }\n"

  private static let proxy =
    "certificates.bot: { issuer: alice, proxy: true, extendedKeyUsage: [clientAuth] }, client.identity: bot, "
    + "server.revocation: none"

  static let ofClients: [(String, [String])] = [
    ("seed: 2", []),
    (#"authorities.Board.responder: "http://ocsp.example/", server.revocation: soft-fail"#, []),
    ("server.revocation: none, certificates.alice.revoked: 2016-10-15", []),
    (proxy + ", server.profile: { proxyCertificates: true }", []),
    ("certificates.alice.serial: 0", ["client-auth.serial-number"]),
    ("certificates.alice.break: empty-subject", ["client-auth.empty-name"]),
    ("certificates.alice.break: critical-key-identifier", ["client-auth.criticality"]),
    ("certificates.alice.break: no-authority-key-identifier", ["client-auth.missing-extension"]),
    ("certificates.alice.keyUsage: [digitalSignature, keyCertSign]", ["client-auth.authority-fields"]),
    ("certificates.alice.nameConstraints: { permitted: [alice.example] }", ["client-auth.name-constraints-form"]),
    (#"certificates.alice.names: ["DNS:my_host.example"]"#, ["client-auth.name-form"]),
    ("certificates.alice.break: generalized-time", ["client-auth.time-form"]),
    ("server.profile: { maximumIntermediates: 0 }", ["client-auth.depth"]),
    ("server.profile: { maximumSignatures: 0 }, server.revocation: none", ["client-auth.signature-limit"]),
    ("certificates.alice.revoked: 2016-10-15", ["client-auth.revoked"]),
    (#"authorities.Board.responder: "http://ocsp.example/""#, ["client-auth.revocation-unknown"]),
    ("certificates.alice.mustStaple: true", ["client-auth.must-staple"]),
    ("server.clientTrustSettings: { Board: distrusted }", ["client-auth.distrusted"]),
    ("server.clientTrustSettings: { alice: never }", ["client-auth.denied"]),
    (
      "certificates.bot: { issuer: alice, proxy: true, extendedKeyUsage: [clientAuth] }, client.identity: bot, server.revocation: none, server.profile: rfc5280",
      ["client-auth.not-a-ca", "client-auth.key-usage", "client-auth.unhandled-critical-extension"]
    ),
    (
      "certificates.bot: { issuer: alice, proxy: true, commonName: bot, extendedKeyUsage: [clientAuth] }, client.identity: bot, server.revocation: none, server.profile: { proxyCertificates: true }",
      ["client-auth.proxy-certificate"]
    ),
  ]

  @Test("a client's certificate that the server refuses violates exactly one rule", arguments: ofClients)
  func clients(changes: String, because: [String]) throws {
    #expect(try Set(Self.because(Self.clients, changes)) == Set(because))
  }

  static let texts = [
    BadText("an unknown profile", "client: { profile: web }", 1, 20, "'web'", "webpki"),
    BadText("an unknown key", "client: { profile: { nam: webpki } }", 1, 22, "'nam'", "'name'"),
    BadText("a wrong limit", "server: { profile: { maximumIntermediates: -1 } }", 1, 44, "'-1'"),
    BadText("an unknown reaction", "server: { revocation: softfail }", 1, 23, "'softfail'", "soft-fail"),
    BadText(
      "an unknown certificate", "server: { clientTrustSettings: { Isuing: never } }", 1, 34, "'Isuing'", "'Issuing'"),
    BadText(
      "an unknown setting", "server: { clientTrustSettings: { Issuing: newer } }", 1, 43, "'newer'", "'never'"),
  ]

  @Test("an error in these words has its place and the nearest word", arguments: texts)
  func told(_ text: BadText) throws { try text.isTold() }

  @Test("the settings appear in the description of a scenario")
  func described() throws {
    let file = try Lab.read(Self.clients + "cases: [{ name: p, with: { client.profile: webpki } }]")
    let scenario = try #require(file.scenario(named: "p"))
    #expect(
      scenario.servers.first?.details.contains {
        $0 == "It validates certificates by its usual profile, with pedantic conformance."
      } == true)
    #expect(
      scenario.connections.first?.client.details.contains { $0 == "It validates certificates by the profile webpki." }
        == true)
  }
}

import Explanation
import Oracles
import PKIX
import Scenarios
import Simulator
import Testing
import Trust

@Suite("CRLs in scenarios")
struct RevocationListTests {
  private static let authorities = """
    authorities:
      Root A:  { trust: system }
      Issuing: { issuer: Root A, pathLength: 0 }
    certificates: { api: { issuer: Issuing, names: [api.example] } }
    server: { presents: [api, Issuing] }
    expect: { verdict: accepted }
    """

  private static func play(_ changes: String) throws -> CaseResult {
    try Lab.play("\(authorities)\ncases: [{ name: changed, with: { \(changes) } }]", "changed")
  }

  private static let responder =
    "authorities.Issuing.responder: \"http://ocsp.ca.example/\", client.revocation: soft-fail"
  private static let list = "http://ca.example/all.crl"
  private static let lists =
    "client: { os: doc, revocation: hard-fail }, authorities.Issuing.crl: { at: \"\(list)\", age: 5 days, delta: \"http://ca.example/new.crl\" }"

  @Test("the fields of a step decode the OCSP response or CRL that it carries")
  func fields() throws {
    func field(_ name: String, _ changes: String) throws -> String? {
      let steps = try Self.play(changes).simulation.trace.steps
      return steps.reversed().lazy.flatMap(\.fields).compactMap { $0.first(name) }.first?.meaning
    }
    #expect(try field("certStatus", "server.staple: good") == "good")
    #expect(try field("nextUpdate", Self.responder) == "2016-11-07T00:00:00Z")
    #expect(try field("deltaCRLIndicator", Self.lists)?.hasPrefix("critical: adds to ") == true)
    let signed = "authorities.Issuing.crl: { at: \"\(Self.list)\", signer: Root A }"
    let scope = try field("issuingDistributionPoint", "client: { os: doc, revocation: soft-fail }, \(signed)")
    #expect(scope == "critical: URI:\(Self.list), indirectCRL")
    let partial = try field(
      "issuingDistributionPoint", Self.partial("only: users, reasons: [keyCompromise, aACompromise]"))
    #expect(partial == "critical: URI:\(Self.list), onlyContainsUserCerts, keyCompromise, aACompromise")
  }

  private static func partial(_ words: String) -> String {
    "client: { os: doc, revocation: hard-fail }, authorities.Issuing.crl: { at: \"\(list)\", \(words) }"
  }

  // RFC 5280 section 6.3.3: certificates (b)(2) and reasons (l) that no available CRL covers stay undetermined.
  @Test(
    "a CRL limited to some reasons or certificates says nothing about others",
    arguments: [
      ("reasons: [keyCompromise]", "{ revoked: 2016-10-20, reason: keyCompromise }", ["chain.revoked"]),
      ("reasons: [keyCompromise]", "{ revoked: 2016-10-20, reason: superseded }", ["chain.revocation-unknown"]),
      ("reasons: [keyCompromise]", "{ revoked: 2016-10-20 }", ["chain.revocation-unknown"]),
      ("reasons: [keyCompromise]", "{}", ["chain.revocation-unknown"]),
      ("only: users", "{ revoked: 2016-10-20, reason: superseded }", ["chain.revoked"]),
      ("only: users", "{}", []),
      ("only: authorities", "{ revoked: 2016-10-20 }", ["chain.revocation-unknown"]),
      (
        "reasons: [keyCompromise, cACompromise, affiliationChanged, superseded, cessationOfOperation, certificateHold, "
          + "privilegeWithdrawn, aACompromise]", "{}", []
      ),
    ] as [(String, String, [String])])
  func partial(_ words: String, _ certificate: String, _ reasons: [String]) throws {
    let changes = certificate == "{}" ? "" : ", certificates.api: \(certificate)"
    let result = try Self.play(Self.partial(words) + changes)
    #expect(result.outcome.verdict.because.map(\.id) == reasons)
  }

  static let texts = [
    BadText(
      "a CRL without a URL", "authorities: { A: { crl: { age: 1 days } } }", 1, 26, "",
      "at:"),
    BadText(
      "an unknown CRL issuer",
      "authorities: { Root A: { trust: system, crl: { at: \"http://a.example/\", signer: Rot A } } }", 1, 81,
      "'Rot A'"),
    BadText(
      "an entry removed before it is added",
      "certificates: { api: { issuer: Issuing, names: [api.example], revoked: 2016-10-20, released: 2016-10-01 } }", 1,
      94, ""),
    BadText(
      "a reason without a revocation",
      "certificates: { api: { issuer: Issuing, names: [a.example], reason: superseded } }", 1,
      69,
      "'api'", "revoked:"),
    BadText(
      "a reason that allows no removal",
      "certificates: { api: { issuer: Issuing, names: [a.example], revoked: 2016-10-20, released: 2016-10-25, reason: superseded } }",
      1, 112, "superseded", "reason: certificateHold"),
    BadText(
      "an unknown reason",
      "certificates: { api: { issuer: Issuing, names: [a.example], revoked: 2016-10-20, reason: keyCompromised } }",
      1, 90, "'keyCompromised'", "keyCompromise"),
    BadText("an unknown kind", "network: [{ outdate: 5 days, only: lists }]", 1, 36, "unknown kind"),
    BadText(
      "an unknown behavior", "logs: { Alfa: { conduct: lies } }", 1, 26, "'lies'"),
  ]

  @Test("an error in the words of CRLs has its place", arguments: texts)
  func told(_ text: BadText) throws { try text.isTold() }

  @Test(
    "openssl agrees on the complete, delta and indirect CRLs of a scenario", .needs(.openssl),
    arguments: [
      ("L5-25", [], "OK"), ("L5-25", ["-use_deltas"], "certificate revoked"),
      ("L5-25/it was on the complete list, and came off again", [], "certificate revoked"),
      ("L5-25/it was on the complete list, and came off again", ["-use_deltas"], "OK"),
      ("L5-26", ["-extended_crl"], "certificate revoked"),
      ("L5-26/the certificate is not on it", ["-extended_crl"], "OK"),
      // A verifier without support for indirect CRLs must not use one: its extension is critical.
      ("L5-26/the certificate is not on it", [], "error"),
    ])
  func openssl(_ name: String, _ options: [String], _ words: String) throws {
    let export = try Lab.player.export(of: try Lab.scenario(named: name))
    let openssl = try OpenSSL()
    for file in ["roots.pem", "api.pem", "api.chain.pem"] {
      try openssl.write(file, try #require(export.files.first { $0.name == file }).bytes)
    }
    // A verifier that does not use delta CRLs gets none.
    let hasDeltas = options.contains("-use_deltas")
    let lists = export.files.filter { $0.name.hasSuffix(".crl") && (hasDeltas || !$0.name.hasSuffix(".delta.crl")) }
    try openssl.write("all.crl", lists.flatMap(\.bytes))
    let answer = try openssl.run(
      ["verify", "-attime", "1477958400", "-crl_check", "-CAfile", "roots.pem", "-untrusted", "api.chain.pem"]
        + ["-CRLfile", "all.crl"] + options + ["api.pem"])
    #expect(answer.output.contains(words), "\(answer.output)")
    #expect((answer.status == 0) == (words == "OK"))
  }
}

@Suite("Audits of logs after the connection")
struct LogAuditTests {
  private static func result(_ name: String) throws -> CaseResult {
    try Lab.player.play(try Lab.scenario(named: name))
  }

  // RFC 6962 section 5: worked out from the data that each party is shown.
  @Test(
    "an auditor and a monitor find their own kinds of fault, after the verdict",
    arguments: [
      ("L5-27", Finding.Outcome.satisfied, Finding.Outcome.violated, false),
      ("L5-27/an honest log", .satisfied, .satisfied, true),
      ("L5-27/the log never includes it", .violated, .satisfied, false),
      ("L5-27/the log never includes it, and is asked before its delay is over", .unknown, .satisfied, false),
    ])
  func audit(
    _ name: String, _ inclusion: Finding.Outcome, _ consistency: Finding.Outcome, _ isMonitored: Bool
  ) throws {
    let result = try Self.result(name)
    #expect(result.outcome.verdict.word == .accepted)
    func outcome(_ id: String) -> Finding.Outcome? { result.outcome.findings.last { $0.rule.id == id }?.outcome }
    #expect(outcome("chain.log-inclusion") == inclusion)
    #expect(outcome("chain.log-consistency") == consistency)
    let steps = result.simulation.trace.steps.suffix(3)
    #expect(steps.map(\.from.name) == ["auditor", "monitor", "auditor"])
    let audit = try #require(result.simulation.world.audits.first?.audit)
    #expect(audit.isMonitored == isMonitored)
    #expect(audit.auditorHead.isSigned(by: audit.log) && audit.monitorHead.isSigned(by: audit.log))
    #expect(audit.auditorHead.contradicts(audit.monitorHead, of: audit.log) == (consistency == .violated))
    #expect(steps.first?.bytes == Array(audit.auditorHead.json.utf8))
  }
}

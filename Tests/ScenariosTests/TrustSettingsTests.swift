import Scenarios
import Testing
import Trust

@Suite("Trust settings of users, systems and apps")
struct TrustSettingsTests {
  /// Plays a scenario with these changes, and nothing else.
  private static func play(_ changes: String, _ name: String = Scenario.mainCase) throws -> CaseResult {
    try Lab.play(
      """
      clock: 2018-01-01
      client: { os: iOS 11, infoPlist: { NSAllowsArbitraryLoads: true } }
      expect: { verdict: accepted }
      cases: [{ name: changed, with: { \(changes) } }]
      """, "changed")
  }

  static let results: [(SecTrustResultType, because: [String], changes: String, sibling: String)] = [
    (
      .invalid, ["challenge.not-evaluated"],
      "client: { os: iOS 10, serverTrust: { anchors: [Root A], evaluates: false } }",
      "client.serverTrust: { anchors: [Root A] }"
    ),
    (.proceed, [], #"authorities."Root A".trust: user"#, ""),
    (
      .proceed, [],
      "clock: 2019-01-02, client.serverTrust: { exceptions: { certificate: api, rules: [chain.expired] } }",
      ""
    ),
    (
      .confirm, ["chain.asks-user"],
      #"authorities."Root A".trust: ask, client.os: macOS 10.4, client.loader: NSURLConnection, server.versions: [TLSv1.0]"#,
      "client.os: macOS 10.4, client.loader: NSURLConnection, server.versions: [TLSv1.0]"
    ),
    (.deny, ["chain.denied"], "certificates.api.trust: denied", ""),
    (.deny, ["chain.denied"], "authorities.Issuing.trust: denied", ""),
    (.unspecified, [], "seed: 2", ""),
    (.recoverableTrustFailure, ["chain.expired"], "clock: 2019-01-02", "clock: 2018-11-01"),
    (.fatalTrustFailure, ["chain.distrusted"], #"authorities."Root A".trust: distrusted"#, ""),
    (.fatalTrustFailure, ["chain.revoked"], "certificates.api.revoked: 2017-12-25, client.revocation: soft-fail", ""),
    (
      .otherError, ["chain.revoked"],
      "client.os: macOS 10.9, certificates.api.revoked: 2017-12-25, client.revocation: soft-fail",
      "client.os: macOS 10.9, client.revocation: soft-fail"
    ),
  ]

  @Test("each of the eight results has a cause and a reason", arguments: results)
  func result(_ expected: SecTrustResultType, because: [String], changes: String, sibling: String) throws {
    let outcome = try Self.play(changes).outcome
    #expect(outcome.trustResult == expected.description)
    #expect(outcome.verdict.because.map(\.id) == because)
    if !because.isEmpty {
      #expect(try Self.play(sibling.isEmpty ? "seed: 2" : sibling).outcome.verdict.word == .accepted)
    }
  }

  @Test("the table covers all eight results")
  func complete() { #expect(Set(Self.results.map(\.0)) == Set(SecTrustResultType.allCases)) }

  static let lists: [(String, Bool)] = [
    (#"authorities."Root A": { trust: none, distrust: {} }"#, false),
    (#"authorities."Root A".distrust: { from: 2018-01-01 }"#, false),
    (#"authorities."Root A".distrust: { from: 2018-01-02 }"#, true),
    (#"authorities."Root A".distrust: { from: 2018-01-02 }, clock: 2018-01-02"#, false),
    (#"authorities."Root A".distrust: { since: iOS 11 }"#, false),
    (#"authorities."Root A".distrust: { since: [iOS 11.1, macOS 10.13] }"#, true),
    (#"authorities."Root A".distrust: { since: macOS 10.13 }"#, true),
    (#"authorities."Root A".distrust: { since: iOS 12 }, client.os: doc"#, false),
    (#"authorities."Root A".distrust: { issuedFrom: 2017-12-02 }"#, false),
    (#"authorities."Root A".distrust: { issuedFrom: 2017-12-03 }"#, true),
    (#"authorities."Root A".distrust: { issuedBefore: 2017-12-02 }"#, true),
    (#"authorities."Root A".distrust: [{ issuedBefore: 2016-06-01 }, { issuedFrom: 2017-12-01 }]"#, false),
    (#"authorities."Root A".distrust: { issuedFrom: 2017-12-01, except: [Issuing] }"#, true),
    ("certificates.api.distrust: { from: 2017-12-25 }", false),
  ]

  @Test("distrust depends on the day and the release, and on the day of issue", arguments: lists)
  func isInForce(changes: String, isAccepted: Bool) throws {
    let changed = changes.contains("client.os") || changes.contains("clock") ? changes : changes + ", client.os: iOS 11"
    let because = try Self.play(changed + ", certificates.api.notBefore: 2017-12-02").outcome.verdict.because.map(\.id)
    #expect(because == (isAccepted ? [] : ["chain.distrusted"]))
  }

  @Test("another validation date affects validity only, and is reported")
  func verifyDate() throws {
    let expired = "clock: 2019-01-02, client.serverTrust: "
    let result = try Self.play(expired + "{ verifyDate: 2018-06-01 }")
    #expect(result.outcome.verdict.word == .accepted)
    let finding = try #require(result.outcome.findings.first { $0.rule.id == "chain.verify-date" })
    #expect(finding.outcome == .violated && !finding.refuses)
    #expect(finding.found.description == "2018-06-01T00:00:00Z")
    #expect(
      try Self.play(expired + "{ verifyDate: 2019-01-02 }").outcome.verdict.because.map(\.id) == ["chain.expired"])
    let blocked = #"authorities."Root A".distrust: { from: 2019-01-01 }, "#
    #expect(
      try Self.play(blocked + expired + "{ verifyDate: 2018-06-01 }").outcome.verdict.because.map(\.id)
        == ["chain.distrusted"])
  }

  @Test("an exception applies to its certificate and its rules, and never to fatal errors")
  func exceptions() throws {
    func because(_ exceptions: String, _ more: String = "clock: 2019-01-02") throws -> [String] {
      try Self.play("\(more), client.serverTrust: { exceptions: \(exceptions) }").outcome.verdict.because.map(\.id)
    }
    #expect(try because("{ certificate: api, rules: [chain.expired] }") == [])
    #expect(try because("{ certificate: api, rules: [name.mismatch] }") == ["chain.expired"])
    #expect(try because("{ certificate: Issuing, rules: [chain.expired] }") == ["chain.expired"])
    let blocked = #"clock: 2019-01-02, authorities."Root A".trust: distrusted"#
    #expect(
      try because("{ certificate: api, rules: [chain.expired, chain.distrusted] }", blocked)
        == ["chain.expired", "chain.distrusted"])
  }

  @Test("an installed root that is not enabled is trusted before iOS 10.3 and not since")
  func switchedOn() throws {
    func because(_ os: String) throws -> [String] {
      try Self.play(#"authorities."Root A".trust: installed-not-trusted, client.os: \#(os)"#).outcome.verdict.because
        .map(\.id)
    }
    #expect(try because("iOS 10.2") == [])
    #expect(try because("iOS 10.3") == ["chain.not-trusted-yet"])
  }

  @Test("the fix for a missing issuer depends on the anchors that count")
  func anchorsAlone() throws {
    func fix(issuer: String, _ client: String) throws -> String {
      let result = try Lab.play(
        """
        authorities: { Root A: { trust: system }, Own: {} }
        certificates: { api: { issuer: \(issuer), names: [api.example] } }
        server: { presents: [api] }
        client: { os: iOS 8\(client) }
        """)
      #expect(result.outcome.verdict.because.map(\.id) == ["chain.no-issuer"])
      return try #require(result.outcome.verdict.because.first).fix
    }
    let alone = try fix(issuer: "Root A", ", serverTrust: { anchors: [Own] }")
    #expect(alone.contains("SecTrustSetAnchorCertificatesOnly"))
    let missing = try fix(issuer: "Own", "")
    #expect(!missing.isEmpty && !missing.contains("SecTrustSetAnchorCertificatesOnly"))
  }

  // SecTrustSettings.h: the user's settings override the system's roots. SecTrust.h: the user is not asked since 10.5.
  // The system's blocks override the user's settings.
  static let decisions: [(trust: String, settings: String, result: SecTrustResultType, because: [String])] = [
    ("system", "", .unspecified, []),
    ("system", "always", .proceed, []),
    ("system", "never", .deny, ["chain.denied"]),
    ("system", "ask", .unspecified, []),
    ("system", "installed", .unspecified, []),
    ("none", "always", .proceed, []),
    ("none", "never", .deny, ["chain.denied"]),
    ("none", "installed", .recoverableTrustFailure, ["chain.not-trusted-yet"]),
    ("distrusted", "always", .fatalTrustFailure, ["chain.distrusted"]),
  ]

  @Test("the user's trust settings combine with the system's", arguments: decisions)
  func settings(trust: String, setting: String, result: SecTrustResultType, because: [String]) throws {
    let words = "trust: \(trust)" + (setting.isEmpty ? "" : ", trustSettings: \(setting)")
    let outcome = try Self.play(#"authorities."Root A": { \#(words) }, seed: 2"#).outcome
    #expect(outcome.verdict.because.map(\.id) == because)
    #expect(outcome.trustResult == result.description)
  }

  @Test(
    "for a root that no system has, the word trust is a short form",
    arguments: [
      ("user", "always"), ("denied", "never"), ("installed-not-trusted", "installed"),
    ])
  func short(trust: String, setting: String) throws {
    func outcome(_ words: String) throws -> [String] {
      let outcome = try Self.play(#"authorities."Root A": { \#(words) }, seed: 2"#).outcome
      return [outcome.trustResult ?? ""] + outcome.verdict.because.map(\.id)
    }
    #expect(try outcome("trust: \(trust)") == outcome("trust: none, trustSettings: \(setting)"))
  }

  @Test("pins that exempt a user's root are not compared under it")
  func exemptPins() throws {
    func because(_ trust: String, _ exempts: Bool) throws -> [String] {
      try Lab.play(
        """
        authorities: { Root A: { trust: \(trust) }, Other: { trust: none } }
        certificates: { api: { issuer: Root A, names: [api.example] } }
        server: { presents: [api] }
        client: { serverTrust: { pins: [Other], exemptsUserAnchors: \(exempts) } }
        """
      ).outcome.verdict.because.map(\.id)
    }
    #expect(try because("user", true) == [])
    #expect(try because("user", false) == ["pin.mismatch"])
    #expect(try because("system", true) == ["pin.mismatch"])
  }

  static let texts = [
    BadText("unknown kind of anchor", "authorities: { Root A: { trust: denyed } }", 1, 33, "unknown store", "denied"),
    BadText("no release", "authorities: { Root A: { distrust: { since: 12 } } }", 1, 45, ""),
    BadText("unknown word of distrust", "authorities: { Root A: { distrust: { issued: 2016 } } }", 1, 38, "'issued'"),
    BadText(
      "unknown exception of distrust", "authorities: { Root A: { trust: system, distrust: { except: [Isuing] } } }", 1,
      62,
      "'Isuing'"),
    BadText("no date of validation", "client: { serverTrust: { verifyDate: then } }", 1, 38, "'then'"),
    BadText(
      "an exception without rules", "client: { serverTrust: { exceptions: { certificate: api } } }", 1, 38,
      ""),
    BadText(
      "an exception for a rule of another layer",
      "client: { serverTrust: { exceptions: { certificate: api, rules: [ats.key-size] } } }", 1, 66,
      ""),
    BadText(
      "accept all, and a date", "client: { serverTrust: { delegate: accept-all, verifyDate: 2016-01-01 } }", 1, 24,
      "accept-all"),
    BadText(
      "an exemption without pins", "client: { serverTrust: { anchors: [Root A], exemptsUserAnchors: true } }", 1, 65,
      ""),
    BadText("no boolean", "client: { fetchesIssuers: sometimes }", 1, 27, "true … false"),
    BadText("a typo in the sources", "expect: { issuerSources: [nett] }", 1, 27, ""),
  ]

  @Test("bad input is an error with its place and a hint", arguments: texts)
  func strict(bad: BadText) throws { try bad.isTold() }
}

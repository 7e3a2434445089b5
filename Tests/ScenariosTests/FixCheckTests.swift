import Explanation
import PKIX
import Simulator
import Testing

@testable import Scenarios

@Suite("Printed fixes")
struct FixCheckTests {
  /// The rules that have a remedy for their fix.
  private static let rules = Set(Remedy.all.flatMap(\.rules).map(\.id)).sorted()

  /// Rules whose fix no scenario can play: a user's PIN, real files, and certificates with policies.
  private static let unplayable: Set<String> = [
    "client-auth.wrong-pin", "pkcs12.malformed", "pkcs12.no-identity", "chain.certificate-policy",
    "chain.policy-mapping", "chain.name-constraints-limit", "client-auth.certificate-policy",
    "client-auth.policy-mapping", "client-auth.name-constraints-limit",
  ]

  /// Cases with a rule and the part of its fix that removes the finding.
  private static let parts = [
    (
      "L16-18/iOS 26.4, and an app that requires the NIAP profile for this host", "ats.cipher-suite",
      "NSExceptionDomains.api.example.NSExceptionRequiresNIAPTLSPackageVersion = none"
    ),
    ("L9-32", "ats.cipher-suite", "NSExceptionDomains.desk.example.NSExceptionRequiresNIAPTLSPackageVersion = none"),
    ("L1-25", "record.unexpected-type", "find and remove the device or the attacker that changes the records"),
    ("L1-25/a record of another version", "record.unexpected-version", "find and remove the device or the attacker"),
    ("L1-25/six forged warnings", "record.stalling", "find and remove the device or the attacker that sends"),
    (
      "L1-25/a forged fatal alert", "handshake.fatal-alert", "find and remove the device or the attacker that forged it"
    ),
    (
      "L1-26/a group that the client did not offer", "handshake.no-common-group",
      "Configure the server to select a group from the client's list"
    ),
    (
      "L3-07/OS X 10.4, and a setting that asks the user each time", "chain.asks-user",
      "from Ask Permission to another value"
    ),
    ("L3-21/keyUsage without a bit", "chain.authority-fields", "with a bit in keyUsage"),
    (
      "L3-21/a root whose two key identifiers differ", "chain.key-identifier-form",
      "Issue the root with its own subjectKeyIdentifier"
    ),
    (
      "L3-21/a proxy certificate of the server's own, with a name of a host", "chain.proxy-certificate",
      "Issue the proxy without subjectAltName"
    ),
    (
      "L3-21/a client that verifies one signature, and a path with two", "chain.signature-limit",
      "allow more signatures"
    ),
    (
      "L13-11/name constraints in the certificate of a member", "client-auth.name-constraints-form",
      "Issue the certificate without nameConstraints"
    ),
    (
      "L13-11/no authorityKeyIdentifier", "client-auth.missing-extension",
      "Issue the certificate again, with authorityKeyIdentifier"
    ),
    (
      "L0-02/the attacker destroys the status line", "application.malformed-message",
      "Find and remove the device or the attacker that changes the messages"
    ),
    ("L16-17", "application.incomplete-message", "Find and remove the device or the attacker that cuts the connection"),
    (
      "L9-31/without TLS and without the rules, and an attacker sends bytes that are no frame",
      "application.malformed-frame", "Find and remove the proxy or the attacker"
    ),
  ]

  /// Certificates and suites that no case of the curriculum has.
  private static let others = [
    """
    client: { os: iOS 13 }
    cases:
      - { name: encipherment alone, with: { certificates.api.keyUsage: [keyEncipherment] } }
      - name: Ed25519
        with:
          certificates.api.key: ed25519
          server.cipherSuites: [TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256]
          client.signatureAlgorithms: [ed25519, ecdsa_secp256r1_sha256, rsa_pkcs1_sha256]
      - { name: RC4, with: { client.os: iOS 9, server.cipherSuites: [TLS_ECDHE_RSA_WITH_RC4_128_SHA] } }
    sweep:
      certificates.api.break:
        [version-1, malformed-extension, key-identifier, signature-algorithm, unknown-signature-algorithm]
    """,
    """
    authorities: { Root: { trust: system }, Members: {}, Desk: { issuer: Members, pathLength: 0 } }
    certificates:
      site: { issuer: Root, names: [api.example] }
      alice: { issuer: Desk, names: [alice.example], extendedKeyUsage: [clientAuth] }
    server: { presents: [site], clientAuthentication: required, clientAuthorities: [Members] }
    client: { identity: [alice, Desk] }
    cases:
      - { name: no CA, with: { authorities.Desk.break: not-a-ca } }
      - { name: no keyCertSign, with: { authorities.Desk.break: no-key-cert-sign } }
      - { name: other names, with: { authorities.Desk.nameConstraints: { permitted: [other.example] } } }
      - name: too deep
        with:
          authorities.Window: { issuer: Desk, pathLength: 0 }
          certificates.alice.issuer: Window
          client.identity: [alice, Window, Desk]
    sweep:
      certificates.alice.break:
        [signature, version-1, unknown-critical-extension, malformed-extension, signature-algorithm,
         unknown-signature-algorithm]
    """,
  ]

  private static func entries(
    of scenario: Scenario, in file: ScenarioFile? = nil, _ remedies: [Remedy] = Remedy.all
  ) throws -> [FixCheck.Entry] {
    let file = try file ?? Lab.library().file(at: scenario.file)
    return try FixCheck(player: Lab.player, remedies: remedies).entries(of: scenario, in: file)
  }

  /// The trials for the rule's findings in the first case whose fixes can be played.
  private static func shown(_ rule: String) throws -> [FixCheck.Entry] {
    var candidates = Lab.cases.filter { $0.exercises(rule) }.map { (scenario: $0, file: ScenarioFile?.none) }
    for file in try others.map({ try Lab.read($0) }) { candidates += file.cases.map { ($0, file) } }
    for (scenario, file) in candidates {
      let entries = try entries(of: scenario, in: file).filter { $0.finding.rule.id == rule }
      if !entries.isEmpty, entries.allSatisfy({ $0.isPlayed != unplayable.contains(rule) }) { return entries }
    }
    return []
  }

  /// The trials of these remedies in a case with one finding.
  private func trials(_ name: String, _ remedies: Remedy...) throws -> [FixCheck.Trial] {
    try #require(try Self.entries(of: Lab.scenario(named: name), in: nil, remedies).first).trials
  }

  @Test("the fix of a rule removes its finding", arguments: rules)
  func removes(rule: String) throws {
    let entries = try Self.shown(rule)
    #expect(!entries.isEmpty, "no case shows the fix of \(rule)")
    for trial in entries.flatMap(\.trials) {
      #expect(!trial.isFalse, "\(rule): '\(trial.words)' by \(trial.changes): \(trial.new.map(\.id))")
    }
  }

  @Test("only a change that carries out the fix removes the finding")
  func wrongRemedy() throws {
    let words = "Renew the certificate"
    let wrong = try trials("L4-04", Remedy(.expired, says: words) { _ in ["seed = 7"] })
    #expect(wrong.map(\.result) == [.remains])
    #expect(wrong.first?.isFalse == true)
    #expect(wrong.first?.verdict?.because.map(\.id) == ["chain.expired"])
    let right = try trials("L4-04", Remedy(.expired, says: words) { _ in ["certificates.api.notAfter = 2016-12-01"] })
    #expect(right.map(\.result) == [.removed])
    #expect(right.first?.isFalse == false)
    #expect(right.first?.verdict?.word == .accepted)
  }

  @Test("a change that moves the finding to another certificate does not remove it")
  func moved() throws {
    let lines = ["certificates.api.notAfter = 2017-12-01", "authorities.Issuing.notAfter = 2016-10-01"]
    let trials = try trials("L4-04", Remedy(.expired, says: "Renew the certificate") { _ in lines })
    #expect(trials.map(\.result) == [.remains])
  }

  @Test("a change that ends the connection before the rule is checked proves nothing")
  func hidden() throws {
    let lines = ["server.cipherSuites = [TLS_DHE_RSA_WITH_AES_128_GCM_SHA256]"]
    let trials = try trials("L4-04", Remedy(.expired, says: "Renew the certificate") { _ in lines })
    #expect(trials.map(\.result) == [.hidden])
    #expect(trials.first?.new.map(\.id) == ["handshake.no-common-suite"])
    #expect(trials.first?.isFalse == true)
  }

  @Test("a part, line or fix that cannot be played is reported with the reason")
  func notPlayed() throws {
    let words = "Renew the certificate"
    let cannot = try trials("L4-04", Remedy(.expired, says: words, cannotBePlayed: "the CA is closed"))
    #expect(cannot.map(\.result) == [.notPlayed])
    #expect(cannot.first?.reason == "the CA is closed")
    let slip = try trials("L4-04", Remedy(.expired, says: words) { _ in ["certificates.api.notAfter"] })
    #expect(slip.map(\.result) == [.notPlayed])
    #expect(slip.first?.reason?.isEmpty == false)
    let none = try trials("L4-04", Remedy(.expired, says: "No fix says this") { _ in ["seed = 7"] })
    #expect(none.map(\.result) == [.notPlayed])
    #expect(none.first?.changes == [])
  }

  @Test("a fix contains the part that removes the finding", arguments: parts)
  func part(name: String, rule: String, part: String) throws {
    let entries = try Self.entries(of: Lab.scenario(named: name)).filter { $0.finding.rule.id == rule }
    let entry = try #require(entries.first)
    #expect(entry.finding.rule.fix.contains(part))
    let removing = entry.trials.filter { $0.result == .removed && !$0.words.isEmpty }
    #expect(removing.contains { part.contains($0.words) || $0.words.contains(part) }, "\(entry.trials)")
  }

  @Test("a fix recommends no setting that cannot remove the finding")
  func noSuchSetting() throws {
    let suite = try #require(
      try Self.entries(of: Lab.scenario(named: "L9-07/RC4 on iOS 9, which the key does not add")).first)
    #expect(
      suite.finding.rule.fix.hasSuffix("NSAllowsArbitraryLoads does not apply to api.example, which has its own entry.")
    )
    #expect(suite.trials.map(\.result) == [.removed])
    let wildcard = try #require(
      try Self.entries(of: Lab.scenario(named: "L3-20/a wildcard for a part of a label")).first)
    #expect(!wildcard.finding.rule.fix.contains("*"))
    #expect(wildcard.trials.map(\.result) == [.removed])
  }

  @Test("only a repair applies to an endpoint that deviates from TLS on purpose")
  func deviation() throws {
    let trials = try Self.entries(of: Lab.scenario(named: "L1-26/a wrong bit in Finished")).flatMap(\.trials)
    #expect(
      trials.map(\.words) == [
        "Find and remove the device or the attacker", "repair the side that has a different secret",
      ])
    #expect(trials.map(\.result) == [.notPlayed, .removed])
    #expect(trials.map(\.reason) == ["an endpoint deviates from TLS on purpose", nil])
    #expect(trials.map(\.changes) == [[], ["server.misbehaves = null"]])
    #expect(trials.last?.verdict?.word == .accepted)
    let client = try Self.entries(of: Lab.scenario(named: "L1-27")).flatMap(\.trials)
    #expect(client.last?.changes == ["client.misbehaves = null"])
    #expect(client.last?.result == .removed)
  }

  @Test("a rule that fails only after the fix is named")
  func new() throws {
    let trials = try Self.entries(of: Lab.scenario(named: "L14-04/code -1022, plain HTTP")).flatMap(\.trials)
    let served = try #require(trials.first { $0.words.hasPrefix("Serve the resource") })
    #expect(served.result == .removed)
    #expect(served.new.map(\.id) == ["ats.leaf-hash"])
    #expect(served.leadsOn)
    let renewed = try Self.entries(of: Lab.scenario(named: "L4-04")).flatMap(\.trials)
    #expect(renewed.map(\.result).contains(.removed))
    #expect(renewed.allSatisfy { !$0.leadsOn })
  }

  @Test("an accepted case has nothing to fix")
  func accepted() throws {
    #expect(try Self.entries(of: Lab.scenario(named: "L1-01")).isEmpty)
  }
}

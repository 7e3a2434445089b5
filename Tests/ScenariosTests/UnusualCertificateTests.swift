import Oracles
import PKIX
import Scenarios
import Testing

@Suite("Certificates out of the ordinary")
struct UnusualCertificateTests {
  private static func because(_ changes: String) throws -> [String] {
    try Lab.play(
      """
      clock: 2018-01-01
      client: { os: iOS 13, infoPlist: { NSAllowsArbitraryLoads: true } }
      authorities:
        Root A: { trust: system }
        Root B: { trust: none }
        B by A: { issuer: Root A, crossSigns: Root B }
        Limited: { issuer: Root B, nameConstraints: { permitted: [example, 192.0.2.0/24], excluded: [evil.example] } }
      certificates:
        api: { issuer: Limited, names: [api.example] }
      server: { presents: [api, Limited, B by A] }
      expect: { verdict: accepted }
      cases: [{ name: changed, with: { \(changes) } }]
      """, "changed"
    ).outcome.verdict.because.map(\.id)
  }

  static let cases: [(String, [String])] = [
    ("seed: 2", []),
    ("server.presents: [api, B by A, Limited]", []),
    ("server.presents: [api, Limited]", ["chain.no-anchor"]),
    (#"authorities."B by A".break: issuer-key"#, ["chain.signature-invalid"]),
    ("certificates.api.names: [api.example, 192.0.2.7]", []),
    ("certificates.api.names: [api.example, 192.0.3.7]", ["chain.name-constraints"]),
    ("certificates.api.names: [api.example, www.evil.example]", ["chain.name-constraints"]),
    ("certificates.api.names: [api.example, elsewhere.test]", ["chain.name-constraints"]),
    ("authorities.Limited.nameConstraints: { excluded: [api.example] }", ["chain.name-constraints"]),
    ("certificates.api.signature: sha1", ["chain.weak-signature"]),
    ("certificates.api.signature: md5", ["chain.weak-signature"]),
    ("certificates.api.key: rsa-2047", ["chain.key-size"]),
    (#"authorities."B by A".version: 1"#, ["chain.not-a-ca"]),
    ("certificates.api.break: version-1", ["chain.version"]),
    ("certificates.api.serial: 0", []),
    ("certificates.api.serial: -5", []),
    ("certificates.api.serial: \"0x010203040506070809101112131415161718192021\"", []),
    ("certificates.api.break: [no-authority-key-identifier, no-subject-key-identifier]", []),
    ("certificates.api.break: unknown-critical-extension", ["chain.unhandled-critical-extension"]),
    ("certificates.api.extendedKeyUsage: [clientAuth]", ["chain.extended-key-usage"]),
    ("certificates.api: { names: [], commonName: api.example }", ["name.no-san"]),
  ]

  @Test("unusual certificates are issued as requested, and refused for the right reason", arguments: cases)
  func isRefused(changes: String, because: [String]) throws { #expect(try Self.because(changes) == because) }

  // keytool -genkeypair without -ext, as observed with JDK 17, writes subjectKeyIdentifier and nothing else.
  @Test("a certificate has the usual extensions or the named ones, as one from keytool")
  func extensions() throws {
    func extensions(_ scenario: Scenario, _ name: String) throws -> [OID] {
      let all = try Lab.player.certificates(of: scenario)
      return try #require(all.first { $0.name == name }).certificate.extensions.map(\.oid)
    }
    for id in ["L4-08", "L14-05"] {
      #expect(try extensions(Lab.scenario(named: id), "joyseedog") == [SubjectKeyIdentifier.oid], "\(id)")
    }
    let usual = try Lab.read("certificates: { api: { issuer: Issuing, names: [api.example] } }")
    #expect(
      try extensions(try #require(usual.cases.first), "api") == [
        BasicConstraints.oid, KeyUsage.oid, ExtendedKeyUsage.oid, SubjectAlternativeName.oid, SubjectKeyIdentifier.oid,
        AuthorityKeyIdentifier.oid,
      ])
  }

  @Test("two roots that sign each other form a loop, which ends at a trusted one", arguments: [false, true])
  func loop(isTrusted: Bool) throws {
    let result = try Lab.play(
      """
      authorities:
        Root A: { trust: \(isTrusted ? "system" : "none") }
        Root B: { trust: none }
        B by A: { issuer: Root A, crossSigns: Root B }
        A by B: { issuer: Root B, crossSigns: Root A }
      certificates: { api: { issuer: Root A, names: [api.example] } }
      server: { presents: [api, A by B, B by A] }
      """)
    #expect(result.outcome.verdict.because.map(\.id) == (isTrusted ? [] : ["chain.loop"]))
    #expect(result.outcome.path.first == "api")
  }

  static let texts = [
    BadText(
      "unknown root for a cross-certificate",
      "authorities: { Root A: { trust: system }, B: { issuer: Root A, crossSigns: Rot } }",
      1, 76, "'Rot'", "Root A"),
    BadText(
      "a cross-certificate of a cross-certificate",
      "authorities: { A: { trust: system }, B: {}, C: { issuer: A, crossSigns: B }, D: { issuer: A, crossSigns: C } }",
      1, 106, "'C'", "B"),
    BadText(
      "a key of its own", "authorities: { A: {}, B: {}, C: { issuer: A, crossSigns: B, key: rsa-2048 } }", 1, 58,
      "'B'", "leave out"),
    BadText(
      "an empty name constraint", "authorities: { A: { nameConstraints: { permitted: [\"\"] } } }", 1, 52, ""),
    BadText(
      "no range", "authorities: { A: { nameConstraints: { excluded: [10.0.0.0/33] } } }", 1, 51, "10.0.0.0/33", "/24"),
    BadText("no constraint", "authorities: { A: { nameConstraints: {} } }", 1, 38, ""),
    BadText("no serial number", "certificates: { api: { serial: many } }", 1, 32, "", "0x01ff"),
    BadText("no version", "certificates: { api: { version: 4 } }", 1, 33, "1 to 3"),
    BadText(
      "MD5 by an elliptic curve",
      "authorities: { A: { key: ec-p256 } }\ncertificates: { api: { issuer: A, signature: md5 } }", 2, 46,
      "MD5"),
  ]

  static let names: [(String, String, String)] = [
    ("names: [\"email:a@b\"]", "'email:a@b'", "\"DNS:email:a@b\""),
    ("names: [\"IP:1.2.3.4\"]", "'IP:1.2.3.4'", "1.2.3.4"),
    ("names: [300.1.1.1]", "'300.1.1.1'", "DNS:300.1.1.1"),
    ("names: [\"a b\"]", "'a b'", "DNS:a b"),
    ("nameConstraints: { permitted: [\"dirname:CN=x\"] }", "'dirname:CN=x'", "email:company.example"),
    ("nameConstraints: { permitted: [\"email:@@\"] }", "'email:@@'", "email:company.example"),
    ("nameConstraints: { excluded: [\"*.x.example\"] }", "'*.x.example'", "x.example"),
    ("nameConstraints: { excluded: [10.1.1.1] }", "'10.1.1.1'", "10.1.1.1/32"),
  ]

  @Test("an invalid name is reported once, without consequential errors", arguments: names)
  func isNoName(entry: String, message: String, hint: String) throws {
    let found = try Lab.diagnostics("authorities: { Issuing: { trust: system, \(entry) } }")
    let told = found.filter { $0.message.shows(message) }
    #expect(told.count == 1, "\(found)")
    #expect(told.first?.hint.contains(hint) == true, "\(found)")
    #expect(!found.contains { $0.message.contains("permits nothing") })
  }

  @Test(
    "a scenario can have odd names on purpose",
    arguments: ["DNS:300.1.1.1", "DNS:a b", "*.Google.COM", "m*.b_c.example"])
  func oddNames(name: String) throws {
    #expect(
      try Lab.diagnostics("certificates: { api: { issuer: Issuing, names: [\"\(name)\"] } }").allSatisfy {
        !$0.message.contains(name) || $0.severity == .warning
      })
  }

  @Test("independent mistakes are all reported at once")
  func manyMistakes() throws {
    let found = try Lab.diagnostics(
      """
      client: { os: Windows, serverTrust: { anchor: [Root A] } }
      certificates: { api: { issuer: Isuing, notBefore: 2017-01-01, notAfter: 2016-01-01 } }
      cases:
        - { name: a, with: { authorities.Root A.trust: none } }
        - { name: a, with: { client.os: Windows } }
      """
    ).map(\.message)
    for value in ["'Windows'", "'Isuing'", "'api'", "'authorities.Root A.trust'", "'a'", "'anchor'"] {
      #expect(found.contains { $0.contains(value) }, "\(value): \(found)")
    }
    #expect(!found.contains { $0.contains("says nothing") })
  }

  @Test("a loop of issuers is reported once")
  func ring() throws {
    let found = try Lab.diagnostics(
      "authorities: { A: { issuer: B }, B: { issuer: C }, C: { issuer: A } }\n"
        + "certificates: { api: { issuer: A, names: [api.example] } }\nserver: { presents: [api] }")
    #expect(found.count { $0.message.contains("A ← B ← C ← A") } == 1, "\(found)")
  }

  @Test("bad input is an error with its place and a hint", arguments: texts)
  func strict(bad: BadText) throws { try bad.isTold() }
}

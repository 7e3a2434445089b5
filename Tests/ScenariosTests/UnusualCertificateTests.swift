import Explanation
import Oracles
import PKIX
import Simulator
import Testing

@testable import Scenarios

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

  private static let spoofing = """
    clock: 2019-12-01
    authorities:
      Root EC: { trust: system, key: ec-p256 }
      Spoofed: { spoofsKeyOf: Root EC }
    client: { os: iOS 11, infoPlist: { NSAllowsArbitraryLoads: true } }

    """
  private static let spoofed = """
    certificates:
      api: { issuer: Root EC, names: [api.example] }
      evil: { issuer: Spoofed, names: [api.example] }
    server: { presents: [evil, Spoofed] }

    """
  private static let curveBall =
    spoofing + spoofed + "expect: { verdict: refused, because: [chain.signature-invalid] }\n"
    + "cases: [{ name: honest, with: { server.presents: [api] }, expect: { verdict: accepted } }]"

  /// Plays a text with a validator that has these faults.
  private static func play(_ text: String, _ faults: [Fault]) throws -> Verdict {
    let mutant = Mutant("test", [.validator], "", faults, source: "")
    let scenario = try #require(try Lab.read(text).scenario(named: Scenario.mainCase))
    return try ScenarioLibrary.player(keys: Lab.keys, mutant: mutant).play(scenario).outcome.verdict
  }

  @Test("an issuer whose key spells out its curve violates one rule, and its signatures verify")
  func explicitCurve() throws {
    let text = """
      authorities: { Root A: { trust: system }, Issuing: { issuer: Root A, key: ec-p384, explicitCurve: true } }
      """
    #expect(try Lab.play(text).outcome.verdict.because == [.namedCurve])
    #expect(try Self.play(text, [.switchingOff(.namedCurve)]).word == .accepted)
    #expect(try Lab.play(text.replacing(", explicitCurve: true", with: "")).outcome.verdict.word == .accepted)
  }

  @Test("a root whose generator is the key of a trusted root deceives a validator that compares keys (CVE-2020-0601)")
  func spoofedKey() throws {
    #expect(try Lab.play(Self.curveBall).outcome.verdict.because == [.signatureInvalid])
    #expect(try Lab.play(Self.curveBall, "honest").outcome.verdict.word == .accepted)
    let compared: Fault = .path { decisions in
      decisions.isAnchor = { $0.publicKey.subjectPublicKey == $1.publicKey.subjectPublicKey }
    }
    #expect(try Self.play(Self.curveBall, [compared]).because == [.namedCurve])
    #expect(try Self.play(Self.curveBall, [compared, .switchingOff(.namedCurve)]).word == .accepted)
    #expect(try Self.play(Self.curveBall, [.switchingOff(.namedCurve)]).word == .refused)
  }

  /// OpenSSL computes with the parameters in a key, but `verify` refuses them.
  @Test("openssl verifies a signature with a spoofed key and not with the true one, and refuses the certificate")
  func spoofedKeyInOpenSSL() throws {
    let scenario = try #require(try Lab.read(Self.curveBall).cases.first)
    let openssl = try OpenSSL()
    let all = try Lab.player.certificates(of: scenario)
    for item in all {
      let name = item.name.replacing(" ", with: "-")
      try openssl.write("\(name).pem", item.certificate.pem)
      try openssl.write("\(name).key", openssl.run("x509", "-in", "\(name).pem", "-pubkey", "-noout").output)
    }
    let evil = try #require(all.first { $0.name == "evil" }).certificate
    try openssl.write("signed", Array(evil.der[evil.tbsCertificate]))
    // The AlgorithmIdentifier of ecdsa-with-SHA256 has 12 bytes.
    let place = "\(evil.tbsCertificate.upperBound + 12)"
    try openssl.run("asn1parse", "-in", "evil.pem", "-strparse", place, "-noout", "-out", "signature")
    func verify(_ key: String) throws -> Int32 {
      try openssl.run("dgst", "-sha256", "-verify", "\(key).key", "-signature", "signature", "signed").status
    }
    #expect(try verify("Spoofed") == 0)
    #expect(try verify("Root-EC") != 0)
    let clock = "\(scenario.clock.secondsSince1970)"
    let answer = try openssl.run("verify", "-attime", clock, "-CAfile", "Spoofed.pem", "evil.pem")
    #expect(answer.status != 0 && answer.output.contains("explicit ECC parameters"), "\(answer.output)")
    #expect(try openssl.run("verify", "-attime", clock, "-CAfile", "Root-EC.pem", "api.pem").status == 0)
  }

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
      "no curve", "authorities: { Root A: { trust: system, explicitCurve: true } }", 1, 56, "'Root A'", "ec-p256"),
    BadText(
      "unknown owner of a key",
      "authorities: { Root A: { trust: system }, Issuing: { issuer: Root A }, Root B: { spoofsKeyOf: Rot A } }", 1, 95,
      "'Rot A'", "'Root A'"),
    BadText(
      "an RSA key",
      "authorities: { Root A: { trust: system }, Issuing: { issuer: Root A }, Root B: { spoofsKeyOf: Root A } }",
      1, 95, "'Root A'", "ec-p256"),
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

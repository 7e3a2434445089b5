import Cryptography
import Explanation
import Laboratory
import Testing

@testable import PKIX
@testable import Trust

/// Holes that an attacker could use or that real chains have, each with a similar case without the hole.
@Suite("Paths without holes")
struct PathHoleTests {
  private func evaluate(
    _ world: World, profile: TrustProfile, at date: Instant = World.now, host: String? = "api.example"
  ) throws -> Set<String> {
    let chain = try world.issue()
    let evaluator = TrustEvaluator(
      TrustRequirements(
        profile: profile, os: profile == .apple ? OSVersion("iOS 17") : nil, date: date,
        store: TrustStore(system: [chain[2]])))
    return evaluator.evaluate(Array(chain.prefix(2)), host: host).because
  }

  @Test("a CA with its issuer's name is no root: its signature hash is checked", arguments: TrustProfile.allCases)
  func selfIssued(_ profile: TrustProfile) throws {
    var world = World()
    // Root A issues this certificate to the name Root A: another key with the same name.
    world.issuing.subject = world.root.subject
    world.issuing.notBefore = World.date("2017-01-01")
    #expect(try !evaluate(world, profile: profile).contains("chain.weak-signature"))
    world.issuing.signatureScheme = .rsaPKCS1SHA1
    #expect(try evaluate(world, profile: profile).contains("chain.weak-signature"))
    var root = World()
    root.root.signatureScheme = .rsaPKCS1SHA1
    #expect(try !evaluate(root, profile: profile).contains("chain.weak-signature"))
  }

  @Test(
    "until iOS 12, a common name used as host name is checked against name constraints")
  func commonNames() throws {
    func because(_ name: String, _ os: String, permitted: String?) throws -> Set<String> {
      var world = World()
      world.issuing.nameConstraints = permitted.map { NameConstraints(permitted: [.dnsName($0)], excluded: []) }
      world.leaf.subject = DistinguishedName(commonName: name)
      world.leaf.subjectAlternativeName = nil
      return try world.evaluate(name, os: os).because
    }
    for name in ["intranet", "host.other.example", "b\u{fc}cher.example"] {
      #expect(try because(name, "iOS 12", permitted: "company.example").contains("chain.name-constraints"), "\(name)")
    }
    #expect(try because("intranet", "iOS 12", permitted: nil) == [])
    #expect(try because("host.company.example", "iOS 12", permitted: "company.example") == [])
    // A name with a space is not a host name, and matches none.
    #expect(
      try !because("Somebody Else", "iOS 12", permitted: "company.example").contains("chain.name-constraints"))
  }

  @Test("a user's exception is valid only for the same certificate at the same position")
  func exceptions() throws {
    func because(_ issuers: Bool, expired index: Int) throws -> Set<String> {
      var world = World()
      if index == 0 { world.leaf.notAfter = World.date("2022-10-01") }
      if index == 1 { world.issuing.notAfter = World.date("2022-10-01") }
      let chain = try world.issue()
      var evaluator = TrustEvaluator(
        TrustRequirements(os: OSVersion("iOS 17"), date: World.now, store: TrustStore(system: [chain[2]])))
      evaluator.requirements.exceptions = TrustExceptions(chain[0], rules: [.expired])
      if issuers { evaluator.requirements.exceptions?.issuers = [chain[1]: [.expired]] }
      return evaluator.evaluate(Array(chain.prefix(2)), host: "api.example").because
    }
    #expect(try because(false, expired: 0) == [])
    #expect(try because(false, expired: 1) == ["chain.expired"])
    #expect(try because(true, expired: 1) == [])
  }

  @Test("if pins are required but missing, every key is refused")
  func requiredPins() throws {
    let chain = try World().issue()
    var evaluator = TrustEvaluator(
      TrustRequirements(os: OSVersion("iOS 17"), date: World.now, store: TrustStore(system: [chain[2]])))
    #expect(evaluator.evaluate(Array(chain.prefix(2)), host: "api.example").accepted)
    evaluator.requirements.pins = [PublicKeyPins([])]
    let evaluation = evaluator.evaluate(Array(chain.prefix(2)), host: "api.example")
    #expect(evaluation.because == ["pin.mismatch"])
    #expect(evaluation.findings.first { $0.refuses }?.rule.clause == .apple("SecPolicyCheckPinningRequired"))
  }

  @Test("a CA pin on a path without CAs has a finding that says so")
  func noAuthorityToPin() throws {
    let chain = try World().issue()
    let pins = PublicKeyPins([.init(keyOf: chain[1], named: "Issuing")], at: .authorities)
    func found(_ path: [Certificate], store: TrustStore) -> [Detail] {
      var evaluator = TrustEvaluator(TrustRequirements(os: OSVersion("iOS 17"), date: World.now, store: store))
      evaluator.requirements.pins = [pins]
      return evaluator.evaluate(path, host: "api.example").findings.filter { $0.rule == .pinMismatch }
        .map(\.found)
    }
    // The server's own certificate is a user anchor, so no certificate is above it.
    let alone = found([chain[0]], store: TrustStore(user: [chain[0]]))
    #expect(alone == [.word("no certificate above the server's certificate")], "\(alone)")
    let whole = found(Array(chain.prefix(2)), store: TrustStore(system: [chain[2]]))
    #expect(whole.count == 1 && whole != alone)
  }

  @Test("a distrusted key is distrusted in other certificates too")
  func crossSigned() throws {
    let chain = try World().issue()
    var again = World()
    again.issuing.notAfter = World.date("2031-01-01")
    let other = try again.issue()[1]
    #expect(other != chain[1] && other.subjectPublicKeyInfo == chain[1].subjectPublicKeyInfo)
    for list in [[other], []] {
      let store = TrustStore(system: [chain[2]], distrusted: list)
      let evaluation = World.evaluate(Array(chain.prefix(2)), "api.example", store)
      #expect(evaluation.because == (list.isEmpty ? [] : ["chain.distrusted"]))
    }
    var store = TrustStore(system: [chain[2]])
    store.distrusts = [Distrust(other)]
    #expect(World.evaluate(Array(chain.prefix(2)), "api.example", store).because == ["chain.distrusted"])
  }

  @Test("hard-fail without any CRL or OCSP response refuses, and names the missing evidence")
  func hardFail() throws {
    let chain = try World().issue()
    func because(_ revocation: RevocationPolicy, _ lists: [CertificateRevocationList] = []) -> Set<String> {
      var evaluator = TrustEvaluator(
        TrustRequirements(
          profile: .rfc5280, os: nil, date: World.now, store: TrustStore(system: [chain[2]]), revocation: revocation))
      evaluator.evidence.revocation.lists = lists
      return evaluator.evaluate(Array(chain.prefix(2)), host: "api.example").because
    }
    #expect(because(RevocationPolicy(.hardFail)) == ["chain.revocation-unknown"])
    #expect(because(RevocationPolicy(.softFail)) == [])
    var random = DeterministicRandom(seed: .number(1), label: "list")
    let template = CRLTemplate(thisUpdate: World.now, nextUpdate: World.now.adding(days: 7), number: 1)
    let lists = [
      try CertificateAuthority(chain[1], key: World.key("Issuing")).issue(template, random: &random),
      try CertificateAuthority(chain[2], key: World.key("Root A")).issue(template, random: &random),
    ]
    #expect(because(RevocationPolicy(.hardFail), lists) == [])
  }

  @Test("must-staple requires a valid OCSP response, except on Apple's systems")
  func mustStaple() throws {
    var world = World()
    world.leaf.otherExtensions = [.init(TLSFeature([TLSFeature.statusRequest]))]
    let chain = try world.issue()
    func because(_ answers: [OCSPResponse], _ profile: TrustProfile = .rfc5280) -> Set<String> {
      var evaluator = TrustEvaluator(
        TrustRequirements(
          profile: profile, os: profile == .apple ? OSVersion("iOS 17") : nil, date: World.now,
          store: TrustStore(system: [chain[2]]), revocation: RevocationPolicy(.softFail)))
      evaluator.evidence.revocation.answers = answers
      return evaluator.evaluate(Array(chain.prefix(2)), host: "api.example").because
    }
    var random = DeterministicRandom(seed: .number(1), label: "answer")
    let single = SingleResponse(
      CertificateID(chain[0], issuer: chain[1]), .good, thisUpdate: World.now, nextUpdate: World.now.adding(days: 1))
    let responder = OCSPResponder(CertificateAuthority(chain[1], key: try World.key("Issuing")))
    let answer = try responder.answer([single], producedAt: World.now, random: &random)
    #expect(because([]) == ["chain.must-staple"])
    #expect(because([try OCSPResponder.failure(.tryLater)]) == ["chain.must-staple"])
    #expect(because([answer]) == [])
    #expect(because([], .apple) == [])
  }

  @Test("an anchor is not part of the path: one with serial number 00 is trusted")
  func anchorSerial() throws {
    var world = World()
    world.root.serialNumber = [0]
    for profile in TrustProfile.allCases { #expect(try evaluate(world, profile: profile) == [], "\(profile)") }
    var below = World()
    below.issuing.serialNumber = [0]
    below.issuing.notBefore = World.date("2017-01-01")
    #expect(try evaluate(below, profile: .webpki) == ["chain.serial-number"])
  }

  @Test("webpki requires one hash for each curve, and a NULL for PKCS #1")
  func signatureForms() throws {
    func because(
      _ curve: EllipticCurve, _ scheme: SignatureScheme, _ profile: TrustProfile, issued: String = "2022-06-01"
    ) throws -> Set<String> {
      var random = DeterministicRandom(seed: .number(1), label: "curves")
      var world = World()
      world.leaf.notBefore = World.date(issued)
      world.root.signatureScheme = scheme
      world.leaf.signatureScheme = scheme
      let root = try CertificateAuthority(
        root: world.root, key: .ec(KeyStore.ecKey(owner: "Root A", curve: curve)), random: &random)
      let leaf = try root.issue(world.leaf, for: World.key("api").publicKey, random: &random)
      let evaluator = TrustEvaluator(
        TrustRequirements(profile: profile, os: nil, date: World.now, store: TrustStore(system: [root.certificate])))
      return evaluator.evaluate([leaf], host: "api.example").because
    }
    let own: [(EllipticCurve, SignatureScheme)] = [
      (.p256, .ecdsaSHA256), (.p384, .ecdsaSHA384), (.p521, .ecdsaSHA512),
    ]
    for (curve, scheme) in own { #expect(try because(curve, scheme, .webpki) == []) }
    // For certificates issued before the encodings were prescribed, the finding is only advice.
    #expect(try because(.p256, .ecdsaSHA384, .webpki, issued: "2020-08-19") == [])
    for (curve, scheme) in [
      (EllipticCurve.p256, SignatureScheme.ecdsaSHA384), (.p384, .ecdsaSHA256), (.p521, .ecdsaSHA256),
    ] {
      #expect(try because(curve, scheme, .webpki) == ["chain.unsupported-signature-algorithm"])
      #expect(try because(curve, scheme, .rfc5280) == [])
    }
  }

  @Test("SHA-1 is refused since TLS 1.3 advises against it, and MD5 always")
  func sha1() throws {
    var world = World()
    world.leaf.signatureScheme = .rsaPKCS1SHA1
    world.leaf.notBefore = World.date("2017-01-01")
    #expect(try evaluate(world, profile: .rfc5280, at: World.date("2018-01-01")) == [])
    #expect(try evaluate(world, profile: .rfc5280) == ["chain.weak-signature"])
    world.leaf.signatureScheme = .rsaPKCS1MD5
    #expect(try evaluate(world, profile: .rfc5280, at: World.date("2018-01-01")) == ["chain.weak-signature"])
  }

  @Test("each signature of an evaluation is verified once, up to a limit")
  func memory() throws {
    let chain = try World().issue()
    let path = CertificatePath(chain, end: .anchor)
    let memory = SignatureCache(limit: 2)
    for _ in 0..<3 { #expect(!PathValidation(path, at: World.now, memory: memory).findings.refuses) }
    #expect(!memory.isExhausted)
    let short = PathValidation(path, at: World.now, memory: SignatureCache(limit: 1))
    #expect(short.findings.deciding == [.signatureLimit])
    #expect(short.findings.contains { $0.rule == .signatureInvalid && $0.outcome == .unknown })
  }

  /// Properties that were permitted until the day before the given one (BR 1.2.2, 7.1, and the table of 6.1.5).
  static let dated: [(name: String, day: String, rule: String, change: @Sendable (inout World) -> Void)] = [
    ("SHA-1", "2016-01-01", "chain.weak-signature", { $0.leaf.signatureScheme = .rsaPKCS1SHA1 }),
    ("no purpose", "2012-07-01", "chain.extended-key-usage", { $0.leaf.extendedKeyUsage = nil }),
    (
      "mail beside servers", "2023-09-15", "chain.extended-key-usage",
      { $0.leaf.extendedKeyUsage = ExtendedKeyUsage([ExtendedKeyUsage.serverAuth, OID(1, 3, 6, 1, 5, 5, 7, 3, 4)]) }
    ),
    (
      "the name in upper case", "2021-08-25", "chain.common-name-form",
      { $0.leaf.subject = DistinguishedName(commonName: "API.example") }
    ),
    ("serial number 0", "2016-09-30", "chain.serial-number", { $0.leaf.serialNumber = [0] }),
  ]

  @Test("each Baseline Requirement applies to certificates issued from its effective date on", arguments: dated.indices)
  func dates(_ index: Int) throws {
    let (name, day, rule, change) = Self.dated[index]
    for (days, binds) in [(-1, false), (0, true)] {
      var world = World()
      change(&world)
      world.issuing.notBefore = World.date("2011-01-01")
      world.leaf.notBefore = World.date(day).adding(days: days)
      world.leaf.notAfter = World.date(day).adding(days: 100)
      let because = try evaluate(world, profile: .webpki, at: world.leaf.notAfter)
      #expect(because == (binds ? [rule] : []), "\(name), \(days)")
    }
    // Browsers have refused SHA-1 since 2017, regardless of the issue date.
    var world = World()
    world.leaf.signatureScheme = .rsaPKCS1SHA1
    world.leaf.notBefore = World.date("2015-06-01")
    world.leaf.notAfter = World.date("2018-06-01")
    #expect(try evaluate(world, profile: .webpki, at: World.date("2016-12-31")) == [])
    #expect(try evaluate(world, profile: .webpki, at: World.date("2017-01-01")) == ["chain.weak-signature"])
    // Other names, and only another purpose, were never permitted.
    world = World()
    world.leaf.notBefore = World.date("2012-06-30")
    world.leaf.extendedKeyUsage = ExtendedKeyUsage([ExtendedKeyUsage.clientAuth])
    #expect(try evaluate(world, profile: .webpki).contains("chain.extended-key-usage"))
  }

  @Test("server certificates allowed RSA-1024 until 2013, and RSASSA-PSS keys until encodings were prescribed")
  func datedKeys() throws {
    func because(ends: String) throws -> Set<String> {
      var world = World()
      world.leafBits = 1024
      world.issuing.notBefore = World.date("2011-01-01")
      world.leaf.notBefore = World.date("2012-08-01")
      world.leaf.notAfter = World.date(ends)
      return try evaluate(world, profile: .webpki, at: World.date("2013-01-01"))
    }
    #expect(try because(ends: "2013-12-31T23:59:59Z") == [])
    #expect(try because(ends: "2014-01-01") == ["chain.key-size"])
    let chain = try World().issue()
    guard case .rsa(let own) = chain[0].publicKey else { return #expect(Bool(false)) }
    let evaluator = TrustEvaluator(
      TrustRequirements(profile: .webpki, os: nil, purpose: .server, date: World.now, store: TrustStore()))
    for (usage, holds) in [(RSAPublicKey.Usage.any, true), (.pss(nil), false)] {
      let der = try Self.subjectPublicKeyInfo(own, usage)
      var random = DeterministicRandom(seed: .number(1), label: "pss")
      let leaf = try CertificateAuthority(chain[1], key: World.key("Issuing")).issue(
        World().leaf, for: PublicKey(subjectPublicKeyInfo: der), random: &random)
      let path = CertificatePath([leaf, chain[1], chain[2]], end: .anchor)
      let judged = PathContext(
        path, PathValidation(path, at: World.now).subjects, evaluator, purpose: .server)
      let finding = try #require(WebPKIPolicy(judged).keySizes.first)
      #expect(finding.refuses != holds)
      if !holds { #expect(finding.rule.clause == .baselineRequirements("7.1.3.1.1")) }
    }
  }

  /// The same key under rsaEncryption, or under id-RSASSA-PSS without parameters (RFC 4055 section 1.2).
  private static func subjectPublicKeyInfo(_ key: RSAPublicKey, _ usage: RSAPublicKey.Usage) throws -> [UInt8] {
    if usage == .any { return key.subjectPublicKeyInfo }
    return DER.sequence(
      DER.sequence(DER.objectIdentifier(.rsassaPSS)), DER.bitString(key.pkcs1))
  }

  @Test("a hash in the parameters is checked like one in the algorithm's name")
  func pssSHA1() throws {
    var world = World()
    world.leaf.signatureScheme = .rsaPSSSHA1
    for profile in TrustProfile.allCases {
      #expect(try evaluate(world, profile: profile) == ["chain.weak-signature"], "\(profile)")
    }
    world.leaf.signatureScheme = .rsaPSSSHA256
    for profile in TrustProfile.allCases { #expect(try evaluate(world, profile: profile) == [], "\(profile)") }
    world.leaf.signatureScheme = .rsaPSSSHA1
    world.leaf.notBefore = World.date("2015-12-01")
    world.leaf.notAfter = World.date("2016-12-01")
    #expect(try evaluate(world, profile: .webpki, at: World.date("2016-06-01")) == [])
  }

  /// A server's certificate and its root, both with keys of the same kind, as OpenSSL 3.0 issued them.
  static let unusual: [(name: String, leaf: String, root: String)] = [
    (
      "brainpoolP256r1",
      "MIIBsTCCAVigAwIBAgIULweiZ8E9DdX85TYb96YQF2wsIRgwCgYIKoZIzj0EAwIwHzEdMBsGA1UEAwwUUm9vdCBicmFpbnBvb2xQ"
        + "MjU2cjEwHhcNMjYxMTIzMDMwMDUyWhcNMjcwOTE5MDMwMDUyWjAWMRQwEgYDVQQDDAthcGkuZXhhbXBsZTBaMBQGByqGSM49AgEG"
        + "CSskAwMCCAEBBwNCAASJqDHTouiWpHTVcl8BLl8zTQMj1fSDZST5B0GSZdF/t1IvANyxFDlwRPu99H/FSbi3u7vHjxT0Fa9NpCYV"
        + "Vp0zo3oweDAWBgNVHREEDzANggthcGkuZXhhbXBsZTATBgNVHSUEDDAKBggrBgEFBQcDATAJBgNVHRMEAjAAMB8GA1UdIwQYMBaA"
        + "FJSpRUc5keKJVE8ImihoxvhFmpFBMB0GA1UdDgQWBBSUqUVHOZHiiVRPCJooaMb4RZqRQTAKBggqhkjOPQQDAgNHADBEAiBerP9c"
        + "lIGFYvEA6QJhDC3CYaB1CAEq0tbIZNYTGCoKNAIgHBxBo1XCB2q8zieKerNvGSZif5XC00J/2QvrVJwXIDs=",
      "MIIBpDCCAUqgAwIBAgIUKxptsHv65InL8ooDCb7WXIhszf0wCgYIKoZIzj0EAwIwHzEdMBsGA1UEAwwUUm9vdCBicmFpbnBvb2xQ"
        + "MjU2cjEwHhcNMjYxMTIzMDMwMDUyWhcNMzUwMjA5MDMwMDUyWjAfMR0wGwYDVQQDDBRSb290IGJyYWlucG9vbFAyNTZyMTBaMBQG"
        + "ByqGSM49AgEGCSskAwMCCAEBBwNCAASJqDHTouiWpHTVcl8BLl8zTQMj1fSDZST5B0GSZdF/t1IvANyxFDlwRPu99H/FSbi3u7vH"
        + "jxT0Fa9NpCYVVp0zo2MwYTAdBgNVHQ4EFgQUlKlFRzmR4olUTwiaKGjG+EWakUEwHwYDVR0jBBgwFoAUlKlFRzmR4olUTwiaKGjG"
        + "+EWakUEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwIDSAAwRQIhAILIOxVhyu9afz9uK3Qdp1wv"
        + "I66rbKVShUJhCTEuAJmvAiBf6S7c20orFIHRruIwVIxtYqAU3njM6l+mTcNJ1kyPzQ=="
    ),
    (
      "secp256k1",
      "MIIBqDCCAU6gAwIBAgIUBZ1Pqh1baCrxpP+RL2H4KnJORPYwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOUm9vdCBzZWNwMjU2azEw"
        + "HhcNMjYxMTIzMDMwMDUyWhcNMjcwOTE5MDMwMDUyWjAWMRQwEgYDVQQDDAthcGkuZXhhbXBsZTBWMBAGByqGSM49AgEGBSuBBAAK"
        + "A0IABP3T/fcXOvuIcJTS4bsfkRxuVeLxb04zp0b8/NT1geuMw4QuBIO3+Jj7t8iTdLWxRInjUMavlnGMuqQyH8R0UYOjejB4MBYG"
        + "A1UdEQQPMA2CC2FwaS5leGFtcGxlMBMGA1UdJQQMMAoGCCsGAQUFBwMBMAkGA1UdEwQCMAAwHwYDVR0jBBgwFoAUXHQbozVDBsEs"
        + "/UyxkIUvKARoZ1wwHQYDVR0OBBYEFFx0G6M1QwbBLP1MsZCFLygEaGdcMAoGCCqGSM49BAMCA0gAMEUCIQCsuNHejll6OEDgTGnI"
        + "fyc+c5kH3H0shuHeCMQgD5SBTAIgRKreh1niYnti96/kDB92NeDw7cMUiu6PTKBu7dXfh0s=",
      "MIIBlDCCATqgAwIBAgIUaXmCIlnOYvda3G1d76U/xCfxneMwCgYIKoZIzj0EAwIwGTEXMBUGA1UEAwwOUm9vdCBzZWNwMjU2azEw"
        + "HhcNMjYxMTIzMDMwMDUyWhcNMzUwMjA5MDMwMDUyWjAZMRcwFQYDVQQDDA5Sb290IHNlY3AyNTZrMTBWMBAGByqGSM49AgEGBSuB"
        + "BAAKA0IABP3T/fcXOvuIcJTS4bsfkRxuVeLxb04zp0b8/NT1geuMw4QuBIO3+Jj7t8iTdLWxRInjUMavlnGMuqQyH8R0UYOjYzBh"
        + "MB0GA1UdDgQWBBRcdBujNUMGwSz9TLGQhS8oBGhnXDAfBgNVHSMEGDAWgBRcdBujNUMGwSz9TLGQhS8oBGhnXDAPBgNVHRMBAf8E"
        + "BTADAQH/MA4GA1UdDwEB/wQEAwICBDAKBggqhkjOPQQDAgNIADBFAiEAxSUnhoxEAspT+inw1WIyEvkamRNRV9FCo9R7emM8PIAC"
        + "IGaMxnXSQebtp57iKKz1IXfq29++qdfty7IXi7gwPILL"
    ),
    (
      "dsa",
      "MIIDCDCCArWgAwIBAgIUZsHUMtjaCmUMvLCyAAwqLBj+gDcwCwYJYIZIAWUDBAMCMBMxETAPBgNVBAMMCFJvb3QgRFNBMB4XDTI2"
        + "MTEyMzAzMDE0MloXDTI3MDkxOTAzMDE0MlowFjEUMBIGA1UEAwwLYXBpLmV4YW1wbGUwggHAMIIBNAYHKoZIzjgEATCCAScCgYEA"
        + "769rsCfmQfDhVtOshJuLOvHNqvppHkf0djclssMpspea9TNOZb+0j5bEbqvtsewz0PdUxHiirPDQsANqlVZeEjeK+2mSV/Ip3XAL"
        + "anHxFDZGm+vkjP4zndw1NFR4JVV5//NB4NDVXZzMGJU6jmJLolnjvOwj9NPG7emUkECvvusCHQDAt9l976kyQYHHbaRnyFGFmqX3"
        + "Hp6ROqK2TU4/AoGBAKmhs5QshN6/NBpAmiCBi8jdj+vyODYU5Qjcbo91SAkuJfXpyicB72oVHKHOfAdEwmqxxyCgmsvKbgJOGzEi"
        + "ZhVCas0hrsT9UtIJYvaHRLaEvM9wB5xsZ/O0jF9FqaxvwtIybWWx6//nD3firNi3sSUpyV42hmgFPOKnv95cnudXA4GFAAKBgQCC"
        + "Lp/K8g67aUxrvbqlZbcl8SrEmtcqIiJ9xjCOhnCGk/XvjQofpnuqdWF6Hu6ErbmcnuSJBiK35r/gx83m8I83EUJu4r99s70nSIXv"
        + "XOx4r2IqklznLY9BlZZPFSJcHoEnVmdcX6pr/QLeM136VdiXk/6hq3V8NLyM2ZHzUvaN2aN6MHgwFgYDVR0RBA8wDYILYXBpLmV4"
        + "YW1wbGUwEwYDVR0lBAwwCgYIKwYBBQUHAwEwCQYDVR0TBAIwADAfBgNVHSMEGDAWgBSDs/hJFtdSTVKyqCaSsgocT9b6ETAdBgNV"
        + "HQ4EFgQUg7P4SRbXUk1SsqgmkrIKHE/W+hEwCwYJYIZIAWUDBAMCA0AAMD0CHQCVO4foMRo/8j95WcjwZRqRLzLmJZ3pJGAnD1Br"
        + "Ahw8MVvs9H9N7bm1jzeLjk0WcNAoN9BNarylqbWG",
      "MIIC3TCCAougAwIBAgIUNrgXCx7emSMHYfVofuF3MiwwaP4wCwYJYIZIAWUDBAMCMBMxETAPBgNVBAMMCFJvb3QgRFNBMB4XDTI2"
        + "MTEyMzAzMDE0MloXDTM1MDIwOTAzMDE0MlowEzERMA8GA1UEAwwIUm9vdCBEU0EwggHAMIIBNAYHKoZIzjgEATCCAScCgYEA769r"
        + "sCfmQfDhVtOshJuLOvHNqvppHkf0djclssMpspea9TNOZb+0j5bEbqvtsewz0PdUxHiirPDQsANqlVZeEjeK+2mSV/Ip3XALanHx"
        + "FDZGm+vkjP4zndw1NFR4JVV5//NB4NDVXZzMGJU6jmJLolnjvOwj9NPG7emUkECvvusCHQDAt9l976kyQYHHbaRnyFGFmqX3Hp6R"
        + "OqK2TU4/AoGBAKmhs5QshN6/NBpAmiCBi8jdj+vyODYU5Qjcbo91SAkuJfXpyicB72oVHKHOfAdEwmqxxyCgmsvKbgJOGzEiZhVC"
        + "as0hrsT9UtIJYvaHRLaEvM9wB5xsZ/O0jF9FqaxvwtIybWWx6//nD3firNi3sSUpyV42hmgFPOKnv95cnudXA4GFAAKBgQCCLp/K"
        + "8g67aUxrvbqlZbcl8SrEmtcqIiJ9xjCOhnCGk/XvjQofpnuqdWF6Hu6ErbmcnuSJBiK35r/gx83m8I83EUJu4r99s70nSIXvXOx4"
        + "r2IqklznLY9BlZZPFSJcHoEnVmdcX6pr/QLeM136VdiXk/6hq3V8NLyM2ZHzUvaN2aNTMFEwHQYDVR0OBBYEFIOz+EkW11JNUrKo"
        + "JpKyChxP1voRMB8GA1UdIwQYMBaAFIOz+EkW11JNUrKoJpKyChxP1voRMA8GA1UdEwEB/wQFMAMBAf8wCwYJYIZIAWUDBAMCAz8A"
        + "MDwCHFkt2aGj27ujqq3EPnzAuclPuzDDJO8oeQ/nnfoCHGwNBULQPeIhR47gvIsabox+UbOomby4QvCMJdc="
    ),
  ]

  @Test("other curves and DSA are valid by some standards, and on no system without support")
  func otherKeys() throws {
    for (name, leaf, root) in Self.unusual {
      let chain = try [leaf, root].map { try Certificate(der: Base64.decode($0)) }
      func because(_ profile: TrustProfile, _ os: String? = nil, leaf: Certificate? = nil) -> Set<String> {
        let evaluator = TrustEvaluator(
          TrustRequirements(
            profile: profile, os: os.flatMap { OSVersion($0) }, date: chain[0].notBefore,
            store: TrustStore(system: [chain[1]])))
        return evaluator.evaluate([leaf ?? chain[0]], host: "api.example").because
      }
      #expect(because(.rfc5280) == [], "\(name)")
      #expect(because(.webpki).contains("chain.key-algorithm"), "\(name)")
      #expect(because(.apple, "iOS 12").contains("chain.unsupported-signature-algorithm"), "\(name)")
      #expect(
        because(.apple, "iOS 17").isSuperset(of: ["chain.unsupported-signature-algorithm", "chain.key-algorithm"]))
      var damaged = chain[0].der
      damaged[damaged.count - 1] ^= 1
      #expect(because(.rfc5280, leaf: try Certificate(der: damaged)) == ["chain.signature-invalid"], "\(name)")
    }
  }

  @Test("an RSA exponent as long as the modulus is not computed")
  func exponent() throws {
    let key = try World.key("api").publicKey.subjectPublicKeyInfo
    guard case .rsa(let own) = try PublicKey(subjectPublicKeyInfo: key) else { return }
    let large = try RSAPublicKey(modulus: own.modulus, exponent: own.modulus.subtracting(Natural(2)))
    let read = try PublicKey(subjectPublicKeyInfo: large.subjectPublicKeyInfo)
    guard case .unsupported = read else {
      Issue.record("\(read)")
      return
    }
  }
}

import Cryptography
import Explanation
import PKIX
import Testing

@testable import Trust

/// Holes that a careful attacker finds, or a real chain falls into: each beside what differs in one thing.
@Suite("Paths without holes")
struct PathHoleTests {
  private func evaluate(
    _ world: World, profile: TrustProfile, at date: Instant = World.now, host: String? = "api.example"
  ) throws -> Set<String> {
    let chain = try world.issue()
    let policy = TrustPolicy(
      profile: profile, os: profile == .apple ? OSVersion("iOS 17") : nil, date: date,
      store: TrustStore(system: [chain[2]]))
    return TrustEvaluator.evaluate(Array(chain.prefix(2)), host: host, policy).because
  }

  @Test("an authority that has its issuer's name is no root: its hash is looked at", arguments: TrustProfile.allCases)
  func selfIssued(_ profile: TrustProfile) throws {
    var world = World()
    // Issued by Root A to Root A: another key under the same name.
    world.issuing.subject = world.root.subject
    #expect(try !evaluate(world, profile: profile).contains("chain.weak-signature"))
    world.issuing.signatureScheme = .rsaPKCS1SHA1
    #expect(try evaluate(world, profile: profile).contains("chain.weak-signature"))
    var root = World()
    root.root.signatureScheme = .rsaPKCS1SHA1
    #expect(try !evaluate(root, profile: profile).contains("chain.weak-signature"))
  }

  @Test(
    "until iOS 12 a common name that stands for a host is held against constraints, of one label and beyond ASCII, too")
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
    // A name with a space in it is no host, and matches none.
    #expect(
      try !because("Somebody Else", "iOS 12", permitted: "company.example").contains("chain.name-constraints"))
  }

  @Test("what a user let pass holds for the certificate that stood at its place, and for no other")
  func exceptions() throws {
    func because(_ issuers: Bool, expired index: Int) throws -> Set<String> {
      var world = World()
      if index == 0 { world.leaf.notAfter = World.date("2022-10-01") }
      if index == 1 { world.issuing.notAfter = World.date("2022-10-01") }
      let chain = try world.issue()
      var policy = TrustPolicy(os: OSVersion("iOS 17"), date: World.now, store: TrustStore(system: [chain[2]]))
      policy.exceptions = TrustExceptions(chain[0], rules: [.expired])
      if issuers { policy.exceptions?.issuers = [chain[1]: [.expired]] }
      return TrustEvaluator.evaluate(Array(chain.prefix(2)), host: "api.example", policy).because
    }
    #expect(try because(false, expired: 0) == [])
    #expect(try because(false, expired: 1) == ["chain.expired"])
    #expect(try because(true, expired: 1) == [])
  }

  @Test("pins that are demanded and not there refuse every key")
  func requiredPins() throws {
    let chain = try World().issue()
    var policy = TrustPolicy(os: OSVersion("iOS 17"), date: World.now, store: TrustStore(system: [chain[2]]))
    #expect(TrustEvaluator.evaluate(Array(chain.prefix(2)), host: "api.example", policy).accepted)
    policy.pins = [PublicKeyPins([])]
    let evaluation = TrustEvaluator.evaluate(Array(chain.prefix(2)), host: "api.example", policy)
    #expect(evaluation.because == ["pin.mismatch"])
    #expect(evaluation.findings.first { $0.refuses }?.rule.clause == .apple("SecPolicyCheckPinningRequired"))
  }

  @Test("a key that is not trusted is not trusted in another certificate either")
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

  @Test("hard-fail without any list or answer is refused, and says what is missing")
  func hardFail() throws {
    let chain = try World().issue()
    func because(_ revocation: RevocationPolicy) -> Set<String> {
      let policy = TrustPolicy(
        profile: .rfc5280, os: nil, date: World.now, store: TrustStore(system: [chain[2]]), revocation: revocation)
      return TrustEvaluator.evaluate(Array(chain.prefix(2)), host: "api.example", policy).because
    }
    #expect(because(RevocationPolicy(.hardFail)) == ["chain.revocation-unknown"])
    #expect(because(RevocationPolicy(.softFail)) == [])
    #expect(because(RevocationPolicy(.hardFail, revoked: [:])) == [])
  }

  @Test("a certificate that says must-staple needs an answer that can be believed, but for Apple's systems")
  func mustStaple() throws {
    var world = World()
    world.leaf.otherExtensions = [.init(TLSFeature([TLSFeature.statusRequest]))]
    let chain = try world.issue()
    func because(_ answers: [OCSPResponse], _ profile: TrustProfile = .rfc5280) -> Set<String> {
      var revocation = RevocationPolicy(.softFail)
      revocation.answers = answers
      let policy = TrustPolicy(
        profile: profile, os: profile == .apple ? OSVersion("iOS 17") : nil, date: World.now,
        store: TrustStore(system: [chain[2]]), revocation: revocation)
      return TrustEvaluator.evaluate(Array(chain.prefix(2)), host: "api.example", policy).because
    }
    var random = DeterministicRandom(seed: .number(1), label: "answer")
    let single = SingleResponse(
      CertificateID(chain[0], issuer: chain[1]), .good, thisUpdate: World.now, nextUpdate: World.now.adding(days: 1))
    let responder = OCSPResponder(Authority(chain[1], key: try World.key("Issuing")))
    let answer = try responder.answer([single], producedAt: World.now, random: &random)
    #expect(because([]) == ["chain.must-staple"])
    #expect(because([try OCSPResponder.failure(.tryLater)]) == ["chain.must-staple"])
    #expect(because([answer]) == [])
    #expect(because([], .apple) == [])
  }

  @Test("an anchor is no certificate of the path: one with the serial number 00 is trusted as it is")
  func anchorSerial() throws {
    var world = World()
    world.root.serialNumber = [0]
    for profile in TrustProfile.allCases { #expect(try evaluate(world, profile: profile) == [], "\(profile)") }
    var below = World()
    below.issuing.serialNumber = [0]
    #expect(try evaluate(below, profile: .webpki) == ["chain.serial-number"])
  }

  @Test("the web takes of each curve its own hash, and PKCS #1 with its NULL")
  func signatureForms() throws {
    func because(_ curve: EllipticCurve, _ scheme: SignatureScheme, _ profile: TrustProfile) throws -> Set<String> {
      var random = DeterministicRandom(seed: .number(1), label: "curves")
      var world = World()
      world.root.signatureScheme = scheme
      world.leaf.signatureScheme = scheme
      let root = try Authority(
        root: world.root, key: .ec(World.keys.ecKey(owner: "Root A", curve: curve)), random: &random)
      let leaf = try root.issue(world.leaf, for: World.key("api").publicKey, random: &random)
      let policy = TrustPolicy(
        profile: profile, os: nil, date: World.now, store: TrustStore(system: [root.certificate]))
      return TrustEvaluator.evaluate([leaf], host: "api.example", policy).because
    }
    let own: [(EllipticCurve, SignatureScheme)] = [
      (.p256, .ecdsaSHA256), (.p384, .ecdsaSHA384), (.p521, .ecdsaSHA512),
    ]
    for (curve, scheme) in own { #expect(try because(curve, scheme, .webpki) == []) }
    for (curve, scheme) in [
      (EllipticCurve.p256, SignatureScheme.ecdsaSHA384), (.p384, .ecdsaSHA256), (.p521, .ecdsaSHA256),
    ] {
      #expect(try because(curve, scheme, .webpki) == ["chain.unsupported-signature-algorithm"])
      #expect(try because(curve, scheme, .rfc5280) == [])
    }
  }

  @Test("SHA-1 is refused since TLS 1.3 recommends against it, and MD5 always")
  func sha1() throws {
    var world = World()
    world.leaf.signatureScheme = .rsaPKCS1SHA1
    world.leaf.notBefore = World.date("2017-01-01")
    #expect(try evaluate(world, profile: .rfc5280, at: World.date("2018-01-01")) == [])
    #expect(try evaluate(world, profile: .rfc5280) == ["chain.weak-signature"])
    world.leaf.signatureScheme = .rsaPKCS1MD5
    #expect(try evaluate(world, profile: .rfc5280, at: World.date("2018-01-01")) == ["chain.weak-signature"])
  }

  @Test("the signatures of one evaluation are verified once each, and no more than are allowed")
  func memory() throws {
    let chain = try World().issue()
    let path = CertificatePath(chain, end: .anchor)
    let memory = SignatureMemory(limit: 2)
    for _ in 0..<3 { #expect(!PathValidation(path, at: World.now, memory: memory).findings.refuses) }
    #expect(!memory.isExhausted)
    let short = PathValidation(path, at: World.now, memory: SignatureMemory(limit: 1))
    #expect(short.findings.deciding == [.signatureLimit])
    #expect(short.findings.contains { $0.rule == .signatureInvalid && $0.outcome == .unknown })
  }

  @Test("an exponent of as many bits as the modulus is not computed with")
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

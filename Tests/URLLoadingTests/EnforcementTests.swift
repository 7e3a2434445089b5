import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX
import TLS
import Testing
import Trust

@testable import URLLoading

@Suite("Rules that are not enforced") struct EnforcementTests {
  private static let keys = KeyStore.tests
  private static let now = Instant(secondsSince1970: 1_480_000_000)
  private static let url = "https://api.example/"

  private static func overriding(_ rule: Rule) -> Enforcement { .standard.overriding(rule.id, by: .mutant) }

  /// Checks that `rule` refuses, and that an overridden violation is still reported but refuses nothing.
  private func check(_ rule: Rule, _ findings: (Enforcement) throws -> [Finding]) rethrows {
    let strict = try findings(.standard).filter { $0.rule.id == rule.id }
    #expect(strict.contains { $0.refuses }, "\(rule.id) is violated")
    let overridden = try findings(Self.overriding(rule)).filter { $0.rule.id == rule.id }
    #expect(overridden.contains { $0.outcome == .violated && $0.weight == .overridden(by: .mutant) }, "\(rule.id)")
    #expect(!overridden.contains { $0.refuses }, "\(rule.id)")
  }

  private func certificate(bits: Int, _ scheme: SignatureScheme) throws -> Certificate {
    try authority(bits: bits, scheme).certificate
  }

  private func authority(bits: Int = 2048, _ scheme: SignatureScheme = .rsaPKCS1SHA256) throws -> CertificateAuthority {
    let template = CertificateTemplate.authority(
      DistinguishedName(commonName: "Root"), notBefore: Self.now.adding(days: -30), notAfter: Self.now.adding(days: 365)
    )
    var random = DeterministicRandom(seed: .number(1), label: "enforcement")
    var own = template
    own.signatureScheme = scheme
    let key = PrivateKey.rsa(try Self.keys.rsaKey(owner: "root", bits: bits))
    return try CertificateAuthority(root: own, key: key, random: &random)
  }

  private func server(under root: CertificateAuthority) throws -> Certificate {
    var random = DeterministicRandom(seed: .number(1), label: "server")
    return try root.issue(
      .server(
        DistinguishedName(commonName: "api.example"), names: [.dnsName("api.example")],
        notBefore: Self.now.adding(days: -10), notAfter: Self.now.adding(days: 90)),
      for: PrivateKey.ec(KeyStore.ecKey(owner: "api", curve: .p256)).publicKey, random: &random)
  }

  @Test("before the connection: plain HTTP")
  func insecureHTTP() throws {
    let load = ATS.Load(try LoadURL("http://api.example/"), os: OSVersion(.iOS, 12))
    check(.atsInsecureHTTP) { ATS.decide(load, by: .empty, enforcement: $0).findings }
    let decision = ATS.decide(load, by: .empty, enforcement: Self.overriding(.atsInsecureHTTP))
    #expect(decision.verdict == .allowed && decision.errors.isEmpty && decision.isRequired)
  }

  @Test(
    "of the negotiated parameters: version, forward secrecy, suite",
    arguments: [
      (Rule.atsTLSVersion, "TLSv1.1", "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA"),
      (.atsNoForwardSecrecy, "TLSv1.2", "TLS_RSA_WITH_AES_128_GCM_SHA256"),
      (.atsCipherSuite, "TLSv1.2", "TLS_ECDHE_RSA_WITH_RC4_128_SHA"),
    ])
  func negotiated(rule: Rule, version: String, suite: String) throws {
    let negotiated = ATS.Negotiated(
      version: try #require(ProtocolVersion(version)), cipherSuite: try #require(CipherSuite(name: suite)))
    let decision = try decide(Self.url, "iOS 10")
    check(rule) { decision.findings(on: negotiated, enforcement: $0) }
  }

  /// Every deciding rule of App Transport Security, with a value that shows its decision.
  private static let decided: [(rule: Rule, result: @Sendable (Enforcement) throws -> String)] = [
    (.atsInsecureHTTP, { try decide("http://api.example/", "iOS 12", enforcement: $0).verdict.rawValue }),
    (.atsTLSVersion, { ClientOffer(for: try decide(url, "iOS 12"), enforcement: $0).minimumVersion.description }),
    (
      .atsNoForwardSecrecy,
      { "\(ClientOffer(for: try decide(url, "iOS 12"), enforcement: $0).cipherSuites.map(\.name))" }
    ),
    (.atsCipherSuite, { "\(ClientOffer(for: try decide(url, "iOS 12"), enforcement: $0).cipherSuites.map(\.name))" }),
    (.atsKeySize, { "\(try decide(url, "iOS 12").findings(on: weak, enforcement: $0).deciding.map(\.id))" }),
    (.atsLeafHash, { "\(try decide(url, "iOS 12").findings(on: weak, enforcement: $0).deciding.map(\.id))" }),
    (.atsTrustLoosening, { "\(try decide(url, "iOS 12").findingOnLooseningTrust(enforcement: $0).refuses)" }),
    (
      .atsCertificateTransparency,
      { enforcement in
        let ats = entry("api.example", ["NSRequiresCertificateTransparency": true])
        let leaf = try EnforcementTests().certificate(bits: 2048, .rsaPKCS1SHA256)
        var evaluator = TrustEvaluator(
          TrustRequirements(os: OSVersion(.iOS, 10), date: now, store: TrustStore(system: [leaf])))
        evaluator.evidence.logs = LogList([])
        let findings = try decide(url, "iOS 10", ats).findings(
          onTimestampsOf: leaf, name: "api", evaluation: evaluator.evaluate([leaf], host: "api.example"),
          enforcement: enforcement)
        return "\(findings.refuses)"
      }
    ),
  ]

  private static let weak = ATS.ServerCertificate(
    name: "api", key: .rsa(bits: 1024), signatureHash: "SHA-1", signatureHashBits: 160)

  @Test("each deciding rule of App Transport Security changes its decision if disabled or misread")
  func everyRule() throws {
    #expect(Set(Self.decided.map(\.rule.id)) == Set(Rule.urlLoading.filter(\.decides).map(\.id)))
    for (rule, result) in Self.decided {
      let misread = Enforcement.standard.deciding(rule.id) { _ in true }
      #expect(try result(Self.overriding(rule)) != result(.standard), "\(rule.id)")
      #expect(try result(misread) != result(.standard), "\(rule.id)")
    }
  }

  @Test("a misread rule offers its version or suite, and nothing that it still excludes")
  func misreadOffers() throws {
    let decision = try decide(Self.url, "iOS 12")
    let standard = ClientOffer(for: decision)
    let early = Enforcement.standard.deciding(Rule.atsTLSVersion.id) { $0.holds || $0.found == .word("TLSv1.1") }
    let offer = ClientOffer(for: decision, enforcement: early)
    #expect(offer.minimumVersion == .tls11 && offer.cipherSuites == standard.cipherSuites)
    let name = "TLS_RSA_WITH_AES_128_GCM_SHA256"
    let weak = Enforcement.standard.deciding(Rule.atsNoForwardSecrecy.id) { $0.holds || $0.found == .word(name) }
    let added = ClientOffer(for: decision, enforcement: weak).cipherSuites.filter {
      !standard.cipherSuites.contains($0)
    }
    #expect(added.map(\.name) == [name])
    let strict = Enforcement.standard.deciding(Rule.atsTLSVersion.id) { $0.found == .word("TLSv1.3") }
    #expect(ClientOffer(for: try decide(Self.url, "iOS 17"), enforcement: strict).minimumVersion == .tls13)
  }

  @Test("the enforced rules narrow an offer that the app sets")
  func namedOffer() throws {
    var named = ClientConfiguration(
      host: "api.example", random: RandomStreams(seed: .number(1), party: "client"))
    named.versions = .tls10 ... .tls12
    named.cipherSuites = ["TLS_RSA_WITH_AES_128_GCM_SHA256"].compactMap { CipherSuite(name: $0) }
    let decision = try decide(Self.url, "iOS 12")
    #expect(decision.narrowing(named) == nil)
    let narrowed = decision.narrowing(named, enforcement: Self.overriding(.atsNoForwardSecrecy))
    #expect(narrowed?.versions == .tls12 ... .tls12 && narrowed?.cipherSuites == named.cipherSuites)
    let older = Self.overriding(.atsNoForwardSecrecy).overriding(Rule.atsTLSVersion.id, by: .mutant)
    #expect(decision.narrowing(named, enforcement: older)?.versions == .tls10 ... .tls12)
  }

  @Test("of the server's certificate: its key and its hash")
  func certificate() throws {
    let leaf = ATS.ServerCertificate(try certificate(bits: 1024, .rsaPKCS1SHA1))
    let decision = try decide(Self.url, "iOS 12")
    for rule in [Rule.atsKeySize, .atsLeafHash] { check(rule) { decision.findings(on: leaf, enforcement: $0) } }
  }

  @Test("of its SCTs")
  func timestamps() throws {
    let leaf = try certificate(bits: 2048, .rsaPKCS1SHA256)
    let decision = try decide(
      Self.url, "iOS 10", entry("api.example", ["NSRequiresCertificateTransparency": true]))
    var evaluator = TrustEvaluator(
      TrustRequirements(os: OSVersion(.iOS, 10), date: Self.now, store: TrustStore(system: [leaf])))
    evaluator.evidence.logs = LogList([])
    let evaluation = evaluator.evaluate([leaf], host: "api.example")
    check(.atsCertificateTransparency) {
      decision.findings(onTimestampsOf: leaf, name: "api", evaluation: evaluation, enforcement: $0)
    }
  }

  private func challenge(
    _ delegate: ChallengeDelegate, _ enforcement: Enforcement = .standard, trusted: Bool = false,
    os: OSVersion = OSVersion(.iOS, 12)
  ) throws -> ServerTrustChallenge {
    let root = try authority()
    let evaluator = TrustEvaluator(
      TrustRequirements(os: os, date: Self.now, store: TrustStore(system: trusted ? [root.certificate] : [])),
      diagnostics: TrustDiagnostics(enforcement: enforcement))
    let conversation = ChallengeConversation(.init(os: os, delegate: delegate, enforcement: enforcement))
    return ServerTrustChallenge(
      [try server(under: root), root.certificate], host: "api.example", evaluator, conversation: conversation,
      decision: try decide(Self.url, "iOS 12"),
      enforcement: enforcement)
  }

  @Test("of the challenge: the certificates that a delegate may accept")
  func loosening() throws {
    try check(.atsTrustLoosening) { try challenge(.acceptAll, $0).findings }
  }

  @Test("of the delegate: a result read without evaluation, which is invalid before iOS 11")
  func notEvaluated() throws {
    let ten = OSVersion(.iOS, 10)
    func reading(_ own: Enforcement? = nil) -> ChallengeDelegate {
      var inspection = TrustInspection(.init(anchors: []), enforcement: own)
      inspection.reading = .read
      return .inspecting(inspection)
    }
    try check(.notEvaluated) { try challenge(reading(), $0, os: ten).findings }
    try check(.notEvaluated) { try challenge(reading($0), os: ten).findings }
    let exchange = try challenge(reading(Self.overriding(.notEvaluated)), os: ten).exchange
    #expect(exchange.answer == .credential(Credential(.trust)) && exchange.report?.result == .invalid)
    let later = try challenge(reading()).exchange
    #expect(later.report?.result == .recoverableTrustFailure && later.answer == .cancelled)
  }

  @Test("of the delegate's own evaluation: its pins, whatever the system enforces")
  func pins() throws {
    let foreign = PublicKeyPins([.init(name: "another", fingerprint: Array(repeating: 1, count: 32))])
    func delegate(_ own: Enforcement?) -> ChallengeDelegate {
      .inspecting(TrustInspection(pins: [foreign], enforcement: own))
    }
    try check(.pinMismatch) { try challenge(delegate(nil), $0, trusted: true).findings }
    try check(.pinMismatch) { try challenge(delegate($0), trusted: true).findings }
  }
}

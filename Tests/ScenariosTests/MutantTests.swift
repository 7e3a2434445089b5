import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX
import Scenarios
import Simulator
import Testing
import Trust

/// Tests of each historical bug of a validator. The correct validator refuses the chain for the reason that the
/// standard implies; the mutant accepts it. A sibling gets the same verdict from both.
@Suite("Mutants of validators")
struct MutantTests {
  private static let now = date("2016-11-01")
  private static let keys = KeyStore.tests

  private static func date(_ text: String) -> Instant { Instant(text) ?? Instant(secondsSince1970: 0) }

  private static func key(_ owner: String) throws -> PrivateKey { .rsa(try keys.rsaKey(owner: owner, bits: 2048)) }

  private static func authority(_ name: String, notAfter: String = "2040-01-01") -> CertificateTemplate {
    .authority(DistinguishedName(commonName: name), notBefore: date("2010-01-01"), notAfter: date(notAfter))
  }

  private static func server(_ name: String, names: [String]? = nil) -> CertificateTemplate {
    .server(
      DistinguishedName(commonName: name), names: (names ?? [name]).map { .dnsName($0) }, notBefore: date("2016-06-01"),
      notAfter: date("2017-06-01"))
  }

  /// A CA with its name and the certificates it issues; each key belongs to one owner.
  private struct Issuer {
    let authority: CertificateAuthority

    init(root template: CertificateTemplate, key owner: String) throws {
      var random = DeterministicRandom(seed: .number(1), label: owner)
      authority = try CertificateAuthority(root: template, key: key(owner), random: &random)
    }

    init(_ certificate: Certificate, key owner: String) throws {
      authority = CertificateAuthority(certificate, key: try key(owner))
    }

    var certificate: Certificate { authority.certificate }

    func issue(_ template: CertificateTemplate, key owner: String) throws -> Certificate {
      var random = DeterministicRandom(seed: .number(2), label: owner)
      return try authority.issue(template, for: key(owner).publicKey, impostor: key("impostor"), random: &random)
    }

    func authority(_ template: CertificateTemplate, key owner: String) throws -> Issuer {
      try Issuer(issue(template, key: owner), key: owner)
    }
  }

  private struct Question {
    var chain: [Certificate]
    var store: TrustStore
    var host: String? = "bank.example"
    var date = MutantTests.now
    var change: (inout TrustEvaluator) -> Void = { _ in }

    func evaluation(_ mutant: String? = nil) throws -> TrustEvaluation {
      var evaluator = TrustEvaluator(TrustRequirements(profile: .rfc5280, os: nil, date: date, store: store))
      change(&evaluator)
      return evaluator.having(try mutant.map { try #require(Mutant.named($0)) }).evaluate(chain, host: host)
    }

    /// Checks that the correct validator refuses for `because`, and that the mutant accepts and reports an override.
    func shows(_ mutant: String, _ because: [String]) throws {
      #expect(try evaluation().deciding.map(\.id) == because)
      let accepted = try evaluation(mutant)
      #expect(accepted.accepted, "\(accepted.deciding.map(\.id))")
      let overridden = accepted.findings.filter { $0.outcome == .violated && $0.weight == .overridden(by: .mutant) }
      #expect(Set(overridden.map(\.rule.id)) == Set(because))
    }
  }

  @Test("gnutls-error: an unknown signature algorithm counts as verified, a wrong signature does not")
  func errorsOfGnuTLS() throws {
    let root = try Issuer(root: Self.authority("Root A"), key: "Root A")
    var template = Self.server("bank.example")
    template.faults = [.unknownSignatureAlgorithm]
    let store = TrustStore(system: [root.certificate])
    try Question(chain: [root.issue(template, key: "bank")], store: store)
      .shows("gnutls-error", ["chain.unsupported-signature-algorithm"])
    for fault in [CertificateFault.signature, .issuerKey] {
      template.faults = [fault]
      let sibling = try Question(chain: [root.issue(template, key: "bank")], store: store)
      #expect(try sibling.evaluation("gnutls-error").deciding.map(\.id) == ["chain.signature-invalid"])
    }
  }

  /// A server's certificate for shop that issued one for bank.example.
  private func issuedByShop(_ change: (inout CertificateTemplate) -> Void = { _ in }) throws -> Question {
    let root = try Issuer(root: Self.authority("Root A"), key: "Root A")
    let issuing = try root.authority(Self.authority("Issuing"), key: "Issuing")
    var template = Self.server("shop.example")
    template.keyUsage = [.digitalSignature, .keyCertSign]
    change(&template)
    let shop = try issuing.authority(template, key: "shop")
    let bank = try shop.issue(Self.server("bank.example"), key: "bank")
    return Question(
      chain: [bank, shop.certificate, issuing.certificate], store: TrustStore(system: [root.certificate]))
  }

  @Test("basic-constraints: any certificate can issue others, unless keyUsage forbids it")
  func basicConstraints() throws {
    try issuedByShop().shows("basic-constraints", ["chain.not-a-ca"])
    try issuedByShop { $0.basicConstraints = nil }.shows("basic-constraints", ["chain.not-a-ca"])
    try issuedByShop { $0.faults = [.noKeyUsage] }.shows("basic-constraints", ["chain.not-a-ca"])
    let masked = try issuedByShop { $0.keyUsage = [.digitalSignature] }
    #expect(try masked.evaluation("basic-constraints").deciding.map(\.id) == ["chain.key-usage"])
  }

  @Test("null-prefix: a name is compared up to its first byte 00")
  func nullPrefix() throws {
    let root = try Issuer(root: Self.authority("Root A"), key: "Root A")
    let store = TrustStore(system: [root.certificate])
    func question(_ name: String) throws -> Question {
      Question(chain: [try root.issue(Self.server("evil", names: [name]), key: "evil")], store: store)
    }
    try question("bank.example\0.evil.example").shows("null-prefix", ["name.mismatch"])
    #expect(
      try question("evil.example\0bank.example").evaluation("null-prefix").deciding.map(\.id) == ["name.mismatch"])
    #expect(try question("bank.example").evaluation("null-prefix").accepted)
  }

  @Test("first-path-only: if the path to one root has expired, no path to another is tried")
  func firstPathOnly() throws {
    let old = try Issuer(root: Self.authority("AddTrust", notAfter: "2020-05-30T10:48:38Z"), key: "AddTrust")
    let root = try Issuer(root: Self.authority("USERTrust"), key: "USERTrust")
    let cross = try old.issue(Self.authority("USERTrust"), key: "USERTrust")
    let issuing = try root.authority(Self.authority("Sectigo"), key: "Sectigo")
    var site = Self.server("bank.example")
    site.notAfter = Self.date("2021-01-01")
    let chain = [try issuing.issue(site, key: "bank"), issuing.certificate, cross]
    let store = TrustStore(system: [old.certificate, root.certificate])
    func question(_ date: String) -> Question {
      Question(
        chain: chain, store: store, date: Self.date(date), change: { $0.requirements.limits.checksAnchorDates = true })
    }
    #expect(try question("2020-05-30T10:48:38Z").evaluation("first-path-only").accepted)
    #expect(try question("2020-05-30T10:48:39Z").evaluation().accepted)
    let refused = try question("2020-05-30T10:48:39Z").evaluation("first-path-only")
    #expect(refused.deciding.map(\.id) == ["chain.expired"])
    #expect(refused.path.last == old.certificate)
    let alone = Question(
      chain: Array(chain.prefix(2)), store: store, date: Self.date("2020-05-30T10:48:39Z"),
      change: { $0.requirements.limits.checksAnchorDates = true })
    #expect(try alone.evaluation("first-path-only").accepted)
  }

  @Test("alternative-chain: after a failed first path, the last certificate presented need not be a CA")
  func alternativeChain() throws {
    let absent = try Issuer(root: Self.authority("Root absent"), key: "Root absent")
    let inter = try absent.authority(Self.authority("Inter"), key: "Inter")
    let sub = try inter.authority(Self.authority("Sub"), key: "Sub")
    let own = try Issuer(root: Self.authority("Sub"), key: "Sub")
    var template = Self.server("leaf.example")
    template.keyUsage = [.digitalSignature, .keyCertSign]
    let leaf = try sub.authority(template, key: "leaf")
    let bad = try leaf.issue(Self.server("bank.example"), key: "bad")
    func question(known: [Certificate]) -> Question {
      Question(
        chain: [bad, leaf.certificate, sub.certificate],
        store: TrustStore(system: [own.certificate], installedNotTrusted: known))
    }
    try question(known: [inter.certificate]).shows("alternative-chain", ["chain.not-a-ca"])
    // Without the certificate that the first path took from the store, the count is right and the bug has no effect.
    #expect(try question(known: []).evaluation("alternative-chain").deciding.map(\.id) == ["chain.not-a-ca"])
  }

  @Test("strict-flag: strict validation ignores that an issuer is no CA, unless a purpose is set")
  func strictFlag() throws {
    var question = try issuedByShop()
    question.host = nil
    func strict(_ isStrict: Bool, _ purpose: TrustRequirements.Purpose) -> Question {
      var other = question
      other.change = { evaluator in
        evaluator.requirements.conformance = isStrict ? .required : .advised
        evaluator.requirements.purpose = purpose
      }
      return other
    }
    let findings = try strict(true, .any).evaluation("strict-flag").findings
    let waived = try #require(findings.first { $0.rule == .notCA && $0.outcome == .violated })
    #expect(waived.weight == .overridden(by: .mutant))
    #expect(try strict(true, .any).evaluation().deciding.map(\.id).contains("chain.not-a-ca"))
    for (isStrict, purpose) in [(false, TrustRequirements.Purpose.any), (true, .server), (false, .server)] {
      let sibling = try strict(isStrict, purpose).evaluation("strict-flag")
      #expect(sibling.deciding.map(\.id).contains("chain.not-a-ca"))
    }
  }

  @Test("md5-accepted: MD5 is accepted and SHA-1 is not; a root's own signature does not matter")
  func md5() throws {
    func question(root hashOfRoot: SignatureScheme, _ scheme: SignatureScheme) throws -> Question {
      var top = Self.authority("Root A")
      top.signatureScheme = hashOfRoot
      let root = try Issuer(root: top, key: "Root A")
      var template = Self.authority("Issuing")
      template.signatureScheme = scheme
      let issuing = try root.authority(template, key: "Issuing")
      return Question(
        chain: [try issuing.issue(Self.server("bank.example"), key: "bank"), issuing.certificate],
        store: TrustStore(system: [root.certificate]))
    }
    try question(root: .rsaPKCS1SHA256, .rsaPKCS1MD5).shows("md5-accepted", ["chain.weak-signature"])
    // TLS 1.3, published in August 2018, discourages SHA-1, so it is refused from then on: RFC 8446 section 4.4.2.4.
    for (scheme, isRefused) in [(SignatureScheme.rsaPKCS1SHA1, true), (.rsaPKCS1MD5, false)] {
      var later = try question(root: .rsaPKCS1SHA256, scheme)
      later.date = Self.date("2018-09-01")
      #expect(try later.evaluation("md5-accepted").deciding.contains(.weakSignature) == isRefused)
    }
    #expect(try question(root: .rsaPKCS1MD5, .rsaPKCS1SHA256).evaluation().accepted)
  }

  /// A chain whose CA has these permitted and excluded subtrees.
  private func constrained(
    permitted: [String], excluded: [String], leaf name: String, host: String
  ) throws -> Question {
    let root = try Issuer(root: Self.authority("Root A"), key: "Root A")
    var template = Self.authority("Issuing")
    template.nameConstraints = NameConstraints(
      permitted: permitted.map { .dnsName($0) }, excluded: excluded.map { .dnsName($0) })
    let issuing = try root.authority(template, key: "Issuing")
    var server = Self.server("leaf", names: [name])
    server.subject = DistinguishedName(commonName: "leaf")
    return Question(
      chain: [try issuing.issue(server, key: "bank"), issuing.certificate],
      store: TrustStore(system: [root.certificate]), host: host)
  }

  @Test("wildcard-excluded: a wildcard may cover an excluded host; a higher excluded subtree still applies")
  func wildcards() throws {
    let question = try constrained(
      permitted: ["example.com"], excluded: ["bar.example.com"], leaf: "*.example.com", host: "bar.example.com")
    try question.shows("wildcard-excluded", ["chain.name-constraints"])
    let within = try constrained(
      permitted: [], excluded: ["example.com"], leaf: "*.example.com", host: "bar.example.com")
    #expect(try within.evaluation("wildcard-excluded").deciding.map(\.id) == ["chain.name-constraints"])
    // The counterpart in x509-limbo, RUSTSEC-2026-0099: a wildcard is not within a subtree narrower than itself.
    let narrow = try constrained(
      permitted: ["foo.example.com"], excluded: [], leaf: "*.example.com", host: "foo.example.com")
    #expect(try narrow.evaluation().deciding.map(\.id) == ["chain.name-constraints"])
    // golang/go 76935: the first fix wrongly refused a name in another top-level domain.
    let other = try constrained(
      permitted: [], excluded: ["net"], leaf: "*.example.com", host: "bar.example.com")
    #expect(try other.evaluation().accepted)
  }

  @Test("eku-ignored: a client certificate is accepted for a server; without the extension both accept it")
  func extendedKeyUsage() throws {
    let root = try Issuer(root: Self.authority("Root A"), key: "Root A")
    var template = Self.server("bank.example")
    template.faults = [.clientPurpose]
    let store = TrustStore(system: [root.certificate])
    try Question(chain: [root.issue(template, key: "bank")], store: store)
      .shows("eku-ignored", ["chain.extended-key-usage"])
    template.faults = []
    template.extendedKeyUsage = nil
    let silent = try Question(chain: [root.issue(template, key: "bank")], store: store)
    #expect(try silent.evaluation().accepted)
    #expect(try silent.evaluation("eku-ignored").accepted)
  }

  @Test("soft-fail: a missing CRL counts as good, a CRL with a revoked entry does not")
  func softFail() throws {
    let root = try Issuer(root: Self.authority("Root A"), key: "Root A")
    let bank = try root.issue(Self.server("bank.example"), key: "bank")
    var template = CRLTemplate(
      thisUpdate: Self.date("2016-10-25"), nextUpdate: Self.date("2016-11-25"), number: 1)
    template.entries = [.init(bank, Self.date("2016-10-01"), nil)]
    var random = DeterministicRandom(seed: .number(1), label: "list")
    let list = try root.authority.issue(template, random: &random)
    func question(isReachable: Bool) -> Question {
      Question(chain: [bank], store: TrustStore(system: [root.certificate])) { evaluator in
        evaluator.requirements.revocation = RevocationPolicy(.hardFail)
        if isReachable { evaluator.evidence.revocation.lists = [list] }
      }
    }
    try question(isReachable: false).shows("soft-fail", ["chain.revocation-unknown"])
    #expect(try question(isReachable: true).evaluation("soft-fail").deciding.map(\.id) == ["chain.revoked"])
  }

  @Test("an anchor is an identical certificate; an override that compares only names is reported")
  func anchors() throws {
    let root = try Issuer(root: Self.authority("Root A"), key: "Root A")
    let other = try Issuer(root: Self.authority("Root A"), key: "Somebody Else")
    let bank = try other.issue(Self.server("bank.example"), key: "bank")
    var question = Question(chain: [bank, other.certificate], store: TrustStore(system: [root.certificate]))
    #expect(try !question.evaluation().accepted)
    question.change = { $0.diagnostics.enforcement.apply(.path { $0.isAnchor = { $0.subject == $1.subject } }) }
    let evaluation = try question.evaluation()
    #expect(evaluation.accepted)
    #expect(evaluation.findings.contains { $0.rule == .noAnchor && $0.weight == .overridden(by: .mutant) })
  }

  @Test("mutants have unique names, and refer to existing rules")
  func table() {
    #expect(Set(Mutant.all.map(\.name)).count == Mutant.all.count)
    for mutant in Mutant.all {
      for rule in mutant.rules { #expect(RuleCatalogue.rule(rule) != nil, "\(mutant.name): \(rule)") }
    }
  }
}

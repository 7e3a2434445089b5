import Cryptography
import Explanation
import Laboratory
import Testing

@testable import PKIX

@Suite("Path building")
struct PathBuildingTests {
  private func build(_ chain: [Certificate], to anchors: [Certificate]) -> PathBuilding {
    PathBuilding(
      from: chain[0], over: Array(chain.dropFirst()), to: CertificatePool(anchors), at: Hierarchy.now)
  }

  private func deciding(_ path: CertificatePath) -> [String] {
    PathValidation(path, at: Hierarchy.now).findings.deciding.map(\.id)
  }

  @Test("candidates in any order lead to the anchor, which the server need not send")
  func order() throws {
    let chain = try Hierarchy().issue()
    for presented in [chain, [chain[0], chain[2], chain[1]], [chain[0], chain[1]]] {
      let paths = build(presented, to: [chain[2]]).paths
      #expect(paths == [CertificatePath(chain, end: .anchor)])
    }
  }

  @Test("the rule names the missing certificate: the intermediate, or the root in the store")
  func incomplete() throws {
    let chain = try Hierarchy().issue()
    #expect(deciding(build([chain[0]], to: [chain[2]]).paths[0]) == ["chain.no-issuer"])
    #expect(deciding(build([chain[0], chain[1]], to: []).paths[0]) == ["chain.no-anchor"])
    #expect(deciding(build(chain, to: []).paths[0]) == ["chain.no-anchor"])
    #expect(deciding(build(chain, to: [chain[2]]).paths[0]) == [])
  }

  @Test("a leaf alone that signed itself is self-signed, and is valid as an anchor")
  func selfSigned() throws {
    var random = DeterministicRandom(seed: .number(1), label: "x")
    let leaf = try CertificateAuthority(root: Hierarchy().leaf, key: Hierarchy.key("api"), random: &random).certificate
    #expect(deciding(build([leaf], to: []).paths[0]) == ["chain.self-signed"])
    #expect(deciding(build([leaf], to: [leaf]).paths[0]) == [])
  }

  private func best(_ chain: [Certificate], to anchors: [Certificate]) throws -> CandidatePath {
    let candidates = build(chain, to: anchors).paths.map {
      CandidatePath($0, findings: PathValidation($0, at: Hierarchy.now).findings)
    }
    return try #require(candidates.bestFirst().first)
  }

  /// A CA with the same subject as the server, with this key.
  private func namesake(_ key: PrivateKey) throws -> CertificateAuthority {
    var random = DeterministicRandom(seed: .number(1), label: "namesake")
    return try CertificateAuthority(
      root: .authority(
        Hierarchy().leaf.subject, notBefore: Hierarchy.date("2010-01-01"), notAfter: Hierarchy.date("2030-01-01")),
      key: key, random: &random)
  }

  @Test("a leaf with its anchor's name is self-signed, or invalid if no key matches")
  func regenerated() throws {
    var random = DeterministicRandom(seed: .number(1), label: "regenerated")
    let old = try namesake(Hierarchy.key("api old"))
    let kinds: [(key: PrivateKey, scheme: SignatureScheme)] = [
      (try Hierarchy.key("api"), .rsaPKCS1SHA256),
      (.ec(KeyStore.ecKey(owner: "api", curve: .p256)), .ecdsaSHA256),
    ]
    for (key, scheme) in kinds {
      var template = Hierarchy().leaf
      template.signatureScheme = scheme
      let new = try CertificateAuthority(root: template, key: key, random: &random).certificate
      let candidate = try best([new], to: [old.certificate])
      #expect(candidate.findings.deciding == [.selfSigned] && candidate.path.certificates == [new], "\(scheme.name)")
      #expect(try best([new], to: [old.certificate, new]).isAccepted, "\(scheme.name)")
    }
    var broken = Hierarchy().leaf
    broken.faults = [.signature]
    let damaged = try CertificateAuthority(root: broken, key: Hierarchy.key("api"), random: &random).certificate
    let refusing = try best([damaged], to: [old.certificate]).findings.filter(\.refuses)
    #expect(refusing.map(\.rule) == [.signatureInvalid])
    // The certificate's own key has the key identifier that it names, so that key is not missing.
    #expect(refusing.first?.rule.fix == Rule.signatureInvalid.fix)
    // The old key certifies the new one (RFC 4210 section 4.4).
    let rolled = try old.issue(Hierarchy().leaf, for: Hierarchy.key("api").publicKey, random: &random)
    #expect(rolled.isSelfIssued)
    #expect(try best([rolled], to: [old.certificate]).isAccepted)
  }

  @Test("a CA whose key changed has no path to the anchor with the old key")
  func rolledAuthority() throws {
    var random = DeterministicRandom(seed: .number(1), label: "rolled")
    let (old, new) = (try namesake(Hierarchy.key("old")), try namesake(Hierarchy.key("new")))
    var template = Hierarchy().leaf
    template.subject = DistinguishedName(commonName: "www.example")
    let leaf = try new.issue(template, for: Hierarchy.key("www").publicKey, random: &random)
    let chain = [leaf, new.certificate]
    #expect(try best(chain, to: [old.certificate]).findings.deciding == [.signatureInvalid])
    #expect(try best(chain, to: [old.certificate, new.certificate]).isAccepted)
  }

  /// Certificates with which each of `count` CAs certifies every other one.
  private func ring(_ count: Int) throws -> [Certificate] {
    var random = DeterministicRandom(seed: .number(1), label: "ring")
    let keys = try (0..<count).map { try Hierarchy.key("ring \($0)") }
    func template(_ index: Int) -> CertificateTemplate {
      .authority(
        DistinguishedName(commonName: "Ring \(index)"), notBefore: Hierarchy.date("2010-01-01"),
        notAfter: Hierarchy.date("2030-01-01"))
    }
    var certificates: [Certificate] = []
    for issuer in 0..<count {
      let authority = try CertificateAuthority(root: template(issuer), key: keys[issuer], random: &random)
      for subject in 0..<count where subject != issuer {
        certificates.append(try authority.issue(template(subject), for: keys[subject].publicKey, random: &random))
      }
    }
    let first = CertificateAuthority(try #require(certificates.last), key: keys[count - 2])
    let leaf = try first.issue(Hierarchy().leaf, for: Hierarchy.key("api").publicKey, random: &random)
    return [leaf] + certificates
  }

  @Test("two CAs that certify each other are a loop")
  func loop() throws {
    #expect(deciding(build(try ring(2), to: []).paths[0]) == ["chain.loop"])
  }

  @Test("building a path through many cross-certificates stops at the limit, with a finding")
  func thicket() throws {
    let chain = try ring(7)
    var limits = PathBuilding.Limits()
    limits.steps = 500
    let building = PathBuilding(
      from: chain[0], over: Array(chain.dropFirst()), to: CertificatePool([]), at: Hierarchy.now, limits: limits)
    #expect(!building.isComplete)
    #expect(!building.paths.isEmpty)
    #expect(building.paths.count <= limits.partialPaths)
    let finding = building.finding(on: .connection, .standard)
    #expect(finding.outcome == .violated)
    #expect(build(try ring(2), to: []).finding(on: .connection, .standard).outcome == .satisfied)
  }

  @Test("a path through many cross-certificates is found first, in any order of the candidates")
  func wayOut() throws {
    var random = DeterministicRandom(seed: .number(1), label: "way out")
    let chain = try ring(6)
    let root = try Hierarchy().issue()[2]
    let template = CertificateTemplate.authority(
      DistinguishedName(commonName: "Ring 0"), notBefore: Hierarchy.date("2010-01-01"),
      notAfter: Hierarchy.date("2030-01-01"))
    let way = try CertificateAuthority(root, key: Hierarchy.key("Root A")).issue(
      template, for: Hierarchy.key("ring 0").publicKey, random: &random)
    let building = build(chain + [way], to: [root])
    let first = try #require(building.paths.first)
    #expect(first.isAnchored && first.certificates.count == 4)
    #expect(deciding(first) == [])
  }

  @Test("a path longer than the limit is not built, and the finding says so")
  func tooLong() throws {
    let chain = try Hierarchy().issue()
    var limits = PathBuilding.Limits()
    limits.length = 2
    let building = PathBuilding(
      from: chain[0], over: [chain[1]], to: CertificatePool([chain[2]]), at: Hierarchy.now, limits: limits)
    #expect(building.paths.map(\.end) == [.tooLong])
    let finding = building.finding(on: .connection, .standard)
    #expect(finding.outcome == .violated && finding.required == .word("at most 2 certificates in a path"))
    #expect(deciding(building.paths[0]) == ["chain.no-anchor"])
    #expect(build(chain, to: [chain[2]]).finding(on: .connection, .standard).outcome == .satisfied)
  }

  @Test("thousands of certificates with the same name are refused, and a path is still reported")
  func crowd() throws {
    var random = DeterministicRandom(seed: .number(1), label: "crowd")
    let chain = try Hierarchy().issue()
    let authority = CertificateAuthority(chain[2], key: try Hierarchy.key("Root A"))
    let one = try authority.issue(Hierarchy().issuing, for: Hierarchy.key("Issuing").publicKey, random: &random)
    let crowd = try (0..<3000).map { number in
      var der = one.der
      der[der.count - 1] = UInt8(number & 0xFF)
      der[der.count - 2] = UInt8(number >> 8)
      return try Certificate(der: der)
    }
    var limits = PathBuilding.Limits()
    limits.steps = 1000
    let building = PathBuilding(
      from: chain[0], over: crowd, to: CertificatePool([chain[2]]), at: Hierarchy.now, limits: limits)
    #expect(!building.isComplete)
    #expect(building.paths.map(\.end) == [.tooLong])
    #expect(deciding(building.paths[0]) == ["chain.no-anchor"])
    #expect(build([chain[0]] + crowd.prefix(3), to: [chain[2]]).isComplete)
  }

  @Test("a cross-signed intermediate has two paths, and the accepted one is first")
  func crossSigned() throws {
    var random = DeterministicRandom(seed: .number(2), label: "x")
    let hierarchy = Hierarchy()
    let chain = try hierarchy.issue()
    var old = hierarchy.root
    old.subject = DistinguishedName(commonName: "Root Old")
    let root = try CertificateAuthority(root: old, key: Hierarchy.key("Root Old"), random: &random)
    var crossed = hierarchy.issuing
    crossed.notAfter = Hierarchy.date("2016-01-01")
    let expired = try root.issue(crossed, for: Hierarchy.key("Issuing").publicKey, random: &random)

    let building = build([chain[0], expired, chain[1]], to: [root.certificate, chain[2]])
    #expect(building.paths.count == 2)
    let candidates = building.paths.reversed().map {
      CandidatePath($0, findings: PathValidation($0, at: Hierarchy.now).findings)
    }.bestFirst()
    #expect(candidates.map(\.isAccepted) == [true, false])
    #expect(candidates[0].path.certificates == chain)
    #expect(candidates[1].findings.deciding.map(\.id) == ["chain.expired"])
  }
}

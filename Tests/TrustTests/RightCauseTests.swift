import Cryptography
import Explanation
import Laboratory
import PKIX
import Testing

@testable import Trust

/// The reasons that profiles give for common defects, and the properties that are no reason.
@Suite("The right cause")
struct RightCauseTests {
  private func findings(
    _ chain: [Certificate], _ profile: TrustProfile, host: String = "api.example", os: String = "iOS 17"
  ) -> [Finding] {
    let evaluator = TrustEvaluator(
      TrustRequirements(
        profile: profile, os: profile == .apple ? OSVersion(os) : nil, date: World.now,
        store: TrustStore(system: Array(chain.suffix(1)))))
    return evaluator.evaluate(Array(chain.dropLast()), host: host).findings.settled
  }

  private func because(
    _ world: World, _ profile: TrustProfile, host: String = "api.example", os: String = "iOS 17"
  ) throws -> [String] {
    findings(try world.issue(), profile, host: host, os: os).deciding.map(\.id)
  }

  @Test("mismatched key identifiers refuse on Apple's systems, and are advice for RFC 5280")
  func keyIdentifiers() throws {
    var world = World()
    world.issuing.faults = [.keyIdentifier]
    #expect(try because(world, .apple) == ["chain.key-identifier"])
    #expect(try because(world, .rfc5280).isEmpty)
    world.issuing.faults = [.noAuthorityKeyIdentifier]
    #expect(try because(world, .apple).isEmpty)
  }

  @Test("on Apple's systems only a leaf with a critical subjectAltName may have an empty subject")
  func emptySubjects() throws {
    var world = World()
    world.leaf.subject = DistinguishedName([])
    #expect(try because(world, .apple).isEmpty)
    world.leaf.subjectAlternativeName = nil
    world.leaf.otherExtensions = [.init(SubjectAlternativeName([.dnsName("api.example")]))]
    #expect(try because(world, .apple) == ["chain.empty-name"])
    #expect(try because(world, .rfc5280).isEmpty)
    var nameless = World()
    nameless.root.subject = DistinguishedName([])
    #expect(try because(nameless, .apple) == ["chain.empty-name"])
  }

  @Test("unlike RFC 5280, Apple's systems ignore some critical extensions of Apple and car keys")
  func appleExtensions() throws {
    for (arc, isSkipped): (UInt, Bool) in [(6, true), (15, true), (7, false)] {
      var world = World()
      world.leaf.otherExtensions = [.init(OID(1, 2, 840, 113635, 100, arc, 29), critical: true, value: [5, 0])]
      #expect(try because(world, .apple).isEmpty == isSkipped)
      #expect(try because(world, .rfc5280) == ["chain.unhandled-critical-extension"])
    }
    for (number, isSkipped): (UInt, Bool) in [(1, true), (8, true), (9, true), (7, false)] {
      var world = World()
      world.leaf.otherExtensions = [.init(OID(1, 3, 6, 1, 4, 1, 41577, 5, number), critical: true, value: [5, 0])]
      #expect(try because(world, .apple).isEmpty == isSkipped)
    }
  }

  @Test("if a CA is first, the fix of the resulting findings is the order")
  func fixOfTheOrder() throws {
    for profile in [TrustProfile.apple, .webpki] {
      var world = World()
      #expect(try fixes(world, profile) == [Rule.leafNotFirst.fix])
      world.issuing.notAfter = World.date("2022-10-01")
      let expired = try inWrongOrder(world, profile).first { $0.rule == .expired && $0.outcome == .violated }
      #expect(try #require(expired).rule.fix == Rule.expired.fix)
      #expect(try because(World(), profile).isEmpty)
    }
  }

  /// The findings for a chain whose issuer precedes the server's certificate.
  private func inWrongOrder(_ world: World, _ profile: TrustProfile) throws -> [Finding] {
    let chain = try world.issue()
    return findings([chain[1], chain[0], chain[2]], profile)
  }

  /// The fixes of the deciding chain rules for such a chain.
  private func fixes(_ world: World, _ profile: TrustProfile) throws -> Set<String> {
    Set(try inWrongOrder(world, profile).filter { $0.refuses && $0.rule.layer == .chain }.map(\.rule.fix))
  }

  @Test("in the Baseline Requirements, policies, purposes and distribution points are not critical")
  func criticality() throws {
    let purposes = ExtendedKeyUsage([ExtendedKeyUsage.serverAuth])
    var world = World()
    world.issuing.otherExtensions = [.init(purposes, critical: true)]
    #expect(try because(world, .webpki) == ["chain.criticality"])
    #expect(try because(world, .rfc5280).isEmpty)
    world.issuing.otherExtensions = [.init(purposes)]
    #expect(try because(world, .webpki).isEmpty)
  }

  @Test("an otherName has an identifier and a value, and a registeredID is an object identifier")
  func otherNames() throws {
    let type: [UInt8] = [6, 3, 42, 3, 4]
    let rows: [(UInt8, [UInt8], Bool)] = [
      (0xA0, type + [0xA0, 2, 5, 0], true), (0xA0, type, false), (0xA0, [0xA0, 2, 5, 0], false),
      (0x88, [42, 3, 4], true), (0x88, [], false),
    ]
    for (tag, content, holds) in rows {
      var world = World()
      world.leaf.subjectAlternativeName = SubjectAlternativeName([
        .dnsName("api.example"), .other(tag: tag, content: content),
      ])
      #expect(try because(world, .rfc5280) == (holds ? [] : ["chain.malformed"]), "\(tag) \(content)")
    }
  }

  @Test("an undecodable subjectAltName is one finding in every profile")
  func undecodable() throws {
    var world = World()
    world.leaf.faults = [.malformedExtension]
    for profile in TrustProfile.allCases { #expect(try because(world, profile) == ["chain.malformed"]) }
    world.leaf.faults = [.noAlternativeName]
    #expect(try because(world, .rfc5280) == ["name.no-san"])
  }

  @Test("a wildcard before one label matches in RFC 9525, not in the Baseline Requirements")
  func wildcards() throws {
    var world = World()
    world.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName("*.internal")])
    #expect(try because(world, .rfc5280, host: "a.internal").isEmpty)
    #expect(try because(world, .rfc5280, host: "a.b.internal") == ["name.wildcard-depth"])
    #expect(try because(world, .webpki, host: "a.internal").contains("name.wildcard-form"))
  }

  @Test("until iOS 12, an IPv4 address as text in a dNSName matched")
  func addressText() throws {
    func because(_ host: String, _ os: String) throws -> [String] {
      var world = World()
      world.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName(host)])
      return try self.because(world, .apple, host: host, os: os)
    }
    #expect(try because("192.0.2.7", "iOS 12").isEmpty)
    #expect(try because("192.0.2.7", "iOS 13") == ["name.mismatch"])
    #expect(try because("2001:db8::7", "iOS 12") == ["name.mismatch"])
  }

  @Test("a path that ends early blames an unreadable presented certificate, if there is one")
  func unreadable() throws {
    let chain = try World().issue()
    let store = TrustStore(system: Array(chain.suffix(1)))
    var evaluator = TrustEvaluator(
      TrustRequirements(profile: .rfc5280, os: nil, date: World.date("2022-07-01"), store: store))
    func fix() -> String? {
      let findings = evaluator.evaluate([chain[0]], host: nil).findings
      return findings.first { $0.outcome == .violated && [.noIssuer, .noAnchor].contains($0.rule) }?.rule.fix
    }
    #expect(fix()?.contains("chain.pem") == false)
    evaluator.evidence.unreadable = ["chain.pem:16, byte 13"]
    #expect(fix()?.contains("chain.pem:16, byte 13") == true)
  }

  @Test("a name that almost matches the host is named with its type and its defect")
  func nearMisses() throws {
    let rows: [(GeneralName, String, String)] = [
      (.dnsName("192.0.2.7"), "192.0.2.7", "iPAddress"), (.dnsName("api.example."), "api.example", "period"),
      (.dnsName("api.example "), "api.example", "space"),
      (.dnsName("api.example:443"), "api.example", "port"),
      (.dnsName("https://api.example"), "api.example", "URL"),
      (.uniformResourceIdentifier("https://api.example/"), "api.example", "URI"),
      (.dnsName("a.example,api.example"), "api.example", "names"),
      (.dnsName(".example"), "api.example", "period"), (.dnsName("api.example/"), "api.example", "path"),
      (.ipAddress([UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 7]), "192.0.2.7", "IPv4-mapped"),
    ]
    for (name, host, word) in rows {
      var world = World()
      world.leaf.subjectAlternativeName = SubjectAlternativeName([name])
      let leaf = try world.issue()[0]
      let finding = ServerIdentity(host, os: nil).findings(on: leaf).first { $0.rule == .nameMismatch }
      // An address is shown in its shortest form (RFC 5952).
      let shown = word == "IPv4-mapped" ? "iPAddress ::ffff:c000:207" : name.quoted
      #expect(finding?.outcome == .violated && finding?.found == .words([shown]), "\(finding?.found as Any)")
      #expect(finding?.rule.fix.contains(word) == true, "\(word): \(finding?.rule.fix ?? "")")
    }
    var other = World()
    other.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName("other.example")])
    let leaf = try other.issue()[0]
    let finding = ServerIdentity("api.example", os: nil).findings(on: leaf).first { $0.rule == .nameMismatch }
    #expect(finding?.rule.fix == Rule.nameMismatch.fix)
  }

  /// A leaf for `key` under a root that signs with `signer`.
  private func chain(
    _ key: PrivateKey, signer: PrivateKey, _ scheme: SignatureScheme, usage: KeyUsage? = .digitalSignature
  ) throws -> [Certificate] {
    var world = World()
    world.leaf.keyUsage = usage
    world.leaf.notBefore = World.date("2024-06-01")
    world.leaf.notAfter = World.date("2024-12-01")
    world.leaf.signatureScheme = scheme
    world.root.signatureScheme = scheme
    var random = DeterministicRandom(seed: .number(1), label: "serial numbers")
    let root = try CertificateAuthority(root: world.root, key: signer, random: &random)
    return [try root.issue(world.leaf, for: key.publicKey, random: &random), root.certificate]
  }

  @Test("in webpki, Ed25519 is not reported as a weak hash or a short key")
  func ed25519() throws {
    let key = PrivateKey.ed25519(KeyStore.ed25519Key(owner: "api"))
    let found = try findings(chain(key, signer: .ed25519(KeyStore.ed25519Key(owner: "Root A")), .ed25519), .webpki)
    let because = Set(found.deciding.map(\.id))
    #expect(because.isSuperset(of: ["chain.key-algorithm", "chain.unsupported-signature-algorithm"]))
    #expect(because.isDisjoint(with: ["chain.weak-signature", "chain.key-size"]))
  }

  @Test("in webpki, the keyUsage of an EC key contains digitalSignature and no encipherment")
  func curveUsage() throws {
    let rows: [(KeyUsage, Bool)] = [
      (.digitalSignature, true), ([.digitalSignature, .keyAgreement], true), (.keyEncipherment, false),
      (.encipherOnly, false), (.cRLSign, false), ([.digitalSignature, .keyEncipherment], false),
    ]
    let key = PrivateKey.ec(KeyStore.ecKey(owner: "api", curve: .p256))
    for (usage, holds) in rows {
      let path = try chain(key, signer: World.key("Root A"), .rsaPKCS1SHA256, usage: usage)
      let found = findings(path, .webpki).filter { $0.rule == .keyUsage && $0.clause == "7.1.2.7.11" }
      #expect(found.map(\.outcome) == [holds ? .satisfied : .violated], "\(usage.meaning)")
      #expect(found.allSatisfy { $0.weight == .decides })
    }
  }

  @Test("in webpki, the keyUsage of an RSA server key contains only signatures and encipherment")
  func rsaUsage() throws {
    let rows: [(KeyUsage, Bool)] = [
      (.digitalSignature, true), (.keyEncipherment, true), ([.digitalSignature, .dataEncipherment], true),
      (.cRLSign, false), ([.digitalSignature, .keyAgreement], false), ([.digitalSignature, .contentCommitment], false),
    ]
    for (usage, holds) in rows {
      let path = try chain(World.key("api"), signer: World.key("Root A"), .rsaPKCS1SHA256, usage: usage)
      let found = findings(path, .webpki).filter { $0.rule == .keyUsage && $0.clause == "7.1.2.7.11" }
      #expect(found.map(\.outcome) == [holds ? .satisfied : .violated], "\(usage.meaning)")
    }
  }
}

extension Finding {
  fileprivate var clause: String { rule.clause.section }
}

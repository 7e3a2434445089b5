import Cryptography
import Explanation
import Testing

@testable import PKIX

@Suite("Path validation")
struct PathValidationTests {
  private func findings(_ hierarchy: Hierarchy = Hierarchy(), at date: Instant = Hierarchy.now) throws -> [Finding] {
    PathValidation(CertificatePath(try hierarchy.issue(), end: .anchor), at: date).findings
  }

  @Test("a valid path violates no rule, and runs every step from anchor to leaf")
  func good() throws {
    let validation = PathValidation(CertificatePath(try Hierarchy().issue(), end: .anchor), at: Hierarchy.now)
    #expect(validation.findings.allSatisfy { $0.outcome != .violated })
    #expect(validation.states.map(\.index) == [nil, 1, 0])
    #expect(validation.states.map(\.maxPathLength) == [3, 0, 0])
    #expect(validation.states[1].workingIssuerName?.commonName == "Issuing")
  }

  @Test("a step that is not modelled is reported as not evaluated")
  func honest() throws {
    let revocation = try findings().filter { $0.rule == .revoked }
    #expect(revocation.map(\.outcome) == [.notEvaluated, .notEvaluated])
  }

  @Test(
    "both ends of the validity period are part of it",
    arguments: [
      ("2016-05-31T23:59:59Z", ["chain.not-yet-valid"]), ("2016-06-01T00:00:00Z", []), ("2017-06-01T00:00:00Z", []),
      ("2017-06-01T00:00:01Z", ["chain.expired"]),
    ])
  func validity(_ date: String, _ rules: [String]) throws {
    #expect(try Hierarchy().deciding(at: Hierarchy.date(date)) == rules)
  }

  @Test("an anchor's own dates are not checked")
  func anchorDates() throws {
    var hierarchy = Hierarchy()
    hierarchy.root.notAfter = Hierarchy.date("2012-01-01")
    #expect(try hierarchy.deciding() == [])
  }

  @Test("violations do not stop the validation")
  func everything() throws {
    var hierarchy = Hierarchy()
    hierarchy.issuing.faults = [.notCA, .noCertificateSigning]
    hierarchy.leaf.faults = [.signature, .unknownCriticalExtension]
    let rules = Set(try hierarchy.deciding(at: Hierarchy.date("2018-01-01")))
    #expect(
      rules == [
        "chain.not-a-ca", "chain.key-usage", "chain.signature-invalid", "chain.unhandled-critical-extension",
        "chain.expired",
      ])
  }

  @Test("the anchor's pathLenConstraint counts, and a larger one allows the path", arguments: [0, 1])
  func pathLength(_ length: Int) throws {
    var hierarchy = Hierarchy()
    hierarchy.root.basicConstraints = BasicConstraints(isCA: true, pathLength: length)
    #expect(try hierarchy.deciding() == (length == 0 ? ["chain.path-length"] : []))
  }

  @Test("the finding for a path that is too long names the CA and its intermediates")
  func pathLengthDetails() throws {
    var hierarchy = Hierarchy()
    hierarchy.root.basicConstraints = BasicConstraints(isCA: true, pathLength: 0)
    let finding = try #require(try findings(hierarchy).first { $0.refuses })
    #expect(finding.required.description == "no intermediate below Root A: its pathLenConstraint is 0")
    #expect(finding.found.description == "1 intermediate: Issuing")
  }

  @Test("the finding for another key with the issuer's name names the missing key identifier")
  func otherKey() throws {
    var other = Hierarchy()
    other.kind = { try Hierarchy.key($0 == "Issuing" ? "impostor" : $0) }
    let (chain, stray) = (try Hierarchy().issue(), try other.issue())
    let path = CertificatePath([chain[0], stray[1], chain[2]], end: .anchor)
    let finding = try #require(PathValidation(path, at: Hierarchy.now).findings.first { $0.refuses })
    let absent = try #require(chain[1].subjectKeyIdentifier?.keyIdentifier)
    #expect(finding.rule == .signatureInvalid)
    #expect(finding.rule.fix.contains(Hex.string(absent)))
  }

  @Test("a signatureValue with unused bits is read but never verifies")
  func unusedBits() throws {
    var chain = try Hierarchy().issue()
    var der = chain[0].der
    der[der.count - 257] = 1
    chain[0] = try Certificate(der: der)
    #expect(!chain[0].isSigned(by: chain[1]))
    let findings = PathValidation(CertificatePath(chain, end: .anchor), at: Hierarchy.now).findings
    #expect(findings.deciding.map(\.id) == ["chain.signature-invalid"])
    der[der.count - 257] = 8
    #expect(throws: CertificateError.self) { try Certificate(der: der) }
  }

  @Test("an extension that is known but not processed is refused if critical, ignored otherwise")
  func unprocessed() throws {
    var hierarchy = Hierarchy()
    let period = OID(2, 5, 29, 16)  // privateKeyUsagePeriod
    hierarchy.leaf.otherExtensions = [.init(period, critical: true, value: [0x30, 0])]
    #expect(try hierarchy.deciding() == ["chain.unhandled-critical-extension"])
    hierarchy.leaf.otherExtensions = [.init(period, value: [0x30, 0])]
    #expect(try hierarchy.deciding() == [])
  }

  @Test("an overridden rule is still reported as violated, but does not decide")
  func overridden() throws {
    var hierarchy = Hierarchy()
    hierarchy.issuing.faults = [.notCA]
    let enforcement = Enforcement.standard.overriding("chain.not-a-ca", by: .mutant)
    let path = CertificatePath(try hierarchy.issue(), end: .anchor)
    let findings = PathValidation(path, at: Hierarchy.now, enforcement: enforcement).findings
    #expect(findings.deciding.isEmpty)
    #expect(findings.contains { $0.rule == .notCA && $0.outcome == .violated })
  }

  @Test("a critical id-pkix-ocsp-nocheck is processed, and an unknown critical extension is not")
  func wellKnown() throws {
    var hierarchy = Hierarchy()
    hierarchy.leaf.otherExtensions = [.init(.ocspNoCheck, critical: true, value: [5, 0])]
    #expect(try hierarchy.deciding() == [])
    hierarchy.leaf.otherExtensions = [.init(OID(1, 2, 3, 4), critical: true, value: [5, 0])]
    #expect(try hierarchy.deciding() == ["chain.unhandled-critical-extension"])
  }

  @Test("a thousand names of several types are compared with a hundred constraints each")
  func manyNames() throws {
    var hierarchy = Hierarchy()
    let names = (0..<1000).flatMap { number in
      [
        GeneralName.dnsName("a\(number).example"), .rfc822Name("a@m\(number).example"),
        .ipAddress([10, 0, UInt8(number >> 8), UInt8(number & 0xFF)]),
      ]
    }
    hierarchy.leaf.subjectAlternativeName = SubjectAlternativeName(names)
    let excluded = (0..<100).flatMap { [GeneralSubtree.dnsName("b\($0).example"), .rfc822Name("n\($0).example")] }
    let rows: [([GeneralSubtree], [String])] = [([], []), ([.dnsName("a999.example")], ["chain.name-constraints"])]
    for (more, expected) in rows {
      hierarchy.issuing.otherExtensions = [.init(NameConstraints(excluded: excluded + more), critical: true)]
      #expect(try hierarchy.deciding() == expected)
    }
  }

  @Test("a different key identifier is only advice")
  func keyIdentifier() throws {
    var hierarchy = Hierarchy()
    hierarchy.leaf.faults = [.keyIdentifier]
    let finding = try #require(try findings(hierarchy).first { $0.rule == .keyIdentifier && $0.outcome == .violated })
    #expect(finding.weight == .advises)
  }

  @Test("findings refer to certificates by the names that the test gave them")
  func names() throws {
    let chain = try Hierarchy().issue()
    let names = CertificateNames([("api", chain[0]), ("Issuing", chain[1])])
    let validation = PathValidation(CertificatePath(chain, end: .anchor), at: Hierarchy.now, names: names)
    #expect(
      validation.subjects.map(\.description) == [
        "certificate 0 (api)", "certificate 1 (Issuing)", "certificate 2 (Root A)",
      ])
  }

  @Test("rule ids are unique and in kebab case")
  func rules() {
    #expect(Set(Rule.pkix.map(\.id)).count == Rule.pkix.count)
    #expect(Rule.pkix.allSatisfy { $0.id.wholeMatch(of: /(chain|name)\.[a-z]+(-[a-z]+)*/) != nil && !$0.fix.isEmpty })
  }
}

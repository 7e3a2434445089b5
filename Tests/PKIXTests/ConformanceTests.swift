import Cryptography
import Explanation
import Testing

@testable import PKIX

/// Violates each rule about certificate issuance in several ways, and checks conforming certificates too.
@Suite("Conformance of certificates")
struct ConformanceTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let rule: String
    let found: String
    let change: @Sendable (inout Hierarchy) -> Void
    var testDescription: String { rule.isEmpty ? "conforms: \(found)" : "\(rule): \(found)" }

    /// `rule` is the violated rule, or empty if none is violated; `found` is the finding's value.
    init(_ rule: String, _ found: String, _ change: @escaping @Sendable (inout Hierarchy) -> Void) {
      (self.rule, self.found, self.change) = (rule, found, change)
    }
  }

  private static func constraints(_ names: [GeneralSubtree], critical: Bool = true) -> [Certificate.Extension] {
    [.init(NameConstraints(permitted: names, excluded: []), critical: critical)]
  }

  static let rows: [Row] = [
    Row("", "the usual") { _ in },
    Row("chain.serial-number", "00") { $0.leaf.serialNumber = [0] },
    Row("chain.serial-number", "80") { $0.leaf.serialNumber = [0x80] },
    Row("chain.serial-number", String(repeating: "01", count: 21)) {
      $0.leaf.serialNumber = [UInt8](repeating: 1, count: 21)
    },
    Row("", "a serial number of 20 octets") { $0.leaf.serialNumber = [UInt8](repeating: 1, count: 20) },
    Row("chain.empty-name", "no subject, and no critical subjectAltName") {
      $0.leaf.subject = DistinguishedName([])
      $0.leaf.subjectAlternativeName = nil
      $0.leaf.otherExtensions = [.init(SubjectAlternativeName([.dnsName("a.example")]))]
    },
    Row("", "no subject, and a critical subjectAltName") { $0.leaf.subject = DistinguishedName([]) },
    Row("chain.criticality", "subjectKeyIdentifier is critical") {
      $0.leaf.hasKeyIdentifiers = false
      $0.leaf.otherExtensions = [
        .init(SubjectKeyIdentifier([1]), critical: true), .init(AuthorityKeyIdentifier([1])),
      ]
    },
    Row("chain.criticality", "basicConstraints is not critical") {
      $0.issuing.basicConstraints = nil
      $0.issuing.otherExtensions = [.init(BasicConstraints(isCA: true, pathLength: 0))]
    },
    Row("chain.criticality", "nameConstraints is not critical") {
      $0.issuing.otherExtensions = constraints([.dnsName("example")], critical: false)
    },
    Row("chain.missing-extension", "authorityKeyIdentifier") { $0.leaf.hasKeyIdentifiers = false },
    Row("chain.missing-extension", "subjectKeyIdentifier, authorityKeyIdentifier") {
      $0.issuing.hasKeyIdentifiers = false
    },
    Row("chain.missing-extension", "basicConstraints") {
      $0.issuing.basicConstraints = nil
      $0.issuing.keyUsage = .digitalSignature
    },
    Row("chain.authority-fields", "keyCertSign without cA") { $0.leaf.keyUsage = .keyCertSign },
    Row("chain.authority-fields", "pathLenConstraint without cA") {
      $0.leaf.basicConstraints = BasicConstraints(isCA: false, pathLength: 1)
    },
    Row("chain.authority-fields", "cA without keyCertSign") { $0.issuing.keyUsage = .cRLSign },
    Row("", "a CA without keyUsage") { $0.issuing.keyUsage = nil },
    Row("chain.name-constraints-form", "in a certificate that is not a CA certificate") {
      $0.leaf.otherExtensions = constraints([.dnsName("example")])
    },
    Row("chain.name-constraints-form", "DNS:*.example") {
      $0.issuing.otherExtensions = constraints([.dnsName("*.example")])
    },
    Row("chain.name-constraints-form", "DNS:.example") {
      $0.issuing.otherExtensions = constraints([.dnsName(".example")])
    },
    Row("chain.name-constraints-form", "email:a@b@example") {
      $0.issuing.otherExtensions = constraints([.rfc822Name("a@b@example")])
    },
    Row("", "constraints on hosts, mailboxes and URIs") {
      $0.issuing.otherExtensions = constraints([
        .dnsName("example"), .dnsName(""), .rfc822Name("a@example"), .rfc822Name(".example"),
        .uniformResourceIdentifier(".example"), .ipAddress([192, 0, 2, 0], mask: [255, 255, 255, 0]),
      ])
    },
    Row("chain.name-constraints-form", "IP:") {
      $0.issuing.otherExtensions = constraints([.ipAddress([192, 0, 2, 0], mask: [255, 0, 255, 0])])
    },
    Row("chain.name-form", "a_b.example") {
      $0.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName("a_b.example")])
    },
    Row("chain.name-form", "-a.example") {
      $0.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName("-a.example")])
    },
    Row("chain.name-form", "\"\\u{20}\"") { $0.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName(" ")]) },
    Row("chain.name-form", "a..example") {
      $0.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName("a..example")])
    },
    Row("chain.name-form", "nobody") {
      $0.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName("a.example"), .rfc822Name("nobody")])
    },
    Row("chain.name-form", "//a.example/") {
      $0.leaf.subjectAlternativeName = SubjectAlternativeName([.uniformResourceIdentifier("//a.example/")])
    },
    Row("", "a mailbox and a URI") {
      $0.leaf.subjectAlternativeName = SubjectAlternativeName([
        .rfc822Name("somebody@a.example"), .uniformResourceIdentifier("urn:isbn:0"),
      ])
    },
    Row("chain.authority-fields", "keyUsage without a bit") { $0.leaf.keyUsage = [] },
    Row("", "names with digits, hyphens and a wildcard") {
      $0.leaf.subjectAlternativeName = SubjectAlternativeName([
        .dnsName("*.a-1.example"), .dnsName("1.example"), .dnsName("xn--bcher-kva.example"),
      ])
    },
  ]

  private func violations(_ hierarchy: Hierarchy, isPedantic: Bool = true) throws -> [Finding] {
    let chain = try hierarchy.issue()
    let subjects = (0..<3).map { Finding.Subject.certificate(index: $0, name: "\($0)") }
    return CertificateConformance(CertificatePath(chain, end: .anchor), subjects, isPedantic: isPedantic).findings
  }

  @Test("violations are found, and conforming certificates have none", arguments: rows)
  func rules(_ row: Row) throws {
    var hierarchy = Hierarchy()
    row.change(&hierarchy)
    let found = try violations(hierarchy)
    #expect(found.map(\.rule.id) == (row.rule.isEmpty ? [] : [row.rule]))
    let isMissing = row.rule == "chain.missing-extension"
    let words = found.map { isMissing ? $0.required.description : $0.found.description }
    #expect(found.allSatisfy(\.refuses) && words.allSatisfy { $0.hasPrefix(row.found) }, "\(words)")
    #expect(!isMissing || found.map(\.found) == [.absent])
  }

  @Test("every rule that decides has a row")
  func complete() {
    let deciding = Rule.conformance.filter(\.decides).map(\.id)
    #expect(Set(deciding).subtracting(Self.rows.map(\.rule)) == ["chain.time-form"])
  }

  /// `certificate` with both dates encoded as GeneralizedTime.
  private func withLongTimes(_ certificate: Certificate) throws -> Certificate {
    var whole = DERCursor(certificate.der)
    let outer = try whole.next("Certificate")
    var parts = whole.inside(outer)
    let signed = try parts.next("tbsCertificate")
    var fields = parts.inside(signed)
    var elements: [[UInt8]] = []
    while !fields.isAtEnd { elements.append(fields.encoding(try fields.next("field"))) }
    elements[4] = DER.sequence(of: [certificate.notBefore, certificate.notAfter].map(ListTemplate.generalizedTime))
    let rest = certificate.der[signed.range.upperBound..<outer.content.upperBound]
    return try Certificate(der: DER.sequence(DER.sequence(of: elements), Array(rest)))
  }

  @Test("GeneralizedTime is only for dates from 2050 on")
  func times() throws {
    let leaf = try Hierarchy().issue()[0]
    let long = try withLongTimes(leaf)
    #expect(long.notAfter == leaf.notAfter)
    let subject = Finding.Subject.certificate(index: 0, name: "leaf")
    for (certificate, expected) in [(leaf, []), (long, ["chain.time-form"])] {
      let path = CertificatePath([certificate], end: .noIssuer)
      #expect(CertificateConformance(path, [subject]).findings.map(\.rule.id) == expected)
    }
    var later = Hierarchy()
    later.root.notAfter = Hierarchy.date("2060-01-01")
    #expect(try violations(later).isEmpty)
  }

  @Test("a rule that RFC 5280 asks validators to tolerate decides only in pedantic mode")
  func lenient() throws {
    var hierarchy = Hierarchy()
    hierarchy.leaf.serialNumber = [0]
    for isPedantic in [false, true] {
      let found = try violations(hierarchy, isPedantic: isPedantic)
      #expect(found.map(\.rule.id) == ["chain.serial-number"])
      #expect(found.map(\.refuses) == [isPedantic])
    }
  }
}

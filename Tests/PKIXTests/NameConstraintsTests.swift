import Cryptography
import Explanation
import Testing

@testable import PKIX

/// A constraint, a name, and whether the constraint permits the name.
struct ConstraintRow: Sendable, CustomTestStringConvertible {
  let constraints: NameConstraints
  let name: GeneralName
  let isAllowed: Bool

  init(permitted: GeneralSubtree, _ name: GeneralName, _ isAllowed: Bool) {
    (constraints, self.name, self.isAllowed) = (NameConstraints(permitted: [permitted]), name, isAllowed)
  }

  init(excluded: GeneralSubtree, _ name: GeneralName, _ isAllowed: Bool) {
    (constraints, self.name, self.isAllowed) = (NameConstraints(excluded: [excluded]), name, isAllowed)
  }

  var testDescription: String { "\(constraints.meaning): \(name.meaning)" }

  private static let net = GeneralSubtree.ipAddress([192, 0, 2, 0], mask: [255, 255, 255, 0])
  private static let organization = DistinguishedName([.init(.organizationName, "Example")])
  private static let below = DistinguishedName([.init(.organizationName, " EXAMPLE "), .init(.commonName, "a")])

  /// The content of an otherName of type 1.2.3.4 with the value NULL.
  private static let otherName: [UInt8] = [6, 3, 42, 3, 4, 0xA0, 2, 5, 0]

  static let all: [ConstraintRow] = [
    ConstraintRow(permitted: .dnsName("example.com"), .dnsName("a.b.Example.com"), true),
    ConstraintRow(permitted: .dnsName("example.com"), .dnsName("example.com."), true),
    ConstraintRow(permitted: .dnsName("example.com"), .dnsName("notexample.com"), false),
    ConstraintRow(permitted: .dnsName("example.com."), .dnsName("a.example.com"), false),
    ConstraintRow(permitted: .dnsName(""), .dnsName("anything.example"), true),
    ConstraintRow(permitted: .dnsName(".example.com"), .dnsName("a.example.com"), true),
    ConstraintRow(permitted: .dnsName(".example.com"), .dnsName("*.example.com"), true),
    ConstraintRow(permitted: .dnsName(".example.com"), .dnsName("example.com"), false),
    ConstraintRow(permitted: .dnsName(".example.com"), .dnsName("*.com"), false),
    ConstraintRow(excluded: .dnsName("evil.com."), .dnsName("a.evil.com"), false),
    ConstraintRow(excluded: .dnsName("evil.com."), .dnsName("good.example"), true),
    ConstraintRow(excluded: .dnsName("*.evil.com"), .dnsName("a.evil.com"), false),
    ConstraintRow(excluded: .dnsName("https://evil.com/"), .dnsName("evil.com"), false),
    ConstraintRow(excluded: .rfc822Name("@evil.com"), .rfc822Name("a@evil.com"), false),
    ConstraintRow(excluded: .rfc822Name("evil.com"), .rfc822Name("a@good.example"), true),
    ConstraintRow(
      excluded: .uniformResourceIdentifier("https://evil.com"), .uniformResourceIdentifier("https://evil.com/"), false),
    ConstraintRow(excluded: .dnsName(""), .dnsName("anything.example"), false),
    ConstraintRow(permitted: .dnsName("a.example.com"), .dnsName("*.example.com"), false),
    ConstraintRow(permitted: .dnsName("example.com"), .dnsName("*.example.com"), true),
    ConstraintRow(excluded: .dnsName("a.example.com"), .dnsName("*.example.com"), false),
    ConstraintRow(excluded: .dnsName("b.a.example.com"), .dnsName("*.example.com"), true),
    ConstraintRow(permitted: net, .ipAddress([192, 0, 2, 7]), true),
    ConstraintRow(permitted: net, .ipAddress([192, 0, 3, 7]), false),
    ConstraintRow(permitted: net, .ipAddress([UInt8](repeating: 0, count: 16)), false),
    ConstraintRow(permitted: net, .dnsName("a.example"), true),
    ConstraintRow(permitted: .rfc822Name("example.com"), .rfc822Name("a@EXAMPLE.com"), true),
    ConstraintRow(permitted: .rfc822Name("example.com"), .rfc822Name("a@mail.example.com"), false),
    ConstraintRow(permitted: .rfc822Name(".example.com"), .rfc822Name("a@mail.example.com"), true),
    ConstraintRow(permitted: .rfc822Name("a@example.com"), .rfc822Name("A@example.com"), false),
    ConstraintRow(permitted: .rfc822Name("example.com"), .rfc822Name("a@b@example.com"), false),
    ConstraintRow(
      permitted: .uniformResourceIdentifier("example.com"), .uniformResourceIdentifier("http://u@example.com:80/"), true
    ),
    ConstraintRow(
      permitted: .uniformResourceIdentifier(".example.com"), .uniformResourceIdentifier("http://example.com"), false),
    ConstraintRow(
      excluded: .uniformResourceIdentifier("a.example"), .uniformResourceIdentifier("http://192.0.2.1/"), false),
    ConstraintRow(permitted: .directoryName(organization), .directoryName(below), true),
    ConstraintRow(permitted: .directoryName(below), .directoryName(organization), false),
    ConstraintRow(excluded: .other(tag: 0xA0, content: otherName), .other(tag: 0xA0, content: otherName), false),
  ]
}

@Suite("Name constraints and policies")
struct NameConstraintsTests {
  @Test("the fix differs if only a period or a wildcard keeps the constraint from matching")
  func nearMiss() throws {
    for (text, isNear) in [("example.", true), ("*.example", true), ("other.", false), ("other", false)] {
      var hierarchy = Hierarchy()
      hierarchy.issuing.otherExtensions = [
        .init(NameConstraints(permitted: [.dnsName(text)], excluded: []), critical: true)
      ]
      let findings = PathValidation(CertificatePath(try hierarchy.issue(), end: .anchor), at: Hierarchy.now).findings
      let violated = findings.filter { $0.rule == .nameConstraints && $0.outcome == .violated }
      #expect(violated.map { $0.rule.fix != Rule.nameConstraints.fix } == [isNear], "\(text)")
    }
  }

  @Test("the finding says whether a name is inside the permitted subtrees", arguments: ConstraintRow.all)
  func rows(row: ConstraintRow) throws {
    var space = PermittedAndExcludedSubtrees()
    space.intersect(with: row.constraints)
    var hierarchy = Hierarchy()
    hierarchy.leaf.subjectAlternativeName = SubjectAlternativeName([row.name])
    hierarchy.leaf.subject = DistinguishedName([])
    hierarchy.issuing.otherExtensions = [.init(row.constraints, critical: true)]
    #expect(try hierarchy.deciding() == (row.isAllowed ? [] : ["chain.name-constraints"]))
    #expect(try NameConstraints(der: row.constraints.der) == row.constraints)
  }

  @Test(
    "constraints that are empty, or have a minimum or maximum, are malformed",
    arguments: [
      [0x30, 0x00], [0x30, 0x02, 0xA0, 0x00], [0x30, 0x04, 0xA0, 0x02, 0x05, 0x00],
      [0x30, 0x0B, 0xA0, 0x09, 0x30, 0x07, 0x82, 0x02, 0x61, 0x62, 0x80, 0x01, 0x01],
    ] as [[UInt8]])
  func malformed(der: [UInt8]) {
    #expect(throws: CertificateError.self) { try NameConstraints(der: der) }
  }

  @Test("policies that are mapped back and forth do not grow the graph")
  func linear() {
    let policies = (1...40).map { OID(1, 2, 3, UInt($0)) }
    let mappings = policies.flatMap { from in policies.map { PolicyMappings.Mapping(from, $0) } }
    var graph = PolicyGraph()
    for _ in 0..<20 {
      graph.process(policies, anyPolicyCounts: true)
      graph.map(mappings, isAllowed: true)
    }
    #expect(graph.policies.count == policies.count)
    #expect(graph.userConstrainedPolicies([policies[0]]) == [policies[0]])
    graph.process([OID(1, 2, 4)], anyPolicyCounts: true)
    #expect(graph.isEmpty && graph.userConstrainedPolicies([.anyPolicy]).isEmpty)
  }
}

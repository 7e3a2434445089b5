import Cryptography
import Explanation
import Testing

@testable import PKIX

/// Each CRL and OCSP response that does not count, with the value that keeps it from counting.
@Suite("Reasons of CRLs and OCSP responses that do not count")
struct StatusReasonTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let obstacle: RevocationRejectionReason
    /// The value that the reason contains.
    let value: String
    let change: @Sendable (inout ListTemplate, [Certificate]) -> Void

    init(
      _ name: String, _ obstacle: RevocationRejectionReason, _ value: String,
      _ change: @escaping @Sendable (inout ListTemplate, [Certificate]) -> Void
    ) {
      (testDescription, self.obstacle, self.value, self.change) = (name, obstacle, value, change)
    }
  }

  private static let unknown = Certificate.Extension(OID(1, 3, 6, 1, 4, 1, 32473, 1), critical: true, value: [5, 0])
  private static func flag(_ number: UInt8) -> [UInt8] { DER.element(DERTag.context(number), [0xFF]) }

  static let rows: [Row] = [
    Row("for CAs", .otherScope, "onlyContainsCACerts") { list, _ in list.scope = flag(2) },
    Row("for attribute certificates", .otherScope, "onlyContainsAttributeCerts") { list, _ in list.scope = flag(5) },
    Row("of another distribution point", .otherScope, "http://ca.example/a.crl") { list, _ in
      list.scope = DistributionPointName.full([.uniformResourceIdentifier("http://ca.example/a.crl")]).der
    },
    Row("not yet valid", .notCurrent, "thisUpdate 2016-11-02") { list, _ in
      list.thisUpdate = Hierarchy.date("2016-11-02")
    },
    Row("expired", .notCurrent, "nextUpdate 2016-10-31") { list, _ in list.nextUpdate = Hierarchy.date("2016-10-31") },
    Row("expired, with the certificate on it", .notCurrentButListed, "nextUpdate 2016-10-31") {
      $0.nextUpdate = Hierarchy.date("2016-10-31")
      $0.revoke($1[0])
    },
    Row("an unknown critical extension", .unprocessedExtension, "1.3.6.1.4.1.32473.1") { list, _ in
      list.otherExtensions = [unknown]
    },
    Row("an unknown critical extension of an entry", .unprocessedExtension, "1.3.6.1.4.1.32473.1 of the entry") {
      $0.revoke($1[2], nil, [unknown])
    },
    Row("changed after signing", .signatureInvalid, "signature") { list, _ in list.breaksSignature = true },
    Row("some reasons", .someReasons, "superseded") { list, _ in
      list.scope = DER.element(DERTag.context(3), [1, 0x40])
    },
    Row("of another issuer", .noCRL, "Root A") { list, _ in
      list.issuer = DistinguishedName(commonName: "Root A", organization: "Example")
    },
    Row("a delta alone", .noCRL, "delta CRL") { list, _ in (list.base, list.number) = (7, 8) },
  ]

  private func rejections(_ list: ListTemplate, _ chain: [Certificate]) throws -> [CRLRejection] {
    let checking = RevocationChecking([try list.issue()], candidates: chain, at: Hierarchy.now)
    return checking.statement(at: 0, of: CertificatePath(chain, end: .anchor)).rejections
  }

  @Test("a CRL that does not count names the value that keeps it from counting", arguments: rows)
  func list(_ row: Row) throws {
    let chain = try Hierarchy().issue()
    var list = ListTemplate()
    row.change(&list, chain)
    let reasons = try rejections(list, chain)
    #expect(reasons.map(\.obstacle) == [row.obstacle])
    let reason = try #require(reasons.first)
    #expect(reason.found.contains(row.value), "\(reason.found)")
    #expect(!reason.required.isEmpty && !reason.fix.isEmpty && !reason.fix.contains("reach"))
  }

  @Test("a CRL that counts has no reason")
  func good() throws {
    let chain = try Hierarchy().issue()
    #expect(try rejections(ListTemplate(), chain).isEmpty)
  }

  @Test("the reason of a CRL by a key without cRLSign is keyUsage, not the signature")
  func missingCRLSign() throws {
    var hierarchy = Hierarchy()
    hierarchy.issuing.keyUsage = [.keyCertSign]
    let reason = try #require(try rejections(ListTemplate(), hierarchy.issue()).first)
    #expect(reason.obstacle == .noValidIssuer)
    #expect(reason.required.contains("cRLSign") && reason.found.contains("keyCertSign"))
  }

  @Test("an OCSP response about another certificate names both serial numbers")
  func otherSerial() throws {
    var template = try AnswerTemplate()
    template.about = template.chain[1]
    let finding = try violated(template)
    #expect(finding.rule == .ocspCertificate)
    #expect(finding.required.description.contains(Hex.string(template.chain[0].serialNumber)))
    #expect(finding.found.description.contains(Hex.string(template.chain[1].serialNumber)))
  }

  @Test("an unauthorised responder names the defect of its certificate, with its own fix")
  func responder() throws {
    let rows: [(String, @Sendable (inout CertificateTemplate) -> Void)] = [
      ("no extKeyUsage", { $0.extendedKeyUsage = nil }),
      ("anyExtendedKeyUsage", { $0.extendedKeyUsage = ExtendedKeyUsage([ExtendedKeyUsage.any]) }),
      ("serverAuth", { $0.extendedKeyUsage = ExtendedKeyUsage([ExtendedKeyUsage.serverAuth]) }),
      ("chain.expired", { $0.notAfter = Hierarchy.date("2016-10-15") }),
    ]
    for (value, change) in rows {
      var template = try AnswerTemplate()
      var delegate = AnswerTemplate.responder
      change(&delegate)
      template.delegate = delegate
      let finding = try violated(template)
      #expect(finding.rule == .ocspResponder)
      #expect(finding.found.description.contains(value), "\(finding.found.description)")
    }
    var good = try AnswerTemplate()
    good.delegate = AnswerTemplate.responder
    #expect(try good.acceptance().status == .good)
  }

  @Test("the reason of a future response is thisUpdate, of an expired one nextUpdate")
  func times() throws {
    var template = try AnswerTemplate()
    template.thisUpdate = Hierarchy.date("2016-11-02")
    #expect(try violated(template).found.description.contains("thisUpdate 2016-11-02"))
    template = try AnswerTemplate()
    template.nextUpdate = Hierarchy.date("2016-10-31")
    #expect(try violated(template).found.description.contains("nextUpdate 2016-10-31"))
  }

  private func violated(_ template: AnswerTemplate) throws -> Finding {
    let acceptance = try template.acceptance()
    #expect(acceptance.status == nil)
    return try #require(acceptance.findings.first { $0.outcome == .violated })
  }
}

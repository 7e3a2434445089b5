import Cryptography
import Explanation
import Testing

@testable import PKIX

/// Violates each step of RFC 5280 section 6.3.3 once, and checks the same CRL without the violation.
@Suite("CRLs")
struct RevocationTests {
  struct Row: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let status: RevocationStatus
    let lists: @Sendable ([Certificate]) throws -> [CertificateRevocationList]

    init(
      _ name: String, _ status: RevocationStatus,
      _ lists: @escaping @Sendable ([Certificate]) throws -> [CertificateRevocationList]
    ) {
      (testDescription, self.status, self.lists) = (name, status, lists)
    }
  }

  /// A row with one changed CRL; `changes` gets the chain.
  private static func one(
    _ name: String, _ status: RevocationStatus,
    _ change: @escaping @Sendable (inout ListTemplate, [Certificate]) -> Void
  ) -> Row {
    Row(name, status) { chain in
      var list = ListTemplate()
      change(&list, chain)
      return [try list.issue()]
    }
  }

  private static let september = Hierarchy.date("2016-09-01")
  private static let unknown = Certificate.Extension(OID(1, 3, 6, 1, 4, 1, 32473, 1), critical: true, value: [5, 0])
  private static func flag(_ number: UInt8) -> [UInt8] { DER.element(DERTag.context(number), [0xFF]) }
  private static func issuer(_ name: DistinguishedName) -> Certificate.Extension {
    .init(.certificateIssuer, critical: true, value: DER.sequence(GeneralName.directoryName(name).der))
  }

  static let rows: [Row] = [
    one("a current CRL without the certificate", .good) { _, _ in },
    one("a CRL of another certificate", .good) { $0.revoke($1[2]) },
    one("a CRL with the certificate", .revoked(september, nil)) { $0.revoke($1[0]) },
    one("a CRL with the certificate and a reason", .revoked(september, .keyCompromise)) { $0.revoke($1[0], 1) },
    one("a certificate on hold", .revoked(september, .certificateHold)) { $0.revoke($1[0], 6) },
    Row("no CRL", .undetermined(.noCRL)) { _ in [] },
    one("a CRL of another issuer", .undetermined(.noCRL)) { list, _ in
      list.issuer = DistinguishedName(commonName: "Root A", organization: "Example")
    },
    one("a CRL for CAs", .undetermined(.otherScope)) { list, _ in list.scope = flag(2) },
    one("a CRL for end entities", .good) { list, _ in list.scope = flag(1) },
    one("a CRL for attribute certificates", .undetermined(.otherScope)) { list, _ in list.scope = flag(5) },
    one("a CRL of another distribution point", .undetermined(.otherScope)) { list, _ in
      list.scope = DistributionPointName.full([.uniformResourceIdentifier("http://ca.example/a.crl")]).der
    },
    one("a CRL that is not issued yet", .undetermined(.notCurrent)) { list, _ in
      list.thisUpdate = Hierarchy.date("2016-11-02")
    },
    one("a CRL after its nextUpdate", .undetermined(.notCurrent)) { list, _ in
      list.nextUpdate = Hierarchy.date("2016-10-31")
    },
    one("a CRL after its nextUpdate with the certificate", .undetermined(.notCurrentButListed)) {
      $0.nextUpdate = Hierarchy.date("2016-10-31")
      $0.revoke($1[0])
    },
    one("a CRL on the day of its nextUpdate", .good) { list, _ in list.nextUpdate = Hierarchy.now },
    one("a CRL of last month without nextUpdate", .undetermined(.notCurrent)) { list, _ in list.nextUpdate = nil },
    one("a CRL of last week without nextUpdate", .good) { list, _ in
      list.nextUpdate = nil
      list.thisUpdate = Hierarchy.date("2016-10-25")
    },
    one("an unknown critical extension", .undetermined(.unprocessedExtension)) { list, _ in
      list.otherExtensions = [unknown]
    },
    one("an unknown extension", .good) { list, _ in
      list.otherExtensions = [.init(unknown.oid, value: unknown.value)]
    },
    one("an unknown critical extension of another entry", .undetermined(.unprocessedExtension)) {
      $0.revoke($1[2], nil, [unknown])
    },
    one("a CRL number that is critical", .undetermined(.unprocessedExtension)) { list, _ in
      list.number = nil
      list.otherExtensions = [.init(.cRLNumber, critical: true, value: DER.integer(7))]
    },
    one("a CRL number of 21 octets", .undetermined(.unprocessedExtension)) { list, _ in
      list.number = nil
      list.otherExtensions = [.init(.cRLNumber, value: DER.integer([UInt8](repeating: 1, count: 21)))]
    },
    one("a broken signature", .undetermined(.signatureInvalid)) { list, _ in list.breaksSignature = true },
    one("a signature of another key", .undetermined(.signatureInvalid)) { list, _ in list.key = "impostor" },
    one("a CRL for some reasons", .undetermined(.someReasons)) { list, _ in
      list.scope = DER.element(DERTag.context(3), [1, 0x40])
    },
    one("a CRL for some reasons with the certificate", .revoked(september, .keyCompromise)) {
      $0.scope = DER.element(DERTag.context(3), [1, 0x40])
      $0.revoke($1[0], 1)
    },
    one("an indirect CRL whose entry is of another issuer", .good) {
      $0.scope = flag(4)
      $0.revoke($1[0], nil, [issuer(DistinguishedName(commonName: "Somebody Else"))])
    },
    one("an indirect CRL whose entry is of the issuer", .revoked(september, nil)) {
      $0.scope = flag(4)
      $0.revoke($1[2], nil, [issuer(DistinguishedName(commonName: "Somebody Else"))])
      $0.revoke($1[0], nil, [issuer($0.issuer)])
    },
    Row("a delta CRL that adds the certificate", .revoked(september, .superseded)) { chain in
      var delta = ListTemplate()
      (delta.base, delta.number) = (7, 8)
      delta.revoke(chain[0], 4)
      return [try ListTemplate().issue(), try delta.issue()]
    },
    Row("a delta CRL that removes the certificate", .good) { chain in
      var (list, delta) = (ListTemplate(), ListTemplate())
      list.revoke(chain[0], 6)
      (delta.base, delta.number) = (7, 8)
      delta.revoke(chain[0], 8)
      return [try list.issue(), try delta.issue()]
    },
    Row("a delta CRL to a later CRL", .good) { chain in
      var delta = ListTemplate()
      (delta.base, delta.number) = (8, 9)
      delta.revoke(chain[0])
      return [try ListTemplate().issue(), try delta.issue()]
    },
    Row("a delta CRL alone", .undetermined(.noCRL)) { chain in
      var delta = ListTemplate()
      (delta.base, delta.number) = (7, 8)
      delta.revoke(chain[0])
      return [try delta.issue()]
    },
    Row("a CRL that is not current with one that is", .revoked(september, nil)) { chain in
      var (old, list) = (ListTemplate(), ListTemplate())
      old.nextUpdate = Hierarchy.date("2016-10-31")
      list.revoke(chain[0])
      return [try old.issue(), try list.issue()]
    },
  ]

  @Test("a CRL gives the expected status, or the reason why it gives none", arguments: rows)
  func status(_ row: Row) throws {
    let chain = try Hierarchy().issue()
    let checking = RevocationChecking(try row.lists(chain), candidates: chain, at: Hierarchy.now)
    #expect(checking.status(at: 0, of: CertificatePath(chain, end: .anchor)) == row.status)
  }

  @Test("a CA without cRLSign cannot sign CRLs")
  func unauthorised() throws {
    var hierarchy = Hierarchy()
    for (usage, status) in [([.keyCertSign], .undetermined(.noValidIssuer)), ([.keyCertSign, .cRLSign], .good)]
      as [(KeyUsage, RevocationStatus)]
    {
      hierarchy.issuing.keyUsage = usage
      let chain = try hierarchy.issue()
      let checking = RevocationChecking([try ListTemplate().issue()], candidates: chain, at: Hierarchy.now)
      #expect(checking.status(at: 0, of: CertificatePath(chain, end: .anchor)) == status)
    }
  }

  @Test("with conformance, a CRL needs version 2, cRLNumber, authorityKeyIdentifier and nextUpdate")
  func conformance() throws {
    let chain = try Hierarchy().issue()
    let changes: [(inout ListTemplate) -> Void] = [
      { _ in }, { $0.number = nil }, { $0.hasKeyIdentifier = false }, { $0.nextUpdate = nil },
      { $0.isVersion2 = false }, { $0.hasLongTimes = true },
    ]
    for (index, change) in changes.enumerated() {
      var template = ListTemplate()
      template.thisUpdate = Hierarchy.date("2016-10-25")
      change(&template)
      let lists = [try template.issue()]
      for isStrict in [false, true] {
        let checking = RevocationChecking(lists, candidates: chain, at: Hierarchy.now, requiresConformance: isStrict)
        #expect(
          checking.status(at: 0, of: CertificatePath(chain, end: .anchor))
            == (isStrict && index > 0 ? .undetermined(.nonconforming) : .good))
      }
    }
  }

  @Test("too many candidate certificates with the CRL issuer's name leave the status undetermined")
  func crowd() throws {
    let chain = try Hierarchy().issue()
    var list = ListTemplate()
    list.key = "impostor"
    let crowd = try (0..<3000).map { number in
      var der = chain[1].der
      der[der.count - 1] = UInt8(number & 0xFF)
      der[der.count - 2] = UInt8(number >> 8)
      return try Certificate(der: der)
    }
    let checking = RevocationChecking([try list.issue()], candidates: crowd, at: Hierarchy.now)
    #expect(checking.status(at: 0, of: CertificatePath(chain, end: .anchor)) == .undetermined(.signatureInvalid))
  }
}

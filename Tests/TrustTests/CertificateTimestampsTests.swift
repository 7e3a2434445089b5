import Explanation
import PKIX
import Testing

@testable import Trust

@Suite("Certificate transparency, as far as timestamps are counted") struct CertificateTimestampsTests {
  private func leaf(_ from: String, days: Int) throws -> Certificate {
    var world = World()
    world.leaf.notBefore = World.date(from)
    world.leaf.notAfter = World.date(from).adding(days: days)
    return try world.issue()[0]
  }

  @Test(
    "how many embedded timestamps a certificate needs follows from its lifetime, before and after April 21, 2021",
    arguments: [
      ("2019-01-01", 365, 2), ("2019-01-01", 455, 2), ("2019-01-01", 456, 3), ("2019-01-01", 825, 3),
      ("2019-01-01", 1000, 4), ("2019-01-01", 1300, 5), ("2021-04-20", 181, 2), ("2021-04-21", 180, 2),
      ("2021-04-21", 181, 3), ("2021-04-21", 825, 3), ("2021-04-21", 826, 4),
    ])
  func counts(from: String, days: Int, demanded: Int) throws {
    let leaf = try leaf(from, days: days)
    #expect(CertificateTimestamps.demanded(of: leaf) == demanded)
    #expect(CertificateTimestamps(embedded: demanded).suffice(for: leaf))
    #expect(!CertificateTimestamps(embedded: demanded - 1).suffice(for: leaf))
  }

  @Test("two timestamps are enough where one of them is not embedded")
  func delivered() throws {
    let leaf = try leaf("2022-06-01", days: 365)
    #expect(!CertificateTimestamps(embedded: 2).suffice(for: leaf))
    #expect(CertificateTimestamps(embedded: 1, tlsExtension: 1).suffice(for: leaf))
    #expect(CertificateTimestamps(embedded: 0, ocsp: 2).suffice(for: leaf))
    #expect(!CertificateTimestamps(embedded: 0, tlsExtension: 1).suffice(for: leaf))
  }

  private func evaluate(
    _ count: Int?, kind: TrustStore.Kind = .system, os: String = "iOS 15", from: String = "2022-06-01"
  ) throws -> Finding {
    var world = World()
    world.leaf.notBefore = World.date(from)
    let chain = try world.issue()
    var evaluator = TrustEvaluator(
      TrustRequirements(os: OSVersion(os), date: World.now, store: World.store(chain[2], kind)))
    if let count { policy.timestamps = [chain[0]: CertificateTimestamps(embedded: count)] }
    let evaluation = evaluator.evaluate(Array(chain.prefix(2)), host: "api.example")
    return try #require(evaluation.findings.first { $0.rule == .certificateTransparency })
  }

  @Test("roots of the system are asked for them, on systems and for certificates since 2018")
  func demand() throws {
    #expect(try evaluate(2).refuses)
    #expect(try evaluate(3).outcome == .satisfied)
    #expect(try evaluate(0, os: "iOS 12").outcome == .notApplicable)
    #expect(try evaluate(0, os: "iOS 12.1").refuses)
    #expect(try evaluate(0, kind: .user).outcome == .notApplicable)
    #expect(try evaluate(0, kind: .app).outcome == .notApplicable)
    #expect(try evaluate(0, from: "2018-10-15").outcome == .notApplicable)
    #expect(try evaluate(0, from: "2018-10-16").refuses)
  }

  @Test("where nobody says how many there are, nothing is refused")
  func unknown() throws {
    let finding = try evaluate(nil)
    #expect(finding.outcome == .notEvaluated && !finding.refuses && finding.confidence.note != nil)
  }

  @Test("a root that a profile installed is trusted before iOS 10.3, and waits for its switch since")
  func installed() throws {
    let chain = try World().issue()
    let store = TrustStore(installedNotTrusted: [chain[2]])
    let presented = Array(chain.prefix(2))
    let before = World.evaluate(presented, "api.example", store, os: "iOS 10.2")
    #expect(before.accepted && before.anchorKind == .user && before.result == .proceed)
    for os in ["iOS 10.3", "iOS 17", "macOS 10.11"] {
      #expect(World.evaluate(presented, "api.example", store, os: os).deciding == [.notTrustedYet], "\(os)")
    }
  }
}

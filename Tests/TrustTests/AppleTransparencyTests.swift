import Cryptography
import Explanation
import Laboratory
import PKIX
import Testing

@testable import Trust

@Suite("Certificate Transparency under Apple's policy") struct AppleTransparencyTests {
  private static let logs = (1...5).map { number in
    LogOperator("Log \(number)", operator: "Operator", key: .ec(KeyStore.ecKey(owner: "Log \(number)", curve: .p256)))
  }

  private func leaf(_ from: String, days: Int) throws -> Certificate {
    var world = World()
    world.leaf.notBefore = World.date(from)
    world.leaf.notAfter = World.date(from).adding(days: days)
    return try world.issue()[0]
  }

  @Test(
    "the number of embedded SCTs depends on the lifetime, before and after April 21, 2021",
    arguments: [
      ("2019-01-01", 365, 2), ("2019-01-01", 455, 2), ("2019-01-01", 456, 3), ("2019-01-01", 825, 3),
      ("2019-01-01", 1000, 4), ("2019-01-01", 1300, 5), ("2021-04-20", 181, 2), ("2021-04-21", 180, 2),
      ("2021-04-21", 181, 3), ("2021-04-21", 825, 3), ("2021-04-21", 826, 4),
    ])
  func counts(from: String, days: Int, demanded: Int) throws {
    let leaf = try leaf(from, days: days)
    #expect(AppleTransparency.demanded(of: leaf) == demanded)
    #expect(suffices(leaf, Array(repeating: .embedded, count: demanded)))
    #expect(!suffices(leaf, Array(repeating: .embedded, count: demanded - 1)))
  }

  /// Whether valid SCTs with these origins, each of a different log, are enough.
  private func suffices(_ leaf: Certificate, _ origins: [DeliveredSCT.Origin]) -> Bool {
    let delivered = zip(origins, Self.logs).map { origin, log in
      DeliveredSCT(origin, .valid, at: leaf.notBefore.millisecondsSince1970, of: log.log)
    }
    return AppleTransparency(DeliveredSCTs(delivered), of: leaf, at: leaf.notBefore).isSatisfied
  }

  @Test("two SCTs are enough if one of them is not embedded")
  func delivered() throws {
    let leaf = try leaf("2022-06-01", days: 365)
    #expect(!suffices(leaf, [.embedded, .embedded]))
    #expect(suffices(leaf, [.embedded, .tls]))
    #expect(suffices(leaf, [.ocsp, .ocsp]))
    #expect(!suffices(leaf, [.tls]))
  }

  private func evaluate(
    _ count: Int?, kind: TrustStore.Kind = .system, os: String = "iOS 15", from: String = "2022-06-01"
  ) throws -> Finding {
    var world = World()
    world.leaf.notBefore = World.date(from)
    let chain = try world.issue()
    var evaluator = TrustEvaluator(
      TrustRequirements(os: OSVersion(os), date: World.now, store: World.store(chain[2], kind)))
    var leaf = chain[0]
    if let count {
      let issuing = CertificateAuthority(chain[1], key: try World.key("Issuing"))
      var random = DeterministicRandom(seed: .number(1), label: "logged")
      leaf = try issuing.issue(
        world.leaf, for: leaf.publicKey, loggedBy: Array(Self.logs.prefix(count)), at: leaf.notBefore, random: &random
      ).certificate
      evaluator.evidence.logs = LogList(Self.logs.map(\.log))
    }
    let evaluation = evaluator.evaluate([leaf, chain[1]], host: "api.example")
    return try #require(evaluation.findings.first { $0.rule == .certificateTransparency })
  }

  @Test("SCTs are required under system roots, on systems and for certificates since 2018")
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

  @Test("a client without a log list refuses nothing")
  func unknown() throws {
    let finding = try evaluate(nil)
    #expect(finding.outcome == .notEvaluated && !finding.refuses && finding.confidence.note != nil)
  }

  @Test("a profile's root is trusted before iOS 10.3, and must be enabled since then")
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

import Cryptography
import Explanation
import PKIX
import Testing

@testable import Trust

@Suite("Apple's policy")
struct ApplePolicyTests {
  private static let day: Int64 = 86_400

  private func because(
    issued: String, seconds: Int64, _ kind: TrustStore.Kind, os: String = "iOS 17"
  ) throws -> Set<String> {
    var world = World()
    world.leaf.notBefore = World.date(issued)
    world.leaf.notAfter = World.date(issued).adding(seconds: seconds)
    return try world.evaluate(kind: kind, os: os, at: World.date(issued).adding(days: 1)).because
  }

  struct Row: CustomTestStringConvertible, Sendable {
    let issued: String
    let seconds: Int64
    let kind: TrustStore.Kind
    var testDescription: String { "\(seconds) seconds from \(issued) under \(kind.rawValue)" }

    init(_ issued: String, _ seconds: Int64, _ kind: TrustStore.Kind) {
      self.issued = issued
      self.seconds = seconds
      self.kind = kind
    }
  }

  @Test(
    "the maximum lifetime depends on the anchor and the day of issue, to the second",
    arguments: [
      Row("2020-09-01", 398 * day, .system), Row("2020-08-31T23:59:59Z", 825 * day + 3600, .system),
      Row("2018-03-01", 825 * day + 3600, .system), Row("2022-01-01", 825 * day + 3600, .user),
      Row("2022-01-01", 825 * day + 3600, .app), Row("2019-06-30T23:00:01Z", 825 * day + 3600, .app),
      Row("2018-02-28", 1188 * day + 3600, .system), Row("2016-06-30", 1827 * day + 3600, .system),
    ])
  func lifetime(_ row: Row) throws {
    #expect(try because(issued: row.issued, seconds: row.seconds, row.kind) == [])
    #expect(try because(issued: row.issued, seconds: row.seconds + 1, row.kind) == ["chain.lifetime"])
    #expect(try because(issued: row.issued, seconds: row.seconds + 1, row.kind, os: "iOS 12") == [])
  }

  @Test("before the first day of a rule, no lifetime is too long")
  func oldCertificates() throws {
    #expect(try because(issued: "2019-06-30T23:00:00Z", seconds: 3000 * Self.day, .user) == [])
    #expect(try because(issued: "2019-06-30T23:00:00Z", seconds: 3000 * Self.day, .app) == [])
  }

  @Test("keys of 2048 bits are long enough, shorter ones are refused from iOS 13 on")
  func keySize() throws {
    var world = World()
    world.leafBits = 1024
    let evaluation = try world.evaluate()
    #expect(evaluation.because == ["chain.key-size"])
    #expect(evaluation.result == .recoverableTrustFailure)
    #expect(try world.evaluate(os: "iOS 10").accepted)
    #expect(try world.evaluate(os: "macOS 10.12").accepted)
    #expect(try World().evaluate().accepted)
    let leaf = try world.issueSelfSigned()
    #expect(World.evaluate([leaf], "api.example", TrustStore(user: [leaf])).accepted)
    #expect(World.evaluate([leaf], "api.example", TrustStore(app: [leaf])).because == ["chain.key-size"])
  }

  @Test("iOS 11 and 12 refuse RSA-1024 under roots of the system only")
  func earlyKeySize() throws {
    func because(_ bits: Int, _ kind: TrustStore.Kind, _ os: String) throws -> Set<String> {
      var world = World()
      world.leafBits = bits
      return try world.evaluate(kind: kind, os: os).because
    }
    for os in ["iOS 11", "iOS 12", "macOS 10.13"] {
      #expect(try because(1024, .system, os) == ["chain.key-size"])
      #expect(try because(1024, .user, os) == [])
      #expect(try because(2048, .system, os) == [])
    }
    #expect(try because(1024, .system, "iOS 10") == [])
    // Shorter keys are undocumented, so they are neither refused nor satisfied.
    for (bits, os, outcome) in [
      (512, "iOS 10", Finding.Outcome.unknown), (512, "iOS 12", .violated), (1024, "iOS 10", .notApplicable),
    ] {
      var world = World()
      world.leafBits = bits
      let evaluation = try world.evaluate(os: os)
      let subject = Finding.Subject.certificate(index: 0, name: "api.example")
      let leaf = evaluation.findings.first { $0.rule == .keySize && $0.subject == subject }
      #expect(leaf?.outcome == outcome && evaluation.accepted == (outcome != .violated), "\(bits) \(os)")
    }
    var world = World()
    world.leafBits = 1024
    let found = try world.evaluate(os: "iOS 12").findings.first { $0.rule.id == "chain.key-size" && $0.refuses }
    #expect(found?.rule.clause == .apple("SecPolicyCheckSystemTrustedWeakKey"))
  }

  @Test("a lifetime limit cites the page that documents it")
  func lifetimeClause() throws {
    func clause(_ issued: String, _ kind: TrustStore.Kind) throws -> Clause? {
      var world = World()
      world.leaf.notBefore = World.date(issued)
      world.leaf.notAfter = World.date(issued).adding(days: 900)
      let evaluation = try world.evaluate(kind: kind, at: World.date(issued).adding(days: 1))
      return evaluation.findings.first { $0.rule.id == "chain.lifetime" && $0.refuses }?.rule.clause
    }
    #expect(try clause("2018-06-01", .system) == .apple("SecPolicyServer.c"))
    #expect(try clause("2019-08-01", .app) == .apple("HT210176"))
    #expect(try clause("2020-09-01", .system) == .apple("HT211025"))
  }

  @Test("SHA-1 is refused from iOS 13 on, except in a root's own signature")
  func weakSignature() throws {
    var world = World()
    world.root.signatureScheme = .rsaPKCS1SHA1
    #expect(try world.evaluate().accepted)
    world.leaf.signatureScheme = .rsaPKCS1SHA1
    let evaluation = try world.evaluate()
    #expect(evaluation.because == ["chain.weak-signature"])
    #expect(evaluation.result == .recoverableTrustFailure)
    #expect(try world.evaluate(kind: .user).because == ["chain.weak-signature"])
  }

  @Test("an algorithm too weak for any use is fatal, one too weak for servers not")
  func fatality() throws {
    var world = World()
    world.leaf.signatureScheme = .rsaPKCS1MD5
    #expect(try world.evaluate().because == ["chain.weak-signature"])
    #expect(try world.evaluate().result == .fatalTrustFailure)
    world.leaf.signatureScheme = .rsaPKCS1SHA1
    #expect(try world.evaluate().result == .recoverableTrustFailure)
    world.leaf.signatureScheme = .rsaPKCS1SHA256
    #expect(try world.evaluate().result == .unspecified)
    #expect(TrustEvaluation.refusals(by: .keySize) == [.recoverableTrustFailure, .fatalTrustFailure])
    #expect(TrustEvaluation.refusals(by: .revoked) == [.fatalTrustFailure])
    #expect(TrustEvaluation.refusals(by: .nameConstraints) == [.recoverableTrustFailure])
  }

  @Test(
    "SHA-1 is refused from iOS 11 and macOS 10.13 on, under system roots only",
    arguments: ["iOS 11", "iOS 12", "macOS 10.13", "macOS 10.14"])
  func earlierWeakSignature(os: String) throws {
    var world = World()
    world.root.signatureScheme = .rsaPKCS1SHA1
    #expect(try world.evaluate(os: os).accepted)
    world.leaf.signatureScheme = .rsaPKCS1SHA1
    let evaluation = try world.evaluate(os: os)
    #expect(evaluation.because == ["chain.weak-signature"])
    #expect(evaluation.deciding.first?.clause.section == "HT207459")
    #expect(evaluation.result == .recoverableTrustFailure)
    for kind in [TrustStore.Kind.user, .app] { #expect(try world.evaluate(kind: kind, os: os).accepted) }
    for earlier in ["iOS 10.3", "macOS 10.12"] { #expect(try world.evaluate(os: earlier).accepted) }
    // WebKit refused it from iOS 10.3 on.
    let chain = try world.issue()
    for (os, kind, isAccepted) in [
      ("iOS 10.2", TrustStore.Kind.system, true), ("iOS 10.3", .system, false), ("iOS 10.3", .user, true),
    ] {
      var evaluator = TrustEvaluator(
        TrustRequirements(os: OSVersion(os), date: World.now, store: World.store(chain[2], kind)))
      evaluator.requirements.isWebKit = true
      let evaluation = evaluator.evaluate(Array(chain.prefix(2)), host: "api.example")
      #expect(evaluation.accepted == isAccepted && evaluation.because == (isAccepted ? [] : ["chain.weak-signature"]))
    }
  }

  @Test("a certificate for clients is never accepted for servers")
  func clientPurpose() throws {
    var world = World()
    world.leaf.faults = [.clientPurpose]
    for os in ["iOS 12", "iOS 17"] { #expect(try world.evaluate(os: os).because == ["chain.extended-key-usage"]) }
    #expect(try world.evaluate(nil).accepted)
  }

  @Test("serverAuth is required under system roots, under app anchors if recent, never under user roots")
  func noPurpose() throws {
    var world = World()
    world.leaf.extendedKeyUsage = nil
    #expect(try world.evaluate(kind: .system).because == ["chain.extended-key-usage"])
    #expect(try world.evaluate(kind: .app).because == ["chain.extended-key-usage"])
    #expect(try world.evaluate(kind: .user).accepted)
    #expect(try world.evaluate(kind: .user, os: "doc").because == ["chain.extended-key-usage"])
    #expect(try world.evaluate(kind: .system, os: "iOS 12").accepted)
    world.leaf.notBefore = World.date("2019-06-30T23:00:00Z")
    #expect(try world.evaluate(kind: .app, at: World.date("2020-01-01")).accepted)
    world.leaf.notBefore = World.date("2019-06-30T23:00:01Z")
    world.leaf.notAfter = World.date("2020-06-30")
    #expect(try world.evaluate(kind: .app, at: World.date("2020-01-01")).because == ["chain.extended-key-usage"])
  }

  @Test("under system roots, a CA for other purposes cannot issue server certificates")
  func intermediatePurpose() throws {
    var world = World()
    world.issuing.extendedKeyUsage = ExtendedKeyUsage([ExtendedKeyUsage.clientAuth])
    #expect(try world.evaluate(kind: .system).because == ["chain.extended-key-usage"])
    #expect(try world.evaluate(kind: .user).accepted)
    world.issuing.extendedKeyUsage = ExtendedKeyUsage([ExtendedKeyUsage.any])
    #expect(try world.evaluate(kind: .system).accepted)
  }

  @Test("a rule that is not in force is reported as not applicable")
  func notApplicable() throws {
    let findings = try World().evaluate(os: "iOS 9").findings
    for rule in [Rule.keySize, .weakSignature, .lifetime] {
      #expect(findings.contains { $0.rule == rule && $0.outcome == .notApplicable })
    }
  }
}

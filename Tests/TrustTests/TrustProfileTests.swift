import Explanation
import PKIX
import Testing

@testable import Trust

@Suite("Profiles")
struct TrustProfileTests {
  private func because(
    _ profile: TrustProfile, purpose: TrustRequirements.Purpose = .server, host: String? = "api.example",
    _ change: (inout Chain) -> Void = { _ in }
  ) throws -> Set<String> {
    var chain = Chain()
    change(&chain)
    let os = profile == .apple ? OSVersion(.iOS, 18, 4) : nil
    return TrustEvaluator(
      TrustRequirements(
        profile: profile, os: os, purpose: purpose, date: World.now,
        store: TrustStore(system: try chain.trusted.map(chain.certificate)))
    ).evaluate(try chain.presented.map(chain.certificate), host: host).because
  }

  @Test("a valid chain is accepted by every profile", arguments: TrustProfile.allCases)
  func good(profile: TrustProfile) throws { #expect(try because(profile) == []) }

  @Test("RFC 5280 takes a missing extKeyUsage as any purpose, the other profiles require serverAuth")
  func missingPurpose() throws {
    let change: (inout Chain) -> Void = { $0.leaf.extendedKeyUsage = nil }
    #expect(try because(.rfc5280, change) == [])
    #expect(try because(.webpki, change) == ["chain.extended-key-usage"])
    #expect(try because(.apple, change) == ["chain.extended-key-usage"])
  }

  @Test("the purposes in a certificate count in every profile", arguments: TrustProfile.allCases)
  func wrongPurpose(profile: TrustProfile) throws {
    #expect(try because(profile) { $0.leaf.faults = [.clientPurpose] } == ["chain.extended-key-usage"])
    #expect(try because(profile, purpose: .client, host: nil) { $0.leaf.faults = [.clientPurpose] } == [])
    #expect(try because(profile, purpose: .client, host: nil) == ["chain.extended-key-usage"])
    #expect(try because(profile, purpose: .any, host: nil) { $0.leaf.faults = [.clientPurpose] } == [])
  }

  @Test("webpki refuses a CA as a leaf, any purpose, and a leaf without names")
  func web() throws {
    #expect(
      try because(.webpki) { $0.leaf.basicConstraints = BasicConstraints(isCA: true) } == ["chain.ca-as-leaf"])
    #expect(
      try because(.webpki) {
        $0.leaf.extendedKeyUsage = ExtendedKeyUsage([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.any])
      } == ["chain.extended-key-usage"])
    #expect(try because(.webpki, host: nil) { $0.leaf.faults = [.noAlternativeName] } == ["name.no-san"])
    #expect(try because(.rfc5280, host: nil) { $0.leaf.faults = [.noAlternativeName] } == [])
  }

  @Test("webpki requires a keyUsage in CA certificates")
  func silentAuthority() throws {
    let change: (inout Chain) -> Void = { $0.issuing.keyUsage = nil }
    #expect(try because(.webpki, change) == ["chain.missing-extension"])
    #expect(try because(.rfc5280, change) == [])
    #expect(try because(.apple, change) == [])
  }

  @Test(
    "webpki advises if a lifetime is too long for the day of issue",
    arguments: [
      ("2018-02-28", nil), ("2018-03-01", 825), ("2020-08-31", 825), ("2020-09-01", 398), ("2026-03-14", 398),
      ("2026-03-15", 200), ("2027-03-15", 100), ("2029-03-14", 100), ("2029-03-15", 47),
    ] as [(String, Int64?)])
  func lifetime(issued: String, days: Int64?) throws {
    for excess in [0, 1] as [Int64] {
      var chain = Chain()
      // An elliptic-curve key signs, and encrypts no key (Baseline Requirements 7.1.2.7.11).
      chain.leaf.keyUsage = [.digitalSignature]
      chain.leaf.notBefore = World.date(issued)
      chain.leaf.notAfter = chain.leaf.notBefore.adding(seconds: (days ?? 5000) * 86_400 - 1 + excess)
      let evaluation = TrustEvaluator(
        TrustRequirements(
          profile: .webpki, os: nil, date: chain.leaf.notBefore,
          store: TrustStore(system: try chain.trusted.map(chain.certificate)))
      ).evaluate(try chain.presented.map(chain.certificate), host: "api.example")
      let finding = try #require(evaluation.findings.first { $0.rule == .lifetime })
      #expect(finding.outcome == (days == nil ? .notApplicable : excess == 0 ? .satisfied : .violated))
      #expect(evaluation.because == [])
      guard finding.outcome == .violated else { continue }
      #expect(finding.weight == .advises)
      #expect(finding.required.description == "at most \(days ?? 0) days")
      #expect(finding.rule.clause.description == "CA/B Baseline Requirements: 6.3.2")
    }
  }

  @Test("for RFC 5280 an expired root is an anchor, and its expiry only advice")
  func expiredRoot() throws {
    let change: (inout Chain) -> Void = { $0.root.notAfter = World.date("2022-10-31") }
    #expect(try because(.rfc5280, change) == [])
    #expect(try because(.webpki, change) == ["chain.expired"])
  }

  @Test("rules know their profiles")
  func rules() {
    #expect(Rule.lifetime.profiles == [.webpki, .apple])
    #expect(Rule.caAsLeaf.profiles == [.webpki])
    #expect(Rule.signatureInvalid.profiles == TrustProfile.allCases)
    #expect(Rule.nameMismatch.profiles == TrustProfile.allCases)
  }

  @Test("without any anchor that is the finding, whatever else is missing")
  func noAnchors() throws {
    #expect(try because(.apple) { $0.trusted = [] } == ["chain.no-anchor"])
    #expect(
      try because(.apple) {
        $0.trusted = []
        $0.presented = [.leaf]
      } == ["chain.no-anchor"])
  }

  @Test("a path with valid signatures explains more than one that reaches an anchor without them")
  func bestPath() throws {
    var chain = Chain()
    var impostor = Chain()
    impostor.root.subject = chain.issuing.subject
    chain.trusted = []
    let wrong = try impostor.certificate(.root)
    let presented = try chain.presented.map(chain.certificate)
    let evaluation = TrustEvaluator(TrustRequirements(os: nil, date: World.now, store: TrustStore(system: [wrong])))
      .evaluate(presented, host: nil)
    #expect(evaluation.candidates.count == 2)
    #expect(evaluation.path == presented)
    #expect(evaluation.because == ["chain.no-anchor"])
  }

  @Test("the finding names a CA that precedes the certificates that it issued")
  func order() throws {
    var chain = Chain()
    chain.presented = [.issuing, .leaf]
    let evaluation = TrustEvaluator(
      TrustRequirements(os: nil, date: World.now, store: TrustStore(system: [try chain.certificate(.root)]))
    ).evaluate(try chain.presented.map(chain.certificate), host: nil)
    #expect(evaluation.accepted)
    #expect(evaluation.findings.contains { $0.rule == .leafNotFirst && $0.outcome == .violated })
  }
}

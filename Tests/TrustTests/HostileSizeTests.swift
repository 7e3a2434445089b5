import Cryptography
import Explanation
import PKIX
import Testing

@testable import Trust

/// Chains and names of absurd size: the verdict is immediate and has a finding.
@Suite("Hostile sizes")
struct HostileSizeTests {
  private static let count = 4000

  /// Certificates that name each other as issuer.
  ///
  /// `names` pairs the number of a subject with that of its issuer. All have the signature of one certificate, which
  /// verifies for none.
  private func crowd(_ names: [(subject: Int, issuer: Int)]) throws -> [Certificate] {
    func name(_ number: Int) -> [UInt8] {
      let digits = String(number)
      return Array("CA \(String(repeating: "0", count: 5 - digits.count))\(digits)".utf8)
    }
    var world = World()
    world.root.subject = DistinguishedName(commonName: "CA 90001")
    world.issuing.subject = DistinguishedName(commonName: "CA 90002")
    world.issuing.basicConstraints = BasicConstraints(isCA: true)
    let pattern = try world.issue()[1].der
    let places = [90_002, 90_001].compactMap { number in
      pattern.indices.first { pattern[$0...].starts(with: name(number)) }
    }
    try #require(places.count == 2)
    return try names.enumerated().map { index, pair in
      var der = pattern
      der.replaceSubrange(places[0]..<places[0] + 8, with: name(pair.subject))
      der.replaceSubrange(places[1]..<places[1] + 8, with: name(pair.issuer))
      (der[der.count - 1], der[der.count - 2]) = (UInt8(index & 0xFF), UInt8(index >> 8 & 0xFF))
      return try Certificate(der: der)
    }
  }

  private func evaluate(_ chain: [Certificate], to anchors: [Certificate]) -> TrustEvaluation {
    TrustEvaluator(TrustRequirements(profile: .rfc5280, os: nil, date: World.now, store: TrustStore(system: anchors)))
      .evaluate(chain, host: nil)
  }

  private func saysLimit(_ evaluation: TrustEvaluation) -> Bool {
    evaluation.findings.contains { $0.rule == .buildingLimit && $0.outcome == .violated }
  }

  @Test("a chain of thousands ends at the maximum path length, and the finding says so")
  func long() throws {
    let chain = try crowd((0..<Self.count).map { ($0, $0 + 1) })
    let evaluation = evaluate(chain, to: Array(chain.suffix(1)))
    #expect(evaluation.because == ["chain.building-limit"] && saysLimit(evaluation))
    #expect(evaluation.path.count == PathBuilding.Limits().length)
    let short = evaluate(Array(chain.prefix(9)), to: [chain[8]])
    #expect(short.path.count == 9 && !saysLimit(short))
  }

  @Test("among thousands of certificates with one name and key, the valid one is found")
  func sameName() throws {
    let good = try World().issue()
    let crowd = try crowd([(Int, Int)](repeating: (1, 2), count: Self.count))
    let leaf = try self.crowd([(3, 1)])
    let evaluation = evaluate(leaf + crowd, to: [good[2]])
    #expect(evaluation.because.contains("chain.no-anchor"))
    #expect(evaluation.candidates.count <= PathBuilding.Limits().partialPaths)
    #expect(evaluate(good + crowd, to: [good[2]]).accepted)
    #expect(evaluate([good[0]] + [Certificate](repeating: good[1], count: Self.count), to: [good[2]]).accepted)
  }

  @Test("building with CAs that all certify each other stops, and the finding says so")
  func crossSigned() throws {
    let side = 60
    let pairs = (0..<side).flatMap { subject in
      (0..<side).compactMap { subject == $0 ? nil : (subject: subject, issuer: $0) }
    }
    let evaluation = evaluate(try crowd([(90_000, 0)]) + crowd(pairs), to: try World().issue().suffix(1))
    #expect(!evaluation.accepted && saysLimit(evaluation))
  }

  @Test("a path of thousands is validated to its end")
  func validated() throws {
    let chain = try World().issue()
    let path = CertificatePath([Certificate](repeating: chain[1], count: 2000), end: .anchor)
    #expect(PathValidation(path, at: World.now).findings.refuses)
  }

  @Test("a name of a megabyte gets a verdict wherever it is")
  func megabyte() throws {
    let name = String(repeating: "a", count: 1 << 20)
    let labels = String(repeating: "a.", count: 1 << 19) + "example"
    let root = try World().issue()[2]
    let host = GeneralName.dnsName("api.example")
    func because(_ change: (inout World) -> Void) throws -> Set<String> {
      var world = World()
      change(&world)
      let chain = try world.issue()
      let evaluation = TrustEvaluator(
        TrustRequirements(profile: .webpki, os: nil, date: World.now, store: TrustStore(system: [chain[2]]))
      ).evaluate(chain, host: "api.example")
      #expect(chain[0].displayName.count <= 65)
      return evaluation.because
    }
    #expect(try because { $0.leaf.subject = DistinguishedName(commonName: name) } == ["chain.common-name-form"])
    #expect(try because { $0.issuing.subject = DistinguishedName(commonName: name) } == [])
    for text in [name, labels] {
      let names = SubjectAlternativeName([.dnsName(text), host])
      #expect(try because { $0.leaf.subjectAlternativeName = names } == ["chain.name-form"])
    }
    for (subtree, expected) in [(labels, ["chain.name-constraints", "chain.name-constraints-form"]), ("example", [])] {
      let constraints = NameConstraints(permitted: [.dnsName(subtree)])
      #expect(
        try because { $0.issuing.otherExtensions = [.init(constraints, critical: true)] } == Set(expected))
    }
    #expect(root.displayName == "Root A")
  }
}

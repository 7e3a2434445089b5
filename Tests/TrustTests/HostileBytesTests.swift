import Cryptography
import Explanation
import Foundation
import PKIX
import Testing

@testable import Trust

/// Certificates and lists that were damaged: an error or a finding, never a trap.
@Suite("Hostile bytes")
struct HostileBytesTests {
  /// Some certificates and lists of others' suites, and always our own.
  private static func samples() throws -> [[UInt8]] {
    var samples = try World().issue().map(\.der)
    guard SharedData.exists("suites/pkits.json") else { return samples }
    let suite: PKITSTests.Suite = try SharedData.decode("suites/pkits.json")
    let names = suite.blobs.keys.sorted()
    let step = isThorough ? 1 : max(1, names.count / 12)
    for index in stride(from: 0, to: names.count, by: step) { samples.append(try suite.bytes(names[index])) }
    return samples
  }

  /// With TRUSTLAB_THOROUGH every sample, at every byte.
  private static let isThorough = ProcessInfo.processInfo.environment["TRUSTLAB_THOROUGH"] != nil

  /// Reads bytes as whatever they are and validates what came of it.
  private func judge(_ bytes: [UInt8], _ issuer: Certificate) {
    if let certificate = try? Certificate(der: bytes) {
      _ = certificate.field
      var policy = TrustPolicy(
        profile: .webpki, os: nil, purpose: .server, date: World.now, store: TrustStore(system: [issuer, certificate]))
      policy.isPedantic = true
      for profile in TrustProfile.allCases {
        policy.profile = profile
        policy.os = profile == .apple ? OSVersion(.iOS, 18, 4) : nil
        let evaluation = TrustEvaluator.evaluate([certificate, issuer], host: "api.example", policy)
        for finding in evaluation.findings { _ = finding.found.description }
      }
    }
    if let list = try? CertificateRevocationList(der: bytes) {
      let checking = RevocationChecking([list], candidates: [issuer], at: World.now)
      _ = checking.status(at: 0, of: CertificatePath([issuer, issuer], end: .anchor))
    }
  }

  @Test("bytes that end too early are an error")
  func truncated() throws {
    let issuer = try #require(try World().issue().dropFirst().first)
    for sample in try Self.samples() {
      let step = Self.isThorough ? 1 : 7
      for count in stride(from: 0, to: sample.count, by: step) {
        #expect(throws: CertificateError.self) { try Certificate(der: Array(sample.prefix(count))) }
        #expect(throws: CertificateError.self) { try CertificateRevocationList(der: Array(sample.prefix(count))) }
      }
      judge(sample, issuer)
    }
  }

  @Test("bytes with a flipped bit are an error or are judged")
  func flipped() throws {
    let issuer = try #require(try World().issue().dropFirst().first)
    var random = DeterministicRandom(seed: .number(7), label: "flips")
    for sample in try Self.samples() {
      for _ in 0..<(Self.isThorough ? 2000 : 25) {
        let draw = random.bytes(3)
        let place = (Int(draw[0]) << 8 | Int(draw[1])) % sample.count
        var damaged = sample
        damaged[place] ^= 1 << (draw[2] % 8)
        judge(damaged, issuer)
      }
    }
  }

  @Test("ten thousand certificates, and a name of a megabyte, are answered")
  func large() throws {
    let chain = try World().issue()
    let many = [chain[0]] + [Certificate](repeating: chain[1], count: 10_000)
    let policy = TrustPolicy(profile: .rfc5280, os: nil, date: World.now, store: TrustStore(system: [chain[2]]))
    #expect(TrustEvaluator.evaluate(many, host: "api.example", policy).accepted)
    let path = CertificatePath([Certificate](repeating: chain[1], count: 10_000), end: .anchor)
    #expect(PathValidation(path, at: World.now).findings.refuses)

    var world = World()
    let name = String(repeating: "a", count: 1 << 20)
    world.leaf.subject = DistinguishedName(commonName: name)
    world.leaf.subjectAlternativeName = SubjectAlternativeName([.dnsName(name), .dnsName("api.example")])
    let evaluation = TrustEvaluator.evaluate(
      try world.issue(), host: "api.example",
      TrustPolicy(profile: .webpki, os: nil, date: World.now, store: TrustStore(system: [chain[2]])))
    #expect(evaluation.because == ["chain.name-form"])
  }
}

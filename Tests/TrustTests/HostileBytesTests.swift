import Cryptography
import Explanation
import Foundation
import Oracles
import PKIX
import Testing

@testable import Trust

/// Damages certificates and CRLs: the result is an error or a finding, never a trap or an acceptance.
@Suite("Hostile bytes")
struct HostileBytesTests {
  @Test("truncated bytes are an error, even if the enclosing lengths are corrected")
  func truncated() throws { try HostileBytes.few.truncate() }

  @Test("bytes with a flipped bit are an error or are refused")
  func flipped() throws { try HostileBytes.few.flip() }

  @Test("the undamaged certificates are accepted under their issuers")
  func undamaged() { HostileBytes.few.leave() }
}

/// The same checks for many more certificates and CRLs, and for short ones at every byte.
@Suite("Hostile bytes of many samples")
struct HostileBytesSweep {
  @Test("truncated bytes are an error, even if the enclosing lengths are corrected", arguments: 0..<parts)
  func truncated(part: Int) throws { try HostileBytes.many.truncate(part: part, of: Self.parts) }

  @Test("bytes with a flipped bit are an error or are refused")
  func flipped() throws { try HostileBytes.many.flip() }

  /// The number of parts into which the samples are split; the parts are tested in parallel.
  private static let parts = 8
}

/// Samples of certificates and CRLs, and the ways to damage them.
private struct HostileBytes {
  /// This project's certificates, and some from other suites.
  static let few = HostileBytes(samples: 24, isThorough: false)
  /// This project's certificates and many from other suites, damaged in many more places.
  static let many = HostileBytes(samples: 400, isThorough: true)

  let isThorough: Bool
  let samples: [[UInt8]]

  init(samples count: Int, isThorough: Bool) {
    let own = ((try? World().issue()) ?? []).map(\.der)
    let others = SharedData.encodings
    let step = max(1, others.count / count)
    samples = own + stride(from: 0, to: others.count, by: step).map { others[$0] }
    self.isThorough = isThorough
  }

  /// Every certificate by its subject, which includes the issuers of the samples.
  private static let bySubject = Dictionary(
    grouping: (SharedData.encodings + few.samples).compactMap { try? Certificate(der: $0) }
  ) { $0.subject.der }

  /// The maximum number of places at which a sample is truncated; in a longer sample they are spaced evenly.
  ///
  /// The cost of a place grows with the bytes before it, and a CRL of a thousand entries repeats the same form.
  private static let mostPlaces = 800

  private func step(through count: Int, _ index: Int) -> Int {
    isThorough ? max(1, (count + Self.mostPlaces - 1) / Self.mostPlaces) : index < 4 ? 1 : 13
  }

  /// Truncates the samples of a part.
  func truncate(part: Int = 0, of parts: Int = 1) throws {
    for (index, sample) in samples.enumerated() where index % parts == part {
      let certificate = try? Certificate(der: sample)
      let signed = certificate.map(\.tbsCertificate) ?? (try? CertificateRevocationList(der: sample))?.tbsCertList
      for count in stride(from: 0, to: sample.count, by: step(through: sample.count, index)) {
        let prefix = Array(sample.prefix(count))
        #expect(throws: CertificateError.self) { try Certificate(der: prefix) }
        #expect(throws: CertificateError.self) { try CertificateRevocationList(der: prefix) }
      }
      guard let signed else { continue }
      let short = CutShort(sample, signed: signed)
      for count in stride(from: 0, to: short.count, by: step(through: short.count, index)) {
        judge(short.prefix(count), index)
      }
    }
  }

  func flip() throws {
    var random = DeterministicRandom(seed: .number(7), label: "flips")
    for (index, sample) in samples.enumerated() {
      for _ in 0..<(isThorough ? 60 : 12) {
        let draw = random.bytes(4)
        let place = (Int(draw[0]) << 16 | Int(draw[1]) << 8 | Int(draw[2])) % sample.count
        var damaged = sample
        damaged[place] ^= 1 << (draw[3] % 8)
        judge(damaged, index)
      }
    }
  }

  func leave() {
    let accepted = samples.count { sample in
      (try? Certificate(der: sample)).map { isAccepted($0, Self.issuers(of: $0)) } ?? false
    }
    #expect(accepted >= 2)
  }

  private static func issuers(of certificate: Certificate) -> [Certificate] {
    Array((bySubject[certificate.issuer.der] ?? []).prefix(4))
  }

  private func isAccepted(_ certificate: Certificate, _ issuers: [Certificate]) -> Bool {
    let evaluator = TrustEvaluator(
      TrustRequirements(
        profile: .rfc5280, os: nil, purpose: .any, date: certificate.notAfter, store: TrustStore(system: issuers)))
    return evaluator.evaluate([certificate], host: nil).accepted
  }

  /// Decodes the bytes by their type, and checks every result.
  private func judge(_ bytes: [UInt8], _ index: Int) {
    if let certificate = try? Certificate(der: bytes) {
      _ = certificate.field
      let issuers = Self.issuers(of: certificate)
      #expect(!isAccepted(certificate, issuers), "sample \(index)")
      var evaluator = TrustEvaluator(
        TrustRequirements(
          profile: .webpki, os: nil, purpose: .server, date: certificate.notBefore,
          store: TrustStore(system: issuers + [certificate])))
      evaluator.requirements.conformance = .pedantic
      for profile in [TrustProfile.webpki, .apple] {
        evaluator.requirements.profile = profile
        evaluator.requirements.os = profile == .apple ? OSVersion(.iOS, 18, 4) : nil
        let evaluation = evaluator.evaluate([certificate] + issuers, host: "api.example")
        for finding in evaluation.findings { _ = finding.found.description }
      }
    }
    if let list = try? CertificateRevocationList(der: bytes) {
      for issuer in Self.bySubject[list.issuer.der] ?? [] {
        let checking = RevocationChecking([list], candidates: [issuer], at: list.thisUpdate)
        let status = checking.status(at: 0, of: CertificatePath([issuer, issuer], end: .anchor))
        #expect(status != .good, "sample \(index)")
      }
    }
  }
}

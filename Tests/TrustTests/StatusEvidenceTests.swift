import Cryptography
import Explanation
import PKIX
import Testing

@testable import Trust

/// Several OCSP responses and CRLs about one certificate that contradict each other.
@Suite("Contradicting OCSP responses and CRLs")
struct StatusEvidenceTests {
  /// The status of the server's certificate in a response or CRL, made so many hours ago.
  struct Said: CustomStringConvertible {
    enum Source { case list, answer }

    let source: Source
    let status: SingleResponse.Status
    let hours: Int64

    static func answer(_ status: SingleResponse.Status, _ hours: Int64) -> Said { Said(.answer, status, hours) }
    static func list(_ status: SingleResponse.Status, _ hours: Int64) -> Said { Said(.list, status, hours) }

    private init(_ source: Source, _ status: SingleResponse.Status, _ hours: Int64) {
      (self.source, self.status, self.hours) = (source, status, hours)
    }

    var description: String { "\(source) \(status) \(hours) h ago" }
  }

  private static let day = World.date("2022-10-25")
  private static let revoked = SingleResponse.Status.revoked(day, nil)
  private static let stolen = SingleResponse.Status.revoked(day, .keyCompromise)
  private static let held = SingleResponse.Status.revoked(day, .certificateHold)

  private let chain: [Certificate]
  private let issuing: CertificateAuthority

  init() throws { try self.init(World()) }

  private init(_ world: World) throws {
    chain = try world.issue()
    issuing = CertificateAuthority(chain[1], key: try World.key("Issuing"))
  }

  private func response(_ said: Said, by signer: CertificateAuthority? = nil) throws -> OCSPResponse {
    let date = World.now.adding(seconds: -3600 * said.hours)
    let single = SingleResponse(
      CertificateID(chain[0], issuer: chain[1]), said.status, thisUpdate: date, nextUpdate: date.adding(days: 7))
    var random = DeterministicRandom(seed: .number(1), label: "answer")
    return try OCSPResponder(signer ?? issuing, isDelegate: signer != nil)
      .answer([single], producedAt: date, random: &random)
  }

  private func list(_ said: Said, of certificate: Certificate, by signer: CertificateAuthority? = nil) throws
    -> CertificateRevocationList
  {
    let date = World.now.adding(seconds: -3600 * said.hours)
    var template = CRLTemplate(thisUpdate: date, nextUpdate: date.adding(days: 7), number: 1)
    if case .revoked(let day, let reason) = said.status { template.entries = [.init(certificate, day, reason)] }
    var random = DeterministicRandom(seed: .number(1), label: "list")
    return try (signer ?? issuing).issue(template, random: &random)
  }

  private func evidence(_ all: [Said]) throws -> RevocationEvidence {
    var evidence = RevocationEvidence()
    evidence.answers = try all.filter { $0.source == .answer }.map { try response($0) }
    evidence.lists = try all.filter { $0.source == .list }.map { try list($0, of: chain[0]) }
    return evidence
  }

  /// A policy that checks only the leaf.
  private func ofLeaf(_ base: RevocationPolicy) -> RevocationPolicy {
    var policy = base
    policy.modeForCAs = RevocationPolicy.Mode.none
    return policy
  }

  private func evaluate(
    _ revocation: RevocationPolicy, _ evidence: RevocationEvidence = .init(), _ profile: TrustProfile = .rfc5280,
    store: TrustStore? = nil
  ) -> TrustEvaluation {
    var evaluator = TrustEvaluator(
      TrustRequirements(
        profile: profile, os: profile == .apple ? OSVersion("iOS 17") : nil, date: World.now,
        store: store ?? TrustStore(system: [chain[2]]), revocation: revocation))
    evaluator.evidence.revocation = evidence
    return evaluator.evaluate(Array(chain.prefix(2)), host: "api.example")
  }

  // RFC 5280 section 5.3.1: only a hold can be lifted. Any other revocation is permanent, whatever other evidence says.
  @Test(
    "a revoked certificate stays revoked, except if newer evidence lifts a hold",
    arguments: [
      ([.list(revoked, 1), .answer(.good, 72)], ["chain.revoked"]),
      ([.list(revoked, 72), .answer(.good, 1)], ["chain.revoked"]),
      ([.list(.good, 1), .answer(revoked, 72)], ["chain.revoked"]),
      ([.answer(stolen, 48), .answer(.good, 1)], ["chain.revoked"]),
      ([.answer(held, 48), .answer(.good, 1)], []),
      ([.answer(.good, 1), .answer(held, 48)], []),
      ([.answer(.good, 48), .answer(held, 1)], ["chain.revoked"]),
      ([.list(held, 48), .answer(.good, 1)], []),
      ([.list(.good, 1), .answer(held, 48)], []),
      ([.list(held, 1), .answer(.good, 48)], ["chain.revoked"]),
      ([.answer(held, 2), .answer(.good, 2)], ["chain.revoked"]),
      ([.list(.good, 1), .answer(.good, 1)], []),
      ([.list(.good, 1), .answer(.unknown, 1)], []),
      ([.answer(.unknown, 1)], ["chain.revocation-unknown"]),
    ] as [([Said], Set<String>)])
  func standard(_ said: [Said], _ because: Set<String>) throws {
    let evaluation = evaluate(ofLeaf(RevocationPolicy(.hardFail)), try evidence(said))
    #expect(evaluation.because == because, "\(said)")
  }

  // SecRevocationServer.c keeps the response with the newer thisUpdate, whatever its status, and reads no CRLs.
  @Test(
    "Apple's systems use the newest OCSP response",
    arguments: [
      ([.answer(stolen, 48), .answer(.good, 1)], []),
      ([.answer(.good, 1), .answer(stolen, 48)], []),
      ([.answer(.good, 48), .answer(stolen, 1)], ["chain.revoked"]),
      ([.answer(.good, 48), .list(revoked, 1)], []),
    ] as [([Said], Set<String>)])
  func apple(_ said: [Said], _ because: Set<String>) throws {
    #expect(evaluate(ofLeaf(.apple), try evidence(said), .apple).because == because, "\(said)")
  }

  // That applies only to OCSP responses. A client that is given a CRL honours the revocations in it.
  @Test(
    "in Apple's profile, a CRL that revokes outweighs a newer response if CRLs are used",
    arguments: [
      ([.answer(.good, 1), .list(revoked, 72)], ["chain.revoked"]),
      ([.answer(.good, 72), .list(revoked, 1)], ["chain.revoked"]),
      ([.answer(.good, 1), .list(held, 72)], []),
      ([.answer(.good, 1), .list(.good, 72)], []),
      ([.answer(stolen, 72), .answer(.good, 48), .list(.good, 1)], []),
    ] as [([Said], Set<String>)])
  func appleWithLists(_ said: [Said], _ because: Set<String>) throws {
    var base = RevocationPolicy.apple
    base.looksAtLists = true
    #expect(evaluate(ofLeaf(base), try evidence(said), .apple).because == because, "\(said)")
  }

  // RFC 7633 section 4 with RFC 6960 section 4.2.2.2.1: a response that fails validation does not count.
  @Test("a response of a revoked delegate does not satisfy must-staple", arguments: [false, true])
  func mustStaple(_ isRevoked: Bool) throws {
    var world = World()
    world.leaf.otherExtensions = [.init(TLSFeature([TLSFeature.statusRequest]))]
    let stapling = try StatusEvidenceTests(world)
    let delegate = try delegate(exempt: false)
    var evidence = RevocationEvidence()
    evidence.answers = [try stapling.response(.answer(.good, 1), by: delegate)]
    evidence.lists = [try list(.list(isRevoked ? Self.revoked : .good, 1), of: delegate.certificate)]
    #expect(
      stapling.evaluate(RevocationPolicy(.softFail), evidence).because == (isRevoked ? ["chain.must-staple"] : []))
  }

  @Test("each response and CRL without a usable status has its own reason and fix")
  func unknown() throws {
    let both = try evidence([.answer(.unknown, 1), .list(.good, 24 * 30)])
    let findings = evaluate(ofLeaf(RevocationPolicy(.hardFail)), both).findings.filter {
      $0.rule == .revocationUnknown && $0.outcome == .violated
    }
    #expect(findings.map(\.rule.clause.document) == ["RFC 6960", "RFC 5280"])
    #expect(Set(findings.map(\.rule.fix)).count == 2)
    let expired = World.now.adding(seconds: -3600 * 24 * 30).adding(days: 7)
    #expect(findings.last?.found.description.contains("nextUpdate \(expired)") == true)
    #expect(findings.allSatisfy { !$0.rule.fix.contains("reach") })
  }

  @Test("without any evidence, the fix is to obtain a CRL or an OCSP response")
  func nothing() throws {
    let findings = evaluate(RevocationPolicy(.hardFail)).findings
    let finding = findings.first { $0.rule == .revocationUnknown && $0.outcome == .violated }
    #expect(finding?.found == .absent && finding?.rule.fix == Rule.revocationUnknown.fix)
  }

  @Test("without hard-fail, the reason is part of the unknown status")
  func softFail() throws {
    let evaluation = evaluate(ofLeaf(RevocationPolicy(.softFail)), try evidence([.list(.good, 24 * 30)]))
    #expect(evaluation.because == [])
    let finding = evaluation.findings.first { $0.rule == .revoked && $0.outcome == .unknown }
    #expect(finding?.found.description.contains("nextUpdate") == true)
  }

  private func delegate(exempt: Bool) throws -> CertificateAuthority {
    var template = CertificateTemplate.server(
      DistinguishedName(commonName: "ocsp.example"), names: [.dnsName("ocsp.example")], notBefore: Self.day,
      notAfter: World.date("2023-01-01"))
    template.extendedKeyUsage = ExtendedKeyUsage([ExtendedKeyUsage.ocspSigning])
    if exempt { template.otherExtensions = [.init(.ocspNoCheck, value: [0x05, 0x00])] }
    var random = DeterministicRandom(seed: .number(1), label: "delegate")
    let key = try World.key("Responder")
    return CertificateAuthority(try issuing.issue(template, for: key.publicKey, random: &random), key: key)
  }

  // RFC 6960 section 4.2.2.2.1.
  @Test(
    "a response of a revoked delegate is rejected, unless the delegate has ocsp-nocheck",
    arguments: [(true, false, true), (false, false, false), (false, true, false), (true, true, false)])
  func revokedDelegate(_ isRevoked: Bool, _ isExempt: Bool, _ isRefused: Bool) throws {
    let delegate = try delegate(exempt: isExempt)
    var evidence = RevocationEvidence()
    evidence.answers = [try response(.answer(.good, 1), by: delegate)]
    let said = Said.list(isRevoked ? Self.revoked : .good, 1)
    evidence.lists = [try list(said, of: delegate.certificate)]
    let acceptance = evaluate(ofLeaf(RevocationPolicy(.hardFail)), evidence).findings.first {
      $0.rule == .ocspResponder
    }
    #expect((acceptance?.outcome == .violated) == isRefused)
    #expect(acceptance?.found.description.contains("2022-10-25") == isRefused)
  }

  // RFC 5280 section 6.3.3 (f): the CRL issuer's path is validated, and a distrusted path is not valid.
  @Test("a distrusted certificate cannot sign CRLs or OCSP responses")
  func distrusted() throws {
    let delegate = try delegate(exempt: true)
    let revocation = ofLeaf(RevocationPolicy(.hardFail))
    var evidence = RevocationEvidence()
    evidence.answers = [try response(.answer(.good, 1), by: delegate)]
    #expect(evaluate(revocation, evidence).because == [])
    for list in ["distrusted", "denied"] {
      var store = TrustStore(
        system: [chain[2]], distrusted: list == "distrusted" ? [delegate.certificate] : [])
      if list == "denied" { store.denied = [delegate.certificate] }
      #expect(evaluate(revocation, evidence, store: store).because == ["chain.revocation-unknown"], "\(list)")
    }
  }
}

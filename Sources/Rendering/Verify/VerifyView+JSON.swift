import Cryptography
import Explanation
import PKIX
import Trust

extension VerifyView {
  /// The answer as JSON, version 1: everything that the text shows, and every candidate with all its findings.
  public func json() -> JSONValue { .object([.init("trustlab", 1)] + members) }

  /// The members of the answer after `trustlab`.
  public var members: [JSONValue.Member] {
    let policy = question.policy
    let candidates = evaluation.candidates.map(json)
    let answer: JSONValue = [
      "verdict": .string(verdict.word.rawValue), "result": .string(evaluation.result.description),
      "path": .strings(evaluation.path.map(names.callAsFunction)),
      "candidates": .array(candidates),
      "findings": candidates.first?["findings"] ?? Self.json(evaluation.findings),  // the best one's
      "layer": .optional(verdict.layer?.rawValue), "because": .strings(verdict.because.map(\.id)),
      "unknown": .strings(doubts.map(\.rule.id)),
      "errors": .array(errors.map(\.json)), "host": .optional(question.host),
      "purpose": .string((policy.purpose ?? .any).rawValue), "at": .string(policy.date.description),
      "profile": .string(policy.profile.rawValue), "os": .optional(policy.os?.description),
      "anchors": anchors, "certificates": .array(certificates.map(json)),
      "unused": .strings(unused.map(names.callAsFunction)),
    ]
    return answer.members ?? []
  }

  private func json(_ candidate: TrustEvaluation.Candidate) -> JSONValue {
    [
      "path": .strings(candidate.path.certificates.map(names.callAsFunction)),
      "anchor": .optional(candidate.anchorKind?.rawValue), "findings": Self.json(candidate.findings),
      "issuerSources": .strings(evaluation.sources(of: candidate).map(\.rawValue)),
    ]
  }

  /// Each finding once, settled.
  private static func json(_ findings: [Finding]) -> JSONValue {
    var seen: Set<Finding> = []
    return .array(findings.settled.filter { seen.insert($0).inserted }.map(\.json))
  }

  private var anchors: JSONValue {
    let store = question.policy.store
    return .object(
      TrustStore.Kind.allCases.map { kind in
        .init(kind.rawValue, .integer(store.anchors.certificates.count { store.kind(of: $0) == kind }))
      })
  }

  private func json(_ certificate: Certificate) -> JSONValue {
    let alternatives = certificate.subjectAlternativeName?.names ?? []
    return [
      "name": .string(self.names(certificate)), "subject": .string(certificate.subject.description),
      "issuer": .string(certificate.issuer.description), "serial": .string(Hex.string(certificate.serialNumber)),
      "notBefore": .string(certificate.notBefore.description), "notAfter": .string(certificate.notAfter.description),
      "key": .string(certificate.publicKey.description),
      "signature": .string(certificate.signatureAlgorithm.description),
      "names": .strings(alternatives.map(\.meaning)),
      "sha256": .string(Hex.string(Hash.sha256.digest(certificate.der))),
    ]
  }
}

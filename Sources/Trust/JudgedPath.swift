import Explanation
import PKIX

/// A path with everything that a profile may hold against it.
struct JudgedPath {
  let path: CertificatePath
  let policy: TrustPolicy
  /// What the leaf is asked to be good for.
  let purpose: TrustPolicy.Purpose
  /// What findings call each certificate, the leaf first.
  let subjects: [Finding.Subject]
  /// Who made its last certificate an anchor; nil when it is none.
  let anchorKind: TrustStore.Kind?

  init(
    _ path: CertificatePath, _ subjects: [Finding.Subject], _ policy: TrustPolicy, purpose: TrustPolicy.Purpose
  ) {
    self.path = path
    self.subjects = subjects
    self.policy = policy
    self.purpose = purpose
    anchorKind = path.anchor.flatMap(policy.store.kind)
  }

  func check(
    _ rule: Rule, _ subject: Finding.Subject, _ holds: Bool, required: Detail = .none, found: Detail = .none,
    confidence: Finding.Confidence = .certain
  ) -> Finding {
    policy.enforcement.check(rule, on: subject, holds, required: required, found: found, confidence: confidence)
  }

  func note(_ rule: Rule, _ subject: Finding.Subject, _ outcome: Finding.Outcome) -> Finding {
    policy.enforcement.note(rule, on: subject, outcome)
  }

  /// What `body` finds on the leaf.
  func onLeaf(_ body: (Certificate, Finding.Subject) -> [Finding]) -> [Finding] {
    guard let leaf = path.certificates.first, let subject = subjects.first else { return [] }
    return body(leaf, subject)
  }
}

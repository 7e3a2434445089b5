import Explanation
import PKIX

/// What Apple's default evaluation of servers demands of a path beyond RFC 5280, by operating system, anchor and day
/// of issue: Security, SecPolicy.c and SecPolicyServer.c; HT210176 and HT211025.
///
/// The rules of HT210176 begin with iOS 13 and macOS 10.15; before, they are not-applicable.
struct ApplePolicy {
  let path: CertificatePath
  let policy: TrustPolicy
  let isServer: Bool
  let anchorKind: TrustStore.Kind?
  let subjects: [Finding.Subject]

  init(_ path: CertificatePath, _ subjects: [Finding.Subject], _ policy: TrustPolicy, isServer: Bool) {
    self.path = path
    self.subjects = subjects
    self.policy = policy
    self.isServer = isServer
    anchorKind = path.anchor.flatMap(policy.store.kind)
  }

  var findings: [Finding] {
    guard let leaf = path.certificates.first, let subject = subjects.first else { return [] }
    return trustSettings + anchorDates + keySizes + signatures
      + [lifetime(leaf, subject)] + purposes(leaf, subject)
  }

  /// Whether the rules of HT210176 are in force.
  var isStrict: Bool { policy.os?.isAtLeast(iOS: (13, 0), macOS: (10, 15)) ?? false }

  /// Whether the user trusts the server's certificate itself, which exempts it from some rules.
  var isLeafTrustedByUser: Bool { path.certificates.count == 1 && anchorKind == .user }

  func check(
    _ rule: Rule, _ subject: Finding.Subject, _ holds: Bool, required: Detail = .none, found: Detail = .none,
    confidence: Finding.Confidence = .certain
  ) -> Finding {
    policy.enforcement.check(rule, on: subject, holds, required: required, found: found, confidence: confidence)
  }

  func note(_ rule: Rule, _ subject: Finding.Subject, _ outcome: Finding.Outcome) -> Finding {
    policy.enforcement.note(rule, on: subject, outcome)
  }

  /// What the user or the platform said about single certificates.
  private var trustSettings: [Finding] {
    zip(path.certificates, subjects).flatMap { certificate, subject in
      let isWaiting =
        policy.store.installedNotTrusted.contains(certificate) && policy.store.kind(of: certificate) == nil
      return [
        check(.distrusted, subject, !policy.store.distrusted.contains(certificate)),
        isWaiting ? check(.notTrustedYet, subject, false) : note(.notTrustedYet, subject, .notApplicable),
      ]
    }
  }

  /// The anchor's own dates, which RFC 5280 leaves alone; on every release.
  private var anchorDates: [Finding] {
    guard policy.os != nil, path.certificates.count > 1, let anchor = path.anchor, let subject = subjects.last else {
      return []
    }
    let date = policy.date
    return [
      check(.expired, subject, date <= anchor.notAfter, required: .date(anchor.notAfter), found: .date(date)),
      check(.notYetValid, subject, date >= anchor.notBefore, required: .date(anchor.notBefore), found: .date(date)),
    ]
  }
}

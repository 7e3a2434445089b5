import Explanation
import PKIX

/// What Apple's default evaluation of servers demands of a path beyond RFC 5280, by operating system, anchor and day
/// of issue: Security, SecPolicy.c and SecPolicyServer.c; HT210176 and HT211025.
///
/// The rules of HT210176 begin with iOS 13 and macOS 10.15; before, they are not-applicable.
struct ApplePolicy {
  let judged: JudgedPath

  init(_ judged: JudgedPath) { self.judged = judged }

  var path: CertificatePath { judged.path }
  var policy: TrustPolicy { judged.policy }
  var subjects: [Finding.Subject] { judged.subjects }
  var anchorKind: TrustStore.Kind? { judged.anchorKind }
  var isServer: Bool { judged.purpose == .server }

  /// Whether the rules of HT210176 are in force.
  var isStrict: Bool { policy.os?.isAtLeast(iOS: (13, 0), macOS: (10, 15)) ?? false }

  /// Whether the user trusts the server's certificate itself, which exempts it from some rules.
  var isLeafTrustedByUser: Bool { path.certificates.count == 1 && anchorKind == .user }

  func check(
    _ rule: Rule, _ subject: Finding.Subject, _ holds: Bool, required: Detail = .none, found: Detail = .none,
    confidence: Finding.Confidence = .certain
  ) -> Finding {
    judged.check(rule, subject, holds, required: required, found: found, confidence: confidence)
  }

  func note(_ rule: Rule, _ subject: Finding.Subject, _ outcome: Finding.Outcome) -> Finding {
    judged.note(rule, subject, outcome)
  }
}

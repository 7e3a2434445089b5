import Explanation
import PKIX

/// The maximum lifetime of a server's certificate that was issued on a given day or later.
private struct LifetimeLimit {
  let issuedFrom: Instant
  let seconds: Int64
  let clause: Clause
}

extension [LifetimeLimit] {
  /// Returns the limit for a certificate, by its day of issue.
  fileprivate func limit(for leaf: Certificate) -> LifetimeLimit? { last { leaf.notBefore >= $0.issuedFrom } }
}

private let day: Int64 = 86_400
private let hour: Int64 = 3600

extension ApplePolicy {
  /// Checks the lifetime of the server's certificate. The limit depends on the anchor and the day of issue.
  ///
  /// A leaf that the user trusts is exempt.
  func lifetime(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let limits = anchorKind == .system ? ApplePolicy.systemLimits : ApplePolicy.otherLimits
    guard isServer, isStrict, !isLeafTrustedByUser, let limit = limits.limit(for: leaf) else {
      return note(.lifetime, subject, .notApplicable)
    }
    let (seconds, overflow) = leaf.notAfter.secondsSince1970.subtractingReportingOverflow(
      leaf.notBefore.secondsSince1970)
    let isInferred =
      limit.clause == ApplePolicy.of398Days && requirements.os?.isAtLeast(iOS: (14, 0), macOS: (11, 0)) == false
    return check(
      Rule.lifetime.citing(limit.clause), subject, !overflow && seconds <= limit.seconds,
      required: .atMost(.seconds(limit.seconds)), found: .seconds(seconds),
      confidence: isInferred ? .likely("HT211025 names a day of issue but no release") : .certain)
  }

  private static let ofServers = Clause.apple("SecPolicyServer.c")
  private static let of398Days = Clause.apple("HT211025")
  private static let withClockSkew = 825 * day + hour

  /// The limits for system roots: 60 months, 39 months, 825 days, 398 days.
  private static let systemLimits = [
    LifetimeLimit(
      issuedFrom: Instant(secondsSince1970: .min), seconds: (365 * 5 + 2) * day + hour, clause: ofServers),
    LifetimeLimit(
      issuedFrom: .day(2016, 7, 1), seconds: (365 * 3 + 2 * 31 + 30 + 1) * day + hour, clause: ofServers),
    LifetimeLimit(issuedFrom: .day(2018, 3, 1), seconds: withClockSkew, clause: ofServers),
    LifetimeLimit(issuedFrom: .day(2020, 9, 1), seconds: 398 * day, clause: of398Days),
  ]

  /// The limits for all other anchors.
  private static let otherLimits = [
    LifetimeLimit(issuedFrom: july2019.adding(seconds: 1), seconds: withClockSkew, clause: .apple("HT210176"))
  ]
}

extension WebPKIPolicy {
  /// Checks the lifetime of the server's certificate by its day of issue (section 6.3.2).
  ///
  /// A violation is only advice, because the profile is also used for long-lived private chains.
  var lifetime: [Finding] {
    judged.onLeaf { leaf, subject in
      guard judged.purpose == .server, let limit = WebPKIPolicy.limits.limit(for: leaf) else {
        return [judged.note(Rule.lifetime.citing(WebPKIPolicy.validity), subject, .notApplicable)]
      }
      // From notBefore through notAfter, inclusive (section 1.6.1). A day has 86,400 seconds; a fraction counts as a
      // day.
      let (difference, overflow) = leaf.notAfter.secondsSince1970.subtractingReportingOverflow(
        leaf.notBefore.secondsSince1970)
      let (seconds, more) = difference.addingReportingOverflow(1)
      let isKnown = !overflow && !more
      let finding = judged.check(
        Rule.lifetime.citing(limit.clause), subject, isKnown && seconds <= limit.seconds,
        required: .atMost(.seconds(limit.seconds)), found: isKnown ? .seconds(seconds) : .word("centuries"))
      return [finding.advising]
    }
  }

  private static let validity = Clause.baselineRequirements("6.3.2")

  private static let limits = [
    (Instant.day(2018, 3, 1), 825), (.day(2020, 9, 1), 398), (.day(2026, 3, 15), 200), (.day(2027, 3, 15), 100),
    (.day(2029, 3, 15), 47),
  ].map { LifetimeLimit(issuedFrom: $0, seconds: $1 * day, clause: validity) }
}

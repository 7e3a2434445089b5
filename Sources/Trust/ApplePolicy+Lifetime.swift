import Explanation
import PKIX

/// How long a server's certificate may be valid when it was issued at or after a day.
private struct LifetimeLimit {
  let issuedFrom: Instant
  let seconds: Int64
  let clause: String
}

extension ApplePolicy {
  /// The server's certificate, by its anchor and its day of issue; a leaf that the user trusts is exempt.
  func lifetime(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let limits = anchorKind == .system ? ApplePolicy.systemLimits : ApplePolicy.otherLimits
    guard isServer, isStrict, !isLeafTrustedByUser,
      let limit = limits.last(where: { leaf.notBefore >= $0.issuedFrom })
    else { return note(.lifetime, subject, .notApplicable) }
    let (seconds, overflow) = leaf.notAfter.secondsSince1970.subtractingReportingOverflow(
      leaf.notBefore.secondsSince1970)
    return check(
      .lifetime, subject, !overflow && seconds <= limit.seconds, required: .atMost(.seconds(limit.seconds)),
      found: .seconds(seconds), confidence: confidence(limit))
  }

  private func confidence(_ limit: LifetimeLimit) -> Finding.Confidence {
    if limit.clause == "HT211025", policy.os?.isAtLeast(iOS: (14, 0), macOS: (11, 0)) == false {
      return .likely("HT211025 names a day of issue but no release")
    }
    return .certain
  }

  private static let day: Int64 = 86_400
  private static let hour: Int64 = 3600
  private static let withLeeway = 825 * day + hour

  /// Roots that came with the system: 60 months, 39 months, 825 days, 398 days.
  private static let systemLimits = [
    LifetimeLimit(
      issuedFrom: Instant(secondsSince1970: .min), seconds: (365 * 5 + 2) * day + hour, clause: "SecPolicyServer.c"),
    LifetimeLimit(
      issuedFrom: instant(2016, 7, 1), seconds: (365 * 3 + 2 * 31 + 30 + 1) * day + hour, clause: "SecPolicyServer.c"),
    LifetimeLimit(issuedFrom: instant(2018, 3, 1), seconds: withLeeway, clause: "HT210176"),
    LifetimeLimit(issuedFrom: instant(2020, 9, 1), seconds: 398 * day, clause: "HT211025"),
  ]

  /// All other anchors.
  private static let otherLimits = [
    LifetimeLimit(issuedFrom: july2019.adding(seconds: 1), seconds: withLeeway, clause: "HT210176")
  ]

  /// What the source calls the beginning of July 2019, an hour before it in UTC; rules hold for what is issued later.
  static let july2019 = instant(2019, 7, 1).adding(seconds: -hour)

  static func instant(_ year: Int, _ month: Int, _ day: Int) -> Instant {
    Instant(year: year, month: month, day: day) ?? Instant(secondsSince1970: .max)
  }
}

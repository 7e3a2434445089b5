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
  private static let withLeeway = 825 * day + 3600

  /// Roots that came with the system.
  private static let systemLimits = [
    LifetimeLimit(issuedFrom: instant(2018, 3, 1), seconds: withLeeway, clause: "HT210176"),
    LifetimeLimit(issuedFrom: instant(2020, 9, 1), seconds: 398 * day, clause: "HT211025"),
  ]

  /// All other anchors; the constant in the source is an hour before July in UTC.
  private static let otherLimits = [
    LifetimeLimit(issuedFrom: instant(2019, 7, 1).adding(seconds: -3600), seconds: withLeeway, clause: "HT210176")
  ]

  static func instant(_ year: Int, _ month: Int, _ day: Int) -> Instant {
    Instant(year: year, month: month, day: day) ?? Instant(secondsSince1970: .max)
  }
}

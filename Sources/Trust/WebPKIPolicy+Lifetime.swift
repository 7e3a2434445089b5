import Explanation
import PKIX

/// How long a server's certificate may be valid when it was issued at or after a day.
private struct LifetimeLimit {
  let issuedFrom: Instant
  let days: Int64
}

extension WebPKIPolicy {
  /// How long the server's certificate is valid, by its day of issue: section 6.3.2. It only advises, since the profile
  /// is also for chains that were made to last.
  var lifetime: [Finding] {
    judged.onLeaf { leaf, subject in
      guard judged.purpose == .server,
        let limit = WebPKIPolicy.limits.last(where: { leaf.notBefore >= $0.issuedFrom })
      else { return [judged.note(WebPKIPolicy.longest, subject, .notApplicable)] }
      // From notBefore through notAfter, inclusive (section 1.6.1); a day is 86,400 seconds, and what is more another day.
      let (difference, overflow) = leaf.notAfter.secondsSince1970.subtractingReportingOverflow(
        leaf.notBefore.secondsSince1970)
      let (seconds, more) = difference.addingReportingOverflow(1)
      let isKnown = !overflow && !more
      let finding = judged.check(
        WebPKIPolicy.longest, subject, isKnown && seconds <= limit.days * 86_400,
        required: .atMost(.seconds(limit.days * 86_400)), found: isKnown ? .seconds(seconds) : .word("centuries"))
      return [finding.advising]
    }
  }

  private static let longest = Rule.lifetime.citing(.baselineRequirements("6.3.2"))

  private static let limits = [
    LifetimeLimit(issuedFrom: day(2018, 3, 1), days: 825), LifetimeLimit(issuedFrom: day(2020, 9, 1), days: 398),
    LifetimeLimit(issuedFrom: day(2026, 3, 15), days: 200), LifetimeLimit(issuedFrom: day(2027, 3, 15), days: 100),
    LifetimeLimit(issuedFrom: day(2029, 3, 15), days: 47),
  ]

  private static func day(_ year: Int, _ month: Int, _ day: Int) -> Instant {
    Instant(year: year, month: month, day: day) ?? Instant(secondsSince1970: .max)
  }
}

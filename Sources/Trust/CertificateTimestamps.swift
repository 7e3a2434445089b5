import Explanation
import PKIX

/// The signed certificate timestamps that a server's certificate comes with, by the way they come: RFC 6962 section 3.3.
///
/// Only their numbers: every one counts as genuine, of a log of its own that is approved today and was at issuance.
public struct CertificateTimestamps: Sendable, Hashable, CustomStringConvertible {
  /// In the certificate itself.
  public let embedded: Int
  /// In the TLS extension signed_certificate_timestamp.
  public let tlsExtension: Int
  /// In a stapled OCSP response.
  public let ocsp: Int

  /// So many of each kind.
  public init(embedded: Int, tlsExtension: Int = 0, ocsp: Int = 0) {
    self.embedded = embedded
    self.tlsExtension = tlsExtension
    self.ocsp = ocsp
  }

  /// Those that are not in the certificate.
  private var delivered: Int { tlsExtension + ocsp }

  /// `1 embedded, 1 in the TLS extension, 0 in OCSP`.
  public var description: String { "\(embedded) embedded, \(tlsExtension) in the TLS extension, \(ocsp) in OCSP" }

  /// Whether they are enough for `leaf` by Apple's policy (HT205280; Security, CertificateTransparency.m): enough
  /// embedded ones for its lifetime, or two of which one is not embedded. The limit of logs per operator is not counted.
  public func suffice(for leaf: Certificate) -> Bool {
    embedded >= Self.demanded(of: leaf) || embedded + delivered >= 2 && delivered >= 1
  }

  /// What `suffice` asks for, in words.
  static func demand(of leaf: Certificate) -> Detail {
    .anyOf(["\(demanded(of: leaf)) embedded", "2 of which one is not embedded"])
  }

  /// Holds them against what Apple's policy asks for, under a rule that demands it; not where nobody says how many there
  /// are.
  public static func finding(
    _ rule: Rule, _ timestamps: CertificateTimestamps?, on leaf: Certificate, _ subject: Finding.Subject,
    enforcement: Enforcement, confidence: Finding.Confidence = .certain
  ) -> Finding {
    guard let timestamps else {
      return enforcement.note(
        rule, on: subject, .notEvaluated, required: demand(of: leaf),
        confidence: .unknown("how many timestamps the certificate comes with"))
    }
    return enforcement.check(
      rule, on: subject, timestamps.suffice(for: leaf), required: demand(of: leaf),
      found: .word(timestamps.description), confidence: confidence)
  }

  /// How many embedded ones `leaf` needs, by its day of issue and its lifetime.
  static func demanded(of leaf: Certificate) -> Int {
    guard leaf.notBefore >= .day(2021, 4, 21) else { return demandedByMonths(of: leaf) }
    if leaf.notAfter <= leaf.notBefore.adding(days: 180) { return 2 }
    return leaf.notAfter <= leaf.notBefore.adding(days: 825) ? 3 : 4
  }

  /// How many embedded ones `leaf` needs by the table of months: before April 21, 2021, and on older systems always.
  public static func demandedByMonths(of leaf: Certificate) -> Int {
    demandedByMonths(from: leaf.notBefore, to: leaf.notAfter)
  }

  /// How many embedded ones a certificate needs that is valid for so long, by the table of months.
  public static func demandedByMonths(from start: Instant, to end: Instant) -> Int {
    switch wholeMonths(from: start, to: end) {
    case ..<15: return 2
    case ...27: return 3
    case ...39: return 4
    default: return 5
    }
  }

  static func wholeMonths(from start: Instant, to end: Instant) -> Int {
    let (from, to) = (start.calendar, end.calendar)
    let months = 12 * (to.year - from.year) + to.month - from.month
    let isShort =
      (to.day, to.hour, to.minute, to.second) < (from.day, from.hour, from.minute, from.second)
    return isShort ? months - 1 : months
  }
}

extension Rule {
  /// The certificate was logged.
  public static let certificateTransparency = Rule(
    .chain, "certificate-transparency",
    "A server's certificate under a root of the system comes with enough signed certificate timestamps (SCTs).",
    .apple("HT205280"), fix: "Get a certificate whose CA logs it and embeds enough SCTs.")
}

extension ApplePolicy {
  /// The demand on all publicly trusted certificates of servers issued since October 16, 2018: Security,
  /// SecPolicyCheckSystemTrustedCTRequired. Roots of Apple, of users, administrators and apps are exempt, and what an
  /// administrator excepted; a list of logs that was not renewed for 60 days turns the demand off.
  func transparency(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    guard isTransparencyDemanded(of: leaf) else { return note(.certificateTransparency, subject, .notApplicable) }
    let isCertain = requirements.os?.isAtLeast(iOS: (13, 0), macOS: (10, 15)) ?? false
    let confidence: Finding.Confidence =
      isCertain ? .certain : .likely("which release of iOS 12 and macOS 10.14 began is inferred")
    guard let logs = evidence.logs(for: leaf) else {
      if requirements.transparency.countsUnverified, evidence.timestamps[leaf] == nil {
        return countedTransparency(leaf, subject)
      }
      return CertificateTimestamps.finding(
        .certificateTransparency, evidence.timestamps[leaf], on: leaf, subject, enforcement: diagnostics.enforcement,
        confidence: confidence)
    }
    return transparencyFinding(.certificateTransparency, leaf, subject, logs, confidence)
  }

  /// The demand where only the number of embedded SCTs is known: nothing verifies them without a list of logs, and others
  /// may come in the handshake.
  private func countedTransparency(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let logs = Set((leaf.embeddedTimestamps?.timestamps ?? []).map(\.logID))
    let timestamps = CertificateTimestamps(embedded: logs.count)
    let required = CertificateTimestamps.demand(of: leaf)
    guard timestamps.suffice(for: leaf) else {
      return diagnostics.enforcement.note(
        .certificateTransparency, on: subject, .notEvaluated, required: required,
        found: .word("\(logs.count) embedded"),
        confidence: .unknown("whether more SCTs come in the handshake, and whether the root is one of the system"))
    }
    return check(
      .certificateTransparency, subject, true, required: required, found: .word("\(logs.count) embedded"),
      confidence: .likely("the SCTs were counted; their signatures were not verified"))
  }

  /// The same under whichever rule demands it.
  func transparencyFinding(
    _ rule: Rule, _ leaf: Certificate, _ subject: Finding.Subject, _ logs: LogList, _ confidence: Finding.Confidence
  ) -> Finding {
    let (timestamps, verdict) = transparency(of: leaf, logs)
    let fix = timestamps.fix(for: leaf, demanded: verdict.demanded, checksIntervals: checksShardIntervals)
    return check(
      verdict.isSatisfied ? rule : rule.fixed(by: fix ?? rule.fix), subject, verdict.isSatisfied,
      required: .anyOf(["\(verdict.demanded) embedded", "2 of which one is not embedded"]),
      found: .word(timestamps.description(for: leaf, checksIntervals: checksShardIntervals)), confidence: confidence)
  }

  /// What came with the leaf, and whether it satisfies the policy.
  func transparency(of leaf: Certificate, _ logs: LogList) -> (DeliveredTimestamps, AppleTransparency) {
    let timestamps = DeliveredTimestamps(
      leaf, issuer: path.certificates.dropFirst().first, tls: evidence.presentedTimestamps,
      answers: evidence.revocation.answers, logs: logs, at: requirements.date)
    let verdict = AppleTransparency(
      timestamps, of: leaf, at: requirements.date,
      countsDays: requirements.os?.isAtLeast(iOS: (14, 6), macOS: (11, 4)) ?? true,
      leavesOutTLS: requirements.transparency.demand == .nonTLS, checksIntervals: checksShardIntervals)
    return (timestamps, verdict)
  }

  /// Whether the system knows the shard intervals of logs: since iOS 13 and macOS 10.15 (Security, tag 59306).
  private var checksShardIntervals: Bool { requirements.os?.isAtLeast(iOS: (13, 0), macOS: (10, 15)) ?? true }

  private func isTransparencyDemanded(of leaf: Certificate) -> Bool {
    guard anchorKind == .system, let anchor = path.anchor, !requirements.store.appleRoots.contains(anchor) else {
      return false
    }
    if requirements.transparency.exceptions.exempt(path.certificates, host: requirements.host) { return false }
    let today = requirements.today ?? requirements.date
    if let list = evidence.logs?.timestamp, today > list.adding(days: 60) { return false }
    switch requirements.transparency.demand {
    case .none: return false
    case .nonTLS: return requirements.os?.isAtLeast(iOS: (14, 4), macOS: (11, 2)) ?? false
    case .servers:
      let isKnown = requirements.os?.isAtLeast(iOS: (12, 1), macOS: (10, 14)) ?? false
      let isCurrent = leaf.notBefore <= requirements.date && requirements.date <= leaf.notAfter
      return isServer && isKnown && isCurrent && leaf.notBefore >= .day(2018, 10, 16)
    }
  }
}

extension TrustEvidence {
  /// The logs by which the timestamps of a certificate are judged; nil where these are only told of.
  func logs(for leaf: Certificate) -> LogList? { logged?.contains(leaf) == false ? nil : logs }
}

extension TrustEvaluation {
  /// What came with the server's certificate by way of timestamps, where logs are known and there is an issuer.
  public var deliveredTimestamps: DeliveredTimestamps? { transparency?.0 }

  /// kSecTrustCertificateTransparency: whether the timestamps satisfy Apple's policy and the chain is accepted.
  public var isTransparent: Bool { accepted && transparency?.1.isSatisfied == true }
}

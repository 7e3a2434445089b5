import Explanation
import PKIX

/// The result of Apple's policy for SCTs (Security, CertificateTransparency.m).
public struct AppleTransparency: Sendable {
  /// The number of embedded SCTs that the certificate needs.
  public let demanded: Int
  /// The number of distinct logs whose embedded SCTs the policy accepts.
  public let embedded: Int
  /// Whether the SCTs satisfy the policy.
  public let isSatisfied: Bool

  /// Checks the SCTs of `leaf` against the policy at `date`.
  ///
  /// With `countsDays`, the required number of SCTs for certificates issued since April 21, 2021 depends on days
  /// instead of months, as on iOS 14.6, macOS 11.4 and later. `leavesOutTLS` excludes logs that accept only
  /// certificates of servers. Without `checksIntervals`, the shard intervals of logs are ignored, as on systems before
  /// iOS 13 and macOS 10.15.
  public init(
    _ timestamps: DeliveredSCTs, of leaf: Certificate, at date: Instant, countsDays: Bool = true,
    leavesOutTLS: Bool = false, checksIntervals: Bool = true
  ) {
    let valid = timestamps.all.filter { one in
      one.status == .valid
        && one.log.map { (!checksIntervals || $0.covers(leaf)) && !(leavesOutTLS && $0.isForTLSOnly) } == true
    }
    let current = valid.filter(\.isCurrent)
    let hasCurrent = current.contains { $0.origin == .embedded }
    let issued = hasCurrent ? current.compactMap(\.timestamp).min() ?? date.milliseconds : date.milliseconds
    let once = valid.filter { $0.origin == .embedded && $0.wasCurrent(issued: issued) }
    func logs(_ list: [DeliveredSCT]) -> Int { Set(list.compactMap { $0.log?.id }).count }
    demanded = countsDays ? Self.demanded(of: leaf) : Self.demandedByMonths(of: leaf)
    embedded = logs(current.filter { $0.origin == .embedded } + once)
    let isEmbedded = embedded >= demanded && hasCurrent
    let isDelivered = logs(current) >= 2 && current.contains { $0.origin != .embedded }
    isSatisfied = isEmbedded || isDelivered
  }
}

extension AppleTransparency {
  /// Describes the alternatives that satisfy the policy.
  static func requirement(_ demanded: Int) -> Detail {
    .anyOf(["\(demanded) embedded", "2, one of them not embedded"])
  }

  /// Returns the number of embedded SCTs that `leaf` needs, by its day of issue and its lifetime.
  static func demanded(of leaf: Certificate) -> Int {
    guard leaf.notBefore >= .day(2021, 4, 21) else { return demandedByMonths(of: leaf) }
    if leaf.notAfter <= leaf.notBefore.adding(days: 180) { return 2 }
    return leaf.notAfter <= leaf.notBefore.adding(days: 825) ? 3 : 4
  }

  /// Returns the number of embedded SCTs by the table of months.
  ///
  /// The table applies to certificates issued before April 21, 2021, and on older systems to all certificates.
  public static func demandedByMonths(of leaf: Certificate) -> Int {
    demandedByMonths(from: leaf.notBefore, to: leaf.notAfter)
  }

  /// Returns the number of embedded SCTs for a validity period by the table of months.
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
  /// The certificate was logged (Certificate Transparency).
  public static let certificateTransparency = Rule(
    .chain, "certificate-transparency",
    "A server's certificate under a system root has enough signed certificate timestamps (SCTs).",
    .apple("HT205280"), fix: "Get a certificate whose CA logs it and embeds enough SCTs.")
}

extension ApplePolicy {
  /// Checks publicly trusted server certificates issued since October 16, 2018.
  ///
  /// See Security, SecPolicyCheckSystemTrustedCTRequired. Roots of Apple, users, administrators and apps are exempt, as
  /// are an administrator's exceptions. There is no requirement if the log list was not updated for 60 days.
  func transparency(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    guard isTransparencyDemanded(of: leaf) else { return note(.certificateTransparency, subject, .notApplicable) }
    let isCertain = requirements.os?.isAtLeast(iOS: (13, 0), macOS: (10, 15)) ?? false
    let confidence: Finding.Confidence =
      isCertain ? .certain : .likely("the first release of iOS 12 and macOS 10.14 is inferred")
    if let logs = evidence.logs {
      return transparencyFinding(.certificateTransparency, leaf, subject, logs, confidence, diagnostics.enforcement)
    }
    return requirements.transparency.countsUnverified
      ? countedTransparency(leaf, subject)
      : diagnostics.enforcement.unverifiedTransparency(.certificateTransparency, of: leaf, on: subject)
  }

  /// Checks only the number of embedded SCTs.
  ///
  /// Without a log list, the client cannot verify the SCTs. The handshake may deliver more of them.
  private func countedTransparency(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let count = Set((leaf.embeddedSCTs?.timestamps ?? []).map(\.logID)).count
    let demanded = AppleTransparency.demanded(of: leaf)
    let (required, found) = (AppleTransparency.requirement(demanded), Detail.word("\(count) embedded"))
    guard count >= demanded else {
      return diagnostics.enforcement.note(
        .certificateTransparency, on: subject, .notEvaluated, required: required, found: found,
        confidence: .unknown("whether more SCTs come in the handshake, and whether the root is a system root"))
    }
    return check(
      .certificateTransparency, subject, true, required: required, found: found,
      confidence: .likely("the SCTs were counted; their signatures were not verified"))
  }

  /// Checks the SCTs under the rule that requires them.
  func transparencyFinding(
    _ rule: Rule, _ leaf: Certificate, _ subject: Finding.Subject, _ logs: LogList, _ confidence: Finding.Confidence,
    _ enforcement: Enforcement
  ) -> Finding {
    let (timestamps, verdict) = transparency(of: leaf, logs)
    let fix = timestamps.fix(for: leaf, demanded: verdict.demanded, checksIntervals: checksShardIntervals)
    return enforcement.check(
      verdict.isSatisfied ? rule : rule.fixed(by: fix ?? rule.fix), on: subject, verdict.isSatisfied,
      required: AppleTransparency.requirement(verdict.demanded),
      found: .word(timestamps.description(for: leaf, checksIntervals: checksShardIntervals)), confidence: confidence)
  }

  /// Returns the SCTs of the leaf, and whether they satisfy the policy.
  func transparency(
    of leaf: Certificate, _ logs: LogList
  ) -> (delivered: DeliveredSCTs, verdict: AppleTransparency) {
    let timestamps = DeliveredSCTs(
      leaf, issuer: path.certificates.dropFirst().first, tls: evidence.presentedSCTs,
      answers: evidence.revocation.answers, logs: logs, at: requirements.date)
    let verdict = AppleTransparency(
      timestamps, of: leaf, at: requirements.date,
      countsDays: requirements.os?.isAtLeast(iOS: (14, 6), macOS: (11, 4)) ?? true,
      leavesOutTLS: requirements.transparency.demand == .nonTLS, checksIntervals: checksShardIntervals)
    return (timestamps, verdict)
  }

  /// Whether the system knows the shard intervals of logs, as since iOS 13 and macOS 10.15 (Security, tag 59306).
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

extension Enforcement {
  /// Returns the finding on SCTs that a client without logs cannot verify.
  func unverifiedTransparency(_ rule: Rule, of leaf: Certificate, on subject: Finding.Subject) -> Finding {
    note(
      rule, on: subject, .notEvaluated,
      required: AppleTransparency.requirement(AppleTransparency.demanded(of: leaf)),
      confidence: .unknown("how many SCTs the certificate has"))
  }
}

import Cryptography
import Explanation
import PKIX

/// A signed certificate timestamp (SCT) that was delivered with a server's certificate, and its status.
public struct DeliveredSCT: Sendable, Hashable {
  /// The method of delivery (RFC 6962 section 3.3).
  public enum Origin: String, Sendable, Hashable, CaseIterable {
    /// Embedded in the certificate, and issued for its precertificate.
    case embedded
    /// Sent in the TLS extension signed_certificate_timestamp.
    case tls
    /// Included in an OCSP response.
    case ocsp
  }

  /// The method of delivery.
  public let origin: Origin
  /// The result of verifying the SCT.
  public let status: SCTStatus
  /// The time of the SCT in milliseconds since 1970; nil if the SCT cannot be decoded.
  public let timestamp: UInt64?
  /// The log that issued the SCT; nil if the client does not know it.
  public let log: TransparencyLog?

  /// Creates a delivered SCT.
  public init(_ origin: Origin, _ status: SCTStatus, at timestamp: UInt64?, of log: TransparencyLog?) {
    self.origin = origin
    self.status = status
    self.timestamp = timestamp
    self.log = log
  }
}

/// All SCTs that were delivered with a server's certificate, verified with the keys of their logs.
public struct DeliveredSCTs: Sendable, Hashable, CustomStringConvertible {
  /// The SCTs; those in the certificate come first.
  public let all: [DeliveredSCT]

  /// Creates a list of SCTs.
  public init(_ all: [DeliveredSCT]) { self.all = all }

  /// Verifies the SCTs of `leaf` in the certificate, in the TLS extension, and in OCSP responses.
  ///
  /// The statuses of `leaf` in the OCSP responses `answers` may contain SCTs.
  ///
  /// `issuer` is nil if the path does not contain the issuer.
  public init(
    _ leaf: Certificate, issuer: Certificate?, tls: [[UInt8]] = [], answers: [OCSPResponse] = [], logs: LogList,
    at date: Instant
  ) {
    let now = date.milliseconds
    let precertificate = issuer.flatMap { LogEntry(embeddedIn: leaf, issuer: $0) }
    let embedded = leaf.embeddedSCTs?.items ?? []
    let stapled = answers.flatMap { answer in
      answer.basic?.responses.filter { single in
        issuer.map { single.certificate.identifies(leaf, of: $0) } ?? false
      }.compactMap(\.sctList) ?? []
    }.flatMap { (try? SignedCertificateTimestampList(bytes: $0))?.items ?? [] }
    func verified(_ items: [[UInt8]], _ origin: DeliveredSCT.Origin, _ entry: LogEntry?) -> [DeliveredSCT] {
      items.map { item in
        let (status, timestamp, log) = logs.verify(item, over: entry, at: now)
        return DeliveredSCT(origin, status, at: timestamp?.timestamp, of: log)
      }
    }
    all =
      verified(embedded, .embedded, precertificate) + verified(tls, .tls, .x509(leaf.der))
      + verified(stapled, .ocsp, .x509(leaf.der))
  }

  /// The SCTs in one line, such as `embedded of Alfa, tls of an unknown log (unknown log)`.
  public var description: String { description { $0.status == .valid ? nil : $0.status.rawValue } }

  /// Describes the SCTs, and why logs are not accepted for `leaf`: `embedded of Bravo (retired since 2021-05-01)`.
  ///
  /// `checksIntervals` is whether the client knows the shard intervals of logs.
  func description(for leaf: Certificate, checksIntervals: Bool) -> String {
    description { one in
      one.status == .valid ? one.log?.remark(about: leaf, checksIntervals: checksIntervals) : one.status.rawValue
    }
  }

  /// Returns the fix for too few SCTs; nil if none were delivered.
  ///
  /// The fix has a sentence for each reason why an SCT is not accepted, and states how many logs are missing.
  func fix(for leaf: Certificate, demanded: Int, checksIntervals: Bool) -> String? {
    if all.isEmpty { return nil }
    var fixes: [String] = []
    var logs: Set<[UInt8]> = []
    for one in all {
      let isRepeated = one.log.map { one.status == .valid && !logs.insert($0.id).inserted } ?? false
      let fix =
        one.status.fix ?? one.log?.fix(for: leaf, checksIntervals: checksIntervals)
        ?? (isRepeated ? "Use SCTs from distinct logs: several SCTs from one log count as one." : nil)
      if let fix, !fixes.contains(fix) { fixes.append(fix) }
    }
    fixes.append("Get a certificate with SCTs from at least \(demanded) logs that the client accepts.")
    return fixes.joined(separator: " ")
  }

  private func description(_ remark: (DeliveredSCT) -> String?) -> String {
    if all.isEmpty { return "none" }
    return all.map { one in
      "\(one.origin.rawValue) of \(one.log?.name ?? "an unknown log")" + (remark(one).map { " (\($0))" } ?? "")
    }.joined(separator: ", ")
  }
}

extension Instant {
  /// The time in milliseconds since 1970; 0 for earlier times.
  var milliseconds: UInt64 { millisecondsSince1970 }
}

extension TransparencyLog {
  /// Returns whether the log's interval contains the end of the certificate's validity.
  func covers(_ leaf: Certificate) -> Bool {
    interval.map { $0.start <= leaf.notAfter && leaf.notAfter < $0.end } ?? true
  }

  /// Returns the reason why the log's SCTs are not accepted, or only sometimes; nil for a log in use.
  fileprivate func remark(about leaf: Certificate, checksIntervals: Bool) -> String? {
    if checksIntervals, let interval, !covers(leaf) {
      return "only for certificates that expire from \(interval.start.day) until \(interval.end.day)"
    }
    switch state {
    case .usable, .qualified: return nil
    case .readonly(let date): return "readonly since \(date.day)"
    case .retired(let date): return "retired since \(date.day)"
    case .pending: return "pending"
    case .rejected: return "rejected"
    case nil: return nil
    }
  }
}

extension TransparencyLog {
  /// Returns the fix if SCTs of the log are not accepted, or only sometimes; nil for a log in use.
  fileprivate func fix(for leaf: Certificate, checksIntervals: Bool) -> String? {
    if checksIntervals, !covers(leaf) {
      return "Use a log whose interval includes the certificate's expiry date, \(leaf.notAfter.day)."
    }
    switch state {
    case .usable, .qualified: return nil
    case .readonly, .retired, .pending, .rejected, nil: return "Use logs whose state is usable or qualified."
    }
  }
}

extension SCTStatus {
  /// The fix for an SCT with this status; nil for a valid SCT.
  fileprivate var fix: String? {
    switch self {
    case .valid: nil
    case .invalid: "Replace the SCT whose signature is invalid: it belongs to another certificate, or was changed."
    case .future: "Check the clock: the time of an SCT is in the future."
    case .unknownLog: "Use logs from the client's log list, or update the list."
    case .unsupportedVersion, .malformed: "Use SCTs of version 1 (RFC 6962 section 3.2)."
    case .unsupportedAlgorithm: "Use SCTs that are signed with SHA-256 and either RSA or ECDSA."
    case .incompleteChain: "Present the issuer's certificate: an embedded SCT covers the issuer's key."
    }
  }
}

extension DeliveredSCT {
  /// Whether the log is approved, or was approved when it signed the SCTs.
  var isCurrent: Bool {
    switch log?.state {
    case .usable, .qualified: true
    case .readonly(let date): timestamp.map { $0 <= date.milliseconds } ?? false
    case .retired, .pending, .rejected, nil: false
    }
  }

  /// Returns whether the log was approved when it signed the SCT and when the certificate was issued.
  func wasCurrent(issued: UInt64) -> Bool {
    guard case .retired(let date) = log?.state, let timestamp else { return false }
    return timestamp < date.milliseconds && issued < date.milliseconds
  }
}

/// The result of Chrome's policy, for comparison (GoogleChrome/CertificateTransparency, ct_policy.md).
public enum ChromeTransparency: String, Sendable, Hashable, CaseIterable {
  /// The SCTs satisfy the policy.
  case comply
  /// Too few SCTs come from logs that the policy accepts.
  case notEnough = "not-enough-scts"
  /// All SCTs come from one operator.
  case notDiverse = "not-enough-diverse-scts"

  /// Checks SCTs against the policy since April 15, 2022, for a certificate that needs `demanded` embedded SCTs.
  ///
  /// SCTs that were delivered by different methods are not added up.
  public init(_ timestamps: DeliveredSCTs, demanded: Int) {
    let outcomes = DeliveredSCT.Origin.allCases.map { origin in
      Self.outcome(timestamps.all.filter { $0.origin == origin && $0.status == .valid }, origin, demanded)
    }
    self = outcomes.contains(.comply) ? .comply : outcomes.contains(.notDiverse) ? .notDiverse : .notEnough
  }

  private static func outcome(
    _ timestamps: [DeliveredSCT], _ origin: DeliveredSCT.Origin, _ demanded: Int
  ) -> ChromeTransparency {
    let current = timestamps.filter(\.isAdmitted)
    let retired = origin == .embedded ? timestamps.filter(\.wasAdmitted) : []
    let counted = current + retired
    let needed = origin == .embedded ? demanded : 2
    guard !current.isEmpty, Set(counted.compactMap { $0.log?.id }).count >= needed else { return .notEnough }
    let operators = Set(counted.compactMap { one in one.timestamp.flatMap { one.log?.operatorName(at: $0) } })
    return operators.count < 2 ? .notDiverse : .comply
  }

  /// Returns the number of embedded SCTs that a certificate needs: two up to 180 days, otherwise three.
  ///
  /// If the first SCT was issued before April 15, 2022, the lifetime in months decides. At the limits of 27 and 39
  /// months, an incomplete month counts as a month.
  public static func demanded(from start: Instant, to end: Instant, firstTimestamp: Instant) -> Int {
    if firstTimestamp >= .day(2022, 4, 15) { return end <= start.adding(days: 180) ? 2 : 3 }
    let months = AppleTransparency.wholeMonths(from: start, to: end)
    let (from, to) = (start.calendar, end.calendar)
    let isMore = (to.day, to.hour, to.minute, to.second) != (from.day, from.hour, from.minute, from.second)
    switch months + (isMore && (months == 27 || months == 39) ? 1 : 0) {
    case ..<15: return 2
    case ...27: return 3
    case ...39: return 4
    default: return 5
    }
  }

  /// Returns whether a log list is from the past and at most 70 days old. Otherwise, the policy is not enforced.
  public static func isUsable(_ list: Instant, at date: Instant) -> Bool {
    list <= date && date <= list.adding(days: 70)
  }
}

extension DeliveredSCT {
  fileprivate var isAdmitted: Bool {
    switch log?.state {
    case .usable, .qualified, .readonly: true
    case .retired, .pending, .rejected, nil: false
    }
  }

  fileprivate var wasAdmitted: Bool {
    guard case .retired(let date) = log?.state, let timestamp else { return false }
    return timestamp < date.milliseconds
  }
}

/// An administrator's exceptions to the requirement for SCTs (SecTrustStoreSetCTExceptions).
public struct TransparencyExceptions: Sendable, Hashable {
  /// The exempt hosts. A leading dot includes the names below.
  public var domains: [String] = []
  /// The SHA-256 hashes of the SubjectPublicKeyInfo of exempt servers or CAs.
  public var keys: Set<[UInt8]> = []

  /// Creates an empty set of exceptions.
  public init() {}

  /// Returns whether an exception applies to a host's certificate on this path, leaf first.
  public func exempt(_ path: [Certificate], host: String?) -> Bool {
    if let host = host?.lowercased(), domains.contains(where: { TransparencyExceptions.covers($0.lowercased(), host) })
    {
      return true
    }
    guard !keys.isEmpty, let leaf = path.first else { return false }
    if keys.contains(Hash.sha256.digest(leaf.subjectPublicKeyInfo)) { return true }
    return path.dropFirst().contains { authority in
      keys.contains(Hash.sha256.digest(authority.subjectPublicKeyInfo)) && authority.isOfOneOrganization(as: leaf)
    }
  }

  private static func covers(_ domain: String, _ host: String) -> Bool {
    guard domain.hasPrefix(".") else { return domain == host }
    return host == domain.dropFirst() || host.hasSuffix(domain)
  }
}

extension Certificate {
  /// Returns whether the exception for this CA applies to `leaf`, because the CA belongs to one organization.
  ///
  /// Either its name constraints permit names of an organization, or its subject names the same organizations as
  /// `leaf`, in the same order.
  fileprivate func isOfOneOrganization(as leaf: Certificate) -> Bool {
    let isTied = nameConstraints?.permitted.contains(where: { subtree in
      guard case .directoryName(let name) = subtree else { return false }
      return !name.organizations.isEmpty
    })
    if isTied == true { return true }
    return !subject.organizations.isEmpty && subject.organizations == leaf.subject.organizations
  }
}

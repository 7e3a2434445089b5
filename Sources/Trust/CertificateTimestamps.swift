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
    if leaf.notBefore >= ApplePolicy.instant(2021, 4, 21) {
      if leaf.notAfter <= leaf.notBefore.adding(days: 180) { return 2 }
      return leaf.notAfter <= leaf.notBefore.adding(days: 825) ? 3 : 4
    }
    switch wholeMonths(from: leaf.notBefore, to: leaf.notAfter) {
    case ..<15: return 2
    case ...27: return 3
    case ...39: return 4
    default: return 5
    }
  }

  private static func wholeMonths(from start: Instant, to end: Instant) -> Int {
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
    "A server's certificate under a root of the system comes with enough signed certificate timestamps.",
    .apple("HT205280"), fix: "Take a certificate whose authority has logged it, with embedded timestamps.")
}

extension ApplePolicy {
  /// The demand on all publicly trusted certificates issued since October 16, 2018: Security,
  /// SecPolicyCheckSystemTrustedCTRequired. Roots of users, administrators and apps are exempt.
  func transparency(_ leaf: Certificate, _ subject: Finding.Subject) -> Finding {
    let isKnown = policy.os?.isAtLeast(iOS: (12, 1), macOS: (10, 14)) ?? false
    let isCurrent = leaf.notBefore <= policy.date && policy.date <= leaf.notAfter
    guard isServer, isKnown, isCurrent, anchorKind == .system, leaf.notBefore >= ApplePolicy.instant(2018, 10, 16)
    else {
      return note(.certificateTransparency, subject, .notApplicable)
    }
    let isCertain = policy.os?.isAtLeast(iOS: (13, 0), macOS: (10, 15)) ?? false
    return CertificateTimestamps.finding(
      .certificateTransparency, policy.timestamps[leaf], on: leaf, subject, enforcement: policy.enforcement,
      confidence: isCertain ? .certain : .likely("which release of iOS 12 and macOS 10.14 began is inferred"))
  }
}

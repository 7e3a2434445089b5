import Explanation
import PKIX

/// What a system was told not to trust: a certificate with all that it signed, from a day on, since a release, or by the
/// day of issue of the server's certificate.
///
/// Apple blocked certificates under WoSign and StartCom whose notBefore is 2016-12-01 or later (support article 103723); a
/// compromised certificate is blocked whatever its dates. The day of issue is what the authority wrote: whoever dates
/// back escapes.
public struct Distrust: Sendable, Hashable {
  /// The certificate that is not trusted, nor what it signed.
  public let certificate: Certificate
  /// The first day on which the list is in force; nil is always.
  public var from: Instant?
  /// The releases that brought the list, one for each family; empty is every system.
  public var since: [OSVersion]
  /// Only server certificates whose notBefore is this or later are refused; nil refuses all.
  public var issuedFrom: Instant?
  /// Only server certificates whose notBefore is earlier are refused; nil refuses all.
  public var issuedBefore: Instant?
  /// Certificates through which a path is trusted all the same.
  public var exempt: Set<Certificate>

  /// Distrust of `certificate` and of all that it signed, as far as the other arguments do not narrow it.
  public init(
    _ certificate: Certificate, from: Instant? = nil, since: [OSVersion] = [], issuedFrom: Instant? = nil,
    issuedBefore: Instant? = nil, exempt: Set<Certificate> = []
  ) {
    self.certificate = certificate
    self.from = from
    self.since = since
    self.issuedFrom = issuedFrom
    self.issuedBefore = issuedBefore
    self.exempt = exempt
  }

  /// Whether a system has the list on this day. Apple's documentation is later than every release.
  func isInForce(on today: Instant, os: OSVersion?) -> Bool {
    if let from, today < from { return false }
    guard let os, !since.isEmpty, os.family != .documentation else { return true }
    return since.contains { $0.family == os.family && os >= $0 }
  }

  /// Whether a path that has the certificate on it is refused.
  func covers(_ path: CertificatePath) -> Bool {
    guard let leaf = path.certificates.first, exempt.isDisjoint(with: path.certificates) else { return false }
    return issuedFrom.map { leaf.notBefore >= $0 } ?? true && issuedBefore.map { leaf.notBefore < $0 } ?? true
  }

  /// What would not be refused.
  var required: Detail {
    switch (issuedFrom, issuedBefore) {
    case (nil, nil): .none
    case (let start?, nil): .word("a server certificate issued before \(start)")
    case (nil, let end?): .word("a server certificate issued on \(end) or later")
    case (let start?, let end?): .word("a server certificate issued before \(start), or on \(end) or later")
    }
  }

  /// What was found instead: when the server's certificate was issued, or since when the list is in force.
  func found(on path: CertificatePath) -> Detail {
    if required != .none, let leaf = path.certificates.first { return .word("one issued on \(leaf.notBefore)") }
    return .word(from.map { "distrusted since \($0)" } ?? "distrusted by the system")
  }
}

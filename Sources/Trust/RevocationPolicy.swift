import Explanation
import PKIX

/// What a client does about revocation: whether it asks, and what it takes silence for.
///
/// Nothing is fetched here: `lists` are the CRLs (RFC 5280 section 5) at hand; where there are none, `revoked` stands for
/// those that the authorities publish.
public struct RevocationPolicy: Sendable {
  /// What a client does when it cannot find out.
  public enum Mode: String, Sendable, Hashable, CaseIterable {
    /// It never asks.
    case none
    /// It goes on.
    case softFail = "soft-fail"
    /// It refuses.
    case hardFail = "hard-fail"
  }

  /// What the client does when it cannot find out.
  public var mode: Mode
  /// Whether the authorities' lists can be had.
  public var isReachable: Bool
  /// The certificates on the lists, each with the moment of its revocation.
  public var revoked: [Certificate: Instant]
  /// Real lists, which are looked at in place of `revoked` where there are any.
  public var lists: [CertificateRevocationList] = []
  /// Certificates among which the issuers of lists may be, beside those of the path and those presented.
  public var listIssuers: [Certificate] = []
  /// What the client does when it cannot find out about an authority; nil is the same as about the leaf.
  public var modeForAuthorities: Mode?

  /// A client in this mode, and the lists it would find.
  public init(_ mode: Mode, revoked: [Certificate: Instant] = [:], isReachable: Bool = true) {
    self.mode = mode
    self.revoked = revoked
    self.isReachable = isReachable
  }

  /// Nobody asks.
  public static let none = RevocationPolicy(.none)
}

extension JudgedPath {
  /// Whether each certificate below the anchor is revoked; nothing when the client does not ask.
  var revocation: [Finding] {
    guard policy.revocation.mode != .none else { return [] }
    if !policy.revocation.lists.isEmpty { return listedRevocation }
    let count = path.certificates.count - (path.anchor == nil ? 0 : 1)
    return zip(path.certificates, subjects).prefix(count).flatMap { revocation(of: $0, $1) }
  }

  private func revocation(of certificate: Certificate, _ subject: Finding.Subject) -> [Finding] {
    guard policy.revocation.isReachable else {
      let unknown = note(.revoked, subject, .unknown)
      guard policy.revocation.mode == .hardFail else { return [unknown] }
      return [
        unknown, check(.revocationUnknown, subject, false, required: .word("a current list"), found: .absent),
      ]
    }
    let date = policy.revocation.revoked[certificate]
    return [
      check(
        .revoked, subject, date.map { policy.date < $0 } ?? true,
        required: .word("not on its authority's list, which stands for a CRL that was fetched"),
        found: date.map(Detail.date) ?? .none)
    ]
  }
}

import Explanation
import PKIX

/// What a server's certificates are evaluated against.
public struct TrustPolicy: Sendable {
  /// The client's operating system; nil is RFC 5280 and RFC 9525 alone, without Apple's rules.
  public var os: OSVersion?
  /// The moment of evaluation: SecTrustSetVerifyDate, or the client's clock.
  public var date: Instant
  /// What the client was told beforehand.
  public var store: TrustStore
  /// What findings call certificates.
  public var names: CertificateNames
  /// The rules in force.
  public var enforcement: Enforcement

  /// A policy.
  public init(
    os: OSVersion?, date: Instant, store: TrustStore, names: CertificateNames = .common,
    enforcement: Enforcement = .standard
  ) {
    self.os = os
    self.date = date
    self.store = store
    self.names = names
    self.enforcement = enforcement
  }
}

import Explanation
import PKIX

/// What a server's certificates are evaluated against.
public struct TrustPolicy: Sendable {
  /// What a leaf is asked to be good for.
  public enum Purpose: String, Sendable, Hashable, CaseIterable {
    /// A TLS server (SecPolicyCreateSSL).
    case server
    /// A TLS client.
    case client
    /// Anything (SecPolicyCreateBasicX509).
    case any

    /// The purpose in extKeyUsage; nil for any.
    var keyPurpose: OID? {
      switch self {
      case .server: ExtendedKeyUsage.serverAuth
      case .client: ExtendedKeyUsage.clientAuth
      case .any: nil
      }
    }
  }

  /// Whose demands the path has to meet.
  public var profile: TrustProfile
  /// The client's operating system; nil where the profile is not Apple's.
  public var os: OSVersion?
  /// What the leaf is asked to be good for; nil is a server where a host is asked for, else anything.
  public var purpose: Purpose?
  /// The moment of evaluation: SecTrustSetVerifyDate, or the client's clock.
  public var date: Instant
  /// What the client was told beforehand.
  public var store: TrustStore
  /// What the client does about revocation.
  public var revocation: RevocationPolicy
  /// Lists of public keys: a path must have one of each list; where there is no list, any key will do.
  public var pins: [PublicKeyPins]
  /// The timestamps of certificates; one that is not among them comes with a number that nobody knows.
  public var timestamps: [Certificate: CertificateTimestamps] = [:]
  /// What findings call certificates.
  public var names: CertificateNames
  /// The rules in force.
  public var enforcement: Enforcement

  /// A policy: Apple's on `os`; without one that of RFC 5280, or of the profile named.
  public init(
    profile: TrustProfile? = nil, os: OSVersion?, purpose: Purpose? = nil, date: Instant, store: TrustStore,
    revocation: RevocationPolicy = .none, pins: [PublicKeyPins] = [], names: CertificateNames = .common,
    enforcement: Enforcement = .standard
  ) {
    self.profile = profile ?? (os == nil ? .rfc5280 : .apple)
    self.os = os
    self.purpose = purpose
    self.date = date
    self.store = store
    self.revocation = revocation
    self.pins = pins
    self.names = names
    self.enforcement = enforcement
  }
}

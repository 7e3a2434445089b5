import Explanation
import PKIX

/// The requirements that a server's certificates must meet.
public struct TrustRequirements: Sendable {
  /// The purpose for which the leaf is used.
  public enum Purpose: String, Sendable, Hashable, CaseIterable {
    /// A TLS server (SecPolicyCreateSSL).
    case server
    /// A TLS client.
    case client
    /// Anything (SecPolicyCreateBasicX509).
    case any

    /// The corresponding purpose in extKeyUsage; nil for any.
    var keyPurpose: OID? {
      switch self {
      case .server: ExtendedKeyUsage.serverAuth
      case .client: ExtendedKeyUsage.clientAuth
      case .any: nil
      }
    }
  }

  /// The effect of RFC 5280's requirements on certificates and CRLs (sections 4 and 5).
  public enum Conformance: Sendable, Hashable, Comparable {
    /// Violations are advice. In the profile of the web, they refuse the path.
    case advised
    /// Violations decide.
    case required
    /// Violations refuse the path even if the standard asks validators to be lenient.
    case pedantic
  }

  /// A caller's own limits for a path.
  public struct Limits: Sendable {
    /// The uses that the leaf's key must allow, if the leaf restricts its key usage (SecPolicyCreateSSLWithKeyUsage).
    public var keyUsage: KeyUsage = []
    /// The minimum modulus of RSA keys on the path in bits; nil for the minimum of the profile.
    public var minimumRSABits: Int?
    /// The maximum number of intermediate certificates that are not self-issued; nil for any number.
    public var maximumIntermediates: Int?
    /// The maximum number of signatures that one evaluation verifies.
    public var maximumSignatures = SignatureCache.defaultLimit
    /// Whether the anchor's own dates are required in the profile of RFC 5280, whose paths do not include the anchor.
    public var checksAnchorDates = false

    /// Creates limits that exclude no path.
    public init() {}
  }

  /// The profile whose rules apply.
  public var profile: TrustProfile
  /// The client's operating system; nil if the profile is not Apple's.
  public var os: OSVersion?
  /// Whether WebKit performs the evaluation. WebKit refused SHA-1 earlier than the rest of the system.
  public var isWebKit = false
  /// The required purpose of the leaf. If it is nil, the purpose is a server if there is a host, or else any purpose.
  public var purpose: Purpose?
  /// The requested host; nil if names are not checked (SecPolicyCreateBasicX509).
  public internal(set) var host: String?
  /// The date of validation, which is the client's clock or set by SecTrustSetVerifyDate.
  public var date: Instant
  /// The time of the client's clock, if paths are validated at another date (SecTrustSetVerifyDate); nil if they are
  /// the same.
  public var today: Instant?
  /// The certificates that the client trusts, distrusts, or knows in advance.
  public var store: TrustStore
  /// The client's revocation checks.
  public var revocation: RevocationPolicy
  /// Lists of pinned public keys. A path must contain a key of each list.
  public var pins: [PublicKeyPins]
  /// The client's requirement for SCTs.
  public var transparency = TransparencyPolicy()
  /// The violations that the app accepts for one server's certificate (SecTrustSetExceptions).
  public var exceptions: TrustExceptions?
  /// The inputs of path validation in addition to the path and the date (RFC 5280 section 6.1.1).
  public var inputs = PathValidation.Inputs()
  /// The caller's own limits.
  public var limits = Limits()
  /// The effect of the standard's requirements on certificates and CRLs.
  public var conformance = Conformance.advised

  /// Creates Apple's requirements on `os`. Without a system, the requirements are those of RFC 5280 or of the given
  /// profile.
  public init(
    profile: TrustProfile? = nil, os: OSVersion?, purpose: Purpose? = nil, date: Instant, store: TrustStore,
    revocation: RevocationPolicy = .none, pins: [PublicKeyPins] = []
  ) {
    self.profile = profile ?? (os == nil ? .rfc5280 : .apple)
    self.os = os
    self.purpose = purpose
    self.date = date
    self.store = store
    self.revocation = revocation
    self.pins = pins
  }
}

/// The requirement for SCTs on certificates under system roots.
public struct TransparencyPolicy: Sendable {
  /// The certificates that need SCTs. They differ between the policies of Security.framework.
  public enum Demand: String, Sendable, Hashable, CaseIterable {
    /// The certificates of TLS servers (SecPolicyCheckSystemTrustedCTRequired).
    ///
    /// Policies with other names do not require SCTs, including those for hosts that Apple pins.
    case servers
    /// All certificates, with SCTs of logs that are not only for servers (SecPolicyCheckNonTlsCTRequired).
    case nonTLS = "non-tls"
    /// No certificate.
    case none
  }

  /// The certificates that need SCTs.
  public var demand = Demand.servers
  /// An administrator's exceptions.
  public var exceptions = TransparencyExceptions()
  /// Whether embedded SCTs are accepted if the client knows no logs that could verify them.
  public var countsUnverified = false

  /// Creates Apple's default.
  public init() {}
}

/// The violations that an app accepts for one server's certificate (SecTrustCopyExceptions and SecTrustSetExceptions).
///
/// Exceptions are a stored decision of the user. Other violations still refuse the certificate, and fatal violations
/// cannot be excepted (Security, SecTrust.c).
public struct TrustExceptions: Sendable, Hashable {
  /// The server certificate to which the exceptions apply.
  public let certificate: Certificate
  /// The rules that the certificate and its names may violate.
  public let rules: Set<Rule>
  /// The rules that the certificates of its issuers may violate.
  public var issuers: [Certificate: Set<Rule>] = [:]

  /// Creates exceptions for `certificate`.
  public init(_ certificate: Certificate, rules: Set<Rule>) {
    self.certificate = certificate
    self.rules = rules
  }

  /// Returns whether the exceptions permit a violation on a path.
  ///
  /// The exceptions for each position on the path apply only to the certificate with the recorded digest (SecTrust.c).
  func permits(_ finding: Finding, on path: [Certificate]) -> Bool {
    guard case .certificate(let index, _) = finding.subject, index > 0 else { return rules.contains(finding.rule) }
    return path.indices.contains(index) && issuers[path[index]]?.contains(finding.rule) == true
  }
}

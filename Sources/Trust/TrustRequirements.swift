import Explanation
import PKIX

/// The requirements that a server's certificates must meet.
public struct TrustRequirements: Sendable {
  /// The purpose that a leaf must be good for.
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

  /// How far the requirements of RFC 5280 sections 4 and 5 on certificates and CRLs decide.
  public enum Conformance: Sendable, Hashable, Comparable {
    /// They are advice, except in the profile of the web, where they decide.
    case advised
    /// They decide.
    case required
    /// They decide also where the standard asks validators to be lenient.
    case pedantic
  }

  /// A caller's own limits for a path.
  public struct Limits: Sendable {
    /// The uses that the leaf's key must allow, if the leaf restricts them: SecPolicyCreateSSLWithKeyUsage.
    public var keyUsage: KeyUsage = []
    /// The smallest modulus of an RSA key anywhere on the path; nil is the profile's.
    public var minimumRSABits: Int?
    /// The most intermediates that are not self-issued; nil is any number.
    public var maximumIntermediates: Int?
    /// Whether the anchor's own dates decide in the profile of RFC 5280, whose paths do not hold the anchor.
    public var checksAnchorDates = false

    /// No limits.
    public init() {}
  }

  /// The profile whose rules apply.
  public var profile: TrustProfile
  /// The client's operating system; nil if the profile is not Apple's.
  public var os: OSVersion?
  /// Whether WebKit asks, which refused SHA-1 earlier than the system did for others.
  public var isWebKit = false
  /// The purpose that the leaf must be good for; nil is a server if there is a host, else anything.
  public var purpose: Purpose?
  /// The requested host; nil leaves names unchecked (SecPolicyCreateBasicX509).
  public internal(set) var host: String?
  /// The moment of evaluation: SecTrustSetVerifyDate, or the client's clock.
  public var date: Instant
  /// The client's clock, if paths are validated at another date (SecTrustSetVerifyDate); nil is the same.
  public var today: Instant?
  /// The certificates that the client trusts, distrusts or knows beforehand.
  public var store: TrustStore
  /// The client's revocation checks.
  public var revocation: RevocationPolicy
  /// Lists of public keys: a path must have one of each list.
  public var pins: [PublicKeyPins]
  /// The client's demand for SCTs.
  public var transparency = TransparencyPolicy()
  /// The violations that the app accepts for one server's certificate (SecTrustSetExceptions).
  public var exceptions: TrustExceptions?
  /// The inputs of path validation in addition to path and date: RFC 5280 section 6.1.1.
  public var inputs = PathValidation.Inputs()
  /// The caller's own limits.
  public var limits = Limits()
  /// How far the standard's requirements on certificates and CRLs decide.
  public var conformance = Conformance.advised

  /// Apple's requirements on `os`; without a system those of RFC 5280, or of the profile named.
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

/// The demand for SCTs on certificates under roots of the system.
public struct TransparencyPolicy: Sendable {
  /// The certificates that must come with SCTs: the policies of Security.framework differ.
  public enum Demand: String, Sendable, Hashable, CaseIterable {
    /// Those of TLS servers: SecPolicyCheckSystemTrustedCTRequired. Policies of other names, among them those of hosts
    /// that Apple pins, leave it out.
    case servers
    /// All, by the logs that are not for servers alone: SecPolicyCheckNonTlsCTRequired.
    case nonTLS = "non-tls"
    /// None.
    case none
  }

  /// The certificates that must come with SCTs.
  public var demand = Demand.servers
  /// An administrator's exceptions.
  public var exceptions = TransparencyExceptions()
  /// Whether embedded SCTs are counted if the client knows no logs that could verify them.
  public var countsUnverified = false

  /// Apple's default.
  public init() {}
}

/// The violations that an app accepts for one server's certificate: SecTrustCopyExceptions and SecTrustSetExceptions.
///
/// It is a user's decision that was kept. What fails for another reason than these still fails, and what is fatal cannot
/// be excepted: Security, SecTrust.c.
public struct TrustExceptions: Sendable, Hashable {
  /// The server's certificate for which they hold, and no other.
  public let certificate: Certificate
  /// The rules that it and its names may violate.
  public let rules: Set<Rule>
  /// The rules that certificates above it may violate.
  public var issuers: [Certificate: Set<Rule>] = [:]

  /// Exceptions for `certificate`.
  public init(_ certificate: Certificate, rules: Set<Rule>) {
    self.certificate = certificate
    self.rules = rules
  }

  /// Whether they permit a violation on a path: the exceptions for each place hold for the certificate that was there, by
  /// its digest, and for no other (SecTrust.c).
  func permits(_ finding: Finding, on path: [Certificate]) -> Bool {
    guard case .certificate(let index, _) = finding.subject, index > 0 else { return rules.contains(finding.rule) }
    return path.indices.contains(index) && issuers[path[index]]?.contains(finding.rule) == true
  }
}

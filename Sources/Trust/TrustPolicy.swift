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
  /// Whether WebKit asks, which refused SHA-1 earlier than the system did for others.
  public var isWebKit = false
  /// What the leaf is asked to be good for; nil is a server where a host is asked for, else anything.
  public var purpose: Purpose?
  /// The moment of evaluation: SecTrustSetVerifyDate, or the client's clock.
  public var date: Instant
  /// The client's clock, where paths are validated at another date (SecTrustSetVerifyDate); nil is the same.
  public var today: Instant?
  /// What the client fetched of issuers that a chain lacks; nil where it asks nobody (SecTrustSetNetworkFetchAllowed).
  public var issuers: IssuerFetching?
  /// What the client has asked about revocation over the network; nil where it asks nobody.
  public var statuses: StatusFetching?
  /// What the app lets pass for one server's certificate (SecTrustSetExceptions).
  public var exceptions: TrustExceptions?
  /// What the client knows beforehand.
  public var store: TrustStore
  /// What the client does about revocation.
  public var revocation: RevocationPolicy
  /// Whether it refuses a server that must staple and does not: RFC 7633. Nil is what the profile says.
  public var holdsMustStaple: Bool?
  /// Lists of public keys: a path must have one of each list; where there is no list, any key will do.
  public var pins: [PublicKeyPins]
  /// The timestamps of certificates; one that is not among them comes with a number that nobody knows.
  public var timestamps: [Certificate: CertificateTimestamps] = [:]
  /// Whether the SCTs of a certificate are counted where neither logs nor their number are known: of real servers.
  public var countsTimestamps = false
  /// The logs that the client knows; nil where timestamps are only told of.
  public var logs: LogList?
  /// The certificates whose timestamps are all at hand; nil for every one. Of others they are only told of.
  public var logged: Set<Certificate>?
  /// The timestamps of the TLS extension, as they stand.
  public var presentedTimestamps: [[UInt8]] = []
  /// What is known of names under which registries register, where an Apple system meets a star before one.
  public var publicSuffixes = PublicSuffixes.notAsked
  /// Whose certificates must come with timestamps.
  public var transparency = TransparencyDemand.servers
  /// What an administrator excepts from that.
  public var transparencyExceptions = TransparencyExceptions()
  /// The host that is asked for, where an exception may name it.
  var transparencyHost: String?
  /// The inputs of path validation beside path and date: RFC 5280 section 6.1.1.
  public var inputs = PathValidation.Inputs()
  /// What the leaf's key must be allowed where it says what it is allowed: SecPolicyCreateSSLWithKeyUsage.
  public var keyUsage: KeyUsage = []
  /// The smallest modulus of an RSA key anywhere on the path; nil is what the profile says.
  public var minimumRSABits: Int?
  /// Whether the anchor's own dates decide where the profile is that of RFC 5280, whose paths do not hold the anchor.
  public var checksAnchorDates = false
  /// How many intermediates that are not self-issued a path may have; nil is any number.
  public var maximumIntermediates: Int?
  /// Whether what RFC 5280 sections 4 and 5 ask of those who issue certificates and lists decides in its profile, too:
  /// in that of the web it always does.
  public var requiresConformance = false
  /// Whether it decides also where the standard asks those who validate to be lenient.
  public var isPedantic = false
  /// What findings call certificates.
  public var names: CertificateNames
  /// The presented certificates that cannot be read: where each is, and why.
  public var unreadable: [String] = []
  /// The rules in force.
  public var enforcement: Enforcement
  /// What is searched, in which order, and what is compared with what.
  public var decisions: PathDecisions { enforcement.decisions() }

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

extension TrustPolicy {
  /// The same finding. If the path ends early and a presented certificate cannot be read, the fix is to correct that one.
  func helping(_ finding: Finding) -> Finding {
    guard let first = unreadable.first, finding.outcome == .violated,
      [.noIssuer, .noAnchor].contains(finding.rule)
    else { return finding }
    return finding.of(
      finding.rule.fixed(
        by: "A presented certificate cannot be read, and may be the missing one: \(first). Present it as its CA issued "
          + "it, or have it issued again."))
  }
}

/// Whose certificates under roots of the system must come with timestamps: the policies of Security.framework differ.
public enum TransparencyDemand: String, Sendable, Hashable, CaseIterable {
  /// Those of TLS servers: SecPolicyCheckSystemTrustedCTRequired. Policies of other names, among them those of hosts that
  /// Apple pins, leave it out.
  case servers
  /// All, by the logs that are not for servers alone: SecPolicyCheckNonTlsCTRequired.
  case nonTLS = "non-tls"
  /// Nobody's.
  case none
}

/// What an app lets pass for one server's certificate: SecTrustCopyExceptions and SecTrustSetExceptions.
///
/// It stands for the decision of a user that was kept. What fails for another reason than these still fails, and what
/// is fatal cannot be excepted: Security, SecTrust.c.
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

  /// Whether a violation on a path passes: the exceptions for each place hold for the certificate that stood there, by its
  /// digest, and for no other (SecTrust.c).
  func lets(_ finding: Finding, pass path: [Certificate]) -> Bool {
    guard case .certificate(let index, _) = finding.subject, index > 0 else { return rules.contains(finding.rule) }
    return path.indices.contains(index) && issuers[path[index]]?.contains(finding.rule) == true
  }
}

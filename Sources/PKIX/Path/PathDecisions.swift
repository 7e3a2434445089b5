import Cryptography
import Explanation

/// The decisions of path building, path validation and name comparison that are not rules.
///
/// Examples are the order in which issuers are tried, and the values that are compared. If a decision is nil, the
/// engine makes the correct one. A historical bug, such as "the first path only", replaces a decision. A violation that
/// the bug ignores is reported as `overridden`.
public struct PathDecisions: EngineDecisions {
  /// The certificates that may have issued another certificate, by their origin.
  public struct FoundIssuers: Sendable {
    /// The presented certificates and other available ones, in order.
    public let presented: [Certificate]
    /// The certificates among the trust anchors, in order.
    public let anchors: [Certificate]
    /// All of the certificates, the most promising first (RFC 4158 section 3.5).
    public let preferred: [Certificate]
  }

  /// A certificate for which the engine decides whether it must be a CA certificate (RFC 5280 section 6.1.4 (k)).
  public struct CARequirement: Sendable {
    /// The index of the certificate in the path; 0 is the leaf.
    public let index: Int
    /// The path.
    public let path: CertificatePath
    /// The result of path building.
    public let search: PathSearch
    /// Whether certificates must conform to the RFC (`X509_V_FLAG_X509_STRICT`).
    public let isStrict: Bool
    /// The purpose that the leaf must allow; nil for any.
    public let purpose: OID?
  }

  /// The reason why a signature was not verified.
  public enum SignatureOutcome: Sendable, Hashable {
    /// The signature does not verify.
    case invalid
    /// The signature algorithm is not supported.
    case unsupported
  }

  /// Returns the issuers to try, in order. After a dead end, the search continues with the next issuer.
  ///
  /// The correct decision is to try all issuers, the most promising first.
  public var issuersToTry: (@Sendable (_ found: FoundIssuers, _ certificate: Certificate) -> [Certificate])?
  /// Returns whether `certificate` is the trust anchor. The correct decision is to compare all bytes.
  public var isAnchor: (@Sendable (_ certificate: Certificate, _ anchor: Certificate) -> Bool)?
  /// Returns whether a certificate must be a CA certificate. The correct decision is to require it of all certificates
  /// above the leaf.
  public var requiresCA: (@Sendable (CARequirement) -> Bool)?
  /// Returns the meaning of an error that occurred while verifying a signature. The correct decision is
  /// `SignatureError.outcome`.
  public var outcome: (@Sendable (SignatureError) -> SignatureOutcome)?
  /// Returns the part of a certificate's name that is compared with the host. The correct decision is to compare the
  /// whole name.
  public var comparedName: (@Sendable (_ presented: String) -> String)?
  /// Returns whether a wildcard name may match a host within an excluded subtree.
  ///
  /// Both arguments are in lower case, and the wildcard name omits its wildcard label. In the correct decision, it may
  /// match even if the subtree is one label below.
  public var mayCover: (@Sendable (_ wildcard: [UInt8], _ excludedBase: [UInt8]) -> Bool)?

  /// Returns the number of intermediates that a pathLenConstraint allows. The correct decision is its value.
  public var intermediatesAllowed: (@Sendable (_ pathLength: Int) -> Int)?

  /// The correct decisions.
  public init() {}

  /// The correct decisions.
  public static let standard = PathDecisions()

  /// Returns whether a host is the base, or ends with a period and the base. Both are in lower case.
  public static func isWithin(_ host: [UInt8], _ base: [UInt8]) -> Bool { HostText.ends(host, with: base) }
}

extension Fault {
  /// Creates a fault that changes decisions of path building and validation, so that violations of `rules` are ignored.
  public static func path(_ rules: [Rule] = [], _ change: @escaping @Sendable (inout PathDecisions) -> Void) -> Fault {
    .changing(rules, change)
  }
}

/// The certificates and paths of one path building.
public struct PathSearch: Sendable {
  /// The presented certificates, which are not trusted.
  public let presented: Set<Certificate>
  /// The paths without an anchor, in the order in which they were found.
  public let discarded: [CertificatePath]

  /// Creates the result of a search over `presented` certificates, with the paths that it discarded.
  public init(presented: Set<Certificate> = [], discarded: [CertificatePath] = []) {
    self.presented = presented
    self.discarded = discarded
  }
}

extension SignatureError {
  /// The meaning of the error: the algorithm is not supported, or the signature is invalid.
  var outcome: PathDecisions.SignatureOutcome {
    switch self {
    case .keyMismatch, .unsupportedScheme, .unsupportedKey: .unsupported
    default: .invalid
    }
  }
}

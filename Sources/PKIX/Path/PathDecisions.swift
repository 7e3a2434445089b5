import Cryptography
import Explanation

/// The decisions of path building, path validation and name comparison that are not rules.
///
/// Examples are which issuers are searched, in which order, and which values are compared. A decision that is nil is
/// the correct one. A historical bug such as "the first path only" replaces one; a violation that it ignores is
/// `overridden`.
public struct PathDecisions: EngineDecisions {
  /// The certificates that may have issued another, by their origin.
  public struct FoundIssuers: Sendable {
    /// The presented certificates, and others that are available, in order.
    public let presented: [Certificate]
    /// Those among the trust anchors, in order.
    public let anchors: [Certificate]
    /// All of them, the most promising first (RFC 4158 section 3.5).
    public let preferred: [Certificate]
  }

  /// A certificate that may have to be a CA certificate (RFC 5280 section 6.1.4 (k)).
  public struct CARequirement: Sendable {
    /// The certificate's place in the path; 0 is the leaf.
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
    /// It does not verify.
    case invalid
    /// Its algorithm is not supported.
    case unsupported
  }

  /// The issuers to follow, in order; after a dead end the search continues with the next one. Correct: all, the most
  /// promising first.
  public var issuersToTry: (@Sendable (_ found: FoundIssuers, _ certificate: Certificate) -> [Certificate])?
  /// Whether `certificate` is the trust anchor. Correct: both are equal, byte by byte.
  public var isAnchor: (@Sendable (_ certificate: Certificate, _ anchor: Certificate) -> Bool)?
  /// Whether a certificate must be a CA certificate. Correct: all above the leaf.
  public var requiresCA: (@Sendable (CARequirement) -> Bool)?
  /// The meaning of an error in the verification of a signature. Correct: see `SignatureError.outcome`.
  public var outcome: (@Sendable (SignatureError) -> SignatureOutcome)?
  /// The part of a name in the certificate that is compared with the host. Correct: all of it.
  public var comparedName: (@Sendable (_ presented: String) -> String)?
  /// Whether a wildcard name may match a host within an excluded subtree. Both are in lower case, the name without its
  /// wildcard label. Correct: it may, also if the subtree is one label below.
  public var mayCover: (@Sendable (_ wildcard: [UInt8], _ excludedBase: [UInt8]) -> Bool)?

  /// The correct decisions.
  public init() {}

  /// The correct decisions.
  public static let standard = PathDecisions()

  /// Whether a host is the base or ends with it after a period; both are in lower case.
  public static func isWithin(_ host: [UInt8], _ base: [UInt8]) -> Bool { HostText.ends(host, with: base) }
}

extension Fault {
  /// A fault that changes decisions of path building and validation, so that violations of `rules` pass.
  public static func path(_ rules: [Rule] = [], _ change: @escaping @Sendable (inout PathDecisions) -> Void) -> Fault {
    .changing(rules, change)
  }
}

/// The certificates and paths of a path building.
public struct PathSearch: Sendable {
  /// The presented certificates. They are not trusted because they were found.
  public let presented: Set<Certificate>
  /// The paths without an anchor, in the order they were found.
  public let discarded: [CertificatePath]

  /// Creates a search over `presented` certificates that discarded these paths.
  public init(presented: Set<Certificate> = [], discarded: [CertificatePath] = []) {
    self.presented = presented
    self.discarded = discarded
  }
}

extension SignatureError {
  /// The meaning of the error: an algorithm that is not supported, or a signature that another key made.
  var outcome: PathDecisions.SignatureOutcome {
    switch self {
    case .keyMismatch, .unsupportedScheme, .unsupportedKey: .unsupported
    default: .invalid
    }
  }
}

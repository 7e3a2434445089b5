import Cryptography
import Explanation

/// The decisions of path building, path validation and comparison of names that are no rules: what is searched, in which
/// order, and what is compared with what.
///
/// Each is the correct one unless another was put in its place: nil. A historical bug such as "the first path only" is
/// this value with one entry changed; a violation that it lets pass shows as `overridden`.
public struct PathDecisions: EngineDecisions {
  /// The certificates that may have issued another, by where they were found.
  public struct FoundIssuers: Sendable {
    /// Those presented, or at hand otherwise, in order.
    public let presented: [Certificate]
    /// Those among the trust anchors, in order.
    public let anchors: [Certificate]
    /// All of them, the most promising first (RFC 4158 section 3.5).
    public let preferred: [Certificate]
  }

  /// The question whether a certificate must be an authority: RFC 5280 section 6.1.4 (k).
  public struct AuthorityQuestion: Sendable {
    /// The certificate's place in the path; 0 is the leaf.
    public let index: Int
    /// The path.
    public let path: CertificatePath
    /// What path building came by on the way to the path.
    public let search: PathSearch
    /// Whether certificates must be issued as the standard demands (`X509_V_FLAG_X509_STRICT`).
    public let isStrict: Bool
    /// What the leaf is asked to be good for; nil is anything.
    public let purpose: OID?
  }

  /// What it means that a signature was not verified.
  public enum SignatureOutcome: Sendable, Hashable {
    /// It does not verify.
    case invalid
    /// It cannot be verified here.
    case unsupported
  }

  /// Which issuers are followed, and in which order; the search comes back for the next one after a dead end. Correct:
  /// all, the most promising first.
  public var issuersToTry: (@Sendable (_ found: FoundIssuers, _ certificate: Certificate) -> [Certificate])?
  /// Whether `certificate` is the trust anchor. Correct: it is the same certificate, byte by byte.
  public var isAnchor: (@Sendable (_ certificate: Certificate, _ anchor: Certificate) -> Bool)?
  /// Whether a certificate must be an authority. Correct: all above the leaf must.
  public var holdsAuthority: (@Sendable (AuthorityQuestion) -> Bool)?
  /// What an error in the verification of a signature means. Correct: see `SignatureError.outcome`.
  public var outcome: (@Sendable (SignatureError) -> SignatureOutcome)?
  /// What of a name in the certificate is compared with the host. Correct: all of it.
  public var comparedName: (@Sendable (_ presented: String) -> String)?
  /// Whether a wildcard name may stand for a host within an excluded subtree; both in lower case, the wildcard without
  /// its star. Correct: where the subtree lies one label below, too.
  public var mayCover: (@Sendable (_ wildcard: [UInt8], _ excludedBase: [UInt8]) -> Bool)?

  /// The correct decisions.
  public init() {}

  /// The correct decisions.
  public static let standard = PathDecisions()

  /// Whether a host is the base, or ends with it after a period; both in lower case.
  public static func isWithin(_ host: [UInt8], _ base: [UInt8]) -> Bool { HostText.ends(host, with: base) }
}

extension Fault {
  /// The fault that changes decisions of path building and validation, and so lets violations of `rules` pass.
  public static func path(_ rules: [Rule] = [], _ change: @escaping @Sendable (inout PathDecisions) -> Void) -> Fault {
    .changing(rules, change)
  }
}

/// What path building came by on the way to a path.
public struct PathSearch: Sendable {
  /// Those of the certificates at hand that were presented, and are not trusted because they were found.
  public let presented: Set<Certificate>
  /// The paths that led nowhere, in the order they were found.
  public let discarded: [CertificatePath]

  /// A search over `presented` certificates that discarded these paths.
  public init(presented: Set<Certificate> = [], discarded: [CertificatePath] = []) {
    self.presented = presented
    self.discarded = discarded
  }
}

extension SignatureError {
  /// What the error says of a certificate's signature: an algorithm that cannot be computed here, or a signature that is
  /// none of the issuer's.
  var outcome: PathDecisions.SignatureOutcome {
    switch self {
    case .keyMismatch, .unsupportedScheme, .unsupportedKey: .unsupported
    default: .invalid
    }
  }
}

import Explanation
import PKIX

/// The evidence for an evaluation: the presented chain, and all data that was delivered with it or fetched.
public struct TrustEvidence: Sendable {
  /// The presented chain. The server's own certificate comes first; the others are in any order.
  public internal(set) var chain: [Certificate] = []
  /// Descriptions of the presented certificates that cannot be decoded, each with its position and its error.
  public var unreadable: [String] = []
  /// The issuers that the client fetched; nil if it does not fetch issuers (SecTrustSetNetworkFetchAllowed).
  public var issuers: IssuerFetching?
  /// The client's requests for revocation statuses; nil if it makes none.
  public var statuses: StatusFetching?
  /// The CRLs and OCSP responses.
  public var revocation = RevocationEvidence()
  /// The SCTs of the TLS extension, as received.
  public var presentedSCTs: [[UInt8]] = []
  /// The logs that the client knows; nil if it cannot verify SCTs.
  public var logs: LogList?
  /// The public suffixes, which Apple's systems compare with wildcard names.
  public var publicSuffixes = PublicSuffixes.notAsked

  /// Creates empty evidence.
  public init() {}
}

extension TrustEvidence {
  /// Returns the finding. Its fix names a malformed certificate that may be missing from the path.
  func helping(_ finding: Finding) -> Finding {
    guard let first = unreadable.first, finding.outcome == .violated,
      [.noIssuer, .noAnchor].contains(finding.rule)
    else { return finding }
    return finding.of(
      finding.rule.fixed(
        by: "A presented certificate cannot be decoded and may be the missing one: \(first). Present it as its CA "
          + "issued it, or have it issued again."))
  }
}

/// The available CRLs (RFC 5280 section 5) and OCSP responses (RFC 6960).
public struct RevocationEvidence: Sendable {
  /// The CRLs.
  public var lists: [CertificateRevocationList] = []
  /// The OCSP responses, whether stapled, cached or fetched. The client tries each of them for every certificate.
  public var answers: [OCSPResponse] = []
  /// Whether the client requested a stapled response (RFC 6066 section 8).
  public var asksForStaple = true
  /// The stapled bytes; nil if the server did not staple any, or if the client ignores them.
  var staple: Staple?

  /// Bytes that a server stapled.
  enum Staple: Sendable {
    case response(OCSPResponse)
    case unreadable

    /// The response; nil if the bytes cannot be decoded.
    var response: OCSPResponse? { if case .response(let response) = self { response } else { nil } }
  }

  var hasUnreadableStaple: Bool { if case .unreadable? = staple { true } else { false } }
}

/// The names and rules that an evaluation uses for its findings.
public struct TrustDiagnostics: Sendable {
  /// The names of certificates in findings.
  public var names: CertificateNames
  /// The rules in force.
  public var enforcement: Enforcement
  /// The decisions of path building and validation that may be mutated.
  public var decisions: PathDecisions { enforcement.decisions() }

  /// Creates diagnostics with names for certificates and the rules in force.
  public init(names: CertificateNames = .common, enforcement: Enforcement = .standard) {
    self.names = names
    self.enforcement = enforcement
  }
}

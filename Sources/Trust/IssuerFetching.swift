import Explanation
import PKIX

/// The missing issuers that a client has already fetched.
///
/// This type fetches nothing. An evaluation requests the next fetch (`TrustEvaluation.wanted`). A caller with network
/// access fetches it and evaluates again with the response. On Apple's systems, SecTrustEvaluate fetches by itself, so
/// it may block and must not be called on the main thread.
public struct IssuerFetching: Sendable {
  /// The responses in order: the URL, and the certificates from it. The certificates are empty without a usable
  /// response.
  public private(set) var answers: [(url: String, certificates: [Certificate])] = []
  /// The maximum number of fetches.
  public static let limit = 8

  /// Creates a record without fetches.
  public init() {}

  /// Adds the certificates that were fetched from `url`.
  public mutating func add(_ certificates: [Certificate], from url: String) { answers.append((url, certificates)) }

  /// All fetched certificates.
  var certificates: [Certificate] { answers.flatMap(\.certificates) }

  /// Returns the next fetch, which is for the missing issuer of the best incomplete path.
  ///
  /// The result is nil if the path's last certificate names no URL that still has to be fetched.
  func next(for candidates: [TrustEvaluation.Candidate]) -> TrustFetch? {
    guard answers.count < Self.limit else { return nil }
    for candidate in candidates where !candidate.path.isAnchored {
      guard let last = candidate.path.certificates.last, !last.isSelfIssued else { continue }
      for url in last.issuerLocations where !answers.contains(where: { $0.url == url }) {
        return TrustFetch(.issuer, url: url, certificate: last)
      }
    }
    return nil
  }

  /// Returns the URL from which `certificate` was fetched.
  func origin(of certificate: Certificate) -> String? {
    answers.first { $0.certificates.contains(certificate) }?.url
  }
}

extension Certificate {
  /// The plain HTTP URLs of the issuer's certificate, in order.
  public var issuerLocations: [String] { locations(.caIssuers) }

  /// The plain HTTP URLs of the responder, in order.
  public var responderLocations: [String] { locations(.ocsp) }

  private func locations(_ method: OID) -> [String] {
    (authorityInformationAccess?.descriptions ?? []).compactMap { description in
      guard description.method == method, case .uniformResourceIdentifier(let url) = description.location,
        url.hasPrefix("http://")
      else { return nil }
      return url
    }
  }
}

/// The source of an issuer's certificate, in the order in which SecTrustEvaluate searches the sources.
public enum IssuerSource: String, Sendable, Hashable, CaseIterable {
  /// The chain that the caller evaluates, with the server's certificates and those that the app added.
  case caller
  /// The anchors that the app set (SecTrustSetAnchorCertificates).
  case anchors
  /// The system's own store, including the certificates that the user installed.
  case system
  /// The network, through authorityInformationAccess (RFC 5280 section 4.2.2.1).
  case network
}

extension TrustStore {
  /// Returns the source of each issuer in a path, beginning with the leaf's issuer.
  func sources(of path: CertificatePath, chain: Set<Certificate>, fetched: Set<Certificate>) -> [IssuerSource] {
    path.certificates.dropFirst().map { certificate in
      if chain.contains(certificate) { return .caller }
      if kind(of: certificate) == .app { return .anchors }
      return kind(of: certificate) == nil && fetched.contains(certificate) ? .network : .system
    }
  }
}

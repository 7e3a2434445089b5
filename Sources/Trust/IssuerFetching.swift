import Explanation
import PKIX

/// What a client has fetched of the issuers that a chain lacks, so far.
///
/// Nothing is fetched here: an evaluation says what it wants (`TrustEvaluation.wanted`), and whoever has a network asks
/// again with the answer. That is why SecTrustEvaluate may wait, and must not be called on the main thread.
public struct IssuerFetching: Sendable {
  /// The answers in order: what came from where; nothing where nobody answered, or with something else.
  public private(set) var answers: [(url: String, certificates: [Certificate])] = []
  /// How many are asked for at most.
  public static let limit = 8

  /// Nothing was fetched yet.
  public init() {}

  /// What came from `url`.
  public mutating func add(_ certificates: [Certificate], from url: String) { answers.append((url, certificates)) }

  /// Everything that was fetched.
  var certificates: [Certificate] { answers.flatMap(\.certificates) }

  /// What to ask for next: the issuer that the best unfinished path lacks, where its last certificate names a place
  /// that was not asked yet.
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

  /// Where `certificate` came from.
  func origin(of certificate: Certificate) -> String? {
    answers.first { $0.certificates.contains(certificate) }?.url
  }
}

extension Certificate {
  /// Where it says that the certificate of its issuer can be had over plain HTTP, in order.
  public var issuerLocations: [String] { locations(.caIssuers) }

  /// Where it says that its responder answers over plain HTTP, in order.
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

/// Where the certificate of an issuer was found, in the order in which SecTrustEvaluate looks.
public enum IssuerSource: String, Sendable, Hashable, CaseIterable {
  /// The chain that the caller evaluates: what the server presented, and what the app added to it.
  case caller
  /// The anchors that the app set: SecTrustSetAnchorCertificates.
  case anchors
  /// The system's own store, and what the user installed in it.
  case system
  /// The network, by authorityInformationAccess: RFC 5280 section 4.2.2.1.
  case network
}

extension TrustStore {
  /// Where each issuer of a path was found, the leaf's first.
  func sources(of path: CertificatePath, chain: Set<Certificate>, fetched: Set<Certificate>) -> [IssuerSource] {
    path.certificates.dropFirst().map { certificate in
      if chain.contains(certificate) { return .caller }
      if kind(of: certificate) == .app { return .anchors }
      return kind(of: certificate) == nil && fetched.contains(certificate) ? .network : .system
    }
  }
}

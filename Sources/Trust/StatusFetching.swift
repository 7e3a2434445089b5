import Cryptography
import Explanation
import PKIX

/// Data about a certificate that the client must fetch over plain HTTP before the evaluation can continue.
public struct TrustFetch: Sendable, Hashable {
  /// The kind of data.
  public enum Content: Sendable, Hashable {
    /// The issuer's certificate (RFC 5280 section 4.2.2.1, id-ad-caIssuers).
    case issuer
    /// The OCSP response to this request (RFC 6960).
    case answer(OCSPRequest)
    /// A complete CRL (RFC 5280 section 4.2.1.13).
    case list
    /// A delta CRL (RFC 5280 section 4.2.1.15).
    case delta
  }

  /// The kind of data to fetch.
  public let content: Content
  /// The URL from the certificate or the CRL.
  public let url: String
  /// The certificate that contains the URL.
  public let certificate: Certificate

  init(_ content: Content, url: String, certificate: Certificate) {
    self.content = content
    self.url = url
    self.certificate = certificate
  }

  /// The suffix of the URL's path, and the body of the request if the URL would be too long.
  ///
  /// If the whole URL has fewer than 255 octets, the request is sent by GET in Base64; otherwise by POST (RFC 6960
  /// appendix A.1).
  public var target: (suffix: String, body: [UInt8]?) {
    guard case .answer(let request) = content else { return ("", nil) }
    let encoded = Base64.encode(request.der).replacing("+", with: "%2B").replacing("/", with: "%2F")
      .replacing("=", with: "%3D")
    return url.utf8.count + 1 + encoded.utf8.count < 255 ? (encoded, nil) : ("", request.der)
  }
}

/// The revocation requests that a client has already sent over the network.
///
/// This type fetches nothing. An evaluation requests the next fetch (`TrustEvaluation.wanted`). A caller with network
/// access fetches it and evaluates again with the result.
public struct StatusFetching: Sendable {
  /// Whether the client queries OCSP responders.
  public var asksResponders = true
  /// Whether the client fetches the CRLs of certificates that do not name a responder.
  public var fetchesCRLs = true
  /// Whether the client fetches delta CRLs.
  public var fetchesDeltas = true
  /// The fetches that were already made.
  public private(set) var asked: Set<TrustFetch> = []
  /// The maximum number of fetches.
  public static let limit = 16
  /// The maximum number of responders. If a certificate names more, the client queries none of them (Security,
  /// SecRevocationServer.c).
  static let maximumResponders = 10

  /// Creates a record without fetches.
  public init(asksResponders: Bool = true, fetchesCRLs: Bool = true) {
    self.asksResponders = asksResponders
    self.fetchesCRLs = fetchesCRLs
  }

  /// Creates the settings for an app's revocation check on a system; if `os` is nil, those of the standards.
  ///
  /// All systems query responders. Only macOS 10.12 to 10.14 fetch CRLs, and only if a certificate names no responder
  /// (Security, SecRevocationServer.c, tags 57740 to 58286). It is unknown whether they fetch delta CRLs, so this
  /// client does not.
  public init(by os: OSVersion?) {
    guard let os, os.family != .documentation else { return }
    fetchesCRLs = os.fetchesRevocationCRLs
    fetchesDeltas = false
  }

  /// Records a fetch, with or without a result.
  public mutating func add(_ fetch: TrustFetch) { asked.insert(fetch) }

  /// Returns the next fetch for a path whose only problem is an unknown revocation status.
  ///
  /// The fetch is for the first certificate below the anchor whose status is unknown and which names a URL that was not
  /// yet fetched.
  func next(for candidate: TrustEvaluation.Candidate, _ evaluator: TrustEvaluator) -> TrustFetch? {
    let isOpen = candidate.findings.deciding.allSatisfy { $0 == .revocationUnknown }
    // A delta CRL can remove a certificate from a CRL.
    guard asked.count < Self.limit, candidate.path.isAnchored,
      isOpen || fetchesDeltas && candidate.findings.deciding.allSatisfy({ $0 == .revocationUnknown || $0 == .revoked })
    else { return nil }
    let path = candidate.path.certificates
    for (index, (certificate, issuer)) in zip(path, path.dropFirst()).enumerated()
    where evaluator.requirements.revocation.mode(at: index) != .none {
      if let delta = deltas(of: certificate, evaluator.evidence.revocation.lists).first(where: { !asked.contains($0) })
      {
        return delta
      }
      guard isOpen, !candidate.findings.tellsStatus(at: index) else { continue }
      if let next = places(of: certificate, issuer).first(where: { !asked.contains($0) }) { return next }
    }
    return nil
  }

  /// Returns the URLs of the delta CRLs for a fetched CRL. They are in the certificate or in the CRL.
  private func deltas(of certificate: Certificate, _ lists: [CertificateRevocationList]) -> [TrustFetch] {
    guard fetchesDeltas, asked.contains(where: { $0.content == .list && $0.certificate == certificate }) else {
      return []
    }
    let issuers = certificate.crlIssuers
    let own = lists.filter { list in list.baseNumber == nil && issuers.contains { $0.matches(list.issuer) } }
    guard !own.isEmpty else { return [] }
    let places = certificate.deltaLocations + own.flatMap(\.deltaLocations)
    return places.map { TrustFetch(.delta, url: $0, certificate: certificate) }
  }

  private func places(of certificate: Certificate, _ issuer: Certificate) -> [TrustFetch] {
    let responders = certificate.responderLocations
    let request = OCSPRequest([CertificateID(certificate, issuer: issuer)])
    let answers =
      asksResponders && responders.count <= Self.maximumResponders
      ? responders.map { TrustFetch(.answer(request), url: $0, certificate: certificate) } : []
    let lists = fetchesCRLs && responders.isEmpty ? certificate.crlLocations : []
    return answers + lists.map { TrustFetch(.list, url: $0, certificate: certificate) }
  }
}

extension [Finding] {
  /// Returns whether the status of the certificate at this index is known.
  fileprivate func tellsStatus(at index: Int) -> Bool {
    contains { finding in
      guard finding.rule == .revoked, case .certificate(index, _) = finding.subject else { return false }
      return finding.outcome == .satisfied || finding.outcome == .violated
    }
  }
}

extension TrustEvaluator {
  /// Records the bytes that a fetch returned, which may be malformed; nil if the fetch failed.
  public mutating func receive(_ content: [UInt8]?, for fetch: TrustFetch) {
    switch fetch.content {
    case .issuer:
      evidence.issuers?.add(content.flatMap { try? Certificate.certificates(inPEMOrDER: $0) } ?? [], from: fetch.url)
    case .answer:
      evidence.statuses?.add(fetch)
      evidence.revocation.answers += [content.flatMap { try? OCSPResponse(der: $0) }].compactMap(\.self)
    case .list, .delta:
      evidence.statuses?.add(fetch)
      evidence.revocation.lists +=
        content.flatMap { try? CertificateRevocationList.crls(inPEMOrDER: $0) } ?? []
    }
  }
}

import Cryptography
import Explanation
import PKIX

/// Something about a server's certificate that is asked for over plain HTTP before the evaluation can go on.
public struct TrustFetch: Sendable, Hashable {
  /// What is asked for.
  public enum Content: Sendable, Hashable {
    /// The certificate of its issuer: RFC 5280 section 4.2.2.1, id-ad-caIssuers.
    case issuer
    /// A responder's answer to this question: RFC 6960.
    case answer(OCSPRequest)
    /// A complete list of revoked certificates: RFC 5280 section 4.2.1.13.
    case list
    /// A list that adds to a complete one: RFC 5280 section 4.2.1.15.
    case delta
  }

  /// What is asked for.
  public let content: Content
  /// Where it is said to be.
  public let url: String
  /// The certificate that says so.
  public let certificate: Certificate

  init(_ content: Content, url: String, certificate: Certificate) {
    self.content = content
    self.url = url
    self.certificate = certificate
  }

  /// What follows the path of the place, and what is sent there where that would be too long: RFC 6960 appendix A.1
  /// has a GET with the question in base 64 as long as the whole URL has fewer than 255 octets, else a POST.
  public var target: (suffix: String, body: [UInt8]?) {
    guard case .answer(let request) = content else { return ("", nil) }
    let encoded = Base64.encode(request.der).replacing("+", with: "%2B").replacing("/", with: "%2F")
      .replacing("=", with: "%3D")
    return url.utf8.count + 1 + encoded.utf8.count < 255 ? (encoded, nil) : ("", request.der)
  }
}

/// What a client has asked about revocation over the network so far.
///
/// Nothing is fetched here: an evaluation says what it wants (`TrustEvaluation.wanted`), and whoever has a network asks
/// again with what came.
public struct StatusFetching: Sendable {
  /// Whether responders are asked.
  public var asksResponders = true
  /// Whether lists are fetched, of certificates that name no responder.
  public var fetchesLists = true
  /// Whether the lists are fetched that add to complete ones.
  public var fetchesDeltas = true
  /// What was asked for.
  public private(set) var asked: Set<TrustFetch> = []
  /// How much is asked for at most.
  public static let limit = 16
  /// Of a certificate that names more responders than this none is asked: Security, SecRevocationServer.c.
  static let maximumResponders = 10

  /// Nobody was asked yet.
  public init(asksResponders: Bool = true, fetchesLists: Bool = true) {
    self.asksResponders = asksResponders
    self.fetchesLists = fetchesLists
  }

  /// What an app's request to check revocation comes to on a system: responders are asked by all; lists were fetched by
  /// macOS 10.12 to 10.14 alone, where a certificate names no responder (Security, SecRevocationServer.c, tags 57740 to
  /// 58286). Whether those fetched what adds to a list is unknown, and is not done. Nil asks as the standards have it.
  public init(by os: OSVersion?) {
    guard let os, os.family != .documentation else { return }
    fetchesLists = os.fetchesRevocationLists
    fetchesDeltas = false
  }

  /// This was asked for, and has come or not.
  public mutating func add(_ fetch: TrustFetch) { asked.insert(fetch) }

  /// What to ask for next about a path that is good but for what is not known of revocation: the first certificate below the
  /// anchor about which nothing is known yet, and names a place that was not asked.
  func next(for candidate: TrustEvaluation.Candidate, _ evaluator: TrustEvaluator) -> TrustFetch? {
    let isOpen = candidate.findings.deciding.allSatisfy { $0 == .revocationUnknown }
    // What adds to a list can take a certificate off it again.
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

  /// Where what adds to a certificate's list is, once that list has come: the certificate or the list says so.
  private func deltas(of certificate: Certificate, _ lists: [CertificateRevocationList]) -> [TrustFetch] {
    guard fetchesDeltas, asked.contains(where: { $0.content == .list && $0.certificate == certificate }) else {
      return []
    }
    let issuers = certificate.listIssuers
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
    let lists = fetchesLists && responders.isEmpty ? certificate.listLocations : []
    return answers + lists.map { TrustFetch(.list, url: $0, certificate: certificate) }
  }
}

extension [Finding] {
  /// Whether it is known of the certificate of this index that it is revoked, or is not.
  fileprivate func tellsStatus(at index: Int) -> Bool {
    contains { finding in
      guard finding.rule == .revoked, case .certificate(index, _) = finding.subject else { return false }
      return finding.outcome == .satisfied || finding.outcome == .violated
    }
  }
}

extension TrustEvaluator {
  /// A fetch has ended: with these bytes, with bytes that cannot be read, or with nothing.
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
        content.flatMap { try? CertificateRevocationList.lists(inPEMOrDER: $0) } ?? []
    }
  }
}

import Cryptography
import Explanation
import PKIX
import Trust

extension World {
  /// The revocation status that CAs publish.
  public struct PublishedStatus: Sendable {
    /// The CAs that sign statuses.
    public var issuers: [StatusIssuer] = []
    /// Whether certificates contain a URL from which a client can fetch a status.
    public var isPublished = false
    /// Whether third parties know OCSP responses that they can staple.
    public var isStapled = false
    /// The maximum age, in seconds, of a valid CRL or OCSP response. There is one item for each lifetime.
    public var ages: [Int64] = []
    /// The statuses that attackers have signed in place of CAs.
    var forgeries: [Forgery] = []

    /// Creates a status of CAs that publish nothing.
    public init() {}
  }

  /// A status of "good" that an attacker signed with the key of a CA or of its delegate.
  enum Forgery: Sendable {
    /// A status of this certificate, signed by the CA that issued it (RFC 6960 section 4.2.2.2, RFC 5280 section 5).
    case own(Certificate, by: CertificateAuthority)
    /// A status of any certificate of `issuer`, signed by its delegate.
    case delegated(by: CertificateAuthority, issuer: Certificate)
  }

  /// The kind of status that an attacker replays.
  public enum AgedStatus: String, Sendable, Hashable, CaseIterable {
    /// An OCSP response.
    case answer
    /// A complete CRL.
    case list
    /// A delta CRL.
    case delta

    func covers(_ fetch: TrustFetch) -> Bool {
      switch fetch.content {
      case .issuer: false
      case .answer: self == .answer
      case .list: self == .list
      case .delta: self == .delta
      }
    }
  }
}

extension World.PublishedStatus {
  /// Returns the response to a client's fetch at `date`; nil if there is none.
  func publication(for fetch: TrustFetch, at date: Instant) -> World.Publication? {
    guard isPublished else { return nil }
    for forgery in forgeries.reversed() where forgery.covers(fetch) {
      return forgery.content(for: fetch, at: date).map { .init(of: Impersonation.ownName, at: fetch.url, $0) }
    }
    for issuer in issuers where issuer.isAt(fetch.url) {
      guard let content = issuer.content(for: fetch, at: date) else { continue }
      return World.Publication(of: issuer.signerName(for: fetch), at: fetch.url, content)
    }
    return nil
  }

  /// Returns the complete CRLs at `date` of CAs whose certificates contain no CRL location.
  func lists(at date: Instant) -> [CertificateRevocationList] {
    issuers.filter { $0.responder == nil && $0.description == nil }.compactMap { $0.list(at: date) }
  }

  /// Returns the best OCSP response in DER that any party can staple at `date`. It is the last valid response with the
  /// status "good".
  func staple(of certificate: Certificate, at date: Instant) -> [UInt8]? {
    guard isStapled else { return nil }
    for issuer in issuers {
      guard let one = issuer.issued.first(where: { $0.certificate == certificate }) else { continue }
      let last = min(one.revoked.map { $0.adding(seconds: -1) } ?? date, date)
      let end = last.adding(days: StatusIssuer.statusDays)
      return end < date
        ? nil : issuer.answer(about: one, saying: .good, at: last, until: end, timestamps: one.timestamps)?.der
    }
    return nil
  }
}

extension StatusIssuer {
  fileprivate func isAt(_ url: String) -> Bool { [responder, description?.location, description?.delta].contains(url) }

  fileprivate func content(for fetch: TrustFetch, at date: Instant) -> [UInt8]? {
    switch fetch.content {
    case .issuer: nil
    case .list: list(at: date)?.der
    case .delta: delta(at: date)?.der
    case .answer: issued.first { $0.certificate == fetch.certificate }.flatMap { answer(about: $0, at: date) }?.der
    }
  }

  /// Returns the name of the signer of a fetched status.
  fileprivate func signerName(for fetch: TrustFetch) -> String {
    let isList = fetch.content == .list || fetch.content == .delta
    return isList ? description?.signer ?? name : name
  }
}

extension World.Forgery {
  fileprivate func covers(_ fetch: TrustFetch) -> Bool {
    switch (self, fetch.content) {
    case (.own(let certificate, _), _): fetch.certificate == certificate
    case (.delegated(_, let issuer), .answer): fetch.certificate.issuer == issuer.subject
    case (.delegated, _): false
    }
  }

  fileprivate func content(for fetch: TrustFetch, at date: Instant) -> [UInt8]? {
    let (start, end) = (date.adding(days: -1), date.adding(days: 6))
    var random = Impersonation.random
    let (responder, issuer) =
      switch self {
      case .own(_, let signer): (OCSPResponder(signer), signer.certificate)
      case .delegated(let signer, let issuer): (OCSPResponder(signer, isDelegate: true), issuer)
      }
    switch (fetch.content, self) {
    case (.answer, _):
      let good = SingleResponse(
        CertificateID(fetch.certificate, issuer: issuer), .good, thisUpdate: start, nextUpdate: end)
      return try? responder.answer([good], producedAt: start, random: &random).der
    case (.list, .own(_, let signer)):
      let empty = CRLTemplate(thisUpdate: start, nextUpdate: end, number: 1)
      return try? signer.issue(empty, random: &random).der
    case (.issuer, _), (.delta, _), (.list, _): return nil
    }
  }
}

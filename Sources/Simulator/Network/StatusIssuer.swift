import Cryptography
import Explanation
import PKIX
import Trust

/// The CRL that a CA publishes (RFC 5280 section 5).
public struct PublishedCRL: Sendable, Hashable {
  /// The URL of the CRL.
  public var location: String = ""
  /// The age of the CRL in seconds when a client fetches it.
  ///
  /// Nil means one day, or the time since the last change if that is shorter.
  public var age: Int64?
  /// The time from thisUpdate to nextUpdate, in seconds.
  public var lifetime: Int64 = 7 * 86_400
  /// The URL of the delta CRL of the last day; nil for none.
  public var delta: String?
  /// The signer of an indirect CRL; nil for the CA itself.
  public var signer: String?
  /// The revocation reasons that the CRL covers; nil for all reasons.
  public var reasons: [RevocationReason]?
  /// The kind of certificates that the CRL covers; nil for all certificates.
  public var holders: Holders?

  /// Creates a one-day-old CRL that covers all certificates and reasons.
  public init() {}

  /// The kind of certificates that a CRL covers.
  public enum Holders: String, Sendable, Hashable, CaseIterable {
    /// The CRL covers end-entity certificates (onlyContainsUserCerts).
    case users
    /// The CRL covers CA certificates (onlyContainsCACerts).
    case authorities
  }
}

/// A CA that publishes the revocation status of its certificates.
public struct StatusIssuer: Sendable {
  /// A certificate that the CA issued.
  public struct Issued: Sendable {
    /// The name of the certificate.
    public let name: String
    /// The certificate that the CA issued.
    public let certificate: Certificate
    /// The time of revocation; nil if the certificate was never revoked.
    public let revoked: Instant?
    /// The reason for the revocation. A certificate that was released was on hold.
    public let reason: RevocationReason?
    /// The time of the release from hold; nil if the certificate was never released.
    public let released: Instant?
    /// The SCTs in an OCSP response about the certificate; nil for none.
    public var timestamps: SignedCertificateTimestampList?

    /// Creates a certificate that is revoked and released at these times.
    public init(
      _ name: String, _ certificate: Certificate, revoked: Instant?, reason: RevocationReason?, released: Instant?
    ) {
      self.name = name
      self.certificate = certificate
      self.revoked = revoked
      self.reason = reason
      self.released = released
    }

    /// The time of the last status change up to `date`; 1970 if there was none.
    func changed(by date: Instant) -> Instant {
      [revoked, released].compactMap(\.self).filter { $0 <= date }.max() ?? Instant(secondsSince1970: 0)
    }

    /// Returns whether the certificate is revoked or on hold at `date`.
    func isRevoked(by date: Instant) -> Bool {
      revoked.map { $0 <= date } ?? false && !(released.map { $0 <= date } ?? false)
    }
  }

  /// The number of days from thisUpdate to nextUpdate of an OCSP response.
  public static let statusDays = 7

  /// The name of the CA.
  public let name: String
  /// The certificate and key of the CA.
  public let authority: CertificateAuthority
  /// The certificates that the CA has issued.
  public var issued: [Issued]
  /// The description of the CA's CRL; nil for a CRL without a URL.
  public let description: PublishedCRL?
  /// The URL of the CA's OCSP responder; nil for none.
  public let responder: String?
  /// The signer of the CRL; nil for the CA itself.
  public let signer: CertificateAuthority?

  /// Creates a CA that has issued these certificates.
  public init(
    _ name: String, _ authority: CertificateAuthority, issued: [Issued], list description: PublishedCRL?,
    responder: String?,
    signer: CertificateAuthority?
  ) {
    self.name = name
    self.authority = authority
    self.issued = issued
    self.description = description
    self.responder = responder
    self.signer = signer
  }

  private var random: DeterministicRandom { DeterministicRandom(seed: .number(0), label: "status/\(name)") }

  /// Returns the complete CRL at `date`, which is one day old by default; nil if the key cannot sign it.
  public func list(at date: Instant) -> CertificateRevocationList? {
    let issue = completeIssue(at: date)
    let lifetime = description?.lifetime ?? Int64(Self.statusDays) * 86_400
    var template = CRLTemplate(
      thisUpdate: issue.date, nextUpdate: issue.date.adding(seconds: lifetime), number: issue.number)
    template.deltaLocations = [description?.delta].compactMap(\.self)
    template.entries = issued.compactMap { one in
      guard isListed(one), one.isRevoked(by: issue.known), let date = one.revoked else { return nil }
      return entry(one, date, one.reason)
    }
    return signed(template)
  }

  /// Returns the delta CRL of the previous day, with all changes since the complete CRL.
  public func delta(at date: Instant) -> CertificateRevocationList? {
    let base = completeIssue(at: date)
    let day = date.adding(days: -1)
    let issue = issued.map { $0.changed(by: date) }.reduce(day, max)
    var template = CRLTemplate(
      thisUpdate: issue, nextUpdate: day.adding(days: Self.deltaDays), number: Self.number(of: issue))
    template.base = base.number
    template.entries = issued.filter(isListed).compactMap { one -> CRLTemplate.Entry? in
      switch (one.isRevoked(by: base.known), one.isRevoked(by: date)) {
      case (false, true): return one.revoked.map { entry(one, $0, one.reason) }
      case (true, false): return one.released.map { entry(one, $0, .removeFromCRL) }
      default: return nil
      }
    }
    return signed(template)
  }

  /// The number of days from thisUpdate to nextUpdate of a delta CRL.
  private static let deltaDays = 2

  /// Returns the issue date, the number and the last covered time of the complete CRL at `date`.
  ///
  /// A CRL without a given age contains all revocations.
  private func completeIssue(at date: Instant) -> (date: Instant, number: Int, known: Instant) {
    let day = date.adding(seconds: -(description?.age ?? 86_400))
    guard description?.age == nil else { return (day, Self.number(of: day), day) }
    let issue = issued.map { $0.changed(by: date) }.reduce(day, max)
    return (issue, Self.number(of: issue), date)
  }

  /// Returns the number of a CRL: the number of seconds from 1970 to its issue.
  ///
  /// Complete CRLs and delta CRLs share one numbering, and CRLs of different times have different numbers (RFC 5280
  /// section 5.2.3).
  private static func number(of issue: Instant) -> Int { max(1, Int(clamping: issue.secondsSince1970)) }

  /// Returns whether the CRL covers a certificate (RFC 5280 section 5.2.5).
  private func isListed(_ one: Issued) -> Bool {
    let isCA = one.certificate.basicConstraints?.isCA == true
    if let holders = description?.holders, (holders == .authorities) != isCA { return false }
    return description?.reasons.map { reasons in one.reason.map(reasons.contains) ?? false } ?? true
  }

  /// Returns an entry of the CRL. In an indirect CRL, the entry names the issuer of the certificate.
  private func entry(
    _ one: Issued, _ date: Instant, _ reason: RevocationReason?
  ) -> CRLTemplate.Entry {
    var entry = CRLTemplate.Entry(one.certificate, date, reason)
    if signer != nil { entry.certificateIssuer = authority.certificate.subject }
    return entry
  }

  /// The scope of the CRL; nil if the CRL covers all certificates of its CA.
  private var scope: IssuingDistributionPoint? {
    guard let description, signer != nil || description.reasons != nil || description.holders != nil else { return nil }
    return IssuingDistributionPoint(
      .full([.uniformResourceIdentifier(description.location)]), isIndirect: signer != nil,
      onlyContainsUserCerts: description.holders == .users, onlyContainsCACerts: description.holders == .authorities,
      onlySomeReasons: description.reasons.map { RevocationReasons($0.map(\.flag)) })
  }

  private func signed(_ template: CRLTemplate) -> CertificateRevocationList? {
    var template = template
    var random = random
    template.scope = scope
    return try? (signer ?? authority).issue(template, random: &random)
  }

  /// Returns the OCSP response about one of the CA's certificates, signed by the CA a day before `date`.
  public func answer(about one: Issued, at date: Instant) -> OCSPResponse? {
    let day = max(date.adding(days: -1), one.changed(by: date))
    return answer(about: one, saying: one.status(at: date), at: day, until: day.adding(days: Self.statusDays))
  }

  /// Returns an OCSP response about one of the CA's certificates, signed by the CA or by `signer`.
  ///
  /// The response includes the certificate of `signer`.
  public func answer(
    about one: Issued, saying status: SingleResponse.Status, at moment: Instant, until end: Instant?,
    signedBy signer: CertificateAuthority? = nil, isBroken: Bool = false,
    timestamps: SignedCertificateTimestampList? = nil
  ) -> OCSPResponse? {
    let asked = CertificateID(one.certificate, issuer: authority.certificate)
    let extensions = timestamps.map { [Certificate.Extension(.ocspSCTs, value: $0.extensionValue)] } ?? []
    let single = SingleResponse(asked, status, thisUpdate: moment, nextUpdate: end, extensions: extensions)
    var random = random
    let isDelegate = signer.map { $0.certificate != authority.certificate } ?? false
    var responder = OCSPResponder(signer ?? authority, isDelegate: isDelegate)
    responder.breaksSignature = isBroken
    return try? responder.answer([single], producedAt: moment, random: &random)
  }
}

extension StatusIssuer.Issued {
  /// Returns the status of the certificate at `date`.
  public func status(at date: Instant) -> SingleResponse.Status {
    guard isRevoked(by: date), let revoked else { return .good }
    return .revoked(revoked, reason)
  }
}

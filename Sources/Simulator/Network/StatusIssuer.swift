import Cryptography
import Explanation
import PKIX
import Trust

/// The CRL that a CA publishes: RFC 5280 section 5.
public struct PublishedList: Sendable, Hashable {
  /// Where it is.
  public var location: String = ""
  /// How many seconds before it is fetched it was issued; nil for a day, or for when it last changed.
  public var age: Int64?
  /// For how many seconds it is good.
  public var lifetime: Int64 = 7 * 86_400
  /// Where the list of the last day is that adds to it; nil for none.
  public var delta: String?
  /// The signer of an indirect list; nil for the CA itself.
  public var signer: String?
  /// The reasons that it is for; nil for all.
  public var reasons: [RevocationReason]?
  /// Whose certificates it is for; nil for everyone's.
  public var holders: Holders?

  /// A list of the day before, of everything.
  public init() {}

  /// Whose certificates a list is for.
  public enum Holders: String, Sendable, Hashable, CaseIterable {
    /// onlyContainsUserCerts.
    case users
    /// onlyContainsCACerts.
    case authorities
  }
}

/// A CA that publishes which of its certificates are revoked.
public struct StatusIssuer: Sendable {
  /// One of its certificates.
  public struct Issued: Sendable {
    /// Its name.
    public let name: String
    /// The certificate.
    public let certificate: Certificate
    /// When it is revoked; nil for never.
    public let revoked: Instant?
    /// The reason; a released certificate was on hold.
    public let reason: RevocationReason?
    /// When it is released again; nil for never.
    public let released: Instant?
    /// The SCTs that come in an OCSP response about it; nil for none.
    public var timestamps: SignedCertificateTimestampList?

    /// A certificate that is revoked, and released, at these times.
    public init(
      _ name: String, _ certificate: Certificate, revoked: Instant?, reason: RevocationReason?, released: Instant?
    ) {
      self.name = name
      self.certificate = certificate
      self.revoked = revoked
      self.reason = reason
      self.released = released
    }

    /// The last moment up to `date` at which its authority changed its mind about it; 1970 where it never did.
    func changed(by date: Instant) -> Instant {
      [revoked, released].compactMap(\.self).filter { $0 <= date }.max() ?? Instant(secondsSince1970: 0)
    }

    /// Whether it is revoked, or on hold, at a moment.
    func isRevoked(by date: Instant) -> Bool {
      revoked.map { $0 <= date } ?? false && !(released.map { $0 <= date } ?? false)
    }
  }

  /// For how many days an OCSP response is good.
  public static let statusDays = 7

  /// Its name.
  public let name: String
  /// Its certificate and key.
  public let authority: Authority
  /// The certificates that it has issued.
  public var issued: [Issued]
  /// Its CRL; nil for one without a place.
  public let description: PublishedList?
  /// Where its responder is; nil for nowhere.
  public let responder: String?
  /// The signer of its list; nil for the CA itself.
  public let signer: Authority?

  /// A CA that has issued these.
  public init(
    _ name: String, _ authority: Authority, issued: [Issued], list description: PublishedList?, responder: String?,
    signer: Authority?
  ) {
    self.name = name
    self.authority = authority
    self.issued = issued
    self.description = description
    self.responder = responder
    self.signer = signer
  }

  private var random: DeterministicRandom { DeterministicRandom(seed: .number(0), label: "status/\(name)") }

  /// The complete list that is there at `date`, of the day before where nothing else is said; nil where its key cannot sign
  /// one.
  public func list(at date: Instant) -> CertificateRevocationList? {
    let issue = completeIssue(at: date)
    let lifetime = description?.lifetime ?? Int64(Self.statusDays) * 86_400
    var template = RevocationListTemplate(
      thisUpdate: issue.date, nextUpdate: issue.date.adding(seconds: lifetime), number: issue.number)
    template.deltaLocations = [description?.delta].compactMap(\.self)
    template.entries = issued.compactMap { one in
      guard isListed(one), one.isRevoked(by: issue.known), let date = one.revoked else { return nil }
      return entry(one, date, one.reason)
    }
    return signed(template)
  }

  /// What adds to that list, of the day before: what has come onto it since, and what has come off it again.
  public func delta(at date: Instant) -> CertificateRevocationList? {
    let base = completeIssue(at: date)
    let day = date.adding(days: -1)
    let issue = issued.map { $0.changed(by: date) }.reduce(day, max)
    var template = RevocationListTemplate(
      thisUpdate: issue, nextUpdate: day.adding(days: Self.deltaDays), number: Self.number(of: issue))
    template.base = base.number
    template.entries = issued.filter(isListed).compactMap { one -> RevocationListTemplate.Entry? in
      switch (one.isRevoked(by: base.known), one.isRevoked(by: date)) {
      case (false, true): return one.revoked.map { entry(one, $0, one.reason) }
      case (true, false): return one.released.map { entry(one, $0, .removeFromCRL) }
      default: return nil
      }
    }
    return signed(template)
  }

  /// For how long what adds to a list is good.
  private static let deltaDays = 2

  /// When the complete list was issued that is there at `date`, its number, and up to when it knows what was revoked. Where
  /// nothing is said of its age it knows all.
  private func completeIssue(at date: Instant) -> (date: Instant, number: Int, known: Instant) {
    let day = date.adding(seconds: -(description?.age ?? 86_400))
    guard description?.age == nil else { return (day, Self.number(of: day), day) }
    let issue = issued.map { $0.changed(by: date) }.reduce(day, max)
    return (issue, Self.number(of: issue), date)
  }

  /// Complete lists and what adds to them share their numbers, of which no two lists of different times have the same (RFC
  /// 5280 section 5.2.3): the seconds since 1970 at which they are issued.
  private static func number(of issue: Instant) -> Int { max(1, Int(clamping: issue.secondsSince1970)) }

  /// Whether a certificate belongs on the list: RFC 5280 section 5.2.5.
  private func isListed(_ one: Issued) -> Bool {
    let isAuthority = one.certificate.basicConstraints?.isAuthority == true
    if let holders = description?.holders, (holders == .authorities) != isAuthority { return false }
    return description?.reasons.map { reasons in one.reason.map(reasons.contains) ?? false } ?? true
  }

  /// An entry; on an indirect list it names who issued the certificate.
  private func entry(
    _ one: Issued, _ date: Instant, _ reason: RevocationReason?
  ) -> RevocationListTemplate.Entry {
    var entry = RevocationListTemplate.Entry(one.certificate, date, reason)
    if signer != nil { entry.certificateIssuer = authority.certificate.subject }
    return entry
  }

  /// What the list is for; nil where it is for all that its authority issued.
  private var scope: IssuingDistributionPoint? {
    guard let description, signer != nil || description.reasons != nil || description.holders != nil else { return nil }
    return IssuingDistributionPoint(
      .full([.uniformResourceIdentifier(description.location)]), isIndirect: signer != nil,
      onlyContainsUserCerts: description.holders == .users, onlyContainsCACerts: description.holders == .authorities,
      onlySomeReasons: description.reasons.map { RevocationReasons($0.map(\.flag)) })
  }

  private func signed(_ template: RevocationListTemplate) -> CertificateRevocationList? {
    var template = template
    var random = random
    template.scope = scope
    return try? (signer ?? authority).issue(template, random: &random)
  }

  /// Its responder's answer of the day before `date` about one of its certificates, signed by itself.
  public func answer(about one: Issued, at date: Instant) -> OCSPResponse? {
    let day = max(date.adding(days: -1), one.changed(by: date))
    return answer(about: one, saying: one.status(at: date), at: day, until: day.adding(days: Self.statusDays))
  }

  /// An answer about one of its certificates, signed by itself or by `signer`, whose certificate then comes along.
  public func answer(
    about one: Issued, saying status: SingleResponse.Status, at moment: Instant, until end: Instant?,
    signedBy signer: Authority? = nil, isBroken: Bool = false, timestamps: SignedCertificateTimestampList? = nil
  ) -> OCSPResponse? {
    let asked = CertificateID(one.certificate, issuer: authority.certificate)
    let extensions = timestamps.map { [Certificate.Extension(.ocspTimestamps, value: $0.extensionValue)] } ?? []
    let single = SingleResponse(asked, status, thisUpdate: moment, nextUpdate: end, extensions: extensions)
    var random = random
    let isDelegate = signer.map { $0.certificate != authority.certificate } ?? false
    var responder = OCSPResponder(signer ?? authority, isDelegate: isDelegate)
    responder.breaksSignature = isBroken
    return try? responder.answer([single], producedAt: moment, random: &random)
  }
}

extension StatusIssuer.Issued {
  /// What its authority says of it on a day.
  public func status(at date: Instant) -> SingleResponse.Status {
    guard isRevoked(by: date), let revoked else { return .good }
    return .revoked(revoked, reason)
  }
}

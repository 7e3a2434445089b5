import Cryptography
import Explanation
import PKIX
import Simulator
import TLS
import Trust

/// The lists and answers that a scenario's authorities sign.
extension Hierarchy {
  /// For how long a list or an answer is good.
  static let statusDays = 7

  /// The lists that clients have by a date of authorities that say no place for them: complete ones, of the day before, each
  /// by whoever has its key here.
  func revocationLists(in scenario: Scenario) -> @Sendable (Instant) -> [CertificateRevocationList] {
    let located = (scenario.authorities + scenario.certificates).filter(\.namesStatus).map(\.name)
    let issuers = issuers(in: scenario).filter { !located.contains($0.name) }
    return { date in issuers.compactMap { $0.list(at: date) } }
  }

  /// What each authority with a key has issued, and what of that it revoked.
  func issuers(in scenario: Scenario) -> [StatusIssuer] {
    let descriptions = scenario.authorities + scenario.certificates
    return entries.compactMap { entry in
      guard let authority = entry.authority, authority.certificate.basicConstraints?.isAuthority == true else {
        return nil
      }
      let issued = descriptions.filter { $0.issuer == entry.name }.compactMap { description in
        self[description.name]?.certificates.first.map {
          StatusIssuer.Issued(
            name: description.name, certificate: $0.certificate, revoked: description.revoked,
            reason: description.released == nil ? description.reason : .certificateHold, released: description.released)
        }
      }
      let list = descriptions.first { $0.name == entry.name }?.list
      return StatusIssuer(
        name: entry.name, authority: authority, issued: issued, description: list,
        signer: list?.signer.flatMap { self[$0]?.authority })
    }
  }
}

/// An authority that says which of its certificates are revoked.
struct StatusIssuer: Sendable {
  /// One of its certificates.
  struct Issued: Sendable {
    let name: String
    let certificate: Certificate
    let revoked: Instant?
    /// Why; what is released was on hold.
    let reason: RevocationReason?
    let released: Instant?

    /// The last moment up to `date` at which its authority changed its mind about it; 1970 where it never did.
    func changed(by date: Instant) -> Instant {
      [revoked, released].compactMap(\.self).filter { $0 <= date }.max() ?? Instant(secondsSince1970: 0)
    }

    /// Whether it is revoked, or on hold, at a moment.
    func isRevoked(by date: Instant) -> Bool {
      revoked.map { $0 <= date } ?? false && !(released.map { $0 <= date } ?? false)
    }
  }

  let name: String
  let authority: Authority
  let issued: [Issued]
  /// What is said of its list.
  let description: RevocationListDescription?
  /// Who signs its list, where it does not itself.
  let signer: Authority?

  private var random: DeterministicRandom { DeterministicRandom(seed: .number(0), label: "status/\(name)") }

  /// The complete list that is there at `date`, of the day before where nothing else is said; nil where its key cannot sign
  /// one.
  func list(at date: Instant) -> CertificateRevocationList? {
    let issue = completeIssue(at: date)
    let lifetime = description?.lifetime ?? Int64(Hierarchy.statusDays) * 86_400
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
  func delta(at date: Instant) -> CertificateRevocationList? {
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
  func answer(about one: Issued, at date: Instant) -> OCSPResponse? {
    let day = max(date.adding(days: -1), one.changed(by: date))
    return answer(about: one, saying: one.status(at: date), at: day, until: day.adding(days: Hierarchy.statusDays))
  }

  /// An answer about one of its certificates, signed by itself or by `signer`, whose certificate then comes along.
  func answer(
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
  func status(at date: Instant) -> SingleResponse.Status {
    guard isRevoked(by: date), let revoked else { return .good }
    return .revoked(revoked, reason)
  }
}

// What servers bring along of what responders answer.
extension PlanCasting {
  /// Has a server staple this about the leaf of each chain that it can show.
  func stapling(_ staple: StapleDescription, _ chains: [[String]], to tls: inout ServerConfiguration) {
    tls.credentials.ocspResponse = chains.first?.first.flatMap { answer(staple, of: $0) }
    for (index, chain) in chains.dropFirst().enumerated() where tls.otherCredentials.indices.contains(index) {
      tls.otherCredentials[index].ocspResponse = chain.first.flatMap { answer(staple, of: $0) }
    }
  }

  private func answer(_ staple: StapleDescription, of leaf: String) -> [UInt8]? {
    if staple.says == .tryLater { return try? OCSPResponder.failure(.tryLater).der }
    let name = staple.about ?? leaf
    let moment = scenario.clock.adding(seconds: shift - staple.age)
    for issuer in hierarchy.issuers(in: scenario) {
      guard let one = issuer.issued.first(where: { $0.name == name }) else { continue }
      let status: SingleResponse.Status =
        switch staple.says {
        case .current, .tryLater: one.status(at: moment.adding(seconds: -shift))
        case .good: .good
        case .revoked: .revoked(one.revoked ?? moment, one.reason)
        case .unknown: .unknown
        }
      let end = staple.lifetime == 0 ? nil : moment.adding(seconds: staple.lifetime)
      let signer = staple.signer.flatMap { hierarchy[$0]?.authority }
      return issuer.answer(
        about: one, saying: status, at: moment, until: end, signedBy: signer, isBroken: staple.isBroken,
        timestamps: timestamps(of: name, \.ocsp))?.der
    }
    return nil
  }

  /// What authorities answer to whoever fetches it: their responders about one certificate, or their lists.
  var statuses: World.Plan.Statuses? {
    let descriptions = (scenario.authorities + scenario.certificates).filter(\.namesStatus)
    guard !descriptions.isEmpty else { return nil }
    let issuers = hierarchy.issuers(in: scenario)
    return { fetch, date in
      for description in descriptions
      where [description.responder, description.list?.location, description.list?.delta].contains(fetch.url) {
        guard let issuer = issuers.first(where: { $0.name == description.name }) else { continue }
        let content: [UInt8]? =
          switch fetch.content {
          case .issuer: nil
          case .list: issuer.list(at: date)?.der
          case .delta: issuer.delta(at: date)?.der
          case .answer:
            issuer.issued.first { $0.certificate == fetch.certificate }.flatMap { issuer.answer(about: $0, at: date) }?
              .der
          }
        let signer = fetch.content == .list || fetch.content == .delta ? description.list?.signer : nil
        if let content { return World.Publication(of: signer ?? issuer.name, at: fetch.url, content) }
      }
      return nil
    }
  }

  /// What third parties can staple: of every certificate the last answer that says good, as long as it counts. Nothing where
  /// nobody staples: then no responder is known to answer.
  var replayableStaples: World.Plan.Staples? {
    let isStapled =
      (scenario.authorities + scenario.certificates).contains { $0.responder != nil }
      || scenario.servers.contains { $0.staple != nil }
      || scenario.network.contains { verb in
        if case .intercept(let description) = verb { description.staple != nil } else { false }
      }
    guard isStapled else { return nil }
    let issuers = hierarchy.issuers(in: scenario)
    return { certificate, date in
      for issuer in issuers {
        guard let one = issuer.issued.first(where: { $0.certificate == certificate }) else { continue }
        let last = min(one.revoked.map { $0.adding(seconds: -1) } ?? date, date)
        let end = last.adding(days: Hierarchy.statusDays)
        return end < date
          ? nil
          : issuer.answer(
            about: one, saying: .good, at: last, until: end, timestamps: timestamps(of: one.name, \.ocsp))?.der
      }
      return nil
    }
  }

  /// How many seconds old a list or an answer can be that an attacker on the path hands out, and still count: up to its
  /// nextUpdate (RFC 5280 section 5.1.2.5, RFC 6960 section 3.2).
  var statusAges: [Int64] {
    let day: Int64 = 86_400
    let ages = (scenario.authorities + scenario.certificates).filter(\.namesStatus).flatMap { description in
      let answer = description.responder.map { _ in (Int64(Hierarchy.statusDays) - 1) * day }
      let list = description.list.map { list in list.lifetime - (list.age ?? day) }
      return [answer, list].compactMap(\.self).map { $0 - 1 }
    }
    return Set(ages.filter { $0 > 0 }).sorted()
  }
}

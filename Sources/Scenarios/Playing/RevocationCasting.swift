import Cryptography
import Explanation
import PKIX
import Trust

/// The lists and answers that a scenario's authorities sign.
extension Hierarchy {
  /// For how long a list or an answer is good.
  static let statusDays = 7

  /// The lists that authorities publish by a date: complete ones, of the day before, each by whoever has its key here.
  func revocationLists(in scenario: Scenario) -> @Sendable (Instant) -> [CertificateRevocationList] {
    let issuers = issuers(in: scenario)
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
          StatusIssuer.Issued(name: description.name, certificate: $0.certificate, revoked: description.revoked)
        }
      }
      return StatusIssuer(name: entry.name, authority: authority, issued: issued)
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
  }

  let name: String
  let authority: Authority
  let issued: [Issued]

  private var random: DeterministicRandom { DeterministicRandom(seed: .number(0), label: "status/\(name)") }

  /// Its list of the day before `date`; nil where its key cannot sign one.
  func list(at date: Instant) -> CertificateRevocationList? {
    var template = RevocationListTemplate(
      thisUpdate: date.adding(days: -1), nextUpdate: date.adding(days: Hierarchy.statusDays - 1),
      number: max(1, Int(date.secondsSince1970 / 86_400)))
    template.entries = issued.compactMap { one in
      one.revoked.flatMap { $0 <= date ? RevocationListTemplate.Entry(one.certificate, $0) : nil }
    }
    var random = random
    return try? authority.issue(template, random: &random)
  }

  /// Its responder's answer of the day before `date` about one of its certificates, signed by itself.
  func answer(about one: Issued, at date: Instant) -> OCSPResponse? {
    let status: SingleResponse.Status =
      one.revoked.flatMap { $0 <= date ? .revoked($0, nil) : nil } ?? .good
    let asked = CertificateID(one.certificate, issuer: authority.certificate)
    let day = date.adding(days: -1)
    let single = SingleResponse(
      asked, status, thisUpdate: day, nextUpdate: day.adding(days: Hierarchy.statusDays))
    var random = random
    return try? OCSPResponder(authority).answer([single], producedAt: day, random: &random)
  }
}

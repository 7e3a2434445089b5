import Cryptography
import Explanation
import PKIX
import Simulator
import TLS
import Trust

/// Signs the CRLs and OCSP responses of a scenario's CAs.
extension Hierarchy {
  /// Returns the CAs with a key, with the certificates that each has issued and those that it has revoked.
  func issuers(in scenario: Scenario) -> [StatusIssuer] {
    let descriptions = scenario.authorities + scenario.certificates
    return entries.compactMap { entry -> StatusIssuer? in
      guard let authority = entry.authority, authority.certificate.basicConstraints?.isCA == true else {
        return nil
      }
      let issued = descriptions.filter { $0.issuer == entry.name }.compactMap { description in
        self[description.name]?.certificates.first.map {
          StatusIssuer.Issued(
            description.name, $0.certificate, revoked: description.revoked,
            reason: description.released == nil ? description.reason : .certificateHold, released: description.released)
        }
      }
      let own = descriptions.first { $0.name == entry.name }
      return StatusIssuer(
        entry.name, authority, issued: issued, list: own?.list, responder: own?.responder,
        signer: own?.list?.signer.flatMap { self[$0]?.authority })
    }
  }
}

// The OCSP responses that servers staple.
extension PlanBuilder {
  /// Staples a response for the leaf of each chain of a server.
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

  /// The revocation data that CAs publish, and whether third parties can staple it.
  ///
  /// If no server staples a response, TrustLab assumes that there is no responder.
  var publishedStatus: World.PublishedStatus {
    let descriptions = scenario.authorities + scenario.certificates
    var status = World.PublishedStatus()
    status.issuers = hierarchy.issuers(in: scenario)
    for (index, issuer) in status.issuers.enumerated() {
      for (place, one) in issuer.issued.enumerated() {
        status.issuers[index].issued[place].timestamps = timestamps(of: one.name, \.ocsp)
      }
    }
    status.isPublished = descriptions.contains(where: \.namesStatus)
    status.isStapled =
      descriptions.contains { $0.responder != nil } || scenario.servers.contains { $0.staple != nil }
      || scenario.network.contains { verb in
        if case .intercept(let description) = verb { description.staple != nil } else { false }
      }
    status.ages = statusAges
    return status
  }

  /// The ages in seconds at which outdated revocation data is still valid, up to its nextUpdate.
  ///
  /// See RFC 5280 section 5.1.2.5 and RFC 6960 section 3.2.
  private var statusAges: [Int64] {
    let day: Int64 = 86_400
    let ages = (scenario.authorities + scenario.certificates).filter(\.namesStatus).flatMap { description in
      let answer = description.responder.map { _ in (Int64(StatusIssuer.statusDays) - 1) * day }
      let list = description.list.map { list in list.lifetime - (list.age ?? day) }
      return [answer, list].compactMap(\.self).map { $0 - 1 }
    }
    return Set(ages.filter { $0 > 0 }).sorted()
  }
}

import Endpoint
import Explanation
import TLS
import URLLoading

extension ConnectionRecord {
  /// Determines whether a failed negotiation would have succeeded without App Transport Security.
  ///
  /// The same server receives the system's offer without App Transport Security. The result is nil if App Transport
  /// Security cannot be the cause.
  func blameAppTransportSecurity() -> Decision? {
    let decision = plan.client.decision
    guard plan.url.isSecure, plan.replayed == nil, decision.requirements != nil, client.parameters == nil,
      client.evaluation == nil, !wasInterferedWith,
      findings.contains(where: { $0.refuses && $0.rule.layer == .handshake })
    else { return nil }
    // A server that agrees to this offer, too, failed for another reason.
    guard agreement(with: client.configuration.tls) == nil else { return nil }
    guard let agreement = agreement(with: client.configuration.offerWithoutATS) else {
      let newest = ProtocolVersion.known.last(where: servedBy.tls.versions.contains)
      let confidence = newest.map(plan.client.load.os.confidence) ?? .certain
      return Decision(.load(.withoutTransportSecurity(.refused(confidence))))
    }
    let negotiated = AppTransportSecurity.Negotiated(version: agreement.version, cipherSuite: agreement.cipherSuite)
    let findings = decision.findings(on: negotiated, enforcement: plan.client.tls.enforcement)
    return Decision(
      .load(
        .withoutTransportSecurity(
          .agreed(agreement.version, agreement.cipherSuite, meetsRequirements: !findings.refuses))), findings)
  }

  /// The server that the client connects to.
  private var servedBy: ServerEndpoint.Configuration { front?.configuration ?? server.configuration }

  private func agreement(
    with offer: ClientConfiguration
  ) -> (version: ProtocolVersion, cipherSuite: CipherSuite)? {
    var machine = Handshake(offer)
    for effect in machine.handle(.start) {
      guard case .send(let message) = effect, case .clientHello(let hello) = message.body else { continue }
      let agreement = servedBy.tls.agreement(with: hello)
      // A server selects its newest version, which may still be too old for the system itself.
      return agreement.flatMap { $0.version < offer.versions.lowerBound ? nil : $0 }
    }
    return nil
  }
}

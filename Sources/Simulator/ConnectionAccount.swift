import Endpoint
import Explanation
import TLS
import URLLoading

/// One connection of a run: both endpoints as they stand, and everything that was found.
public struct ConnectionAccount: Sendable {
  /// What was planned.
  public let plan: World.Plan
  /// The client as it stands.
  public internal(set) var client: ClientEndpoint
  private var server: ServerEndpoint
  private var all: [Finding] = []
  var isConcluded = false

  init(_ plan: World.Plan) {
    self.plan = plan
    client = ClientEndpoint(plan.client)
    server = ServerEndpoint(plan.server, isSecure: plan.url.isSecure)
  }

  /// Everything that was found, by either side, in order.
  ///
  /// One reason stands for one failure: where App Transport Security is to blame, or another violation, the handshake
  /// failure or the peer's alert that followed from it only advises.
  public var findings: [Finding] {
    let refusing = all.filter(\.refuses)
    let blamesATS = refusing.contains { $0.rule.layer == .ats }
    return all.settled.map { finding in
      guard finding.refuses else { return finding }
      if finding.rule == .fatalAlert {
        return refusing.contains { $0.rule != .fatalAlert } ? finding.advising : finding
      }
      let isNegotiation = [Rule.noCommonSuite, .noCommonVersion, .versionNotImplemented].contains(finding.rule)
      return blamesATS && isNegotiation ? finding.advising : finding
    }
  }

  /// What the client decided.
  public var verdict: Verdict { Verdict(findings, hasContent: client.content != nil) }

  /// What the app sees; empty when the load was accepted.
  public var errors: [AppError] {
    guard verdict.word != .accepted else { return [] }
    return AppError.surfacing(
      verdict.because, atsInForce: plan.client.decision.isRequired, os: plan.client.decision.load.os,
      alert: client.alert
    ).errors
  }

  mutating func found(_ findings: [Finding]) {
    for finding in findings where !all.contains(finding) { all.append(finding) }
  }

  mutating func deliver(_ bytes: [UInt8], to side: Side) -> [EndpointEffect] {
    side == .client ? client.receive(bytes) : server.receive(bytes)
  }

  func isOver(_ side: Side) -> Bool { side == .client ? client.isOver : server.isOver }

  /// After a failed negotiation under App Transport Security: would the same server have agreed without it?
  ///
  /// The counterfactual is played: the system's own offer goes to the same server. Nil when there is nothing to ask.
  func blameAppTransportSecurity() -> Decision? {
    let decision = plan.client.decision
    guard plan.url.isSecure, decision.requirements != nil, client.parameters == nil, client.evaluation == nil,
      all.contains(where: { $0.refuses && $0.rule.layer == .handshake })
    else { return nil }
    guard let agreement = agreementWithoutATS() else {
      return Decision(
        title: "without ATS they would not have agreed either",
        narration: "The system's own offer, played against the same server, finds nothing in common: App Transport "
          + "Security is not to blame.", findings: [])
    }
    let negotiated = AppTransportSecurity.Negotiated(version: agreement.version, cipherSuite: agreement.cipherSuite)
    return Decision(
      title: "without ATS the server would have agreed",
      narration: "The system's own offer, played against the same server, comes to \(agreement.version) and "
        + "\(agreement.cipherSuite.name): the demands of App Transport Security are what it fails.",
      findings: decision.findings(on: negotiated, enforcement: plan.client.tls.enforcement))
  }

  private func agreementWithoutATS() -> (version: ProtocolVersion, cipherSuite: CipherSuite)? {
    let offer = ClientOffer.systemDefault(os: plan.client.decision.load.os)
    var tls = plan.client.tls
    tls.versions = offer.minimumVersion...max(offer.minimumVersion, offer.maximumVersion)
    tls.cipherSuites = offer.cipherSuites
    var machine = ClientHandshake12(tls)
    for effect in machine.handle(.start) {
      guard case .send(let message) = effect, case .clientHello(let hello) = message.body else { continue }
      let agreement = ServerHandshake12(plan.server.tls).agreement(with: hello)
      // A server answers with its newest version, which the system itself may find too old.
      return agreement.flatMap { $0.version < offer.minimumVersion ? nil : $0 }
    }
    return nil
  }
}

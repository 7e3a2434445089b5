import Explanation
import PKIX
import Trust
import URLLoading

/// The decisions of one challenge: the challenge, the delegate's calls, and its disposition.
struct ChallengeDecisions {
  private let exchange: ChallengeExchange

  init(_ exchange: ChallengeExchange) { self.exchange = exchange }

  /// The decisions in order.
  ///
  /// `evaluated` contains the findings of the delegate's own evaluation, and `conduct` those about its disposition.
  func all(evaluated: [Finding] = [], conduct: [Finding]) -> [Decision] {
    guard exchange.isAsked else { return [] }
    let own = exchange.report?.findings ?? []
    return [Decision(.challenge(.asked(exchange)))] + steps(evaluated, own)
      + [Decision(.challenge(.answered(exchange)), conduct.filter { !own.contains($0) })]
  }

  /// The delegate's calls on the trust object, one decision for each call.
  private func steps(_ evaluated: [Finding], _ own: [Finding]) -> [Decision] {
    guard let report = exchange.report else { return [] }
    if let library = report.library { return steps(of: library, evaluated) }
    let pins = own.filter { $0.rule.layer == .pin }
    let rest = own.filter { $0.rule.layer != .pin }
    let evaluation = Decision(
      .challenge(.evaluated(report, violated: evaluated.deciding)), evaluated + rest)
    let comparison = pins.isEmpty ? [] : [Decision(.challenge(.comparedKeys(matches: !pins.refuses)), pins)]
    return settings(report.inspection.settings).map { Decision(.challenge($0)) } + [evaluation] + comparison
  }

  /// The changes that the delegate makes to the trust object, in order.
  private func settings(_ settings: TrustInspection.Settings) -> [ChallengeEvent] {
    [
      settings.added.isEmpty ? nil : .addedCertificates,
      settings.anchors.map { .setAnchors(count: $0.count, only: settings.anchorsOnly) },
      settings.verifyDate.map { .setDate($0) },
      settings.exceptions == nil ? nil : .setExceptions,
      settings.leavesOutHost ? .setPolicyWithoutHost : nil,
    ].compactMap(\.self)
  }

  /// The steps of a library in the order that it uses. The last evaluation has the library's findings.
  private func steps(of library: LibraryVerdict, _ evaluated: [Finding]) -> [Decision] {
    let last = library.steps.lastIndex(where: \.isEvaluation) ?? library.steps.indices.last
    return library.steps.enumerated().map { index, step in
      Decision(.library(step), step.findings + (index == last ? evaluated : []))
    }
  }
}

/// The decisions by which a client trusts or refuses a server.
///
/// If no delegate is called, there is one decision. Otherwise the system and the delegate decide, followed by App
/// Transport Security if its requirements matter.
struct ServerTrustDecisions {
  private let challenge: ServerTrustChallenge
  private let host: String
  private let decision: AppTransportSecurity.Decision

  init(_ challenge: ServerTrustChallenge, host: String, decision: AppTransportSecurity.Decision) {
    self.challenge = challenge
    self.host = host
    self.decision = decision
  }

  private var exchange: ChallengeExchange { challenge.exchange }

  /// The decisions in order; `findings` are those about the chain, host and key.
  func all(_ findings: [Finding]) -> [Decision] {
    guard exchange.isAsked else {
      // The system decides for the client, so that its findings include the requirements of App Transport Security.
      return [evaluated(by: .client, violated: findings.deciding, findings + challenge.conductFindings)]
    }
    // If the delegate evaluates for itself, the findings of the system only advise.
    let isOwn = challenge.goesByReport
    let refused = challenge.system.findings.settled.filter(\.refuses).map(\.advising)
    var decisions = [evaluated(by: .system, violated: challenge.system.deciding, isOwn ? refused : findings)]
    decisions += ChallengeDecisions(exchange).all(
      evaluated: isOwn ? findings : [], conduct: challenge.conductFindings)
    if let loosening = challenge.loosening { decisions.append(lastWord(loosening)) }
    return decisions
  }

  private func evaluated(
    by speaker: CertificateEvent.Speaker, violated: [Rule], _ findings: [Finding]
  ) -> Decision {
    Decision(.trust(.evaluated(by: speaker, challenge.system.result, violated: violated, host: host)), findings)
  }

  private func lastWord(_ loosening: Finding) -> Decision {
    let result: CertificateEvent.Loosening =
      loosening.refuses
      ? .denied : decision.standing == .inForce || loosening.outcome == .violated ? .allowed : .notApplicable
    return Decision(.trust(.loosening(result, host: host, decidedBy: decision.decidedBy)), [loosening])
  }
}

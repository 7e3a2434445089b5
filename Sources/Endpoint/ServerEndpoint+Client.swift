import Explanation
import PKIX
import TLS
import Trust

extension ServerEndpoint {
  /// Do I trust this client? RFC 5246 section 7.4.6 asks, RFC 5280 answers: a server follows no system's own rules.
  mutating func evaluate(_ credentials: PeerCredentials) -> [EndpointEffect] {
    let chain = credentials.certificates.compactMap { try? Certificate(der: $0) }
    guard chain.count == credentials.certificates.count, let leaf = chain.first, let policy = configuration.clientTrust
    else { return answer(.refused(.badCertificate), unreadable(at: chain.count)) }
    let evaluation = TrustEvaluator.evaluate(chain, host: nil, policy)
    let findings = evaluation.findings.settled
    return answer(
      findings.contains(where: \.refuses)
        ? .refused(AlertDescription(refusing: findings.deciding)) : .accepted(leaf.publicKey),
      Narration.clientTrust(findings.aboutClient, name: policy.names(leaf)))
  }

  private mutating func answer(_ answer: CertificateAnswer, _ decision: Decision) -> [EndpointEffect] {
    [.decided(decision)] + effects(of: connection?.certificateEvaluated(answer) ?? [])
  }

  private func unreadable(at index: Int) -> Decision {
    let finding = configuration.tls.enforcement.check(
      .malformedExtension, on: .certificate(index: index, name: "unreadable"), false)
    return Decision(
      title: "the client's certificate cannot be read", narration: finding.rule.statement,
      findings: [finding].aboutClient)
  }
}

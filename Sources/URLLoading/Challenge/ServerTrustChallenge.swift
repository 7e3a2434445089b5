import Explanation
import PKIX
import Trust

/// A client's decision to trust a server: by the system's evaluation, the app's answer and App Transport Security.
///
/// ```
/// system's evaluation ── NSURLAuthenticationMethodServerTrust ──▶ delegate ── useCredential ──▶ App Transport Security
/// ```
///
/// A delegate may always refuse a server that the system accepts. It may accept a server that the system refuses only
/// if App Transport Security is not in force for the load: "Preventing Insecure Network Connections".
public struct ServerTrustChallenge: Sendable {
  /// The system's own evaluation of the chain.
  public let system: TrustEvaluation
  /// The challenge to the app, and its answer.
  public let exchange: ChallengeExchange
  /// The finding of App Transport Security on a credential for a refused server; nil if there was no such credential.
  public let loosening: Finding?
  /// The system's evaluation after the app's answer, including a library's changes to the trust.
  private let remaining: TrustEvaluation
  /// The final findings on the chain and the host.
  public let trustFindings: [Finding]

  /// Evaluates the chain that a server for `host` presented, first by the system and then by the app.
  public init(
    _ chain: [Certificate], host: String, _ evaluator: TrustEvaluator, conversation: ChallengeConversation,
    decision: AppTransportSecurity.Decision, enforcement: Enforcement
  ) {
    let system = evaluator.evaluate(chain, host: host)
    let exchange = conversation.exchange(
      on: ProtectionSpace(of: decision.load.url, .serverTrust), trust: .init(chain, host: host, evaluator))
    self.system = system
    self.exchange = exchange
    // A library's settings also apply if the system finally decides.
    var left = exchange.report?.library?.trust
    let remaining = left.map { _ in left?.evaluate() ?? system } ?? system
    self.remaining = remaining
    let isLeft = exchange.answer == .rejected || exchange.answer == .defaultHandling
    let isAccepted = exchange.isCredential || isLeft && remaining.accepted
    loosening = isAccepted && !system.accepted ? decision.findingOnLooseningTrust(enforcement: enforcement) : nil
    switch (exchange.answer, exchange.report?.evaluation) {
    case (.credential, let own?): trustFindings = own.accepted ? own.findings : own.overridden(by: .delegate).findings
    case (.credential, nil): trustFindings = system.overridden(by: .delegate).findings
    case (.defaultHandling, _), (.noCredential, _), (.rejected, _): trustFindings = remaining.findings
    case (.cancelled, let own?) where !own.accepted || exchange.report?.isGood == false:
      let library = exchange.report?.library
      trustFindings = own.findings.settled.map { finding in
        finding.refuses && library?.decides(insteadOf: finding.rule) == true ? finding.advising : finding
      }
    case (.cancelled, _), (.unanswered, _), (.exception, _):
      trustFindings = system.findings.settled.map { $0.refuses ? $0.advising : $0 }
    }
  }

  /// The issuer that the system, or else the delegate, would fetch next.
  public var wanted: TrustFetch? { system.wanted ?? exchange.report?.evaluation?.wanted }

  /// The deciding result: the one that the delegate used, or else the system's.
  public var result: SecTrustResultType { exchange.report?.result ?? system.result }

  /// The deciding evaluation: the delegate's own, or else the system's.
  public var evaluation: TrustEvaluation { exchange.report?.evaluation ?? system }

  /// Whether both the system and a library of the app refuse the server.
  public var isRefusedByAll: Bool { exchange.report?.library?.accepts == false && !system.accepted }

  /// Whether the delegate's own evaluation decides whether the chain is accepted.
  public var goesByReport: Bool {
    guard let own = exchange.report?.evaluation else { return false }
    switch exchange.answer {
    case .credential: return true
    case .cancelled: return !own.accepted || exchange.report?.isGood == false
    default: return false
    }
  }

  /// All final findings.
  public var findings: [Finding] { trustFindings + conductFindings + [loosening].compactMap(\.self) }

  /// The findings on the app's answer.
  public var conductFindings: [Finding] {
    guard exchange.answer == .rejected, remaining.accepted else { return exchange.findings }
    return exchange.findings + [
      system.enforcement.check(.rejectAccepts, on: .connection, false, found: .word(exchange.answer.name))
    ]
  }
}

extension ChallengeExchange {
  /// Whether the effective answer is a credential.
  fileprivate var isCredential: Bool { if case .credential = answer { true } else { false } }
}

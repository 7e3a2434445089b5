import Explanation
import PKIX
import Trust

/// How a client comes to trust a server or not: the system evaluates, the app is asked, and App Transport Security has the
/// last word.
///
/// ```
/// system's evaluation ── NSURLAuthenticationMethodServerTrust ──▶ delegate ── useCredential ──▶ App Transport Security
/// ```
///
/// A delegate may always tighten. It may loosen, that is accept what the system refused, only where App Transport
/// Security is not in force for the load: "Preventing Insecure Network Connections".
public struct ServerTrustChallenge: Sendable {
  /// What the system evaluated by itself.
  public let system: TrustEvaluation
  /// The question to the app, and its answer.
  public let exchange: ChallengeExchange
  /// What App Transport Security says about a credential for what the system refused; nil where none was handed in.
  public let loosening: Finding?
  /// What the system goes by where it decides after the app was asked: the trust as a library has left it.
  private let remaining: TrustEvaluation
  /// What was found on the chain and the host, as it counts in the end.
  public let trustFindings: [Finding]

  /// Asks system and app about the chain that a server for `host` presented.
  public init(
    _ chain: [Certificate], host: String, _ evaluator: TrustEvaluator, conversation: ChallengeConversation,
    decision: AppTransportSecurity.Decision, enforcement: Enforcement
  ) {
    let system = evaluator.evaluate(chain, host: host)
    let exchange = conversation.exchange(
      on: ProtectionSpace(of: decision.load.url, .serverTrust), trust: .init(chain, host: host, evaluator))
    self.system = system
    self.exchange = exchange
    // What a library has set stays set where the system is to decide after all.
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

  /// The issuer that would be asked for next over the network, by the system or else by the delegate.
  public var wanted: TrustFetch? { system.wanted ?? exchange.report?.evaluation?.wanted }

  /// The result that the outcome rests on: the one the delegate read, where it read one.
  public var result: SecTrustResultType { exchange.report?.result ?? system.result }

  /// The evaluation that the outcome rests on: the delegate's own, where it made one.
  public var evaluation: TrustEvaluation { exchange.report?.evaluation ?? system }

  /// Whether a library of the app's refused what the system refuses as well.
  public var isRefusedByAll: Bool { exchange.report?.library?.accepts == false && !system.accepted }

  /// Whether what counts on the chain is what the delegate evaluated itself.
  public var goesByReport: Bool {
    guard let own = exchange.report?.evaluation else { return false }
    switch exchange.answer {
    case .credential: return true
    case .cancelled: return !own.accepted || exchange.report?.isGood == false
    default: return false
    }
  }

  /// Everything that was found, as it counts in the end.
  public var findings: [Finding] { trustFindings + conductFindings + [loosening].compactMap(\.self) }

  /// What was found on how the app answered.
  public var conductFindings: [Finding] {
    guard exchange.answer == .rejected, remaining.accepted else { return exchange.findings }
    return exchange.findings + [
      system.enforcement.check(.rejectAccepts, on: .connection, false, found: .word(exchange.answer.name))
    ]
  }
}

extension ChallengeExchange {
  /// Whether a credential was handed in that counts.
  fileprivate var isCredential: Bool { if case .credential = answer { true } else { false } }
}

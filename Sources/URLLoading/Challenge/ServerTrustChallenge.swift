import Explanation
import PKIX
import Trust

/// How a client comes to trust a server or not: the system evaluates, the app's delegate is asked, and App Transport
/// Security has the last word.
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
  /// What the delegate answered; nil where the app has none, and the system's word stands.
  public let answer: ServerTrustDelegate.Answer?
  /// What App Transport Security says about a credential for what the system refused; nil where none was handed in.
  public let loosening: Finding?
  /// What was found on the chain and the host, as it counts in the end.
  public let trustFindings: [Finding]

  /// Asks system and delegate about the chain that a server for `host` presented.
  public init(
    _ chain: [Certificate], host: String, _ policy: TrustPolicy, delegate: ServerTrustDelegate?,
    decision: AppTransportSecurity.Decision, enforcement: Enforcement
  ) {
    let system = TrustEvaluator.evaluate(chain, host: host, policy)
    let answer = delegate?.answer(chain, host: host, policy)
    self.system = system
    self.answer = answer
    let isLoosened = answer?.disposition == .useCredential && !system.accepted
    loosening = isLoosened ? decision.findingOnLooseningTrust(enforcement: enforcement) : nil
    switch answer?.evaluation {
    case let own?: trustFindings = own.findings
    case nil where isLoosened: trustFindings = system.overridden(by: .delegate).findings
    case nil where answer?.result == .invalid:
      trustFindings = system.findings.settled.map { $0.refuses ? $0.advising : $0 }
    case nil: trustFindings = system.findings
    }
  }

  /// The issuer that would be asked for next over the network, by the system or else by the delegate.
  public var wanted: IssuerFetch? { system.wanted ?? answer?.evaluation?.wanted }

  /// The result that the outcome rests on: the one the delegate read, where it read one.
  public var result: SecTrustResultType { answer?.result ?? system.result }

  /// The evaluation that the outcome rests on: the delegate's own, where it made one.
  public var evaluation: TrustEvaluation { answer?.evaluation ?? system }

  /// Everything that was found, as it counts in the end.
  public var findings: [Finding] { trustFindings + (answer?.findings ?? []) + [loosening].compactMap(\.self) }
}

/// What a challenge asks for: `NSURLProtectionSpace.authenticationMethod`.
public enum AuthenticationMethod: String, Sendable, Hashable, CaseIterable {
  /// Whether to go on with a server that shows this chain.
  case serverTrust = "NSURLAuthenticationMethodServerTrust"
}

/// What a delegate answers a challenge with: `NSURLSession.AuthChallengeDisposition`.
public enum ChallengeDisposition: String, Sendable, Hashable, CaseIterable {
  /// A credential; for a server's trust, the word that the server is to be trusted.
  case useCredential
  /// The system decides, as if there were no delegate.
  case performDefaultHandling
  /// The load is given up.
  case cancelAuthenticationChallenge
}

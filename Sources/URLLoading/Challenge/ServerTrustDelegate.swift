import PKIX
import Trust

/// How an app's delegate answers challenges of `NSURLAuthenticationMethodServerTrust`.
public struct ServerTrustDelegate: Sendable {
  /// What the delegate goes by.
  public enum Conduct: Sendable {
    /// It looks at nothing and hands in a credential for whatever trust it is given.
    case acceptAll
    /// It sets anchors of its own (SecTrustSetAnchorCertificates, and …Only), evaluates again, and goes by the result.
    case ownAnchors([Certificate], only: Bool)
  }

  /// What the delegate answered.
  public struct Answer: Sendable {
    /// The disposition that the completion handler was called with.
    public let disposition: ChallengeDisposition
    /// What the delegate evaluated itself; nil where it looked at nothing.
    public let evaluation: TrustEvaluation?
  }

  /// What the delegate goes by.
  public var conduct: Conduct
  /// Public keys that the app asks for in its own evaluation.
  public var pins: [PublicKeyPins]

  /// A delegate that goes by this.
  public init(_ conduct: Conduct, pins: [PublicKeyPins] = []) {
    self.conduct = conduct
    self.pins = pins
  }

  /// The delegate is asked about the chain that a server for `host` presented; `policy` is the system's.
  func answer(_ chain: [Certificate], host: String, _ policy: TrustPolicy) -> Answer {
    guard case .ownAnchors(let anchors, let only) = conduct else {
      return Answer(disposition: .useCredential, evaluation: nil)
    }
    var own = policy
    own.store = policy.store.settingAnchors(anchors, only: only)
    own.pins += pins
    let evaluation = TrustEvaluator.evaluate(chain, host: host, own)
    let disposition = evaluation.accepted ? ChallengeDisposition.useCredential : .cancelAuthenticationChallenge
    return Answer(disposition: disposition, evaluation: evaluation)
  }
}

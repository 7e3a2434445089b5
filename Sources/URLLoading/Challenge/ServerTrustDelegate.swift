import Explanation
import PKIX
import Trust

/// How an app's delegate answers challenges of `NSURLAuthenticationMethodServerTrust`.
public struct ServerTrustDelegate: Sendable {
  /// What the delegate goes by.
  public enum Conduct: Sendable {
    /// It looks at nothing and hands in a credential for whatever trust it is given.
    case acceptAll
    /// It changes the trust it is given, evaluates it again, and goes by the result.
    case evaluates(Settings)
    /// It changes the trust and reads the result without evaluating again: every change has discarded the one before
    /// (SecTrust.h), so that it reads kSecTrustResultInvalid.
    case readsResult(Settings)

    /// It sets anchors of its own, and evaluates again.
    public static func ownAnchors(_ anchors: [Certificate], only: Bool) -> Conduct {
      .evaluates(Settings(anchors: anchors, anchorsOnly: only))
    }
  }

  /// What the delegate changes of the trust it is given.
  public struct Settings: Sendable {
    /// Certificates that it adds to the chain, on macOS also by SecTrustSetKeychains.
    public var added: [Certificate] = []
    /// Anchors of its own (SecTrustSetAnchorCertificates); nil leaves the system's.
    public var anchors: [Certificate]?
    /// Whether these are then the only anchors (SecTrustSetAnchorCertificatesOnly).
    public var anchorsOnly = true
    /// The date of validation (SecTrustSetVerifyDate); nil is the client's clock.
    public var verifyDate: Instant?
    /// What it lets pass (SecTrustSetExceptions).
    public var exceptions: TrustExceptions?

    /// A trust with these anchors; nil leaves the system's.
    public init(anchors: [Certificate]? = nil, anchorsOnly: Bool = true) {
      self.anchors = anchors
      self.anchorsOnly = anchorsOnly
    }

    /// The system's policy with these changes.
    func applied(to policy: TrustPolicy) -> TrustPolicy {
      var own = policy
      if let anchors { own.store = policy.store.settingAnchors(anchors, only: anchorsOnly) }
      if let verifyDate { (own.date, own.today) = (verifyDate, policy.date) }
      own.exceptions = exceptions
      return own
    }
  }

  /// What the delegate answered.
  public struct Answer: Sendable {
    /// The disposition that the completion handler was called with.
    public let disposition: ChallengeDisposition
    /// What the delegate evaluated itself; nil where it looked at nothing.
    public let evaluation: TrustEvaluation?
    /// What the delegate changed of the trust; nil where it changed nothing.
    public var settings: Settings?
    /// The result that the delegate read; nil where it looked at nothing.
    public let result: SecTrustResultType?
    /// What was found on the delegate's own conduct.
    public var findings: [Finding] = []
  }

  /// What the delegate goes by.
  public var conduct: Conduct
  /// Public keys that the app asks for in its own evaluation.
  public var pins: [PublicKeyPins]
  /// The rules in force in what the app does itself; nil for those of the system.
  public var enforcement: Enforcement?

  /// A delegate that goes by this.
  public init(_ conduct: Conduct, pins: [PublicKeyPins] = [], enforcement: Enforcement? = nil) {
    self.conduct = conduct
    self.pins = pins
    self.enforcement = enforcement
  }

  /// The delegate is asked about the chain that a server for `host` presented; `policy` is the system's.
  func answer(_ chain: [Certificate], host: String, _ policy: TrustPolicy) -> Answer {
    let enforcement = enforcement ?? policy.enforcement
    switch conduct {
    case .acceptAll: return Answer(disposition: .useCredential, evaluation: nil, result: nil)
    case .readsResult(let settings):
      let finding = enforcement.check(
        .notEvaluated, on: .host(host), false, required: .word("SecTrustEvaluate after the last change"),
        found: .word(SecTrustResultType.invalid.description))
      return Answer(
        disposition: finding.refuses ? .cancelAuthenticationChallenge : .useCredential, evaluation: nil,
        settings: settings, result: .invalid, findings: [finding])
    case .evaluates(let settings):
      var own = settings.applied(to: policy)
      own.pins += pins
      own.enforcement = enforcement
      let evaluation = TrustEvaluator.evaluate(chain + settings.added, host: host, own)
      return Answer(
        disposition: evaluation.accepted ? .useCredential : .cancelAuthenticationChallenge, evaluation: evaluation,
        settings: settings, result: evaluation.result)
    }
  }
}

extension Rule {
  /// The delegate reads a result that there is.
  public static let notEvaluated = Rule(
    .challenge, "not-evaluated", "A delegate that changes a trust evaluates it again before it reads the result.",
    .apple("SecTrustResultType.invalid"),
    fix: "Call SecTrustEvaluateWithError, or SecTrustEvaluateAsync…, after the last SecTrustSet… call.")

  /// The rules of answers to challenges.
  public static let challenges: [Rule] = [.notEvaluated]
}

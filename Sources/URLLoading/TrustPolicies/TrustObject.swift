import PKIX
import Trust

/// SecTrust as the code of a library has it: the challenge's own object, whose policies and anchors can be set, and which
/// is evaluated when its result or its path is read.
///
/// The path is the one that was built, never the list that the server sent: SecTrust.c, SecTrustGetCertificateAtIndex.
/// What a library sets stays set when it leaves the challenge to the system afterwards.
public struct TrustObject: Sendable {
  /// The policies that can be set; each replaces what was set before.
  public enum Policy: Sendable, Hashable {
    /// SecPolicyCreateSSL for a host; without one no name is compared, and NSPinnedDomains is not looked at.
    case ssl(host: String?)
    /// SecPolicyCreateBasicX509: chain and dates alone.
    case basic
    /// SecPolicyCreateRevocation alone.
    case revocation
    /// SecPolicyCreateSSL and SecPolicyCreateRevocation together.
    case sslAndRevocation(host: String?)
  }

  /// The chain that the server presented.
  let chain: [Certificate]
  /// The system's own evaluation: its store, clock and rules.
  let system: TrustEvaluator
  /// What is asked of the chain now.
  private(set) var policy: Policy
  /// The only anchors, once they were set; none at all trusts nothing.
  private(set) var anchors: [Certificate]?
  /// What the last evaluation said; nil after a change.
  private(set) var evaluation: TrustEvaluation?

  /// A trust that asks for `initial` of this chain: a challenge's asks for SSL with the host of the URL.
  public init(_ chain: [Certificate], _ initial: Policy, system: TrustEvaluator, anchors: [Certificate]? = nil) {
    self.chain = chain
    self.system = system
    policy = initial
    self.anchors = anchors
  }

  init(_ presented: TrustInspection.Presented) {
    self.init(presented.chain, .ssl(host: presented.host), system: presented.evaluator)
  }

  /// SecTrustSetPolicies.
  public mutating func set(_ policy: Policy) {
    self.policy = policy
    evaluation = nil
  }

  /// SecTrustSetAnchorCertificates: only these are trusted then.
  public mutating func set(anchors: [Certificate]) {
    self.anchors = anchors
    evaluation = nil
  }

  /// SecTrustEvaluate; also what reading the path does where nothing was evaluated yet.
  public mutating func evaluate() -> TrustEvaluation {
    if let evaluation { return evaluation }
    var own = system
    if let anchors { own.requirements.store = system.requirements.store.settingAnchors(anchors) }
    var host: String?
    switch policy {
    case .ssl(let name), .sslAndRevocation(let name):
      host = name
      own.requirements.purpose = .server
    case .basic, .revocation:
      own.requirements.purpose = .any
      // Security fetches issuers for the policies of TLS alone.
      own.evidence.issuers = nil
    }
    // The app's pins of NSPinnedDomains belong to the policy with a host.
    if host == nil { own.requirements.pins = [] }
    switch policy {
    case .revocation, .sslAndRevocation:
      if own.requirements.revocation.mode == .none { own.requirements.revocation.mode = .softFail }
    case .ssl, .basic: break
    }
    let evaluation = own.evaluate(chain, host: host)
    self.evaluation = evaluation
    return evaluation
  }

  /// The certificates of the path, leaf first.
  public mutating func path() -> [Certificate] { evaluate().path }
}

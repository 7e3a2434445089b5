import PKIX
import Trust

/// Simulates the SecTrust object of a challenge, whose policies and anchors a library can set.
///
/// Reading the result or the path evaluates the trust. The path is the one that the system built, never the list that
/// the server sent (SecTrust.c, SecTrustGetCertificateAtIndex). If the library then leaves the challenge to the system,
/// the library's settings remain in effect.
public struct TrustObject: Sendable {
  /// A policy. Setting a policy replaces the previous one.
  public enum Policy: Sendable, Hashable {
    /// SecPolicyCreateSSL for a host. Without a host, the system compares no name and ignores NSPinnedDomains.
    case ssl(host: String?)
    /// SecPolicyCreateBasicX509, which checks only the chain and the dates.
    case basic
    /// SecPolicyCreateRevocation only.
    case revocation
    /// SecPolicyCreateSSL and SecPolicyCreateRevocation together.
    case sslAndRevocation(host: String?)
  }

  /// The chain that the server presented.
  let chain: [Certificate]
  /// The system's own evaluator, with its store, clock and rules.
  let system: TrustEvaluator
  /// The current policy.
  private(set) var policy: Policy
  /// The only trusted anchors, if the library set them. With an empty list, no anchor is trusted.
  private(set) var anchors: [Certificate]?
  /// The result of the last evaluation; nil after a change.
  private(set) var evaluation: TrustEvaluation?

  /// Creates a trust for a chain with a policy. The policy of a challenge is SSL with the URL's host.
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

  /// Simulates SecTrustSetAnchorCertificates. Afterwards, the system trusts only these anchors.
  public mutating func set(anchors: [Certificate]) {
    self.anchors = anchors
    evaluation = nil
  }

  /// Simulates SecTrustEvaluate. Reading the path also calls this function if there is no result yet.
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
      // Security fetches issuers only for the policies of TLS.
      own.evidence.issuers = nil
    }
    // The app's pins in NSPinnedDomains belong to the policy that has a host.
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

  /// Returns the certificates of the path, leaf first.
  public mutating func path() -> [Certificate] { evaluate().path }
}

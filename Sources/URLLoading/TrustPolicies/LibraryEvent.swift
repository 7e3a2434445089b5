import Explanation
import PKIX
import Trust

/// An action of a library while it decides about a server, with the values of the action.
public enum LibraryEvent: Sendable, Hashable {
  /// Sets a policy: SecTrustSetPolicies.
  case setPolicy(TrustObject.Policy)
  /// Sets the pinned certificates of these names as the only anchors: SecTrustSetAnchorCertificates.
  case setAnchors([String])
  /// Evaluates the trust: SecTrustEvaluate.
  case evaluated(SecTrustResultType, path: [String], violated: [Rule])
  /// Compares no pins, since the trust is not good; TSKEnforcePinning, if the library has it.
  case skippedPins(enforcesPinning: Bool?)
  /// Compares the path with the pins, as certificates or as public keys.
  case comparedPins(byKey: Bool, matches: Bool)
  /// Has no pin to compare the path with; the reason that it throws, if the release has reasons.
  case foundNoPins(Alamofire.FailureReason?)
  /// The path leads to a pinned certificate, or does not.
  case checkedAnchor(isPinned: Bool)
  /// Compares no name.
  case skippedHost
  /// Compares pins alone: no name, and no dates if `dates` is set.
  case comparedPinsOnly(dates: Bool)
  /// Accepts every server.
  case acceptedEverything
  /// An action of AFNetworking alone.
  case afNetworking(AFNetworking.Event)
  /// An action of Alamofire alone.
  case alamofire(Alamofire.Event)
  /// An action of TrustKit alone.
  case trustKit(TrustKit.Event)
}

extension AFNetworking {
  /// An action of AFNetworking alone.
  public enum Event: Sendable, Hashable {
    /// Leaves the challenge to the system: without the macro for pinning it does not claim ServerTrust.
    case leftChallenge
    /// Throws "Invalid Security Policy".
    case threwInvalidSecurityPolicy
    /// Rejects the protection space of a server that the system accepts.
    case rejectedProtectionSpace
    /// Calls a block of the app instead of the policy.
    case calledChallengeBlock
    /// Has loaded the certificates of the app's bundle, apart from these.
    case loadedCertificates(except: [Unloaded])
    /// Throws at an element of pinnedCertificates.
    case threwAtPinnedCertificates
    /// Throws at a pin that it cannot read, while it makes public keys of pins.
    case threwAtPublicKeys
    /// Throws at a pin that it cannot read, while it makes anchors of pins.
    case threwAtAnchors
    /// Compares the summary of the subject with the host.
    case comparedCommonName
    /// Refuses every server, since nothing is pinned.
    case requiredPins
    /// Compares the path that it read before it set the anchors.
    case comparedEarlierPath
    /// Has removed the host from the policy.
    case removedHost
    /// Has no pin to set as an anchor.
    case foundNoAnchors
    /// Checks whether every certificate of the path is pinned.
    case comparedWholePath(matches: Bool)
    /// Counts pairs of equal keys in a path of this length.
    case countedKeys(pairs: Int, path: Int)
    /// Has no key for these files.
    case ignoredFiles([String])
  }
}

extension Alamofire {
  /// An action of Alamofire alone.
  public enum Event: Sendable, Hashable {
    /// Has no manager of server trust.
    case foundNoManager
    /// Has no entry for the host, but these.
    case foundNoEntry(host: String, entries: [String])
    /// Calls the app's own evaluation.
    case calledEvaluation(returns: Bool)
  }
}

extension TrustKit {
  /// An action of TrustKit alone.
  public enum Event: Sendable, Hashable {
    /// Throws at its configuration.
    case threwAtConfiguration(ConfigurationError)
    /// Evaluates nothing, since the domain is not pinned.
    case foundNotPinned(NotPinned)
    /// Accepts a chain that is not trusted, since nothing is enforced.
    case acceptedUntrustedChain
    /// Cannot hash the key of this certificate.
    case failedToHash(certificate: String, throws: Bool)
    /// Finds the hash of a certificate's key among the pins of an entry.
    case matchedHash(certificate: String, entry: String)
    /// Finds no hash of the path among the pins.
    case matchedNoHash(Mismatch)
    /// Decides.
    case decided(Decision, Result)
    /// Has evaluated nothing, and the app takes this as success.
    case acceptedNotPinned
    /// Has no server to report to.
    case foundNoReportServer
    /// Posts a report.
    case postedReport(PinFailureReport)
  }
}

/// One step of a library's decision.
public struct LibraryStep: Sendable, Hashable {
  /// The library.
  public let library: LibraryVersion
  /// The action.
  public let event: LibraryEvent
  /// The findings of the action.
  public let findings: [Finding]

  /// Whether it evaluates the trust.
  public var isEvaluation: Bool { if case .evaluated = event { true } else { false } }
}

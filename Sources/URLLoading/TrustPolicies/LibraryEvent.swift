import Explanation
import PKIX
import Trust

/// An action of a library during its evaluation of a server.
public enum LibraryEvent: Sendable, Hashable {
  /// Sets a policy: SecTrustSetPolicies.
  case setPolicy(TrustObject.Policy)
  /// Sets the pinned certificates of these names as the only anchors: SecTrustSetAnchorCertificates.
  case setAnchors([String])
  /// Evaluates the trust: SecTrustEvaluate.
  case evaluated(SecTrustResultType, path: [String], violated: [Rule])
  /// Compares no pins because the trust is not valid; with TSKEnforcePinning, if the library has it.
  case skippedPins(enforcesPinning: Bool?)
  /// Compares the path with the pins, as certificates or as public keys.
  case comparedPins(byKey: Bool, matches: Bool)
  /// Has no pin to compare the path with; with the error, if the release names one.
  case foundNoPins(Alamofire.FailureReason?)
  /// Checks whether the path leads to a pinned certificate.
  case checkedAnchor(isPinned: Bool)
  /// Skips the check of the host name.
  case skippedHost
  /// Compares only pins: no host name, and no dates if `dates` is set.
  case comparedPinsOnly(dates: Bool)
  /// Accepts every server.
  case acceptedEverything
  /// An action that only AFNetworking has.
  case afNetworking(AFNetworking.Event)
  /// An action that only Alamofire has.
  case alamofire(Alamofire.Event)
  /// An action that only TrustKit has.
  case trustKit(TrustKit.Event)
}

extension AFNetworking {
  /// An action that only AFNetworking has.
  public enum Event: Sendable, Hashable {
    /// Leaves the challenge to the system: without the pinning macro, it does not claim ServerTrust.
    case leftChallenge
    /// Throws "Invalid Security Policy".
    case threwInvalidSecurityPolicy
    /// Rejects the protection space of a server that the system accepts.
    case rejectedProtectionSpace
    /// Calls a block of the app instead of the policy.
    case calledChallengeBlock
    /// Loads the certificates of the app's bundle, except these.
    case loadedCertificates(except: [Unloaded])
    /// Throws because of an element of pinnedCertificates.
    case threwAtPinnedCertificates
    /// Throws because it cannot read a pin when it creates public keys from the pins.
    case threwAtPublicKeys
    /// Throws because it cannot read a pin when it creates anchors from the pins.
    case threwAtAnchors
    /// Compares the summary of the subject with the host.
    case comparedCommonName
    /// Refuses every server because the policy pins nothing.
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
  /// An action that only Alamofire has.
  public enum Event: Sendable, Hashable {
    /// Has no server trust manager.
    case foundNoManager
    /// Has only these entries, and none for the host.
    case foundNoEntry(host: String, entries: [String])
    /// Calls the app's own evaluation.
    case calledEvaluation(returns: Bool)
  }
}

extension TrustKit {
  /// An action that only TrustKit has.
  public enum Event: Sendable, Hashable {
    /// Throws because of its configuration.
    case threwAtConfiguration(ConfigurationError)
    /// Evaluates nothing because the domain is not pinned.
    case foundNotPinned(NotPinned)
    /// Accepts a chain that is not trusted because it does not enforce pins.
    case acceptedUntrustedChain
    /// Cannot hash the key of this certificate.
    case failedToHash(certificate: String, throws: Bool)
    /// Finds the hash of a certificate's key among the pins of an entry.
    case matchedHash(certificate: String, entry: String)
    /// Finds no hash of the path among the pins.
    case matchedNoHash(Mismatch)
    /// Makes its decision.
    case decided(Decision, Result)
    /// Evaluates nothing; the app treats this as success.
    case acceptedNotPinned
    /// Has no server that receives reports.
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

  /// Whether the action evaluates the trust.
  public var isEvaluation: Bool { if case .evaluated = event { true } else { false } }
}

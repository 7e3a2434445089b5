import Explanation
import PKIX
import Trust

/// An action of a library during its evaluation of a server.
public enum LibraryEvent: Sendable, Hashable {
  /// Sets a policy: SecTrustSetPolicies.
  case setPolicy(TrustObject.Policy)
  /// The library sets the pinned certificates with these names as the only anchors (SecTrustSetAnchorCertificates).
  case setAnchors([String])
  /// The library evaluates the trust (SecTrustEvaluate).
  case evaluated(SecTrustResultType, path: [String], violated: [Rule])
  /// The library compares no pins, because the trust is not valid. The value is TSKEnforcePinning, if the library has
  /// this setting.
  case skippedPins(enforcesPinning: Bool?)
  /// The library compares the path with the pins, as certificates or as public keys.
  case comparedPins(byKey: Bool, matches: Bool)
  /// The library has no pin to compare the path with. The value is the error, if the release reports one.
  case foundNoPins(Alamofire.FailureReason?)
  /// The library checks whether the path leads to a pinned certificate.
  case checkedAnchor(isPinned: Bool)
  /// The library skips the check of the host name.
  case skippedHost
  /// The library compares only pins, and no host name. If `dates` is set, it does not check dates either.
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
    /// The library leaves the challenge to the system, because without the pinning macro it does not handle
    /// ServerTrust.
    case leftChallenge
    /// The library throws "Invalid Security Policy".
    case threwInvalidSecurityPolicy
    /// The library rejects the protection space of a server that the system accepts.
    case rejectedProtectionSpace
    /// The library calls a block of the app instead of the policy.
    case calledChallengeBlock
    /// The library loads the certificates in the app's bundle, except these.
    case loadedCertificates(except: [Unloaded])
    /// The library throws an exception because of an element of pinnedCertificates.
    case threwAtPinnedCertificates
    /// The library throws an exception because it cannot read a pin when it creates public keys from the pins.
    case threwAtPublicKeys
    /// The library throws an exception because it cannot read a pin when it creates anchors from the pins.
    case threwAtAnchors
    /// The library compares the summary of the subject with the host.
    case comparedCommonName
    /// The library refuses every server, because the policy has no pins.
    case requiredPins
    /// The library compares the path that it read before it set the anchors.
    case comparedEarlierPath
    /// The library has removed the host from the policy.
    case removedHost
    /// The library has no pin to set as an anchor.
    case foundNoAnchors
    /// The library checks whether every certificate of the path is pinned.
    case comparedWholePath(matches: Bool)
    /// The library counts pairs of equal keys in a path of this length.
    case countedKeys(pairs: Int, path: Int)
    /// The library has no keys from these files.
    case ignoredFiles([String])
  }
}

extension Alamofire {
  /// An action that only Alamofire has.
  public enum Event: Sendable, Hashable {
    /// The app has no server trust manager.
    case foundNoManager
    /// The manager has only these entries, and none for the host.
    case foundNoEntry(host: String, entries: [String])
    /// The library calls the app's own evaluation.
    case calledEvaluation(returns: Bool)
  }
}

extension TrustKit {
  /// An action that only TrustKit has.
  public enum Event: Sendable, Hashable {
    /// The library throws an exception because of its configuration.
    case threwAtConfiguration(ConfigurationError)
    /// The library evaluates nothing, because the domain is not pinned.
    case foundNotPinned(NotPinned)
    /// The library accepts a chain that is not trusted, because it does not enforce pins.
    case acceptedUntrustedChain
    /// The library cannot hash the key of this certificate.
    case failedToHash(certificate: String, throws: Bool)
    /// The library finds the hash of a certificate's key among the pins of an entry.
    case matchedHash(certificate: String, entry: String)
    /// The library finds no hash of the path among the pins.
    case matchedNoHash(Mismatch)
    /// Makes its decision.
    case decided(Decision, Result)
    /// The library evaluates nothing, and the app treats this as success.
    case acceptedNotPinned
    /// The library has no server to send reports to.
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
  /// The findings on the action.
  public let findings: [Finding]

  /// Whether the action is an evaluation of the trust.
  public var isEvaluation: Bool { if case .evaluated = event { true } else { false } }
}

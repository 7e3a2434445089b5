import Explanation
import PKIX

/// AFSecurityPolicy of AFNetworking, and how its managers answer with it, release by release.
///
/// Read in the library's own source at each tag; what it is said to do and what it does differ in places.
public struct AFNetworking: Sendable {
  /// AFSSLPinningMode.
  public enum PinningMode: String, Sendable, Hashable, CaseIterable {
    /// AFSSLPinningModeNone: the trust alone.
    case none
    /// AFSSLPinningModePublicKey: a key on the path is that of a pinned certificate.
    case publicKey = "public-key"
    /// AFSSLPinningModeCertificate: the pinned certificates are the anchors.
    case certificate
  }

  /// What the library loads with.
  public enum Transport: String, Sendable, Hashable, CaseIterable {
    /// AFURLSessionManager.
    case session
    /// AFURLConnectionOperation.
    case connection
  }

  /// A block of the app's that stands in the place of the policy.
  public enum ChallengeBlock: String, Sendable, Hashable, CaseIterable {
    /// None.
    case none
    /// One for challenges of the session, which hands in a credential and evaluates nothing.
    case session
    /// One for challenges of the task, which are those of HTTP.
    case task
  }

  /// The type of the collection that an app gives `pinnedCertificates`.
  public enum Collection: String, Sendable, Hashable, CaseIterable {
    /// NSArray of NSData.
    case array
    /// NSSet of NSData.
    case set
    /// NSArray that holds an NSSet: `@[cerSet]`.
    case arrayOfSet = "array-of-set"
  }

  /// Certificates of the app's bundle that it does not load.
  public enum Unloaded: Sendable, Hashable, CustomStringConvertible {
    /// Any, in a release that loads none.
    case allOfRelease(LibraryVersion)
    /// Any, in the default policy.
    case allOfDefaultPolicy
    /// A file of another extension than cer.
    case otherExtension(String)
    /// A file outside the bundle that it reads: the main one, or the one of its own code.
    case elsewhere(String, isMain: Bool)

    /// The phrase in findings.
    public var description: String {
      switch self {
      case .allOfRelease(let version): "\(version.number) loads no certificates, whatever its header says"
      case .allOfDefaultPolicy: "defaultPolicy loads no certificates"
      case .otherExtension(let file): "\(file) is not loaded: only *.cer is"
      case .elsewhere(let file, true): "\(file) is not loaded: it is not at the top of the main bundle"
      case .elsewhere(let file, false):
        "\(file) is not loaded: it is not at the top of the bundle of AFNetworking's code"
      }
    }
  }

  /// The release.
  public let version: LibraryVersion
  /// SSLPinningMode.
  public var pinning: PinningMode
  /// allowInvalidCertificates.
  public var allowsInvalidCertificates = false
  /// validatesDomainName.
  public var validatesDomainName: Bool
  /// validatesCertificateChain, in 2.1.0 to 2.5.4.
  public var validatesCertificateChain = true
  /// pinnedCertificates.
  public var pins: [PinnedFile] = []
  /// What it loads with.
  public var transport: Transport
  /// What stands in the place of the policy.
  public var challengeBlock = ChallengeBlock.none
  /// The type of pinnedCertificates; nil for the one that the release declares.
  public var collection: Collection?
  /// Whether the manager has a base URL of https: since 3.2.0 a policy that pins cannot be set without.
  public var hasSecureBaseURL = false
  /// The files of the app's bundle that it does not load.
  public var unloaded: [Unloaded] = []

  /// A policy with the defaults of its release; `isDefault` is made by `defaultPolicy`, any other by
  /// `policyWithPinningMode:`.
  public init(_ version: LibraryVersion, _ pinning: PinningMode = .none, isDefault: Bool = false) {
    self.version = version
    self.pinning = pinning
    validatesDomainName = Self.validatesDomainName(version, pinning, isDefault: isDefault)
    transport = version.isAtLeast(2, 0) ? .session : .connection
  }

  /// What a policy does about names unless the app says otherwise.
  static func validatesDomainName(_ version: LibraryVersion, _ pinning: PinningMode, isDefault: Bool) -> Bool {
    switch version {
    case let version where version.isAtLeast(2, 5, 3): true
    case let version where version.isAtLeast(2, 5, 0): pinning != .none && !isDefault
    default: !isDefault
    }
  }

  /// How a release decides: letters are those of the order in which it looks.
  public enum Procedure: Sendable, Hashable {
    /// 1.0: no pins, and nobody is asked.
    case unclaimed
    /// 1.1.0: the leaf is pinned, or not.
    case leafOnly
    /// 1.2.0: the leaf in every mode, its key in one.
    case leafFirst
    /// 1.2.1 to 2.0.3: in pinning modes nothing but the pin.
    case pinOnly
    /// 2.1.0: the system's word first, whatever allowInvalidCertificates says.
    case systemFirst
    /// 2.2.0: with a comparison of common names.
    case commonName
    /// 2.2.1 to 2.5.4: with policies set, and anchors.
    case anchored
    /// 2.6.0 to 2.7.0: pinning is required where invalid certificates may pass and names count.
    case readsBeforeAnchors
    /// 3.0.0 and later: the path is read after the anchors are set.
    case readsAfterAnchors
  }

  /// The order in which it looks.
  public var procedure: Procedure {
    if version.isAtLeast(3, 0) { return .readsAfterAnchors }
    if version.isAtLeast(2, 6) { return .readsBeforeAnchors }
    if version.isAtLeast(2, 2, 1) { return .anchored }
    if version.isAtLeast(2, 2) { return .commonName }
    if version.isAtLeast(2, 1) { return .systemFirst }
    if version.isAtLeast(1, 2, 1) { return .pinOnly }
    if version.isAtLeast(1, 2) { return .leafFirst }
    return version.isAtLeast(1, 1) ? .leafOnly : .unclaimed
  }

  /// Whether a release has a property; its name is the one that scenarios write.
  public static func has(_ property: String, _ version: LibraryVersion) -> Bool {
    switch property {
    case "validatesCertificateChain": version.isAtLeast(2, 1) && !version.isAtLeast(2, 6)
    case "validatesDomainName": version.isAtLeast(2, 1)
    case "allowInvalidCertificates": version.isAtLeast(1, 2, 1)
    case "pinning", "pins", "bundle": version.isAtLeast(1, 1)
    default: true
    }
  }

  /// The transports that a release has.
  public static func transports(_ version: LibraryVersion) -> [Transport] {
    if version.isAtLeast(3, 0) { return [.session] }
    return version.isAtLeast(2, 0) ? [.session, .connection] : [.connection]
  }

  /// Whether ServerTrust is claimed at all: until 1.3.1 only with the pin macro, or where all is accepted.
  var claimsServerTrust: Bool {
    if procedure == .unclaimed { return allowsInvalidCertificates }
    return version.isAtLeast(1, 3, 2) || pinning != .none || allowsInvalidCertificates
  }

  /// What it calls to refuse.
  var refusal: DelegateCall {
    version.isAtLeast(3, 0) && !version.isAtLeast(3, 1) ? .rejectProtectionSpace : .cancel
  }
}

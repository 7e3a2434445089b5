import Explanation
import PKIX

/// AFSecurityPolicy of AFNetworking, and its managers' responses to challenges, release by release.
///
/// The source is the library's own code at each tag; it differs from the documentation in places.
public struct AFNetworking: Sendable {
  /// AFSSLPinningMode.
  public enum PinningMode: String, Sendable, Hashable, CaseIterable {
    /// AFSSLPinningModeNone: only the trust counts.
    case none
    /// AFSSLPinningModePublicKey: a key on the path must be that of a pinned certificate.
    case publicKey = "public-key"
    /// AFSSLPinningModeCertificate: the pinned certificates are the anchors.
    case certificate
  }

  /// The loader that the library uses.
  public enum Transport: String, Sendable, Hashable, CaseIterable {
    /// AFURLSessionManager.
    case session
    /// AFURLConnectionOperation.
    case connection
  }

  /// A block of the app that replaces the policy.
  public enum ChallengeBlock: String, Sendable, Hashable, CaseIterable {
    /// No block.
    case none
    /// A block for challenges of the session, which returns a credential and evaluates nothing.
    case session
    /// A block for challenges of the task, which are those of HTTP.
    case task
  }

  /// The type of the collection that an app assigns to `pinnedCertificates`.
  public enum Collection: String, Sendable, Hashable, CaseIterable {
    /// NSArray of NSData.
    case array
    /// NSSet of NSData.
    case set
    /// NSArray that contains an NSSet: `@[cerSet]`.
    case arrayOfSet = "array-of-set"
  }

  /// Certificates of the app's bundle that the library does not load.
  public enum Unloaded: Sendable, Hashable, CustomStringConvertible {
    /// All files, in a release that loads none.
    case allOfRelease(LibraryVersion)
    /// All files, in the default policy.
    case allOfDefaultPolicy
    /// A file whose extension is not cer.
    case otherExtension(String)
    /// A file outside the bundle that the library reads: the main one, or that of its own code.
    case elsewhere(String, isMain: Bool)

    /// The phrase for findings.
    public var description: String {
      switch self {
      case .allOfRelease(let version): "\(version.number) loads no certificates, although its header says that it does"
      case .allOfDefaultPolicy: "defaultPolicy loads no certificates"
      case .otherExtension(let file): "\(file) is not loaded: only *.cer files are"
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
  /// The loader.
  public var transport: Transport
  /// The block that replaces the policy.
  public var challengeBlock = ChallengeBlock.none
  /// The type of pinnedCertificates; nil for the one that the release declares.
  public var collection: Collection?
  /// Whether the manager has an https base URL; since 3.2.0 a policy that pins requires one.
  public var hasSecureBaseURL = false
  /// The files of the app's bundle that the library does not load.
  public var unloaded: [Unloaded] = []

  /// Creates a policy with the defaults of its release.
  ///
  /// `defaultPolicy` creates it if `isDefault` is set, or else `policyWithPinningMode:`.
  public init(_ version: LibraryVersion, _ pinning: PinningMode = .none, isDefault: Bool = false) {
    self.version = version
    self.pinning = pinning
    validatesDomainName = Self.validatesDomainName(version, pinning, isDefault: isDefault)
    transport = version.isAtLeast(2, 0) ? .session : .connection
  }

  /// The default of `validatesDomainName`.
  static func validatesDomainName(_ version: LibraryVersion, _ pinning: PinningMode, isDefault: Bool) -> Bool {
    switch version {
    case let version where version.isAtLeast(2, 5, 3): true
    case let version where version.isAtLeast(2, 5, 0): pinning != .none && !isDefault
    default: !isDefault
    }
  }

  /// The evaluation of a release; releases differ in the order of their checks.
  public enum Procedure: Sendable, Hashable {
    /// 1.0: no pins; no check runs.
    case unclaimed
    /// 1.1.0: the leaf must be pinned.
    case leafOnly
    /// 1.2.0: the leaf in every mode, its key in one.
    case leafFirst
    /// 1.2.1 to 2.0.3: pinning modes check only the pin.
    case pinOnly
    /// 2.1.0: the system's evaluation first, even if allowInvalidCertificates is set.
    case systemFirst
    /// 2.2.0: with a comparison of common names.
    case commonName
    /// 2.2.1 to 2.5.4: sets policies, and anchors.
    case anchored
    /// 2.6.0 to 2.7.0: requires pinning if invalid certificates are allowed and names are compared.
    case readsBeforeAnchors
    /// 3.0.0 and later: reads the path after it sets the anchors.
    case readsAfterAnchors
  }

  /// The evaluation of this release.
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

  /// Whether a release has a property, by its name in scenarios.
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

  /// Whether the library claims ServerTrust: until 1.3.1 only with the pin macro, or if it accepts everything.
  var claimsServerTrust: Bool {
    if procedure == .unclaimed { return allowsInvalidCertificates }
    return version.isAtLeast(1, 3, 2) || pinning != .none || allowsInvalidCertificates
  }

  /// The call that refuses a server.
  var refusal: DelegateCall {
    version.isAtLeast(3, 0) && !version.isAtLeast(3, 1) ? .rejectProtectionSpace : .cancel
  }
}

import Explanation
import PKIX

/// Simulates the AFSecurityPolicy of each AFNetworking release, and its managers' responses to challenges.
///
/// The source is the library's code at each tag, which differs from the documentation in some places.
public struct AFNetworking: Sendable {
  /// AFSSLPinningMode.
  public enum PinningMode: String, Sendable, Hashable, CaseIterable {
    /// AFSSLPinningModeNone: only the server trust is evaluated.
    case none
    /// AFSSLPinningModePublicKey: the path must contain the key of a pinned certificate.
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
    /// A block for challenges of the session. It returns a credential without an evaluation.
    case session
    /// A block for challenges of the task, which are HTTP challenges.
    case task
  }

  /// The type of the collection that an app assigns to `pinnedCertificates`.
  public enum Collection: String, Sendable, Hashable, CaseIterable {
    /// NSArray of NSData.
    case array
    /// NSSet of NSData.
    case set
    /// An NSArray that contains an NSSet, as in `@[cerSet]`.
    case arrayOfSet = "array-of-set"
  }

  /// The certificates in the app's bundle that the library does not load.
  public enum Unloaded: Sendable, Hashable, CustomStringConvertible {
    /// All files, in a release that does not load any.
    case allOfRelease(LibraryVersion)
    /// All files, because the default policy does not load any.
    case allOfDefaultPolicy
    /// A file whose extension is not cer.
    case otherExtension(String)
    /// A file outside the bundle that the library reads, which is the main bundle or that of the library's code.
    case elsewhere(String, isMain: Bool)

    /// A description that is used in findings.
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
  /// The type of pinnedCertificates; nil for the type that the release declares.
  public var collection: Collection?
  /// Whether the manager has an https base URL. Since 3.2.0, a policy with pins requires one.
  public var hasSecureBaseURL = false
  /// The files of the app's bundle that the library does not load.
  public var unloaded: [Unloaded] = []

  /// Creates a policy with the defaults of its release.
  ///
  /// If `isDefault` is set, the policy is that of `defaultPolicy`; otherwise, that of `policyWithPinningMode:`.
  public init(_ version: LibraryVersion, _ pinning: PinningMode = .none, isDefault: Bool = false) {
    self.version = version
    self.pinning = pinning
    validatesDomainName = Self.validatesDomainName(version, pinning, isDefault: isDefault)
    transport = version.isAtLeast(2, 0) ? .session : .connection
  }

  /// Returns the default of `validatesDomainName`.
  static func validatesDomainName(_ version: LibraryVersion, _ pinning: PinningMode, isDefault: Bool) -> Bool {
    switch version {
    case let version where version.isAtLeast(2, 5, 3): true
    case let version where version.isAtLeast(2, 5, 0): pinning != .none && !isDefault
    default: !isDefault
    }
  }

  /// The evaluation procedure of a release. Releases differ in the order of their checks.
  public enum Procedure: Sendable, Hashable {
    /// In 1.0, there are no pins and no checks.
    case unclaimed
    /// In 1.1.0, the leaf must be pinned.
    case leafOnly
    /// In 1.2.0, the leaf is compared in every mode, and only its key in one mode.
    case leafFirst
    /// In 1.2.1 to 2.0.3, pinning modes check only the pin.
    case pinOnly
    /// In 2.1.0, the system's evaluation comes first, even if allowInvalidCertificates is set.
    case systemFirst
    /// In 2.2.0, common names are also compared.
    case commonName
    /// In 2.2.1 to 2.5.4, the library sets policies and anchors.
    case anchored
    /// In 2.6.0 to 2.7.0, pinning is required if invalid certificates are allowed and names are compared.
    case readsBeforeAnchors
    /// In 3.0.0 and later, the library reads the path after it sets the anchors.
    case readsAfterAnchors
  }

  /// The evaluation procedure of this release.
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

  /// Returns whether a release has a property, identified by its name in scenarios.
  public static func has(_ property: String, _ version: LibraryVersion) -> Bool {
    switch property {
    case "validatesCertificateChain": version.isAtLeast(2, 1) && !version.isAtLeast(2, 6)
    case "validatesDomainName": version.isAtLeast(2, 1)
    case "allowInvalidCertificates": version.isAtLeast(1, 2, 1)
    case "pinning", "pins", "bundle": version.isAtLeast(1, 1)
    default: true
    }
  }

  /// Returns the transports that a release has.
  public static func transports(_ version: LibraryVersion) -> [Transport] {
    if version.isAtLeast(3, 0) { return [.session] }
    return version.isAtLeast(2, 0) ? [.session, .connection] : [.connection]
  }

  /// Whether the library handles ServerTrust challenges. Until 1.3.1, it does so only with the pinning macro, or if it
  /// accepts every server.
  var claimsServerTrust: Bool {
    if procedure == .unclaimed { return allowsInvalidCertificates }
    return version.isAtLeast(1, 3, 2) || pinning != .none || allowsInvalidCertificates
  }

  /// The call that refuses a server.
  var refusal: DelegateCall {
    version.isAtLeast(3, 0) && !version.isAtLeast(3, 1) ? .rejectProtectionSpace : .cancel
  }
}

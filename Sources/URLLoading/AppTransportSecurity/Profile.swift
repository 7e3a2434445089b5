import Explanation
import Trust

extension AppTransportSecurity {
  /// The rules of App Transport Security in one era of systems.
  ///
  /// Releases differ in the loads that they allow, and in the keys that they support.
  public struct Profile: Sendable, Hashable {
    /// The eras.
    public enum Name: String, Sendable, Hashable, CaseIterable {
      /// iOS 8, OS X 10.10 and earlier, which do not have App Transport Security.
      case none
      /// iOS 9, OS X 10.11.
      case ios9
      /// iOS 10 to 16, and macOS 10.12 to 13.
      case ios10
      /// iOS 17 to 18.3, and macOS 14 to 15.3.
      case ios17
      /// iOS 18.4, macOS 15.4 and later, whose engine is open source.
      case modern
      /// The literal interpretation of Apple's documentation.
      case documentation = "doc"
    }

    /// The handling of unqualified names and `.local`.
    public enum LocalNames: String, Sendable, Hashable, CaseIterable {
      /// Local names are handled like other hosts.
      case ordinary
      /// They are allowed.
      case allowed
      /// Local names are allowed unless `NSAllowsLocalNetworking` is present and NO.
      case allowedUnlessDenied
    }

    /// The handling of hosts that are IP addresses.
    public enum Addresses: String, Sendable, Hashable, CaseIterable {
      /// Addresses are blocked, and cannot have an entry.
      case blocked
      /// Addresses are allowed in any configuration.
      case allowed
      /// Addresses are blocked, unless they are direct or an entry lists them as an address or a range.
      case listed
    }

    /// The system whose rules apply.
    public let os: OSVersion
    /// Its era.
    public let name: Name
    /// The handling of unqualified names and `.local`.
    public let localNames: LocalNames
    /// The handling of hosts that are IP addresses.
    public let addresses: Addresses
    /// The maximum number of labels below an entry with `NSIncludesSubdomains`; nil for any number.
    public let subdomainDepth: Int?
    /// Whether `NSThirdPartyException…` and `NSTemporaryException…` are honoured. If no public source shows this, the
    /// value is an assumption that can be changed.
    public var honoursOldSpellings: Bool
    /// Whether `NSAllowsArbitraryLoadsInMedia` is honoured as the media key. This is unknown for every release.
    public var honoursEarlyMediaName = false
    /// Whether every app has the exceptions of `builtInDomains`.
    public let hasBuiltInDomains: Bool
    /// Whether an address that can be reached without a router is treated as a local name.
    public let knowsDirectAddresses: Bool
    /// Whether an entry without forward secrecy and with plain HTTP leaves the suites of the session unchanged.
    public let mayLeaveSuitesAlone: Bool
    /// Whether `NSExceptionRequiresForwardSecrecy` = NO also removes the check of the key size.
    public let forwardSecrecyKeyCoversKeySize: Bool

    /// Creates the profile of a system for an app that is linked with `linkedSDK`; nil means the system's own SDK.
    ///
    /// Since iOS 17 and macOS 14, the SDK determines whether addresses need an entry (release notes of iOS 17,
    /// 101967030).
    public init(_ os: OSVersion, linkedSDK: OSVersion? = nil) {
      self.os = os
      name = Self.name(of: os)
      localNames = name == .ios9 ? .ordinary : name == .modern ? .allowedUnlessDenied : .allowed
      let isLinkedEarlier = linkedSDK.map { !$0.isAtLeast(iOS: (17, 0), macOS: (14, 0)) } ?? false
      addresses = name == .ios9 ? .blocked : name == .ios10 || isLinkedEarlier ? .allowed : .listed
      subdomainDepth = name == .documentation ? 1 : nil
      honoursOldSpellings = [.ios9, .ios10, .ios17].contains(name)
      hasBuiltInDomains = name == .modern
      knowsDirectAddresses = name == .ios17 || name == .modern
      mayLeaveSuitesAlone = name == .modern
      forwardSecrecyKeyCoversKeySize = name != .modern
    }

    private static func name(of os: OSVersion) -> Name {
      if os.family == .documentation { return .documentation }
      if os.isAtLeast(iOS: (18, 4), macOS: (15, 4)) { return .modern }
      if os.isAtLeast(iOS: (17, 0), macOS: (14, 0)) { return .ios17 }
      if os.isAtLeast(iOS: (10, 0), macOS: (10, 12)) { return .ios10 }
      return os.isAtLeast(iOS: (9, 0), macOS: (10, 11)) ? .ios9 : .none
    }
  }
}

extension AppTransportSecurity.Profile {
  /// Whether the code of these systems is closed, so that the only sources are documentation and observations.
  var isClosed: Bool { [.ios9, .ios10, .ios17].contains(name) }

  /// Whether `NSRequiresCertificateTransparency` is honoured.
  ///
  /// The key was introduced with iOS 10. It is redundant since iOS 12.1.1 and macOS 10.14.2, which require SCTs of
  /// every public certificate (support article 103214).
  package var heedsTransparencyKey: Bool { name == .ios10 && !requiresTransparencyItself }
  private var requiresTransparencyItself: Bool { os.isAtLeast(iOS: (12, 2), macOS: (10, 15)) }
  /// The doubt about whether `NSRequiresCertificateTransparency` is honoured.
  package static let transparencyDoubt = Finding.Confidence.likely(
    "Apple has not published which release first ignored the key")

  /// The newest release that the sources cover. It has the keys of the NIAP levels.
  private static let newest = "26.4"

  /// The doubt about a release that does not exist, or that is newer than every source.
  ///
  /// In 2025, Apple's version numbers changed from iOS 18 and macOS 15 to 26.
  public var releaseDoubt: Finding.Confidence? {
    if os.family.isBesideIOS {
      return .likely(
        "sources cover only iOS and macOS; TrustLab assumes that \(os) decides like \(os.contemporary), the release of "
          + "the same year")
    }
    let (last, newest) = os.family == .iOS ? (18, 26) : (15, 26)
    guard os.family != .documentation, os.major > last, os.major != newest else { return nil }
    if os.major > newest {
      return .likely(
        "\(os) is newer than every source; TrustLab assumes that it decides like \(os.family.rawValue) \(Self.newest)")
    }
    return .unknown(
      "\(os) does not exist: version \(newest) followed \(os.family.rawValue) \(last), and TrustLab decides like that "
        + "version")
  }
}

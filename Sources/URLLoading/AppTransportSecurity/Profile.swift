import Explanation
import Trust

extension AppTransportSecurity {
  /// The decisions of one era of systems: releases differ in the loads that they allow, and in the keys that they read.
  public struct Profile: Sendable, Hashable {
    /// The eras.
    public enum Name: String, Sendable, Hashable, CaseIterable {
      /// iOS 8, OS X 10.10 and earlier: there is no App Transport Security.
      case none
      /// iOS 9, OS X 10.11.
      case ios9
      /// iOS 10 to 16, macOS 10.12 to 13.
      case ios10
      /// iOS 17 to 18.3, macOS 14 to 15.3.
      case ios17
      /// iOS 18.4, macOS 15.4 and later, whose engine is open source.
      case modern
      /// Apple's documentation taken literally.
      case documentation = "doc"
    }

    /// The handling of unqualified names and `.local`.
    public enum LocalNames: String, Sendable, Hashable, CaseIterable {
      /// They are handled like other hosts.
      case ordinary
      /// They are allowed.
      case allowed
      /// They are allowed unless `NSAllowsLocalNetworking` is present and NO.
      case allowedUnlessDenied
    }

    /// The handling of hosts that are IP addresses.
    public enum Addresses: String, Sendable, Hashable, CaseIterable {
      /// Blocked, and cannot be listed.
      case blocked
      /// Allowed in any configuration.
      case allowed
      /// Blocked unless they are direct, or listed as an address or a range.
      case listed
    }

    /// The system that decides.
    public let os: OSVersion
    /// Its era.
    public let name: Name
    /// Unqualified names and `.local`.
    public let localNames: LocalNames
    /// Hosts that are IP addresses.
    public let addresses: Addresses
    /// The number of labels up to which an entry with `NSIncludesSubdomains` applies; nil for any number.
    public let subdomainDepth: Int?
    /// Whether `NSThirdPartyException…` and `NSTemporaryException…` count. If no public source shows it, this is a
    /// guess that can be changed.
    public var honoursOldSpellings: Bool
    /// Whether `NSAllowsArbitraryLoadsInMedia` counts as the media key; unknown for every release.
    public var honoursEarlyMediaName = false
    /// Whether every app has the exceptions of `builtInDomains`.
    public let hasBuiltInDomains: Bool
    /// Whether an address that needs no router counts as a local name.
    public let knowsDirectAddresses: Bool
    /// Whether an entry without forward secrecy and with plain HTTP leaves the suites of the session unchanged.
    public let mayLeaveSuitesAlone: Bool
    /// Whether `NSExceptionRequiresForwardSecrecy` = NO also removes the check of the key size.
    public let forwardSecrecyKeyCoversKeySize: Bool

    /// Creates the profile of a system for an app that is linked with `linkedSDK`, or with the system's own SDK.
    ///
    /// The SDK determines whether addresses need an entry, since iOS 17 and macOS 14: release notes of iOS 17,
    /// 101967030.
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
  /// Whether the code of the era's systems is closed, so that only documentation and observations exist.
  var isClosed: Bool { [.ios9, .ios10, .ios17].contains(name) }

  /// Whether `NSRequiresCertificateTransparency` counts.
  ///
  /// It was introduced with iOS 10. It added a requirement until the system required SCTs of every public certificate,
  /// since iOS 12.1.1 and macOS 10.14.2 (support article 103214).
  package var heedsTransparencyKey: Bool { name == .ios10 && !requiresTransparencyItself }
  private var requiresTransparencyItself: Bool { os.isAtLeast(iOS: (12, 2), macOS: (10, 15)) }
  /// The doubt about that.
  package static let transparencyDoubt = Finding.Confidence.likely(
    "Apple has not published which release first ignored the key")

  /// The newest release in the sources; it has the keys of NIAP's levels.
  private static let newest = "26.4"

  /// The doubt about the release itself: one that does not exist, or that is newer than every source.
  ///
  /// Apple's version numbers went from iOS 18 and macOS 15 to 26, in 2025.
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

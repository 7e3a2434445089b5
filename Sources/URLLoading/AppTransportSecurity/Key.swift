extension AppTransportSecurity {
  /// A key of the `NSAppTransportSecurity` dictionary, current or not.
  public struct Key: Sendable, Hashable, Identifiable {
    /// Where in the dictionary a key belongs.
    public enum Level: String, Sendable, Hashable, CaseIterable {
      /// In Info.plist itself.
      case root
      /// In `NSAppTransportSecurity`.
      case global
      /// In an entry of `NSExceptionDomains`.
      case exceptionDomain = "exception-domain"
      /// In an entry of `NSPinnedDomains`.
      case pinnedDomain = "pinned-domain"
      /// In an item of a list of pinned identities.
      case pinnedIdentity = "pinned-identity"
    }

    /// What App Review asks about.
    public enum Review: String, Sendable, Hashable, CaseIterable {
      case never
      /// A value of YES needs a justification.
      case whenYes = "when-yes"
      /// A version lower than TLSv1.2 needs a justification.
      case whenLowered = "when-lowered"
    }

    /// Whether the key still means something.
    public enum Standing: Sendable, Hashable {
      case current
      /// A name that older systems read, or documentation had; `use` is today's name.
      case historical(use: String)
      /// Documented once and read by nothing today.
      case obsolete
      /// Never a key, but seen in shipped apps; `use` is what was meant, where there is one.
      case misspelling(use: String?)
    }

    /// The key.
    public let name: String
    /// Where it belongs.
    public let level: Level
    /// The kind of value, as `PropertyList.typeName` says it.
    public let valueType: String
    /// The value when it is absent, as documented: `NO`, `TLSv1.2`, `none`.
    public let defaultValue: String
    /// The first releases that know it: `iOS 9, macOS 10.11`.
    public let since: String
    /// What App Review asks about.
    public let review: Review
    /// Whether the key still means something.
    public let standing: Standing
    /// What it does, as a sentence.
    public let meaning: String

    /// The key's name; a few names belong to several levels.
    public var id: String { "\(level.rawValue).\(name)" }
  }
}

extension AppTransportSecurity.Key {
  static let appTransportSecurity = "NSAppTransportSecurity"
  static let allowsArbitraryLoads = "NSAllowsArbitraryLoads"
  static let allowsArbitraryLoadsForMedia = "NSAllowsArbitraryLoadsForMedia"
  static let allowsArbitraryLoadsInMedia = "NSAllowsArbitraryLoadsInMedia"
  static let allowsArbitraryLoadsInWebContent = "NSAllowsArbitraryLoadsInWebContent"
  static let allowsLocalNetworking = "NSAllowsLocalNetworking"
  static let exceptionDomains = "NSExceptionDomains"
  static let pinnedDomains = "NSPinnedDomains"
  static let pinnedLeafIdentities = "NSPinnedLeafIdentities"
  static let pinnedCAIdentities = "NSPinnedCAIdentities"
  static let pinnedHash = "SPKI-SHA256-BASE64"
  static let pinningRequired = "SecTrustPinningRequired"
  static let requiresNIAP = "NSRequiresNIAPTLSPackageVersion"
  static let exceptionRequiresNIAP = "NSExceptionRequiresNIAPTLSPackageVersion"
  static let includesSubdomains = "NSIncludesSubdomains"
  static let insecureLoads = "NSExceptionAllowsInsecureHTTPLoads"
  static let requiresCertificateTransparency = "NSRequiresCertificateTransparency"

  /// What a dictionary has in it that is the `NSAppTransportSecurity` dictionary itself.
  static let globalNames: Set<String> = Set(catalogue.filter { $0.level == .global }.map(\.name))

  /// The keys called `name`, at whatever level.
  public static func named(_ name: String) -> [Self] { catalogue.filter { $0.name == name } }
}

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

    /// Whether any system knows or knew it.
    public var isKey: Bool { if case .misspelling = standing { false } else { true } }
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

  /// How it acts with other keys, values and systems, as sentences; empty where there is nothing to say.
  ///
  /// By Apple's documentation, and by the source of the engine since iOS 18.4 where that says more.
  public var interplay: [String] { Self.interplays[id] ?? Self.interplays[current] ?? [] }

  /// The id of the key that a historical name stands for.
  private var current: String {
    if case .historical(let use) = standing { return "\(level.rawValue).\(use)" }
    return id
  }

  private static let interplays: [String: [String]] = [
    "root.NSAppTransportSecurity": [
      "Covers what the URL Loading System loads: URLSession, NSURLConnection, web views, AVFoundation; not "
        + "Network.framework, streams or sockets.",
      "Has no effect before iOS 9, nor in apps that are linked against an SDK before it.",
      "Every redirect is decided on its own.",
    ],
    "root.SecTrustPinningRequired": ["Two empty lists of identities turn it off for a host."],
    "global.NSAllowsArbitraryLoads": [
      "Hosts that NSExceptionDomains lists keep the full rules, also with an empty entry.",
      "From iOS 10 it counts as NO as soon as NSAllowsArbitraryLoadsForMedia, NSAllowsArbitraryLoadsInWebContent or "
        + "NSAllowsLocalNetworking is there, whatever its value.",
      "The system's own evaluation of the server's certificate still runs; but a delegate may now accept anything.",
    ],
    "global.NSAllowsArbitraryLoadsForMedia": [
      "Its presence, even with NO, makes NSAllowsArbitraryLoads count as NO from iOS 10.",
      "Listed hosts ignore it. Since iOS 18.4 it works in the process mediaplaybackd alone.",
      "Apple asks to use it for media that are protected already, such as by FairPlay, and without personal data.",
    ],
    "global.NSAllowsArbitraryLoadsInMedia": [
      "The name of early documentation, until about November 2016; the key is NSAllowsArbitraryLoadsForMedia."
    ],
    "global.NSAllowsArbitraryLoadsInWebContent": [
      "Its presence, even with NO, makes NSAllowsArbitraryLoads count as NO from iOS 10.",
      "Listed hosts ignore it. Documentation lists WKWebView, UIWebView and WebView; since iOS 18.4 it works in "
        + "processes of WebKit alone.",
    ],
    "global.NSAllowsLocalNetworking": [
      "Unqualified names and .local are allowed from iOS 10 without it.",
      "NO is not the same as absent: by the engine since iOS 18.4 local names then need TLS like any host.",
      "Its presence, even with NO, makes NSAllowsArbitraryLoads count as NO from iOS 10.",
      "Addresses need no key on iOS 10 to 16; from iOS 17 they are listed in NSExceptionDomains, alone or as a range.",
    ],
    "global.NSExceptionDomains": [
      "Names are lower case, without scheme, port, path or wildcard; only the most specific entry counts.",
      "Addresses and ranges such as 192.168.0.0/24 are keys from iOS 17, macOS 14.",
      "An entry can also demand more: it holds where NSAllowsArbitraryLoads would lift everything.",
    ],
    "global.NSPinnedDomains": [
      "Pins never make a chain trusted that is not; they hold also where App Transport Security is lifted.",
      "The identities of all entries that match are put together.",
    ],
    "exception-domain.NSIncludesSubdomains": [
      "Any number of labels below the entry, by the engine since iOS 18.4 and by older documentation; exactly one by "
        + "documentation of today.",
      "An ancestor without it is passed over.",
    ],
    "pinned-domain.NSIncludesSubdomains": ["The number 1 in the place of YES is not taken, by Apple's source."],
    "exception-domain.NSExceptionAllowsInsecureHTTPLoads": [
      "Over https TLS 1.2 and forward secrecy are still demanded of the host.",
      "It accepts no certificate by itself: it lets the app's delegate accept one that the system does not trust.",
      "Together with NSExceptionRequiresForwardSecrecy = NO the suites are the session's own since iOS 18.4.",
    ],
    "exception-domain.NSExceptionMinimumTLSVersion": [
      "It can raise the minimum as well as lower it, and it changes no suite: a server of TLS 1.0 still needs ECDHE.",
      "A text of another form, such as 1.0 or TLSV1.2, is none: the minimum stays TLSv1.2.",
    ],
    "exception-domain.NSExceptionRequiresForwardSecrecy": [
      "NO adds RSA key exchange (six suites; four today), never DHE, RC4 or 3DES. The version stays.",
      "By documentation NO also removes the check of the key's length; the engine since iOS 18.4 keeps it.",
    ],
    "exception-domain.NSRequiresCertificateTransparency": [
      "Since 2018 every certificate under a root of the system needs it; the key is not read any more."
    ],
    "exception-domain.NSExceptionRequiresNIAPTLSPackageVersion": [
      "'none' takes the host out of NSRequiresNIAPTLSPackageVersion."
    ],
    "global.NSRequiresNIAPTLSPackageVersion": [
      "FCP_v2.1: TLS 1.2 with ECDHE and AES-GCM alone, with Extended Master Secret, no rsa_pkcs1 with SHA-1."
    ],
    "pinned-domain.NSPinnedCAIdentities": [
      "With NSPinnedLeafIdentities both must match. A list that is empty or malformed matches nothing."
    ],
    "pinned-domain.NSPinnedLeafIdentities": [
      "With NSPinnedCAIdentities both must match. A list that is empty or malformed matches nothing."
    ],
    "pinned-identity.SPKI-SHA256-BASE64": ["A dictionary with this one key; bare strings and data are malformed."],
  ]
}

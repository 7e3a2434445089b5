import TLS
import Trust

// One row for each requirement, and one for each key. docs/architecture.md has the recipe for a new key.

extension AppTransportSecurity.Demand {
  /// All requirements, in the order in which a difference lists them.
  package static let all: [Self] = [
    .minimumVersion, .cipherSuites, .forwardSecrecy, .niap, .certificateTransparency, .trust, .pins,
  ]

  static let minimumVersion = Self("minimumTLSVersion", .version(\.minimumVersion), isOfContract: true)
  static let cipherSuites = Self("cipherSuites", .cipherSuites(\.cipherSuites), isOfContract: true)
  static let forwardSecrecy = Self(
    "forwardSecrecy", .flag(.forwardSecrecy, \.requiresForwardSecrecy), isOfContract: true)
  static let certificateTransparency = Self(
    "certificateTransparency", .flag(.certificateTransparency, \.requiresCertificateTransparency), isOfContract: true)
  static let trust = Self("trustMayBeLoosened", .flag(.looseTrust, \.trustMayBeLoosened), isOfContract: true)
  static let niap = Self("niap", .niapPackage(\.niapPackage))
  static let pins = Self("pins", .pins(\.pinnedIdentities))
}

extension AppTransportSecurity.Key.Since {
  fileprivate static let nine = releases(iOS: OSVersion(.iOS, 9), macOS: OSVersion(.macOS, 10, 11))
  fileprivate static let ten = releases(iOS: OSVersion(.iOS, 10), macOS: OSVersion(.macOS, 10, 12))
  fileprivate static let fourteen = releases(iOS: OSVersion(.iOS, 14), macOS: OSVersion(.macOS, 11))
  fileprivate static let twentySix = releases(iOS: OSVersion(.iOS, 26, 4), macOS: OSVersion(.macOS, 26, 4))
}

extension AppTransportSecurity.Key {
  /// Every key that Apple documents or has documented, and names that shipped apps use by mistake.
  public static let catalogue: [AppTransportSecurity.Key] =
    roots + globals + exceptions + pins + historical + misspellings

  private static let roots: [AppTransportSecurity.Key] = [appTransportSecurity, pinningRequired]

  /// The keys of `NSAppTransportSecurity`, in alphabetical order.
  package static let globals: [AppTransportSecurity.Key] = [
    allowsArbitraryLoads, allowsArbitraryLoadsForMedia, allowsArbitraryLoadsInWebContent, allowsLocalNetworking,
    exceptionDomains, pinnedDomains, requiresNIAP,
  ]

  /// The keys of an entry of `NSExceptionDomains`, in the current spelling.
  package static let exceptions: [AppTransportSecurity.Key] = [
    includesSubdomains, insecureLoads, minimumVersion, requiresForwardSecrecy, requiresCertificateTransparency,
    exceptionRequiresNIAP,
  ]

  private static let pins: [AppTransportSecurity.Key] = [
    pinsIncludeSubdomains, pinnedCAIdentities, pinnedLeafIdentities, pinnedHash,
  ]

  package static let appTransportSecurity = AppTransportSecurity.Key(
    "NSAppTransportSecurity", .dictionary(.root), since: .nine,
    meaning: "Changes what App Transport Security demands of the app's connections.",
    interplay: [
      "Covers what the URL Loading System loads: URLSession, NSURLConnection, web views, AVFoundation; not "
        + "Network.framework, streams or sockets.",
      "Has no effect before iOS 9, nor in apps that are linked against an SDK before it.",
      "Every redirect is decided on its own.",
    ])

  package static let pinningRequired = AppTransportSecurity.Key(
    "SecTrustPinningRequired", .genuineFlag(.root), since: .fourteen,
    meaning: "Requires pins for every host; undocumented, known from Apple's source.",
    interplay: ["Two empty lists of identities turn it off for a host."])

  package static let allowsArbitraryLoads = AppTransportSecurity.Key(
    "NSAllowsArbitraryLoads", .global(.flag(\.arbitraryLoads)), since: .nine, review: .whenYes,
    effect: .weakens(.trust), lift: .allLoads,
    meaning: "Removes App Transport Security for every domain that NSExceptionDomains does not list.",
    interplay: [
      "Hosts that NSExceptionDomains lists keep the full rules, also with an empty entry.",
      "From iOS 10 it counts as NO as soon as NSAllowsArbitraryLoadsForMedia, NSAllowsArbitraryLoadsInWebContent or "
        + "NSAllowsLocalNetworking is there, whatever its value.",
      "The system's own evaluation of the server's certificate still runs; but a delegate may now accept anything.",
    ])

  package static let allowsArbitraryLoadsForMedia = AppTransportSecurity.Key(
    "NSAllowsArbitraryLoadsForMedia", .global(.flag(\.media)), since: .ten, review: .whenYes,
    effect: .weakens(.trust), lift: .media,
    turnsArbitraryLoadsOff: true,
    meaning: "Removes it for media loaded through AVFoundation; its presence turns NSAllowsArbitraryLoads off.",
    interplay: [
      "Its presence, even with NO, makes NSAllowsArbitraryLoads count as NO from iOS 10.",
      "Listed hosts ignore it. Since iOS 18.4 it works in the process mediaplaybackd alone.",
      "Apple asks to use it for media that are protected already, such as by FairPlay, and without personal data.",
    ])

  package static let allowsArbitraryLoadsInWebContent = AppTransportSecurity.Key(
    "NSAllowsArbitraryLoadsInWebContent", .global(.flag(\.webContent)), since: .ten, review: .whenYes,
    effect: .weakens(.trust), lift: .webContent,
    turnsArbitraryLoadsOff: true,
    meaning: "Removes it for requests made from web views; its presence turns NSAllowsArbitraryLoads off.",
    interplay: [
      "Its presence, even with NO, makes NSAllowsArbitraryLoads count as NO from iOS 10.",
      "Listed hosts ignore it. Documentation lists WKWebView, UIWebView and WebView; since iOS 18.4 it works in "
        + "processes of WebKit alone.",
    ])

  package static let allowsLocalNetworking = AppTransportSecurity.Key(
    "NSAllowsLocalNetworking", .global(.flag(\.localNetworking)), since: .ten,
    effect: .weakens(.trust), lift: .localNames, turnsArbitraryLoadsOff: true,
    meaning: "Allows loads of local resources; its presence turns NSAllowsArbitraryLoads off.",
    interplay: [
      "Unqualified names and .local are allowed from iOS 10 without it.",
      "NO is not the same as absent: by the engine since iOS 18.4 local names then need TLS like any host.",
      "Its presence, even with NO, makes NSAllowsArbitraryLoads count as NO from iOS 10.",
      "Addresses need no key on iOS 10 to 16; from iOS 17 they are listed in NSExceptionDomains, alone or as a range.",
    ])

  package static let exceptionDomains = AppTransportSecurity.Key(
    "NSExceptionDomains", .dictionary(.global), since: .nine,
    meaning: "Settings by domain; a listed domain ignores every global key, even when its entry is empty.",
    interplay: [
      "Names are lower case, without scheme, port, path or wildcard; only the most specific entry counts.",
      "Addresses and ranges such as 192.168.0.0/24 are keys from iOS 17, macOS 14.",
      "An entry can also demand more: it holds where NSAllowsArbitraryLoads would lift everything.",
    ])

  package static let pinnedDomains = AppTransportSecurity.Key(
    "NSPinnedDomains", .dictionary(.global), since: .fourteen, effect: .demands(.pins),
    meaning: "The identities that a chain must contain, by domain.",
    interplay: [
      "Pins never make a chain trusted that is not; they hold also where App Transport Security is lifted.",
      "The identities of all entries that match are put together.",
    ])

  package static let requiresNIAP = AppTransportSecurity.Key(
    "NSRequiresNIAPTLSPackageVersion", .global(.niapPackage(\.niapPackage)), since: .twentySix,
    effect: .demands(.niap),
    meaning: "Demands the stricter profile of NIAP for all connections: none, FCP_v2.1 or recommended.",
    interplay: [
      "FCP_v2.1: TLS 1.2 with ECDHE and AES-GCM alone, with Extended Master Secret, no rsa_pkcs1 with SHA-1."
    ])

  package static let includesSubdomains = AppTransportSecurity.Key(
    "NSIncludesSubdomains", .exception(.flag(\.includesSubdomains)), since: .nine,
    meaning: "Extends the entry to subdomains.",
    interplay: [
      "Any number of labels below the entry, by the engine since iOS 18.4 and by older documentation; exactly one by "
        + "documentation of today.",
      "An ancestor without it is passed over.",
    ])

  package static let insecureLoads = AppTransportSecurity.Key(
    "NSExceptionAllowsInsecureHTTPLoads", .exception(.flag(\.allowsInsecureHTTPLoads)), since: .nine,
    review: .whenYes,
    effect: .weakens(.trust),
    meaning: "Allows plain HTTP to the domain, and lets the app loosen server trust there.",
    interplay: [
      "Over https TLS 1.2 and forward secrecy are still demanded of the host.",
      "It accepts no certificate by itself: it lets the app's delegate accept one that the system does not trust.",
      "Together with NSExceptionRequiresForwardSecrecy = NO the suites are the session's own since iOS 18.4.",
    ])

  package static let minimumVersion = AppTransportSecurity.Key(
    "NSExceptionMinimumTLSVersion", .exception(.version(\.minimumTLSVersion)), since: .nine, review: .whenLowered,
    effect: .weakens(.minimumVersion),
    meaning: "The lowest version of TLS: TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3. It does not change the suites.",
    interplay: [
      "It can raise the minimum as well as lower it, and it changes no suite: a server of TLS 1.0 still needs ECDHE.",
      "A text of another form, such as 1.0 or TLSV1.2, is none: the minimum stays TLSv1.2.",
    ])

  package static let requiresForwardSecrecy = AppTransportSecurity.Key(
    "NSExceptionRequiresForwardSecrecy", .exception(.flag(\.requiresForwardSecrecy, default: true)), since: .nine,
    effect: .weakens(.forwardSecrecy),
    meaning: "NO adds suites with RSA key exchange, which have no forward secrecy.",
    interplay: [
      "NO adds RSA key exchange (six suites; four today), never DHE, RC4 or 3DES. The version stays.",
      "By documentation NO also removes the check of the key's length; the engine since iOS 18.4 keeps it.",
    ])

  package static let requiresCertificateTransparency = AppTransportSecurity.Key(
    "NSRequiresCertificateTransparency", .exception(.flag(\.requiresCertificateTransparency)), since: .ten,
    standing: .obsolete, effect: .demands(.certificateTransparency),
    meaning: "Demanded certificate transparency before it became universal; ignored now.",
    interplay: [
      "Since 2018 every certificate under a root of the system needs it; the key is not read any more."
    ])

  package static let exceptionRequiresNIAP = AppTransportSecurity.Key(
    "NSExceptionRequiresNIAPTLSPackageVersion", .exception(.niapPackage(\.niapPackage)), since: .twentySix,
    effect: .demands(.niap),
    meaning: "The profile of NIAP for the domain; none opts it out of the global one.",
    interplay: ["'none' takes the host out of NSRequiresNIAPTLSPackageVersion."])

  package static let pinsIncludeSubdomains = AppTransportSecurity.Key(
    "NSIncludesSubdomains", .genuineFlag(.pinnedDomain), since: .fourteen,
    meaning: "Extends the pins to names with exactly one label more.",
    interplay: ["The number 1 in the place of YES is not taken, by Apple's source."])

  package static let pinnedCAIdentities = AppTransportSecurity.Key(
    "NSPinnedCAIdentities", .identities, since: .fourteen, effect: .demands(.pins),
    meaning: "One certificate of the chain above the leaf must have one of these keys.",
    interplay: ["With NSPinnedLeafIdentities both must match. A list that is empty or malformed matches nothing."])

  package static let pinnedLeafIdentities = AppTransportSecurity.Key(
    "NSPinnedLeafIdentities", .identities, since: .fourteen, effect: .demands(.pins),
    meaning: "The leaf must have one of these keys.",
    interplay: ["With NSPinnedCAIdentities both must match. A list that is empty or malformed matches nothing."])

  package static let pinnedHash = AppTransportSecurity.Key(
    "SPKI-SHA256-BASE64", .hash, since: .fourteen,
    meaning: "Base64 of the SHA-256 of the DER SubjectPublicKeyInfo.",
    interplay: ["A dictionary with this one key; bare strings and data are malformed."])

  package static let allowsArbitraryLoadsInMedia = AppTransportSecurity.Key(
    "NSAllowsArbitraryLoadsInMedia", .global(.flag(\.mediaByEarlyName)),
    since: .source("early documentation of iOS 10"), standing: .historical(use: allowsArbitraryLoadsForMedia.name),
    lift: .media, meaning: "Has no effect that is known, and does not turn NSAllowsArbitraryLoads off either.",
    interplay: [
      "The name of early documentation, until about November 2016; the key is NSAllowsArbitraryLoadsForMedia."
    ])

  private static let historical =
    [allowsArbitraryLoadsInMedia]
    + [.thirdParty, .temporary].flatMap { spelling in
      [insecureLoads, minimumVersion, requiresForwardSecrecy].compactMap { $0.spelt(spelling) }
    }

  /// Returns the row of this key under an old name; nil for keys that have no old name.
  private func spelt(_ spelling: AppTransportSecurity.ExceptionDomain.Spelling) -> AppTransportSecurity.Key? {
    guard case .exception(let property, .plain) = reading else { return nil }
    return AppTransportSecurity.Key(
      spelling.name(of: self), .exception(property, spelling), since: since, review: review,
      standing: .historical(use: name), effect: effect,
      meaning: "The same as \(name) on older systems. Apple's open engine (iOS 18.4, macOS 15.4) does not "
        + "read it; whether closed code still translates it is unknown.",
      interplay: interplay)
  }

  private static let misspellings: [AppTransportSecurity.Key] = [
    ("NSAllowArbitraryLoads", Level.global, allowsArbitraryLoads),
    ("NSExceptionAllowInsecureHTTPLoads", .exceptionDomain, insecureLoads),
    ("NSTemporaryExceptionAllowInsecureHTTPLoads", .exceptionDomain, insecureLoads),
    ("NSExceptionAllowsLocalNetworking", .exceptionDomain, nil),
  ].map { name, level, meant in
    AppTransportSecurity.Key(
      name, .nothing(level), since: .source("never"), standing: .misspelling(use: meant?.name),
      meaning: "Not a key: it is ignored.")
  }
}

import TLS
import Trust

// One row for each requirement and for each key. docs/architecture.md explains how to add a key.

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
    meaning: "Changes the requirements that App Transport Security sets for the app's connections.",
    interplay: [
      "Applies to loads of the URL Loading System (URLSession, NSURLConnection, web views, AVFoundation), but not to "
        + "Network.framework, streams or sockets.",
      "Has no effect before iOS 9, or in apps that are linked with an SDK earlier than that of iOS 9.",
      "App Transport Security evaluates each redirect separately.",
    ])

  package static let pinningRequired = AppTransportSecurity.Key(
    "SecTrustPinningRequired", .genuineFlag(.root), since: .fourteen,
    meaning: "Requires pins for every host; the key is undocumented, and known from Apple's source code.",
    interplay: ["If both lists of identities for a host are empty, the key does not apply to the host."])

  package static let allowsArbitraryLoads = AppTransportSecurity.Key(
    "NSAllowsArbitraryLoads", .global(.flag(\.arbitraryLoads)), since: .nine, review: .whenYes,
    effect: .weakens(.trust), lift: .allLoads,
    meaning: "Turns off App Transport Security for every domain that NSExceptionDomains does not list.",
    interplay: [
      "Hosts that NSExceptionDomains lists keep the full requirements, even if their entry is empty.",
      "Since iOS 10, systems treat it as NO if NSAllowsArbitraryLoadsForMedia, NSAllowsArbitraryLoadsInWebContent or "
        + "NSAllowsLocalNetworking is present with any value.",
      "The system still evaluates the server's certificate, but the app's delegate may accept any certificate.",
    ])

  package static let allowsArbitraryLoadsForMedia = AppTransportSecurity.Key(
    "NSAllowsArbitraryLoadsForMedia", .global(.flag(\.media)), since: .ten, review: .whenYes,
    effect: .weakens(.trust), lift: .media,
    turnsArbitraryLoadsOff: true,
    meaning: "Turns off App Transport Security for media that AVFoundation loads; its presence turns "
      + "NSAllowsArbitraryLoads off.",
    interplay: [
      "Since iOS 10, systems treat NSAllowsArbitraryLoads as NO if this key is present, even with the value NO.",
      "Has no effect on hosts that NSExceptionDomains lists. Since iOS 18.4, it works only in the process "
        + "mediaplaybackd.",
      "Apple's documentation restricts it to media that are already protected (by FairPlay, for example) and contain "
        + "no personal data.",
    ])

  package static let allowsArbitraryLoadsInWebContent = AppTransportSecurity.Key(
    "NSAllowsArbitraryLoadsInWebContent", .global(.flag(\.webContent)), since: .ten, review: .whenYes,
    effect: .weakens(.trust), lift: .webContent,
    turnsArbitraryLoadsOff: true,
    meaning: "Turns off App Transport Security for requests from web views; its presence turns NSAllowsArbitraryLoads "
      + "off.",
    interplay: [
      "Since iOS 10, systems treat NSAllowsArbitraryLoads as NO if this key is present, even with the value NO.",
      "Has no effect on hosts that NSExceptionDomains lists. Documentation names WKWebView, UIWebView and WebView; "
        + "since iOS 18.4, the key works only in WebKit processes.",
    ])

  package static let allowsLocalNetworking = AppTransportSecurity.Key(
    "NSAllowsLocalNetworking", .global(.flag(\.localNetworking)), since: .ten,
    effect: .weakens(.trust), lift: .localNames, turnsArbitraryLoadsOff: true,
    meaning: "Allows loads of local resources; its presence turns NSAllowsArbitraryLoads off.",
    interplay: [
      "Since iOS 10, systems allow loads from unqualified names and .local names even without this key.",
      "The value NO differs from an absent key: since iOS 18.4, the open engine then requires TLS for local names.",
      "Since iOS 10, systems treat NSAllowsArbitraryLoads as NO if this key is present, even with the value NO.",
      "On iOS 10 to 16, addresses need no key. Since iOS 17, list them in NSExceptionDomains, alone or as a range.",
    ])

  package static let exceptionDomains = AppTransportSecurity.Key(
    "NSExceptionDomains", .dictionary(.global), since: .nine,
    meaning: "Contains the settings of each domain; global exceptions do not apply to a listed domain, even if its "
      + "entry is empty.",
    interplay: [
      "Names are in lower case, without a scheme, port, path or wildcard. Only the most specific entry applies to a "
        + "host.",
      "Since iOS 17 and macOS 14, the keys can also be addresses and ranges such as 192.168.0.0/24.",
      "An entry can also add requirements, which apply even if NSAllowsArbitraryLoads is YES.",
    ])

  package static let pinnedDomains = AppTransportSecurity.Key(
    "NSPinnedDomains", .dictionary(.global), since: .fourteen, effect: .demands(.pins),
    meaning: "Lists, for each domain, the identities that a certificate chain must contain.",
    interplay: [
      "Pins never make an untrusted chain trusted. They also apply if App Transport Security is turned off.",
      "If several entries match a host, their identities are combined.",
    ])

  package static let requiresNIAP = AppTransportSecurity.Key(
    "NSRequiresNIAPTLSPackageVersion", .global(.niapPackage(\.niapPackage)), since: .twentySix,
    effect: .demands(.niap),
    meaning:
      "Selects the NIAP profile, with stricter requirements, for all connections: none, FCP_v2.1 or recommended.",
    interplay: [
      "FCP_v2.1 requires TLS 1.3, or TLS 1.2 with ECDHE, AES-GCM and Extended Master Secret. It excludes rsa_pkcs1 "
        + "with SHA-1."
    ])

  package static let includesSubdomains = AppTransportSecurity.Key(
    "NSIncludesSubdomains", .exception(.flag(\.includesSubdomains)), since: .nine,
    meaning: "Extends the entry to subdomains.",
    interplay: [
      "The open engine since iOS 18.4 and older documentation include subdomains of any depth. Current documentation "
        + "includes exactly one label.",
      "The lookup skips the entry of a parent domain that does not have this key.",
    ])

  package static let insecureLoads = AppTransportSecurity.Key(
    "NSExceptionAllowsInsecureHTTPLoads", .exception(.flag(\.allowsInsecureHTTPLoads)), since: .nine,
    review: .whenYes,
    effect: .weakens(.trust),
    meaning: "Allows plain HTTP to the domain, and lets the app loosen server trust evaluation for it.",
    interplay: [
      "Connections over https still require TLS 1.2 and forward secrecy.",
      "The key itself accepts no certificate: it lets the app's delegate accept a certificate that the system does not "
        + "trust.",
      "Since iOS 18.4, if NSExceptionRequiresForwardSecrecy is also NO, connections use the session's own cipher "
        + "suites.",
    ])

  package static let minimumVersion = AppTransportSecurity.Key(
    "NSExceptionMinimumTLSVersion", .exception(.version(\.minimumTLSVersion)), since: .nine, review: .whenLowered,
    effect: .weakens(.minimumVersion),
    meaning: "Sets the minimum TLS version: TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3. The key does not change the cipher "
      + "suites.",
    interplay: [
      "The key can raise or lower the minimum. It does not change the cipher suites: a TLS 1.0 server still needs "
        + "ECDHE.",
      "Systems ignore a value of another form, such as 1.0 or TLSV1.2: the minimum remains TLSv1.2.",
    ])

  package static let requiresForwardSecrecy = AppTransportSecurity.Key(
    "NSExceptionRequiresForwardSecrecy", .exception(.flag(\.requiresForwardSecrecy, default: true)), since: .nine,
    effect: .weakens(.forwardSecrecy),
    meaning: "The value NO adds suites with RSA key exchange, which provide no forward secrecy.",
    interplay: [
      "The value NO adds six suites with RSA key exchange (four today), but never DHE, RC4 or 3DES. The minimum "
        + "version remains the same.",
      "According to documentation, NO also removes the check of the key size; the open engine since iOS 18.4 keeps it.",
    ])

  package static let requiresCertificateTransparency = AppTransportSecurity.Key(
    "NSRequiresCertificateTransparency", .exception(.flag(\.requiresCertificateTransparency)), since: .ten,
    standing: .obsolete, effect: .demands(.certificateTransparency),
    meaning: "Required Certificate Transparency before systems required it for all apps; current systems ignore the "
      + "key.",
    interplay: [
      "Since 2018, every certificate under a system root needs SCTs, and systems no longer read the key."
    ])

  package static let exceptionRequiresNIAP = AppTransportSecurity.Key(
    "NSExceptionRequiresNIAPTLSPackageVersion", .exception(.niapPackage(\.niapPackage)), since: .twentySix,
    effect: .demands(.niap),
    meaning: "Selects the NIAP profile for the domain; the value none exempts the domain from the global profile.",
    interplay: ["The value 'none' exempts the host from NSRequiresNIAPTLSPackageVersion."])

  package static let pinsIncludeSubdomains = AppTransportSecurity.Key(
    "NSIncludesSubdomains", .genuineFlag(.pinnedDomain), since: .fourteen,
    meaning: "Extends the pins to names with exactly one additional label.",
    interplay: ["According to Apple's source code, the number 1 does not count as YES."])

  package static let pinnedCAIdentities = AppTransportSecurity.Key(
    "NSPinnedCAIdentities", .identities, since: .fourteen, effect: .demands(.pins),
    meaning: "At least one certificate above the leaf must have one of these keys.",
    interplay: [
      "If NSPinnedLeafIdentities is also present, both lists must match. An empty or malformed list matches "
        + "nothing."
    ])

  package static let pinnedLeafIdentities = AppTransportSecurity.Key(
    "NSPinnedLeafIdentities", .identities, since: .fourteen, effect: .demands(.pins),
    meaning: "The leaf certificate must have one of these keys.",
    interplay: [
      "If NSPinnedCAIdentities is also present, both lists must match. An empty or malformed list matches "
        + "nothing."
    ])

  package static let pinnedHash = AppTransportSecurity.Key(
    "SPKI-SHA256-BASE64", .hash, since: .fourteen,
    meaning: "The SHA-256 hash of the DER-encoded SubjectPublicKeyInfo, in Base64.",
    interplay: ["An identity is a dictionary with this one key; a bare string or data is malformed."])

  package static let allowsArbitraryLoadsInMedia = AppTransportSecurity.Key(
    "NSAllowsArbitraryLoadsInMedia", .global(.flag(\.mediaByEarlyName)),
    since: .source("early documentation of iOS 10"), standing: .historical(use: allowsArbitraryLoadsForMedia.name),
    lift: .media, meaning: "Has no known effect, and does not turn NSAllowsArbitraryLoads off.",
    interplay: [
      "Early documentation used this name until about November 2016; the correct key is NSAllowsArbitraryLoadsForMedia."
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
      meaning: "Means the same as \(name) on older systems. Apple's open engine (iOS 18.4, macOS 15.4) does not read "
        + "it. It is unknown whether closed code still translates it.",
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
      meaning: "This is not a key, and systems ignore it.")
  }
}

import Explanation
import URLLoading

private let page = "NSAppTransportSecurity"

/// Creates a rule of the lint. Rules of the lint do not decide about connections.
private func rule(_ name: String, _ statement: String, _ clause: String, fix: String) -> Rule {
  Rule(.plist, name, statement, .apple(clause), fix: fix, decides: false)
}

/// Creates a rule about a key of `NSExceptionDomains`.
private func domainRule(_ name: String, _ statement: String, fix: String) -> Rule {
  Rule(.plist, name, statement, .apple("NSExceptionDomains"), fix: fix, decides: false)
}

/// Creates a rule about `NSPinnedDomains`.
private func pinRule(_ name: String, _ statement: String, fix: String) -> Rule {
  Rule(.plist, name, statement, .apple("NSPinnedDomains"), fix: fix, decides: false)
}

extension Rule {
  /// A key that no system supports.
  public static let plistUnknownKey = rule(
    "unknown-key", "Each key has the exact spelling that systems read; systems silently ignore other keys.", page,
    fix: "Correct the spelling. 'trustlab explain KEY' describes each key.")
  /// A key in a dictionary in which the system does not look for it.
  public static let plistMisplacedKey = rule(
    "misplaced-key", "Each key is in the dictionary from which systems read it.", page,
    fix: "Move the key to the dictionary where it belongs.")
  /// A key with a name that only older systems support.
  public static let plistHistoricalKey = rule(
    "historical-key", "Each key has the name that current systems read.", page,
    fix: "Use the current name.")
  /// A key that current systems ignore.
  public static let plistObsoleteKey = rule(
    "obsolete-key", "Current systems honour each key of the property list.", "NSRequiresCertificateTransparency",
    fix: "Remove the key.")
  /// A key that occurs more than once.
  public static let plistDuplicateKey = rule(
    "duplicate-key", "Each key occurs only once in its dictionary.", page,
    fix:
      "Keep one occurrence of the key, and remove the others.")
  /// A setting that some of the app's systems ignore.
  public static let plistIgnoredBySystem = rule(
    "ignored-by-os", "Every system that the app supports reads each setting.", page,
    fix: "Do not rely on the setting on these systems, or raise the app's minimum release.")
  /// A property list without settings.
  public static let plistNoSettings = rule(
    "no-settings",
    "The property list contains NSAppTransportSecurity; without it, full App Transport Security applies.",
    page,
    fix: "No change is needed, unless the app should have settings.")
  /// A minimum release that does not exist or is not known.
  public static let plistUnknownRelease = rule(
    "unknown-release", "The app's minimum release is a known release.", "MinimumOSVersion",
    fix: "Correct the release, or specify the systems with --os.")
  /// A build setting that was not replaced by its value.
  public static let plistUnexpandedSetting = rule(
    "unexpanded-build-setting", "A property list contains the values of build settings, not their names.", page,
    fix: "Pass the values with --define NAME=VALUE or --xcconfig FILE, or use the Info.plist of the built app, "
      + "in which Xcode has replaced them.")

  /// A value that should be a boolean.
  public static let plistNotABoolean = rule(
    "not-a-boolean", "A Boolean value is <true/> or <false/>; the open engine also accepts the numbers 1 and 0.", page,
    fix: "Write <true/> or <false/>.")
  /// A value that should be a string.
  public static let plistNotAString = rule(
    "not-a-string", "A key that takes text has a <string> as its value.", page, fix: "Write a <string>.")
  /// A value that should be a dictionary.
  public static let plistNotADictionary = rule(
    "not-a-dictionary", "The settings, the lists of domains and the entries of domains are dictionaries.",
    "NSExceptionDomains",
    fix: "Write a <dict>.")
  /// A TLS version that no system supports.
  public static let plistUnknownTLSVersion = rule(
    "unknown-tls-version", "A TLS version has exactly the spelling TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3.",
    "NSExceptionMinimumTLSVersion", fix: "Write TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3.")
  /// A NIAP package version that is not documented.
  public static let plistUnknownPackage = rule(
    "unknown-niap-version", "A NIAP package version is none, FCP_v2.1 or recommended.",
    "NSRequiresNIAPTLSPackageVersion", fix: "Write none, FCP_v2.1 or recommended.")

  /// A switch that another key turns off.
  public static let plistArbitraryLoadsOverridden = rule(
    "arbitrary-loads-overridden",
    "NSAllowsArbitraryLoads applies only if its variants ForMedia and InWebContent, and NSAllowsLocalNetworking, are "
      + "absent.",
    "NSAllowsArbitraryLoads",
    fix: "Remove the other keys, or keep them if only older systems should allow all loads.")
  /// A switch for which NO has a different effect from absence.
  public static let plistLocalNetworkingDenied = rule(
    "local-networking-denied", "NSAllowsLocalNetworking is YES or absent.", "NSAllowsLocalNetworking",
    fix: "Remove the key, unless loads from local hosts should require TLS.")
  /// A domain whose servers need not offer forward secrecy.
  public static let plistForwardSecrecyWaived = rule(
    "forward-secrecy-waived", "The servers of a listed domain must offer forward secrecy.",
    "NSExceptionRequiresForwardSecrecy", fix: "Remove the key as soon as the server supports ECDHE suites.")
  /// A setting that is equal to the default.
  public static let plistDefaultValue = rule(
    "default-value", "A setting differs from its default.", page,
    fix: "Remove the key, or keep it as a reminder.")
  /// A key that App Review requires the developer to justify.
  public static let plistAppReview = rule(
    "app-review", "App Review requires a justification for five keys.", page,
    fix: "Prepare the justification, or remove the keys.")

  /// The rules about property lists.
  public static let propertyLists: [Rule] =
    [
      .plistUnknownKey, .plistMisplacedKey, .plistHistoricalKey, .plistObsoleteKey, .plistDuplicateKey,
      .plistNotABoolean, .plistNotAString, .plistNotADictionary, .plistUnknownTLSVersion, .plistUnknownPackage,
    ] + domains + [
      .plistArbitraryLoadsOverridden, .plistLocalNetworkingDenied, .plistIgnoredBySystem, .plistAppReview,
      .plistForwardSecrecyWaived, .plistDefaultValue, .plistUnexpandedSetting, .plistNoSettings, .plistNotAnApp,
      .plistUnknownRelease,
    ] + pins

  /// A domain without a name.
  public static let plistDomainEmpty = domainRule(
    "domain-empty", "A domain is the name of a host.", fix: "Write the host's name.")
  /// A domain with a scheme.
  public static let plistDomainWithScheme = domainRule(
    "domain-with-scheme", "A domain is only a host name, without a scheme.", fix: "Remove the scheme.")
  /// A domain with a port.
  public static let plistDomainWithPort = domainRule(
    "domain-with-port", "A domain is only a host name, without a port: an entry applies to every port.",
    fix: "Remove the port.")
  /// A domain with a path.
  public static let plistDomainWithPath = domainRule(
    "domain-with-path", "A domain is only a host name, without a path.", fix: "Remove the path.")
  /// A domain with a wildcard.
  public static let plistDomainWithWildcard = domainRule(
    "domain-with-wildcard", "A domain has no wildcard: NSIncludesSubdomains extends an entry to subdomains.",
    fix: "Write the domain without the wildcard, and add NSIncludesSubdomains = YES to its entry.")
  /// A domain with upper-case letters.
  public static let plistDomainUpperCase = domainRule(
    "domain-upper-case", "A domain is in lower case.", fix: "Write the domain in lower case.")
  /// A domain that ends in a dot.
  public static let plistDomainTrailingDot = domainRule(
    "domain-trailing-dot", "A domain ends in a dot only if the app's URLs do.", fix: "Remove the dot.")
  /// A domain with characters outside ASCII.
  public static let plistDomainInternational = domainRule(
    "domain-international", "A domain is written in ASCII, as in DNS (RFC 5890 section 2.3.2.1).",
    fix: "Write the A-label of the name, which begins with xn--.")
  /// A domain that cannot be the name of a host.
  public static let plistDomainNotAName = domainRule(
    "domain-not-a-name", "A domain is a valid host name or an address.", fix: "Write the host's name.")
  /// A malformed range of addresses.
  public static let plistInvalidRange = domainRule(
    "invalid-address-range", "A range of addresses is an address, a slash and a prefix length (RFC 4632).",
    fix: "Write the range as 192.168.0.0/16 or 2001:db8::/32.")
  /// A range of addresses that systems misinterpret.
  public static let plistMisreadRange = domainRule(
    "misread-address-range", "A range of addresses has a form that systems read correctly.",
    fix: "Shorten the address of the range, and write the prefix length without a leading 0.")
  /// An entry that replaces a built-in exception of the system.
  public static let plistReplacesBuiltIn = domainRule(
    "replaces-built-in", "An entry replaces the system's built-in exception for the same name or its parent domain.",
    fix: "Remove the entry, or add every setting that the domain needs to it.")
  /// An entry that has no effect.
  public static let plistChangesNothing = domainRule(
    "changes-nothing", "An entry changes the requirements for its domain; an empty entry means full requirements.",
    fix: "Remove the entry, or add the intended settings.")
  /// An entry that only adds requirements.
  public static let plistAddsStrictness = domainRule(
    "only-adds-strictness", "Global exceptions do not apply to a domain that has an entry.",
    fix: "Remove the entry, unless the domain should have stricter requirements than others.")
  /// An entry that blocks plain HTTP to an address.
  public static let plistAddressClosed = domainRule(
    "address-closed", "An entry for an address allows plain HTTP to it; an entry without that setting blocks it.",
    fix: "Add NSExceptionAllowsInsecureHTTPLoads = YES to the entry if the app loads plain HTTP from the address.")
  /// An entry that does not inherit the settings of a wider entry.
  public static let plistNotMerged = domainRule(
    "entries-not-merged", "Only the nearest entry applies to a host.",
    fix: "Add every setting that the domain needs to the nearer entry.")

  /// Two entries for the same range of addresses.
  public static let plistEqualRanges = domainRule(
    "equal-address-ranges",
    "No two entries have the same range of addresses; the entry with the longest prefix "
      + "applies.",
    fix: "Keep one of the two entries.")
  /// An address in an unusual form.
  public static let plistAddressSpelling = domainRule(
    "address-spelling",
    "An address is in its short form (four numbers; RFC 5952 for IPv6), because systems compare it as text.",
    fix: "Write the short form.")
  /// `NSIncludesSubdomains` in the entry of an address.
  public static let plistAddressSubdomains = domainRule(
    "subdomains-of-address", "NSIncludesSubdomains is for names: an address has no subdomains.",
    fix: "Remove the key. To cover several addresses, write a range such as 192.168.0.0/24.")
  /// A combination of keys that adds no cipher suites.
  public static let plistSuitesLeftAlone = domainRule(
    "suites-left-alone",
    "In the open engine, an entry that waives forward secrecy and allows plain HTTP leaves the suites unchanged.",
    fix: "Remove one of the two keys if the server needs RSA key exchange, and test the connection.")

  /// An entry for all hosts of a public suffix.
  public static let plistWholeSuffix = domainRule(
    "whole-suffix", "An entry covers the app's own hosts, not a whole public suffix such as com or co.uk.",
    fix: "List the hosts that the app loads from.")
  /// An entry for all addresses, or for half of them.
  public static let plistEveryAddress = domainRule(
    "every-address", "A range of addresses covers a network that the app uses, not all addresses.",
    fix: "Write the network, such as 192.168.0.0/16, or the address.")
  /// Settings in a property list that does not belong to an app.
  public static let plistNotAnApp = rule(
    "not-an-app", "Settings are in the Info.plist of an app or app extension.", page,
    fix: "Move the settings to the Info.plist of the app that loads the framework or bundle.")

  static let domains: [Rule] = [
    .plistWholeSuffix, .plistEveryAddress,
    .plistDomainEmpty, .plistDomainWithScheme, .plistDomainWithPort, .plistDomainWithPath, .plistDomainWithWildcard,
    .plistDomainUpperCase, .plistDomainTrailingDot, .plistDomainInternational, .plistDomainNotAName,
    .plistInvalidRange, .plistMisreadRange, .plistReplacesBuiltIn, .plistChangesNothing, .plistAddsStrictness,
    .plistNotMerged, .plistEqualRanges, .plistAddressSpelling, .plistAddressSubdomains, .plistAddressClosed,
    .plistSuitesLeftAlone,
  ]

  /// A pinned domain without identities.
  public static let plistPinsNoIdentities = pinRule(
    "pins-without-identities", "A pinned domain has NSPinnedCAIdentities or NSPinnedLeafIdentities.",
    fix: "Add one of the two lists, or remove the domain.")
  /// An empty list of identities.
  public static let plistPinsEmptyList = pinRule(
    "pins-empty-list", "A list of identities contains at least one identity.",
    fix: "Add an identity, or remove the list.")
  /// An identity of the wrong type.
  public static let plistPinsMalformed = pinRule(
    "pins-malformed-identity", "Each identity in the array is a dictionary with the string SPKI-SHA256-BASE64.",
    fix: "Write each identity as a <dict> with the key SPKI-SHA256-BASE64.")
  /// A hash that is malformed.
  public static let plistPinsNotAHash = pinRule(
    "pins-not-a-hash", "SPKI-SHA256-BASE64 is a SHA-256 hash (32 bytes) in Base64.",
    fix: "Compute the hash: openssl x509 -in CERT.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst "
      + "-sha256 -binary | base64")
  /// A list of identities without a backup key.
  public static let plistPinsSingle = pinRule(
    "pins-single", "A list of identities contains a backup key (RFC 7469 section 4.3).",
    fix: "Add the hash of a backup key that is kept offline. If the list pins CAs, add the hash of another CA's key.")
  /// A placeholder from sample code in place of a hash.
  public static let plistPinsPlaceholder = pinRule(
    "pins-placeholder", "An identity is the hash of a real key, not a placeholder from sample code.",
    fix: "Write the hash of a real key, or remove the item.")
  /// A key that is listed twice.
  public static let plistPinsDuplicate = pinRule(
    "pins-duplicate", "A list of identities contains each key only once.",
    fix:
      "Remove the duplicate, or pin a backup key instead.")
  /// A number in place of a boolean.
  public static let plistPinsSubdomainsNumber = pinRule(
    "pins-subdomains-number", "The value of NSIncludesSubdomains for a pinned domain is <true/>, not a number.",
    fix: "Write <true/>.")
  /// Pins that cover only subdomains with one additional label.
  public static let plistPinsOneLabel = pinRule(
    "pins-one-label", "Pins with NSIncludesSubdomains cover names with exactly one additional label.",
    fix: "Add an entry for each deeper subdomain.")

  /// A domain that more than one entry pins.
  public static let plistPinsUnited = pinRule(
    "pins-united", "If several entries apply to a host, their identities are combined.",
    fix: "Write one entry per name. For a subdomain, note that a key of either entry is accepted.")

  static let pins: [Rule] = [
    .plistPinsNoIdentities, .plistPinsEmptyList, .plistPinsMalformed, .plistPinsNotAHash, .plistPinsDuplicate,
    .plistPinsSubdomainsNumber, .plistPinsOneLabel, .plistPinsUnited, .plistPinsSingle, .plistPinsPlaceholder,
  ]

  /// The severities that the lint can assign to a violation, the worst first; empty for rules of other layers.
  public var lintSeverities: [AppTransportSecurity.LintFinding.Severity] {
    guard layer == .plist else { return [] }
    return Self.severitiesByID[id] ?? [.error]
  }

  /// The severities of rules whose violations are not always errors.
  private static let severitiesByID: [String: [AppTransportSecurity.LintFinding.Severity]] = {
    let severities: [([AppTransportSecurity.LintFinding.Severity], [Rule])] = [
      ([.error, .warning], [.plistUnknownKey]),
      (
        [.warning],
        [
          .plistHistoricalKey, .plistDuplicateKey, .plistMisreadRange, .plistReplacesBuiltIn, .plistUnexpandedSetting,
          .plistArbitraryLoadsOverridden, .plistLocalNetworkingDenied, .plistDomainTrailingDot,
          .plistDomainInternational, .plistPinsSubdomainsNumber, .plistEqualRanges, .plistAddressSpelling,
          .plistWholeSuffix, .plistEveryAddress, .plistNotAnApp,
        ]
      ),
      ([.warning, .note], [.plistIgnoredBySystem, .plistAddsStrictness, .plistPinsSingle]),
      (
        [.note],
        [
          .plistObsoleteKey, .plistNoSettings, .plistDefaultValue, .plistAppReview, .plistChangesNothing,
          .plistNotMerged, .plistPinsDuplicate, .plistPinsOneLabel, .plistPinsUnited, .plistAddressSubdomains,
          .plistSuitesLeftAlone, .plistAddressClosed, .plistUnknownRelease,
          .plistForwardSecrecyWaived,
        ]
      ),
    ]
    return severities.reduce(into: [:]) { table, row in
      for rule in row.1 { table[rule.id] = row.0 }
    }
  }()
}

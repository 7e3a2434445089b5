import Explanation
import URLLoading

private let page = "NSAppTransportSecurity"

/// A rule of the lint: nothing it says decides about a connection.
private func rule(_ name: String, _ statement: String, _ clause: String, fix: String) -> Rule {
  Rule(.plist, name, statement, .apple(clause), fix: fix, decides: false)
}

/// A rule about a key of `NSExceptionDomains`.
private func domainRule(_ name: String, _ statement: String, fix: String) -> Rule {
  Rule(.plist, name, statement, .apple("NSExceptionDomains"), fix: fix, decides: false)
}

/// A rule about `NSPinnedDomains`.
private func pinRule(_ name: String, _ statement: String, fix: String) -> Rule {
  Rule(.plist, name, statement, .apple("NSPinnedDomains"), fix: fix, decides: false)
}

extension Rule {
  /// Keys are those that a system reads.
  public static let plistUnknownKey = rule(
    "unknown-key", "A key is spelt as a system reads it; any other is ignored without a word.", page,
    fix: "Correct the key. 'trustlab explain KEY' says what a key does.")
  /// Keys stand where they are read.
  public static let plistMisplacedKey = rule(
    "misplaced-key", "A key stands in the dictionary that it is read from.", page,
    fix: "Move the key to where it belongs.")
  /// Names that only older systems read.
  public static let plistHistoricalKey = rule(
    "historical-key", "A key has the name that systems of today read.", page,
    fix: "Write today's name.")
  /// Keys that nothing reads any more.
  public static let plistObsoleteKey = rule(
    "obsolete-key", "A key is one that systems of today still heed.", "NSRequiresCertificateTransparency",
    fix: "Remove the key.")
  /// A key is written once.
  public static let plistDuplicateKey = rule(
    "duplicate-key", "A dictionary has every key once.", page, fix: "Remove all but one of them.")
  /// Keys that are younger than a system.
  public static let plistIgnoredBySystem = rule(
    "ignored-by-os", "Every system that the app runs on reads what is written.", page,
    fix: "Do not count on it there, or raise the app's minimum release.")
  /// There is something to lint.
  public static let plistNoSettings = rule(
    "no-settings", "NSAppTransportSecurity says what an app changes; without it nothing is changed.", page,
    fix: "Nothing needs to be done, unless settings were meant to be here.")
  /// The release that is needed is one that there is.
  public static let plistUnknownRelease = rule(
    "unknown-release", "The first release that an app runs on is one that there is.", "MinimumOSVersion",
    fix: "Correct it, or name the systems with --os.")
  /// Build settings are replaced.
  public static let plistUnexpandedSetting = rule(
    "unexpanded-build-setting", "A property list has values, not names of build settings.", page,
    fix: "Say what they are with --define NAME=VALUE or --xcconfig FILE, or take the Info.plist of the built app, "
      + "in which Xcode has replaced them.")

  /// Booleans are booleans.
  public static let plistNotABoolean = rule(
    "not-a-boolean", "A switch is <true/> or <false/>; the numbers 1 and 0 are read as such by the open engine.", page,
    fix: "Write <true/> or <false/>.")
  /// Strings are strings.
  public static let plistNotAString = rule(
    "not-a-string", "A key that takes text has a <string>.", page, fix: "Write a <string>.")
  /// Dictionaries are dictionaries.
  public static let plistNotADictionary = rule(
    "not-a-dictionary", "Settings, lists of domains and the entries in them are dictionaries.", "NSExceptionDomains",
    fix: "Write a <dict>.")
  /// Versions are known ones.
  public static let plistUnknownTLSVersion = rule(
    "unknown-tls-version", "A version is TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3, spelt exactly so.",
    "NSExceptionMinimumTLSVersion", fix: "Write TLSv1.0, TLSv1.1, TLSv1.2 or TLSv1.3.")
  /// Packages of NIAP are known ones.
  public static let plistUnknownPackage = rule(
    "unknown-niap-version", "A package version of NIAP is none, FCP_v2.1 or recommended.",
    "NSRequiresNIAPTLSPackageVersion", fix: "Write none, FCP_v2.1 or recommended.")

  /// A switch that another one switches off.
  public static let plistArbitraryLoadsOverridden = rule(
    "arbitrary-loads-overridden",
    "NSAllowsArbitraryLoads counts as NO where ForMedia, InWebContent or NSAllowsLocalNetworking is present.",
    "NSAllowsArbitraryLoads",
    fix: "Remove the other keys, or leave it as it is where older systems alone shall load everything.")
  /// NO is not absence.
  public static let plistLocalNetworkingDenied = rule(
    "local-networking-denied", "NSAllowsLocalNetworking is YES, or not there at all.", "NSAllowsLocalNetworking",
    fix: "Remove the key, unless local hosts shall need TLS.")
  /// Forward secrecy is kept.
  public static let plistForwardSecrecyWaived = rule(
    "forward-secrecy-waived", "The servers of a listed domain need forward secrecy.",
    "NSExceptionRequiresForwardSecrecy", fix: "Remove the key as soon as the server offers ECDHE suites.")
  /// What is written changes something.
  public static let plistDefaultValue = rule(
    "default-value", "What is written differs from what holds without it.", page,
    fix: "Remove the key, or keep it as a reminder.")
  /// App Review.
  public static let plistAppReview = rule(
    "app-review", "Five keys need a justification when an app is submitted.", page,
    fix: "Have the justification ready, or do without the keys.")

  /// The rules of property lists.
  public static let propertyLists: [Rule] =
    [
      .plistUnknownKey, .plistMisplacedKey, .plistHistoricalKey, .plistObsoleteKey, .plistDuplicateKey,
      .plistNotABoolean, .plistNotAString, .plistNotADictionary, .plistUnknownTLSVersion, .plistUnknownPackage,
    ] + domains + [
      .plistArbitraryLoadsOverridden, .plistLocalNetworkingDenied, .plistIgnoredBySystem, .plistAppReview,
      .plistForwardSecrecyWaived, .plistDefaultValue, .plistUnexpandedSetting, .plistNoSettings, .plistNotAnApp,
      .plistUnknownRelease,
    ] + pins

  /// A domain has a name.
  public static let plistDomainEmpty = domainRule(
    "domain-empty", "A domain is named by the host that is loaded from.", fix: "Write the host's name.")
  /// No scheme.
  public static let plistDomainWithScheme = domainRule(
    "domain-with-scheme", "A domain is a host's name alone, without a scheme.", fix: "Remove the scheme.")
  /// No port.
  public static let plistDomainWithPort = domainRule(
    "domain-with-port", "A domain is a host's name alone, without a port: an entry is for every port.",
    fix: "Remove the port.")
  /// No path.
  public static let plistDomainWithPath = domainRule(
    "domain-with-path", "A domain is a host's name alone, without a path.", fix: "Remove the path.")
  /// No wildcard.
  public static let plistDomainWithWildcard = domainRule(
    "domain-with-wildcard", "A domain has no wildcard: NSIncludesSubdomains extends an entry to subdomains.",
    fix: "Write the domain without it, with NSIncludesSubdomains = YES in the entry.")
  /// Lower case.
  public static let plistDomainUpperCase = domainRule(
    "domain-upper-case", "A domain is written in lower case.", fix: "Write it in lower case.")
  /// No dot at the end.
  public static let plistDomainTrailingDot = domainRule(
    "domain-trailing-dot", "A domain ends in a dot only where the app's URLs do.", fix: "Remove the dot.")
  /// ASCII.
  public static let plistDomainInternational = domainRule(
    "domain-international", "A domain is written as the network knows it, in ASCII (RFC 5890 section 2.3.2.1).",
    fix: "Write its A-label, which begins with xn--.")
  /// Something that can be a host.
  public static let plistDomainNotAName = domainRule(
    "domain-not-a-name", "A domain is a name that a host can have, or an address.", fix: "Write the host's name.")
  /// A range of addresses.
  public static let plistInvalidRange = domainRule(
    "invalid-address-range", "A range of addresses is an address, a slash and a number of bits (RFC 4632).",
    fix: "Write the range as 192.168.0.0/16 or 2001:db8::/32.")
  /// A range that is read as it is written.
  public static let plistMisreadRange = domainRule(
    "misread-address-range", "A range of addresses is written so that systems read it as it is meant.",
    fix: "Write the range with a shorter address, and the prefix without a 0 before it.")
  /// What every app has.
  public static let plistReplacesBuiltIn = domainRule(
    "replaces-built-in", "An entry of the app's stands before the one that every app has, of its name or above it.",
    fix: "Remove the entry, or write into it everything that the domain needs.")
  /// An entry does something.
  public static let plistChangesNothing = domainRule(
    "changes-nothing", "An entry changes what is demanded of its domain; an empty one means full demands.",
    fix: "Remove the entry, or write what it was meant to change.")
  /// Where nothing is demanded, an entry can only add demands.
  public static let plistAddsStrictness = domainRule(
    "only-adds-strictness", "An entry takes its domain out of every switch for all domains.",
    fix: "Remove the entry, unless the domain shall be held to more than others.")
  /// An entry for an address is there to open it.
  public static let plistAddressClosed = domainRule(
    "address-closed", "An entry for an address allows plain HTTP from it: where it does not say so, it forbids it.",
    fix: "Write NSExceptionAllowsInsecureHTTPLoads = YES into the entry where the app loads plain HTTP from it.")
  /// Entries are not merged.
  public static let plistNotMerged = domainRule(
    "entries-not-merged", "A host falls under the nearest entry alone.",
    fix: "Write into the nearer entry everything that its domain needs.")

  /// Ranges differ.
  public static let plistEqualRanges = domainRule(
    "equal-address-ranges", "Two entries are of two ranges of addresses: the longest prefix is what counts.",
    fix: "Keep one of the two entries.")
  /// Addresses are compared as text.
  public static let plistAddressSpelling = domainRule(
    "address-spelling",
    "An address is written in its one short form (four numbers; RFC 5952 for IPv6), for it is compared as text.",
    fix: "Write the short form.")
  /// Addresses are below nothing.
  public static let plistAddressSubdomains = domainRule(
    "subdomains-of-address", "NSIncludesSubdomains is for names: an address has no subdomains.",
    fix: "Remove the key; a range such as 192.168.0.0/24 covers several addresses.")
  /// Suites that nobody chose.
  public static let plistSuitesLeftAlone = domainRule(
    "suites-left-alone",
    "An entry that waives forward secrecy and allows plain HTTP leaves the suites to the session, by the open engine.",
    fix: "Remove one of the two keys where the server needs RSA key exchange, and test with it.")

  /// Not all hosts of a registry.
  public static let plistWholeSuffix = domainRule(
    "whole-suffix", "An entry is for hosts of the app's, not for a whole top-level domain.",
    fix: "List the hosts that the app loads from.")
  /// Not all addresses.
  public static let plistEveryAddress = domainRule(
    "every-address", "A range of addresses is that of a network that the app knows, not all of them.",
    fix: "List the network, such as 192.168.0.0/16, or the address.")
  /// Settings stand where a system reads them.
  public static let plistNotAnApp = rule(
    "not-an-app", "Settings stand in the Info.plist of an app or of an app extension.", page,
    fix: "Move them into the Info.plist of the app that loads the framework or bundle.")

  static let domains: [Rule] = [
    .plistWholeSuffix, .plistEveryAddress,
    .plistDomainEmpty, .plistDomainWithScheme, .plistDomainWithPort, .plistDomainWithPath, .plistDomainWithWildcard,
    .plistDomainUpperCase, .plistDomainTrailingDot, .plistDomainInternational, .plistDomainNotAName,
    .plistInvalidRange, .plistMisreadRange, .plistReplacesBuiltIn, .plistChangesNothing, .plistAddsStrictness,
    .plistNotMerged, .plistEqualRanges, .plistAddressSpelling, .plistAddressSubdomains, .plistAddressClosed,
    .plistSuitesLeftAlone,
  ]

  /// Something is pinned.
  public static let plistPinsNoIdentities = pinRule(
    "pins-without-identities", "A pinned domain has NSPinnedCAIdentities or NSPinnedLeafIdentities.",
    fix: "Add one of the two lists, or remove the domain.")
  /// Not an empty list.
  public static let plistPinsEmptyList = pinRule(
    "pins-empty-list", "A list of identities has identities in it.",
    fix: "Add an identity, or remove the list.")
  /// Lists of dictionaries.
  public static let plistPinsMalformed = pinRule(
    "pins-malformed-identity", "Identities are an array of dictionaries with SPKI-SHA256-BASE64 as a string.",
    fix: "Write each identity as a <dict> with the key SPKI-SHA256-BASE64.")
  /// The hash is one.
  public static let plistPinsNotAHash = pinRule(
    "pins-not-a-hash", "SPKI-SHA256-BASE64 is the Base64 of the 32 bytes of a SHA-256.",
    fix: "Compute it: openssl x509 -in CERT.pem -pubkey -noout | openssl pkey -pubin -outform der "
      + "| openssl dgst -sha256 -binary | base64")
  /// A spare key.
  public static let plistPinsSingle = pinRule(
    "pins-single", "A list of identities has a spare key besides the one in use (RFC 7469 section 4.3).",
    fix: "List another hash too: of a second key, kept offline, or of another authority, where authorities are pinned.")
  /// Real keys.
  public static let plistPinsPlaceholder = pinRule(
    "pins-placeholder", "An identity is the hash of a key, not a placeholder of a sample.",
    fix: "Write the hash of a key that somebody has, or remove the item.")
  /// No identity twice.
  public static let plistPinsDuplicate = pinRule(
    "pins-duplicate", "A list of identities has every key once.", fix: "Remove it, or pin a spare key instead.")
  /// A real boolean.
  public static let plistPinsSubdomainsNumber = pinRule(
    "pins-subdomains-number", "NSIncludesSubdomains of pins is <true/>, not a number.", fix: "Write <true/>.")
  /// One label.
  public static let plistPinsOneLabel = pinRule(
    "pins-one-label", "Pins with NSIncludesSubdomains cover names with exactly one label more.",
    fix: "List deeper subdomains on their own.")

  /// One entry for a host.
  public static let plistPinsUnited = pinRule(
    "pins-united", "The identities of all entries that are for a host are put together.",
    fix: "Write one entry for a name; for a subdomain, mind that a key of either is accepted.")

  static let pins: [Rule] = [
    .plistPinsNoIdentities, .plistPinsEmptyList, .plistPinsMalformed, .plistPinsNotAHash, .plistPinsDuplicate,
    .plistPinsSubdomainsNumber, .plistPinsOneLabel, .plistPinsUnited, .plistPinsSingle, .plistPinsPlaceholder,
  ]

  /// How bad the lint may say that a violation is, the worst first; empty for rules of other layers.
  public var lintSeverities: [AppTransportSecurity.LintFinding.Severity] {
    guard layer == .plist else { return [] }
    return Self.severitiesByID[id] ?? [.error]
  }

  /// The rules that are not errors alone.
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

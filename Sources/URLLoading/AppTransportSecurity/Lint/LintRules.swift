import Explanation

private let page = "NSAppTransportSecurity"

/// A rule of the lint: nothing it says decides about a connection.
private func rule(_ name: String, _ statement: String, _ clause: String, fix: String) -> Rule {
  Rule(.plist, name, statement, .apple(clause), fix: fix, decides: false)
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
  /// Build settings are replaced.
  public static let plistUnexpandedSetting = rule(
    "unexpanded-build-setting", "A property list has values, not names of build settings.", page,
    fix: "Lint the Info.plist of the built app, in which Xcode has replaced them.")

  /// Booleans are booleans.
  public static let plistNotABoolean = rule(
    "not-a-boolean", "A switch is <true/> or <false/> (or the number 1 or 0).", page,
    fix: "Write <true/> or <false/>.")
  /// Strings are strings.
  public static let plistNotAString = rule(
    "not-a-string", "A key that takes text has a <string>.", page, fix: "Write a <string>.")
  /// Dictionaries are dictionaries.
  public static let plistNotADictionary = rule(
    "not-a-dictionary", "Settings, lists of domains and the entries in them are dictionaries.", "NSExceptionDomains",
    fix: "Write a <dict>; an entry that changes nothing is no entry.")
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
      .plistDefaultValue, .plistUnexpandedSetting, .plistNoSettings,
    ] + pins
}

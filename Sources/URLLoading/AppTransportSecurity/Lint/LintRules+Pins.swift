import Explanation

/// A rule about `NSPinnedDomains`.
private func rule(_ name: String, _ statement: String, fix: String) -> Rule {
  Rule(.plist, name, statement, .apple("NSPinnedDomains"), fix: fix, decides: false)
}

extension Rule {
  /// Something is pinned.
  public static let plistPinsNoIdentities = rule(
    "pins-without-identities", "A pinned domain has NSPinnedCAIdentities or NSPinnedLeafIdentities.",
    fix: "Add one of the two lists, or remove the domain.")
  /// Not an empty list.
  public static let plistPinsEmptyList = rule(
    "pins-empty-list", "A list of identities has identities in it.",
    fix: "Add an identity, or remove the list.")
  /// Lists of dictionaries.
  public static let plistPinsMalformed = rule(
    "pins-malformed-identity", "Identities are an array of dictionaries with SPKI-SHA256-BASE64 as a string.",
    fix: "Write each identity as a <dict> with the key SPKI-SHA256-BASE64.")
  /// The hash is one.
  public static let plistPinsNotAHash = rule(
    "pins-not-a-hash", "SPKI-SHA256-BASE64 is the Base64 of the 32 bytes of a SHA-256.",
    fix: "Compute it: openssl x509 -in CERT.pem -pubkey -noout | openssl pkey -pubin -outform der "
      + "| openssl dgst -sha256 -binary | base64")
  /// No identity twice.
  public static let plistPinsDuplicate = rule(
    "pins-duplicate", "A list of identities has every key once.", fix: "Remove it, or pin a spare key instead.")
  /// A real boolean.
  public static let plistPinsSubdomainsNumber = rule(
    "pins-subdomains-number", "NSIncludesSubdomains of pins is <true/>, not a number.", fix: "Write <true/>.")
  /// One label.
  public static let plistPinsOneLabel = rule(
    "pins-one-label", "Pins with NSIncludesSubdomains cover names with exactly one label more.",
    fix: "List deeper subdomains on their own.")

  /// No domain twice.
  public static let plistPinsUnited = rule(
    "pins-united", "A pinned domain has one entry; those that differ in case alone are put together.",
    fix: "Write the identities of both into one entry.")

  static let pins: [Rule] = [
    .plistPinsNoIdentities, .plistPinsEmptyList, .plistPinsMalformed, .plistPinsNotAHash, .plistPinsDuplicate,
    .plistPinsSubdomainsNumber, .plistPinsOneLabel, .plistPinsUnited,
  ]
}

import Explanation

/// A rule about a key of `NSExceptionDomains`.
private func rule(_ name: String, _ statement: String, fix: String) -> Rule {
  Rule(.plist, name, statement, .apple("NSExceptionDomains"), fix: fix, decides: false)
}

extension Rule {
  /// A domain has a name.
  public static let plistDomainEmpty = rule(
    "domain-empty", "A domain is named by the host that is loaded from.", fix: "Write the host's name.")
  /// No scheme.
  public static let plistDomainWithScheme = rule(
    "domain-with-scheme", "A domain is a host's name alone, without a scheme.", fix: "Remove the scheme.")
  /// No port.
  public static let plistDomainWithPort = rule(
    "domain-with-port", "A domain is a host's name alone, without a port: an entry is for every port.",
    fix: "Remove the port.")
  /// No path.
  public static let plistDomainWithPath = rule(
    "domain-with-path", "A domain is a host's name alone, without a path.", fix: "Remove the path.")
  /// No wildcard.
  public static let plistDomainWithWildcard = rule(
    "domain-with-wildcard", "A domain has no wildcard: NSIncludesSubdomains extends an entry to subdomains.",
    fix: "Write the domain without it, with NSIncludesSubdomains = YES in the entry.")
  /// Lower case.
  public static let plistDomainUpperCase = rule(
    "domain-upper-case", "A domain is written in lower case.", fix: "Write it in lower case.")
  /// No dot at the end.
  public static let plistDomainTrailingDot = rule(
    "domain-trailing-dot", "A domain ends in a dot only where the app's URLs do.", fix: "Remove the dot.")
  /// ASCII.
  public static let plistDomainInternational = rule(
    "domain-international", "A domain is written as the network knows it, in ASCII (RFC 5890 section 2.3.2.1).",
    fix: "Write its A-label, which begins with xn--.")
  /// Something that can be a host.
  public static let plistDomainNotAName = rule(
    "domain-not-a-name", "A domain is a name that a host can have, or an address.", fix: "Write the host's name.")
  /// A range of addresses.
  public static let plistInvalidRange = rule(
    "invalid-address-range", "A range of addresses is an address, a slash and a number of bits (RFC 4632).",
    fix: "Write the range as 192.168.0.0/16 or 2001:db8::/32.")
  /// A range that is read as it is written.
  public static let plistMisreadRange = rule(
    "misread-address-range", "A range of addresses is written so that systems read it as it is meant.",
    fix: "Write the range with a shorter address, and the prefix without a 0 before it.")
  /// What every app has.
  public static let plistReplacesBuiltIn = rule(
    "replaces-built-in", "An entry of the app's stands before the one that every app has, of its name or above it.",
    fix: "Remove the entry, or write into it everything that the domain needs.")
  /// An entry does something.
  public static let plistChangesNothing = rule(
    "changes-nothing", "An entry changes what is demanded of its domain; an empty one means full demands.",
    fix: "Remove the entry, or write what it was meant to change.")
  /// Where nothing is demanded, an entry can only add demands.
  public static let plistAddsStrictness = rule(
    "only-adds-strictness", "An entry takes its domain out of every switch for all domains.",
    fix: "Remove the entry, unless the domain shall be held to more than others.")
  /// Entries are not merged.
  public static let plistNotMerged = rule(
    "entries-not-merged", "A host falls under the nearest entry alone.",
    fix: "Write into the nearer entry everything that its domain needs.")

  /// Ranges differ.
  public static let plistEqualRanges = rule(
    "equal-address-ranges", "Two entries are of two ranges of addresses: the longest prefix is what counts.",
    fix: "Keep one of the two entries.")
  /// Addresses are compared as text.
  public static let plistAddressSpelling = rule(
    "address-spelling", "An address of IPv6 is written in its one short form (RFC 5952), for it is compared as text.",
    fix: "Write the short form.")
  /// Addresses are below nothing.
  public static let plistAddressSubdomains = rule(
    "subdomains-of-address", "NSIncludesSubdomains is for names: an address has no subdomains.",
    fix: "Remove the key; a range such as 192.168.0.0/24 covers several addresses.")
  /// Suites that nobody chose.
  public static let plistSuitesLeftAlone = rule(
    "suites-left-alone",
    "An entry that waives forward secrecy and allows plain HTTP leaves the suites to the session, by the open engine.",
    fix: "Remove one of the two keys where the server needs RSA key exchange, and test with it.")

  static let domains: [Rule] = [
    .plistDomainEmpty, .plistDomainWithScheme, .plistDomainWithPort, .plistDomainWithPath, .plistDomainWithWildcard,
    .plistDomainUpperCase, .plistDomainTrailingDot, .plistDomainInternational, .plistDomainNotAName,
    .plistInvalidRange, .plistMisreadRange, .plistReplacesBuiltIn, .plistChangesNothing, .plistAddsStrictness,
    .plistNotMerged, .plistEqualRanges, .plistAddressSpelling, .plistAddressSubdomains, .plistSuitesLeftAlone,
  ]
}

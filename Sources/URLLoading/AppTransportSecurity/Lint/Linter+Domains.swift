import Explanation
import Trust

extension AppTransportSecurity.Linter {
  private typealias Slip = AppTransportSecurity.DomainSlip

  /// Whether the key of a domain can match a host, as far as can be told; says why not.
  ///
  /// - Parameter isPinned: whether it stands in `NSPinnedDomains`, where case does not count.
  mutating func checkName(_ name: String, at spot: Spot, isPinned: Bool) -> Bool {
    if isUnexpanded(name) {
      addUnexpanded(name, at: spot)
      return true
    }
    let isRange = !isPinned && Self.isMeantAsRange(name)
    guard let slip = Slip(name, isRange: isRange) else {
      return isRange ? checkRange(name, at: spot) : true
    }
    if slip.kind == .upperCase, isPinned { return true }
    let words = Self.words(for: slip.kind, name)
    add(
      words.rule, words.severity, at: spot, words.message, found: name, meant: slip.meant,
      caution: slip.isMeantAsRange ? "Ranges count since iOS 17 and macOS 14" : nil,
      effect: slip.isMeantAsRange
        ? "matches no host: what is no range is taken for a name, and names never apply to addresses"
        : Self.effect(of: slip.kind, isPinned: isPinned), confidence: Self.confidence(in: slip.kind))
    return false
  }

  private static func effect(of kind: AppTransportSecurity.DomainSlip.Kind, isPinned: Bool) -> String {
    switch kind {
    case .trailingDot where !isPinned: "matches only a host that is written with the dot"
    case .international: "matches no host of a URL that has its name in ASCII"
    default: "matches no host: the entry has no effect"
    }
  }

  private static func confidence(in kind: AppTransportSecurity.DomainSlip.Kind) -> Finding.Confidence {
    switch kind {
    case .upperCase: .likely("keys are compared byte by byte, and URLs have their hosts in lower case as a rule")
    case .international: .unknown("how systems compare names that are not in ASCII is not documented")
    default: .certain
    }
  }

  private static func words(
    for kind: AppTransportSecurity.DomainSlip.Kind, _ name: String
  ) -> (rule: Rule, severity: AppTransportSecurity.LintFinding.Severity, message: String) {
    switch kind {
    case .empty: (.plistDomainEmpty, .error, "a domain is named by an empty text")
    case .scheme: (.plistDomainWithScheme, .error, "the domain '\(name)' has a scheme")
    case .wildcard: (.plistDomainWithWildcard, .error, "the domain '\(name)' has a wildcard")
    case .path: (.plistDomainWithPath, .error, "the domain '\(name)' has a path")
    case .port: (.plistDomainWithPort, .error, "the domain '\(name)' has a port")
    case .trailingDot: (.plistDomainTrailingDot, .warning, "the domain '\(name)' ends in a dot")
    case .international: (.plistDomainInternational, .warning, "the domain '\(name)' is not in ASCII")
    case .upperCase: (.plistDomainUpperCase, .error, "the domain '\(name)' is not in lower case")
    case .notAName: (.plistDomainNotAName, .error, "'\(name)' is no name of a host")
    }
  }

  /// `10.0.0.0/8`, `10/8` and `fe80/10` are, `api.example/v1` is not.
  private static func isMeantAsRange(_ name: String) -> Bool {
    if AddressRange(name) != nil { return true }
    guard let slash = name.firstIndex(of: "/"), !name.contains("://") else { return false }
    let network = name[..<slash]
    return network.contains(":") || !network.isEmpty && network.allSatisfy { $0.isNumber || $0 == "." }
  }

  private mutating func checkRange(_ name: String, at spot: Spot) -> Bool {
    guard AddressRange(name) != nil else {
      add(
        .plistInvalidRange, .error, at: spot, "'\(name)' is no range of addresses", found: name,
        effect: "ignored: no address falls under it", on: Self.sinceSeventeen)
      return false
    }
    if AddressRange.isMisread(name) {
      add(
        .plistMisreadRange, .warning, at: spot, "systems are known to misread the range '\(name)'", found: name,
        effect:
          "ignored where the address has 14 characters or more (38 in IPv6); a prefix that begins with 0 is octal",
        on: Self.sinceOpenEngine, confidence: .likely("read in Apple's source, not tried"))
    }
    checkAddressReleases(name, at: spot)
    return true
  }

  /// Addresses can be listed since iOS 17.
  mutating func checkAddressReleases(_ name: String, at spot: Spot) {
    let older = systems.covered.filter { !$0.isAtLeast(iOS: (17, 0), macOS: (14, 0)) }
    addIgnored(
      "an address as '\(name)'", by: older, of: systems.covered, since: "iOS 17, macOS 14", at: spot,
      effect: "ignored there: iOS 10 to 16 let addresses load anyway, iOS 9 does not")
  }
}

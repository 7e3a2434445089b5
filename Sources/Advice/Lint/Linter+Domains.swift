import Explanation
import Trust
import URLLoading

extension AppTransportSecurity.Linter {
  private typealias Slip = AppTransportSecurity.DomainSlip

  /// Reports the reason if the name of a domain cannot match a host. Returns whether it can match one.
  ///
  /// - Parameter isPinned: whether the name is in `NSPinnedDomains`, which ignores case.
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
      caution: slip.isMeantAsRange
        ? "Ranges of addresses apply since iOS 17 and macOS 14"
        : name.contains("*") || slip.kind == .wildcard
          ? "To cover its subdomains, set NSIncludesSubdomains = <true/>" : nil,
      effect: slip.isMeantAsRange
        ? "matches no host: systems read it as a name, and names never apply to addresses"
        : Self.effect(of: slip.kind, isPinned: isPinned), confidence: Self.confidence(in: slip.kind))
    return false
  }

  /// Reports a name whose last label is a number, such as `1.2.3`.
  ///
  /// Such a name is not an address in the usual form, but a URL parser may interpret it as one (WHATWG URL section
  /// 3.5). It is therefore unknown which hosts the name matches.
  mutating func checkNumericName(_ name: String, at spot: Spot) {
    guard LoadURL.looksLikeAnotherAddress(name.lowercased()), IPAddress(name) == nil, !name.contains("/"),
      !name.contains(":"), !name.contains("*")
    else { return }
    add(
      .plistAddressSpelling, .warning, at: spot, "systems may read '\(name)' as a name or as an address", found: name,
      caution: "An IPv4 address has four numbers up to 255", effect: "it is not known which hosts the entry matches",
      confidence: .unknown("whether systems convert such a host to an address before the lookup"))
  }

  private static func effect(of kind: AppTransportSecurity.DomainSlip.Kind, isPinned: Bool) -> String {
    if kind.matchesNoHost(isPinned: isPinned) { return "matches no host: the entry has no effect" }
    return kind == .international
      ? "matches no URL whose host is in ASCII" : "matches a host only if the URL has the dot as well"
  }

  private static func confidence(in kind: AppTransportSecurity.DomainSlip.Kind) -> Finding.Confidence {
    switch kind {
    case .upperCase: .likely("systems compare keys byte by byte, and the hosts of URLs are usually in lower case")
    case .international: .unknown("how systems compare names that contain non-ASCII characters")
    default: .certain
    }
  }

  private static func words(
    for kind: AppTransportSecurity.DomainSlip.Kind, _ name: String
  ) -> (rule: Rule, severity: AppTransportSecurity.LintFinding.Severity, message: String) {
    switch kind {
    case .empty: (.plistDomainEmpty, .error, "the name of a domain is empty")
    case .scheme: (.plistDomainWithScheme, .error, "the domain '\(name)' has a scheme")
    case .wildcard: (.plistDomainWithWildcard, .error, "the domain '\(name)' has a wildcard")
    case .path: (.plistDomainWithPath, .error, "the domain '\(name)' has a path")
    case .port: (.plistDomainWithPort, .error, "the domain '\(name)' has a port")
    case .trailingDot: (.plistDomainTrailingDot, .warning, "the domain '\(name)' ends in a dot")
    case .international: (.plistDomainInternational, .warning, "the domain '\(name)' is not in ASCII")
    case .upperCase: (.plistDomainUpperCase, .error, "the domain '\(name)' is not in lower case")
    case .notAName: (.plistDomainNotAName, .error, "'\(name)' is not a host name")
    }
  }

  /// Returns true for `10.0.0.0/8`, `10/8` and `fe80/10`, and false for `api.example/v1`.
  private static func isMeantAsRange(_ name: String) -> Bool {
    if AddressRange(name) != nil { return true }
    guard let slash = name.firstIndex(of: "/"), name[slash...].dropFirst().first?.isNumber == true else { return false }
    let network = name[..<slash]
    let isVersion6 = network.contains("::") || network.count { $0 == ":" } > 1
    return !network.isEmpty
      && network.allSatisfy { isVersion6 ? $0.isHexDigit || ":.".contains($0) : $0.isNumber || $0 == "." }
  }

  private mutating func checkRange(_ name: String, at spot: Spot) -> Bool {
    guard AddressRange(name) != nil else {
      add(
        .plistInvalidRange, .error, at: spot, "'\(name)' is not a range of addresses", found: name,
        effect: "ignored: it covers no address", on: Self.sinceSeventeen)
      return false
    }
    if AddressRange.isMisread(name) {
      add(
        .plistMisreadRange, .warning, at: spot, "systems misread the range '\(name)'", found: name,
        effect:
          "ignored if the address has 14 or more characters (38 for IPv6); in addition, a prefix length with a leading "
          + "0 is read as octal",
        on: Self.sinceOpenEngine, confidence: .likely("known from Apple's source code, but not tested"))
    }
    checkAddressReleases(name, at: spot)
    return true
  }

  /// Reports the systems that ignore addresses, which can have entries only since iOS 17.
  mutating func checkAddressReleases(_ name: String, at spot: Spot) {
    let older = systems.covered.filter { !$0.isAtLeast(iOS: (17, 0), macOS: (14, 0)) }
    addIgnored(
      "an entry for '\(name)'", by: older, of: systems.covered, since: "iOS 17, macOS 14", at: spot,
      effect: "ignored by earlier systems: iOS 10 to 16 allow loads from addresses without an entry, but iOS 9 does not"
    )
  }

  /// Checks an entry for an address or a range of addresses.
  ///
  /// - Parameter ranges: the locations of the earlier ranges.
  mutating func checkAddress(
    _ entry: PropertyList.Dictionary.Entry, _ ranges: inout [AddressRange: Spot], at spot: Spot
  ) {
    if let address = IPAddress(entry.key) {
      checkAddressReleases(entry.key, at: spot)
      checkSpelling(of: address, entry.key, at: spot)
    } else if let range = AddressRange(entry.key) {
      checkEqual(range, entry.key, &ranges, at: spot)
    } else {
      return
    }
    guard let flag = entry.value.dictionary?.last(.includesSubdomains), flag.value.isOn
    else { return }
    add(
      .plistAddressSubdomains, .note, at: spot.below(flag), "'\(flag.key)' has no effect in the entry of an address",
      found: flag.value.shown, effect: "none: '\(entry.key)' has no subdomains")
  }

  private mutating func checkSpelling(of address: IPAddress, _ name: String, at spot: Spot) {
    guard name != address.description else { return }
    add(
      .plistAddressSpelling, .warning, at: spot, "the address '\(name)' is not in its short form", found: name,
      meant: address.description, effect: "matches only a URL with the same spelling",
      on: Self.sinceSeventeen,
      confidence: .unknown("whether systems shorten the address in a URL"))
  }

  private mutating func checkEqual(
    _ range: AddressRange, _ name: String, _ ranges: inout [AddressRange: Spot], at spot: Spot
  ) {
    guard let earlier = ranges.updateValue(spot, forKey: range.masked), let other = earlier.path.last else { return }
    add(
      .plistEqualRanges, .warning, at: spot, "'\(name)' is the same range as '\(other)'", found: name,
      effect: "only one of the two entries applies, and Apple does not specify which one", on: Self.sinceSeventeen,
      confidence: .unknown("which entry comes last: Apple's source code uses the last one in an undefined order"),
      related: [earlier])
  }
}

extension AppTransportSecurity {
  /// A mistake in a key of `NSExceptionDomains` or `NSPinnedDomains`. With most mistakes, the key does not match any
  /// host.
  struct DomainSlip {
    /// The kind of mistake. If more than one applies, the first one is reported.
    enum Kind {
      case empty, scheme, wildcard, path, port, trailingDot, international, upperCase, notAName

      /// Returns whether a key with this mistake cannot match the host of any URL.
      ///
      /// Keys are compared as written, without wildcards (documentation of NSExceptionDomains).
      ///
      /// - Parameter isPinned: whether the key is in `NSPinnedDomains`, which ignores a trailing dot of the host.
      func matchesNoHost(isPinned: Bool) -> Bool {
        switch self {
        case .trailingDot: isPinned
        case .international: false
        case .empty, .scheme, .wildcard, .path, .port, .upperCase, .notAName: true
        }
      }
    }

    let kind: Kind
    /// The name without the mistake and other superfluous parts; nil if nothing remains.
    let meant: String?
    /// Whether the name was probably intended as a range of addresses. In that case, `meant` is the range.
    let isMeantAsRange: Bool

    /// Finds the mistake in `name`; nil for a correct name, address or range of addresses.
    init?(_ name: String, isRange: Bool) {
      if let range = Self.range(betweenAddressesIn: name) {
        (kind, meant, isMeantAsRange) = (.notAName, range, true)
        return
      }
      guard let kind = Self.kind(of: name, isRange: isRange) else { return nil }
      self.kind = kind
      if kind == .wildcard, let range = Self.range(meantBy: name) {
        (meant, isMeantAsRange) = (range, true)
        return
      }
      let host = Self.host(in: name)
      // If the rest is not a valid name or address, a suggestion would be another error, or another organization's
      // host.
      let isRange = AddressRange(host) != nil
      let isUsable = isRange || Self.isPlain(host) || IPAddress(host) != nil || !host.utf8.allSatisfy { $0 < 128 }
      isMeantAsRange = isRange
      meant = host == name || !isUsable || host.contains(where: \.isWhitespace) ? nil : host
    }

    /// Returns the range meant by octets followed only by wildcards, such as `192.168.0.0/24` for `192.168.0.*`.
    private static func range(meantBy name: String) -> String? {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      let octets = parts.prefix { UInt8($0) != nil }
      guard parts.count <= 4, (1...3).contains(octets.count), parts.dropFirst(octets.count).allSatisfy({ $0 == "*" })
      else { return nil }
      let zeros = Array(repeating: "0", count: 4 - octets.count)
      return (octets.map(String.init) + zeros).joined(separator: ".") + "/\(8 * octets.count)"
    }

    /// Returns the smallest range that contains both addresses.
    ///
    /// The result is `192.168.1.0/24` for `192.168.1.1-192.168.1.255` or `192.168.1.1-255`.
    private static func range(betweenAddressesIn name: String) -> String? {
      guard name.first?.isNumber == true, name.contains(where: { $0 == "-" || $0 == "\u{2013}" }) else { return nil }
      let ends = name.split { $0 == "-" || $0 == "\u{2013}" }.map { $0.filter { !$0.isWhitespace } }
      guard ends.count == 2, let first = IPAddress(ends[0]), !first.isVersion6 else { return nil }
      let network = ends[0].split(separator: ".").dropLast().joined(separator: ".")
      guard let last = IPAddress(ends[1]) ?? IPAddress("\(network).\(ends[1])"), !last.isVersion6 else { return nil }
      let range = (0...32).reversed().lazy.compactMap { AddressRange("\(first)/\($0)") }.first {
        $0.contains(first) && $0.contains(last)
      }
      return range.map { "\($0.masked.network)/\($0.prefixLength)" }
    }

    private static func kind(of name: String, isRange: Bool) -> Kind? {
      if isPlain(name) { return nil }
      let trimmed = name.filter { !$0.isWhitespace }
      if trimmed.isEmpty { return .empty }
      if name.contains("://") { return .scheme }
      if trimmed != name { return .notAName }
      if name.contains("*") { return .wildcard }
      if name.hasPrefix(".") { return .wildcard }
      if name.contains("/") { return isRange ? nil : .path }
      if IPAddress(name) != nil { return nil }
      if hasPort(name) { return .port }
      if name.hasSuffix(".") { return .trailingDot }
      if !name.utf8.allSatisfy({ $0 < 128 }) { return .international }
      let isName = name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isLabel)
      if !isName || name.utf8.count > 253 { return .notAName }
      return name.contains(where: \.isUppercase) ? .upperCase : nil
    }

    /// Returns whether a name is certainly correct, as are nearly all names in a long list. The full check takes ten
    /// times as long.
    private static func isPlain(_ name: String) -> Bool {
      name.utf8.count <= 253
        && name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
          (1...63).contains(label.count)
            && label.allSatisfy { byte in
              (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: "_")
            }
        }
    }

    /// Returns whether a label consists of letters, digits, hyphens (RFC 1035 section 2.3.1), and underscores, which
    /// occur in real names.
    private static func isLabel(_ label: Substring) -> Bool {
      (1...63).contains(label.utf8.count) && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }

    private static func hasPort(_ name: String) -> Bool {
      guard let colon = name.lastIndex(of: ":") else { return false }
      let digits = name[name.index(after: colon)...]
      return digits.allSatisfy(\.isNumber) && (name.hasPrefix("[") || name.firstIndex(of: ":") == colon)
    }

    /// Returns the host or the range of addresses that remains without the superfluous parts.
    private static func host(in name: String) -> String {
      let quotes: Set<Character> = ["\"", "'", "\u{201c}", "\u{201d}", "\u{2018}", "\u{2019}"]
      func isAround(_ sign: Character) -> Bool { sign.isWhitespace || quotes.contains(sign) }
      var host = name[...]
      while host.first.map(isAround) == true { host.removeFirst() }
      while host.last.map(isAround) == true { host.removeLast() }
      if AddressRange(String(host)) != nil { return String(host) }
      host = withoutScheme(host)
      if AddressRange(String(host)) != nil { return String(host) }
      host = host.prefix { !"/?#".contains($0) }
      if let user = host.lastIndex(of: "@") { host = host[host.index(after: user)...] }
      if hasPort(String(host)), let colon = host.lastIndex(of: ":") { host = host[..<colon] }
      if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
      if let range = range(meantBy: String(host)) { return range }
      while let first = host.first, first == "*" || first == "." { host = host.dropFirst() }
      while host.hasSuffix(".") { host = host.dropLast() }
      return host.lowercased()
    }

    /// Returns the text without a scheme and its slashes, as in `http:/api.example` or `//api.example`. One slash may
    /// be missing.
    private static func withoutScheme(_ text: Substring) -> Substring {
      if let end = text.firstRange(of: "//") { return text[end.upperBound...].drop { $0 == "/" } }
      let scheme = ["https:/", "http:/"].first { text.lowercased().hasPrefix($0) }
      return scheme.map { text.dropFirst($0.count) } ?? text
    }
  }
}

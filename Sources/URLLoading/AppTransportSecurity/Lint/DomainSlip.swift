import Trust

extension AppTransportSecurity {
  /// Why a key of `NSExceptionDomains` or `NSPinnedDomains` matches no host.
  struct DomainSlip {
    /// What is wrong with a name; the first that applies is what is said.
    enum Kind {
      case empty, scheme, wildcard, path, port, trailingDot, international, upperCase, notAName
    }

    let kind: Kind
    /// The name without the slip and everything else that should not be there; nil where nothing is left of it.
    let meant: String?
    /// Whether it was meant as a range of addresses, which `meant` is then.
    let isMeantAsRange: Bool

    /// What is wrong with `name`; nil when nothing is. Addresses and ranges of them are fine.
    init?(_ name: String, isRange: Bool) {
      guard let kind = Self.kind(of: name, isRange: isRange) else { return nil }
      self.kind = kind
      if kind == .wildcard, let range = Self.range(meantBy: name) {
        (meant, isMeantAsRange) = (range, true)
        return
      }
      isMeantAsRange = false
      let host = Self.host(in: name)
      meant = host.isEmpty || host == name ? nil : host
    }

    /// `192.168.0.0/24` for `192.168.0.*`: octets first, then nothing but wildcards.
    private static func range(meantBy name: String) -> String? {
      let parts = name.split(separator: ".", omittingEmptySubsequences: false)
      let octets = parts.prefix { UInt8($0) != nil }
      guard parts.count <= 4, (1...3).contains(octets.count), parts.dropFirst(octets.count).allSatisfy({ $0 == "*" })
      else { return nil }
      let zeros = Array(repeating: "0", count: 4 - octets.count)
      return (octets.map(String.init) + zeros).joined(separator: ".") + "/\(8 * octets.count)"
    }

    private static func kind(of name: String, isRange: Bool) -> Kind? {
      let trimmed = name.filter { !$0.isWhitespace }
      if trimmed.isEmpty { return .empty }
      if name.contains("://") { return .scheme }
      if trimmed != name { return .notAName }
      if name.contains("*") { return .wildcard }
      if name.hasPrefix(".") { return .wildcard }
      if name.contains("/") { return isRange ? nil : .path }
      if IPAddress(name) != nil { return name.contains(where: \.isUppercase) ? .upperCase : nil }
      if hasPort(name) { return .port }
      if name.hasSuffix(".") { return .trailingDot }
      if !name.utf8.allSatisfy({ $0 < 128 }) { return .international }
      let isName = name.split(separator: ".", omittingEmptySubsequences: false).allSatisfy(isLabel)
      if !isName || name.utf8.count > 253 { return .notAName }
      return name.contains(where: \.isUppercase) ? .upperCase : nil
    }

    /// Letters, digits, hyphens and, as real names have them, underscores: RFC 1035 section 2.3.1.
    private static func isLabel(_ label: Substring) -> Bool {
      (1...63).contains(label.utf8.count) && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }

    private static func hasPort(_ name: String) -> Bool {
      guard let colon = name.lastIndex(of: ":") else { return false }
      let digits = name[name.index(after: colon)...]
      return digits.allSatisfy(\.isNumber) && (name.hasPrefix("[") || name.firstIndex(of: ":") == colon)
    }

    /// The host that is left when all that should not be there is taken away.
    private static func host(in name: String) -> String {
      var host = name.filter { !$0.isWhitespace }[...]
      if let scheme = host.firstRange(of: "://") { host = host[scheme.upperBound...] }
      host = host.prefix { !"/?#".contains($0) }
      if let user = host.lastIndex(of: "@") { host = host[host.index(after: user)...] }
      if hasPort(String(host)), let colon = host.lastIndex(of: ":") { host = host[..<colon] }
      if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
      while let first = host.first, first == "*" || first == "." { host = host.dropFirst() }
      while host.hasSuffix(".") { host = host.dropLast() }
      return host.lowercased()
    }
  }
}

import PKIX

/// A name in a certificate that resembles the host but does not match it, with the reason and the fix.
struct NearMiss {
  let fix: String

  /// Finds such a name; nil if no name is similar to the host.
  init?(_ host: RequestedHost, _ names: [GeneralName], commonName: String?) {
    let fix: String?
    switch host {
    case .address(let bytes, _): fix = NearMiss.address(bytes, names, commonName)
    case .name(let name): fix = names.lazy.compactMap { NearMiss.fix($0, name) }.first
    case .invalid: fix = nil
    }
    guard let fix else { return nil }
    self.fix = fix
  }

  /// Returns an address in a name of another kind. RFC 9525 section 6.4 compares addresses only with iPAddress names.
  private static func address(_ bytes: [UInt8], _ names: [GeneralName], _ commonName: String?) -> String? {
    func isAddress(_ text: String) -> Bool {
      if case .address(bytes, _) = RequestedHost(ShownText.trimmed(text)) { true } else { false }
    }
    let asText = names.first { name in
      switch name {
      case .dnsName(let text): isAddress(text)
      case .uniformResourceIdentifier(let text): isAddress(text) || isAddress(authority(text))
      default: false
      }
    }
    let help = "have the certificate issued with the address as an iPAddress (RFC 9525 section 6.4)."
    if let asText { return "\(asText.quoted) is text, not an iPAddress: \(help)" }
    let addresses = names.compactMap { if case .ipAddress(let other) = $0 { other } else { nil } }
    if addresses.contains(where: { isMapped($0, bytes) || isMapped(bytes, $0) }) {
      return "An IPv4 address does not match its IPv4-mapped IPv6 address: have the certificate issued with the host's "
        + "address."
    }
    guard let commonName, isAddress(commonName) else { return nil }
    return "The address is in the common name, which is not compared: \(help)"
  }

  /// Returns whether `long` is the IPv4-mapped IPv6 address of `short` (RFC 4291 section 2.5.5.2).
  private static func isMapped(_ long: [UInt8], _ short: [UInt8]) -> Bool {
    short.count == 4 && long == [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + short
  }

  private static func fix(_ name: GeneralName, _ host: String) -> String? {
    switch name {
    case .dnsName(let text): dnsName(text, host)
    case .uniformResourceIdentifier(let text) where authority(text) == host:
      "\(name.quoted) is a URI: have the certificate issued with \(wanted(host))."
    case .rfc822Name(let text) where ShownText.trimmed(text).lowercased() == host:
      "\(name.quoted) is a mailbox: have the certificate issued with \(wanted(host))."
    case .directoryName(let name) where name.commonName?.lowercased() == host:
      "The host is in a directoryName: have the certificate issued with \(wanted(host))."
    default: nil
    }
  }

  /// Returns the defect of a dNSName that contains the host.
  private static func dnsName(_ text: String, _ host: String) -> String? {
    let folded = text.lowercased()
    if folded.hasPrefix("."), host.hasSuffix(folded), !host.dropLast(folded.count).contains(".") {
      let wildcard = GeneralName.dnsName("*" + folded).quoted
      return "\(GeneralName.dnsName(text).quoted) begins with a period: have the certificate issued with "
        + "\(wanted(host)) or \(wildcard)."
    }
    guard folded.contains(host) || ShownText.trimmed(folded).contains(host) else { return nil }
    let shown = GeneralName.dnsName(text).quoted
    let help = "have the certificate issued with \(wanted(host))."
    if folded.hasPrefix(host + "\0") { return "\(shown) contains a NUL character, and so is another name: \(help)" }
    if folded == host + "." { return "\(shown) ends with a period: \(help)" }
    if ShownText.trimmed(folded) == host { return "\(shown) \(place(of: folded)): \(help)" }
    if authority(folded) == host { return "\(shown) is a URL: \(help)" }
    if folded.hasPrefix(host + "/") { return "\(shown) continues with a path: \(help)" }
    if folded.hasPrefix(host + ":") { return "\(shown) ends with a port: \(help)" }
    let parts = folded.split { ",; ".contains($0) }
    guard parts.count > 1, parts.contains(where: { $0 == host || $0.hasSuffix(":\(host)") }) else { return nil }
    return "\(shown) is a single dNSName that contains several names: \(help)"
  }

  /// Describes the location of a character that is not allowed in a host.
  private static func place(of text: String) -> String {
    let isBlank = text.unicodeScalars.contains(" ")
    let what = isBlank ? "a space" : "an invisible character"
    if text.hasSuffix(" ") { return "ends with \(what)" }
    return text.hasPrefix(" ") ? "begins with \(what)" : "contains \(what)"
  }

  private static func wanted(_ host: String) -> String { GeneralName.dnsName(host).quoted }

  /// Returns the host of a URL in lower case; empty if there is none.
  private static func authority(_ text: String) -> String {
    let parts = text.lowercased().split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count > 2, parts[0].hasSuffix(":"), parts[1].isEmpty else { return "" }
    let host = parts[2].split(separator: "@", omittingEmptySubsequences: false).last ?? ""
    return String(host.split(separator: ":", omittingEmptySubsequences: false).first ?? "")
  }
}

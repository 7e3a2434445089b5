extension AppTransportSecurity.ExceptionDomain {
  /// Why the name of an entry matches no host, or one that its author did not mean; nil when it is a plain one.
  static func problem(inName name: String) -> AppTransportSecurity.Problem.Kind? {
    let bytes = name.utf8
    if name.contains("://") { return .nameWithScheme }
    if let slash = bytes.firstIndex(of: UInt8(ascii: "/")) {
      if AddressRange(name) != nil {
        return AddressRange.isMisread(name) ? .misreadAddressRange : nil
      }
      return looksLikeAddress(bytes[..<slash]) ? .notAnAddressRange : .nameWithPath
    }
    if bytes.contains(UInt8(ascii: "*")) { return .nameWithWildcard }
    if hasPort(name) { return .nameWithPort }
    return bytes.contains { (65...90).contains($0) } ? .upperCaseName : nil
  }

  private static func looksLikeAddress(_ text: Substring.UTF8View.SubSequence) -> Bool {
    text.allSatisfy { (48...58).contains($0) || $0 == 46 || (97...102).contains($0 | 0x20) }
  }

  /// `host:443`, but not an address of IPv6.
  private static func hasPort(_ name: String) -> Bool {
    guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")), IPAddress(name) == nil else { return false }
    return name.utf8[name.utf8.index(after: colon)...].allSatisfy { (48...57).contains($0) }
  }
}

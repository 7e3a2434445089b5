/// A range of addresses as a key of `NSExceptionDomains` writes it, iOS 17 and macOS 14: RFC 4632 section 3.1.
public struct AddressRange: Sendable, Hashable {
  /// The first address; bits after the prefix do not count.
  public let network: IPAddress
  /// How many leading bits an address must share with `network`.
  public let prefixLength: Int

  /// Reads `10.0.0.0/8`, `10/8` (missing octets are 0), `2001:db8::/32`, `2001:db8/32` (missing groups are 0).
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
      let prefixLength = Int(parts[1]), let network = Self.network(parts[0]),
      prefixLength <= 8 * network.bytes.count
    else { return nil }
    self.network = network
    self.prefixLength = prefixLength
  }

  /// Whether `address` is of the same family and shares the prefix.
  public func contains(_ address: IPAddress) -> Bool {
    guard address.bytes.count == network.bytes.count else { return false }
    return (0..<(prefixLength + 7) / 8).allSatisfy { index in
      let bits = min(8, prefixLength - 8 * index)
      return (address.bytes[index] ^ network.bytes[index]) >> UInt8(8 - bits) == 0
    }
  }

  /// Whether a system that takes the range by its documentation is known to read it otherwise: too long a text, or a
  /// prefix that begins with 0 and counts as octal.
  static func isMisread(_ text: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2 else { return false }
    let limit = parts[0].contains(":") ? 38 : 14
    return parts[0].utf8.count >= limit || parts[1].utf8.count > 1 && parts[1].hasPrefix("0")
  }

  private static func network(_ text: Substring) -> IPAddress? {
    if text.isEmpty { return nil }
    // Any hexadecimal letter or colon makes it IPv6.
    guard text.contains(where: { $0 == ":" || $0.isHexDigit && $0.isLetter }) else {
      let missing = 3 - text.count { $0 == "." }
      guard missing >= 0 else { return nil }
      return IPAddress(text + String(repeating: ".0", count: missing))
    }
    if let address = IPAddress(String(text)) { return address }
    return text.contains("::") ? nil : IPAddress(text + "::")
  }
}

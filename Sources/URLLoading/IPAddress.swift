import Trust

/// An IPv4 or IPv6 address in the notation of URLs and property lists (RFC 3986 section 3.2.2).
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// The address as 4 or 16 bytes in network order.
  public let bytes: [UInt8]

  /// Reads an address without brackets; nil if `text` is not an address.
  public init?(_ text: String) {
    // Most hosts are names; an address begins with a digit or contains a colon.
    guard let first = text.utf8.first, first != UInt8(ascii: "["),
      (48...57).contains(first) || first >= 0x80 || text.utf8.contains(UInt8(ascii: ":")),
      case .address(let bytes, _) = RequestedHost(text)
    else { return nil }
    self.bytes = bytes
  }

  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// The address in dotted form, or in the form of RFC 5952 section 4.
  public var description: String { RequestedHost.text(ofAddress: bytes) }

  /// Whether the address is IPv6.
  public var isVersion6: Bool { bytes.count == 16 }

  /// Whether the address is loopback or link-local.
  ///
  /// Apple's own tests treat 127.0.0.1, ::1 and fe80::1 as direct, but not 127.255.255.255.
  public var isDirect: Bool {
    if isVersion6 {
      return bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 || bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
    }
    return bytes[0] == 127 && bytes[1...] != [255, 255, 255] || bytes[0] == 169 && bytes[1] == 254
  }

  /// Whether the address belongs to a private network (RFC 1918, RFC 4193).
  public var isPrivate: Bool {
    if isVersion6 { return bytes[0] & 0xfe == 0xfc }
    return bytes[0] == 10 || bytes[0] == 172 && bytes[1] & 0xf0 == 16 || bytes[0] == 192 && bytes[1] == 168
  }
}

/// A range of addresses in a key of `NSExceptionDomains` (iOS 17 and macOS 14; RFC 4632 section 3.1).
public struct AddressRange: Sendable, Hashable {
  /// The first address of the range. Bits after the prefix are ignored.
  public let network: IPAddress
  /// The number of leading bits that an address must share with `network`.
  public let prefixLength: Int

  /// Reads `10.0.0.0/8`, `10/8` (missing octets are 0), `2001:db8::/32` or `2001:db8/32` (missing groups are 0).
  public init?(_ text: String) {
    guard text.utf8.contains(UInt8(ascii: "/")) else { return nil }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, (1...3).contains(parts[1].utf8.count), parts[1].utf8.allSatisfy({ (48...57).contains($0) }),
      let prefixLength = Int(parts[1])
    else { return nil }
    self.init(parts[0], prefixLength)
  }

  /// Reads a range as Apple's open-source engine does.
  ///
  /// The part before the slash must not fill the engine's buffer of 15 or 38 bytes. The prefix is a number in the
  /// notation of C: `/010` is 8, `/08` is 0, and an empty prefix is 0.
  package init?(asCodeReads text: String) {
    guard text.utf8.contains(UInt8(ascii: "/")) else { return nil }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, !Self.isTooLong(parts[0]), let prefixLength = Self.numberOfC(parts[1]) else { return nil }
    self.init(parts[0], prefixLength)
  }

  private init?(_ network: Substring, _ prefixLength: Int) {
    guard let network = Self.network(network), prefixLength <= 8 * network.bytes.count else { return nil }
    self.network = network
    self.prefixLength = prefixLength
  }

  /// The range with every bit after the prefix cleared.
  package var masked: AddressRange {
    let bytes = network.bytes.enumerated().map { index, byte in
      byte & UInt8(truncatingIfNeeded: 0xff00 >> min(8, max(0, prefixLength - 8 * index)))
    }
    return AddressRange(network: IPAddress(bytes: bytes), prefixLength: prefixLength)
  }

  /// Creates the range with this prefix length that contains `address`.
  package init(around address: IPAddress, prefixLength: Int) {
    self = AddressRange(network: address, prefixLength: prefixLength).masked
  }

  private init(network: IPAddress, prefixLength: Int) {
    self.network = network
    self.prefixLength = prefixLength
  }

  /// Returns whether `address` has the range's family and prefix.
  public func contains(_ address: IPAddress) -> Bool {
    guard address.bytes.count == network.bytes.count else { return false }
    return (0..<(prefixLength + 7) / 8).allSatisfy { index in
      let bits = min(8, prefixLength - 8 * index)
      return (address.bytes[index] ^ network.bytes[index]) >> UInt8(8 - bits) == 0
    }
  }

  /// Returns whether Apple's open-source engine interprets the range differently from the documentation.
  package static func isMisread(_ text: String) -> Bool { AddressRange(text) != AddressRange(asCodeReads: text) }

  private static func isTooLong(_ network: Substring) -> Bool {
    network.utf8.count >= (network.contains(":") ? 38 : 14)
  }

  /// Reads a number like `strtoul` with base 0.
  ///
  /// The result is the longest valid prefix in base 16, 8 or 10, and 0 if there is none.
  private static func numberOfC(_ text: Substring) -> Int? {
    let isHexadecimal = text.lowercased().hasPrefix("0x")
    let base = isHexadecimal ? 16 : text.hasPrefix("0") ? 8 : 10
    let digits = text.dropFirst(isHexadecimal ? 2 : 0).prefix { $0.isASCII && ($0.hexDigitValue ?? 16) < base }
    if isHexadecimal || base == 8 || digits.count == text.count { return digits.isEmpty ? 0 : Int(digits, radix: base) }
    return nil
  }

  private static func network(_ text: Substring) -> IPAddress? {
    if text.isEmpty { return nil }
    // A hexadecimal letter or a colon indicates IPv6.
    guard text.contains(where: { $0 == ":" || $0.isHexDigit && $0.isLetter }) else {
      let missing = 3 - text.count { $0 == "." }
      guard missing >= 0 else { return nil }
      return IPAddress(text + String(repeating: ".0", count: missing))
    }
    if let address = IPAddress(String(text)) { return address }
    return text.contains("::") ? nil : IPAddress(text + "::")
  }
}

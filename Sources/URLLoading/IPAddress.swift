/// An address of IPv4 or IPv6, as a URL or a property list writes it: RFC 3986 section 3.2.2.
public struct IPAddress: Sendable, Hashable {
  /// The address, 4 or 16 bytes in network order.
  public let bytes: [UInt8]

  /// The address that `text` writes: four decimal numbers, or the forms of RFC 4291 section 2.2; nil when it is none.
  public init?(_ text: String) {
    guard let bytes = text.contains(":") ? Self.version6(text) : Self.version4(Substring(text)) else { return nil }
    self.bytes = bytes
  }

  /// Whether this is an address of IPv6.
  public var isVersion6: Bool { bytes.count == 16 }

  /// Whether it leads to the machine itself or to its own link: loopback and link-local.
  ///
  /// 127.0.0.1, ::1 and fe80::1 are what Apple's own tests call direct.
  public var isDirect: Bool {
    if isVersion6 {
      return bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 || bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
    }
    return bytes[0] == 127 || bytes[0] == 169 && bytes[1] == 254
  }

  /// Whether it is of a private network: RFC 1918 and RFC 4193.
  public var isPrivate: Bool {
    if isVersion6 { return bytes[0] & 0xfe == 0xfc }
    return bytes[0] == 10 || bytes[0] == 172 && bytes[1] & 0xf0 == 16 || bytes[0] == 192 && bytes[1] == 168
  }

  private static func version4(_ text: Substring) -> [UInt8]? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let bytes = parts.compactMap { part in part.utf8.allSatisfy { (48...57).contains($0) } ? UInt8(part) : nil }
    return parts.count == 4 && bytes.count == 4 ? bytes : nil
  }

  private static func version6(_ text: String) -> [UInt8]? {
    guard let gap = text.firstRange(of: "::") else {
      let bytes = groups(Substring(text))
      return bytes?.count == 16 ? bytes : nil
    }
    guard let head = groups(text[..<gap.lowerBound]), let tail = groups(text[gap.upperBound...]),
      head.count + tail.count <= 14
    else { return nil }
    return head + [UInt8](repeating: 0, count: 16 - head.count - tail.count) + tail
  }

  /// Groups of up to four hexadecimal digits, the last of which may be an IPv4 address.
  private static func groups(_ text: Substring) -> [UInt8]? {
    if text.isEmpty { return [] }
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    var bytes: [UInt8] = []
    for (index, part) in parts.enumerated() {
      if part.contains("."), index == parts.count - 1 {
        guard let tail = version4(part) else { return nil }
        bytes += tail
      } else {
        guard (1...4).contains(part.utf8.count), part.allSatisfy(\.isHexDigit), let group = UInt16(part, radix: 16)
        else {
          return nil
        }
        bytes += [UInt8(truncatingIfNeeded: group >> 8), UInt8(truncatingIfNeeded: group)]
      }
    }
    return bytes
  }
}

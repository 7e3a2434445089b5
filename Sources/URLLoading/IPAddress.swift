import Trust

/// An address of IPv4 or IPv6, as a URL or a property list writes it: RFC 3986 section 3.2.2.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
  /// The address, 4 or 16 bytes in network order.
  public let bytes: [UInt8]

  /// The address that `text` writes, without brackets; nil when it is none.
  public init?(_ text: String) {
    guard !text.hasPrefix("["), case .address(let bytes, _) = RequestedHost(text) else { return nil }
    self.bytes = bytes
  }

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// The address in dotted form, or as RFC 5952 section 4 writes it.
  public var description: String { RequestedHost.text(ofAddress: bytes) }

  /// Whether this is an address of IPv6.
  public var isVersion6: Bool { bytes.count == 16 }

  /// Whether it leads to the machine itself or to its own link: loopback and link-local.
  ///
  /// 127.0.0.1, ::1 and fe80::1 are what Apple's own tests call direct, 127.255.255.255 they do not.
  public var isDirect: Bool {
    if isVersion6 {
      return bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1 || bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
    }
    return bytes[0] == 127 && bytes[1...] != [255, 255, 255] || bytes[0] == 169 && bytes[1] == 254
  }

  /// Whether it is of a private network: RFC 1918 and RFC 4193.
  public var isPrivate: Bool {
    if isVersion6 { return bytes[0] & 0xfe == 0xfc }
    return bytes[0] == 10 || bytes[0] == 172 && bytes[1] & 0xf0 == 16 || bytes[0] == 192 && bytes[1] == 168
  }
}

/// Reassembles fragments of IPv4 (RFC 791 section 3.2) and IPv6 datagrams (RFC 8200 section 4.5).
///
/// Fragments may arrive in any order. They are stored until their datagram is complete, for at most `limit` datagrams
/// at a time. If two fragments overlap, the first to arrive is used.
struct IPFragments {
  /// The key that identifies a datagram between two endpoints.
  private struct Key: Hashable {
    let ends: [UInt8]
    let identification: [UInt8]
    let protocolNumber: UInt8
  }

  private struct Datagram {
    private var parts: [Int: ArraySlice<UInt8>] = [:]
    private var count = 0
    /// The total length; nil until the last fragment has arrived.
    var length: Int?

    mutating func add(_ part: ArraySlice<UInt8>, at offset: Int) {
      guard parts[offset] == nil else { return }
      parts[offset] = part
      count += part.count
    }

    /// The complete content; nil while a part is missing.
    var content: [UInt8]? {
      guard let length, count >= length else { return nil }
      var content: [UInt8] = []
      for (offset, part) in parts.sorted(by: { $0.key < $1.key }) {
        guard offset <= content.count else { return nil }
        content += part.dropFirst(content.count - offset)
        if content.count >= length { return Array(content.prefix(length)) }
      }
      return nil
    }
  }

  /// One fragment, according to its headers.
  private struct Fragment {
    let key: Key
    let offset: Int
    let isLast: Bool
    let content: ArraySlice<UInt8>
    let version: UInt8
  }

  private static let limit = 1024
  /// The link type of IP packets without a link layer.
  private static let rawIP: UInt32 = 101
  private var open: [Key: Datagram] = [:]

  /// Returns an unfragmented frame unchanged, and a completed datagram when its last fragment arrives; otherwise nil.
  mutating func take(
    _ frame: ArraySlice<UInt8>, linkType: UInt32
  ) -> (bytes: ArraySlice<UInt8>, linkType: UInt32)? {
    guard let fragment = Self.fragment(frame, linkType: linkType) else { return (frame, linkType) }
    var datagram = open[fragment.key] ?? Datagram()
    datagram.add(fragment.content, at: fragment.offset)
    if fragment.isLast { datagram.length = fragment.offset + fragment.content.count }
    guard let content = datagram.content else {
      if open.count < Self.limit || open[fragment.key] != nil { open[fragment.key] = datagram }
      return nil
    }
    open[fragment.key] = nil
    return (Self.packet(content, of: fragment)[...], Self.rawIP)
  }

  private static func fragment(_ frame: ArraySlice<UInt8>, linkType: UInt32) -> Fragment? {
    var cursor = ByteCursor(frame)
    guard LinkLayer.skip(&cursor, linkType), let first = cursor.rest.first else { return nil }
    let packet = cursor.rest
    return first >> 4 == 4 ? version4(packet) : first >> 4 == 6 ? version6(packet) : nil
  }

  private static func version4(_ packet: ArraySlice<UInt8>) -> Fragment? {
    var cursor = ByteCursor(packet)
    guard let first = cursor.uint8(), cursor.take(1) != nil, let total = cursor.uint16(),
      let identification = cursor.take(2), let place = cursor.uint16(), cursor.take(1) != nil,
      let protocolNumber = cursor.uint8(), cursor.take(2) != nil, let ends = cursor.take(8), place & 0x3fff != 0
    else { return nil }
    let header = Int(first & 15) * 4
    guard header >= 20, Int(total) > header, cursor.take(header - 20) != nil,
      let content = cursor.take(Int(total) - header)
    else { return nil }
    return Fragment(
      key: Key(ends: Array(ends), identification: Array(identification), protocolNumber: protocolNumber),
      offset: Int(place & 0x1fff) * 8, isLast: place & 0x2000 == 0, content: content, version: 4)
  }

  /// Reads a fragment header (44), and the headers before it, which each fragment repeats (RFC 8200 section 4.5).
  private static func version6(_ packet: ArraySlice<UInt8>) -> Fragment? {
    var cursor = ByteCursor(packet)
    guard cursor.take(4) != nil, let length = cursor.uint16(), var header = cursor.uint8(), cursor.take(1) != nil,
      let ends = cursor.take(32), let payload = cursor.take(Int(length))
    else { return nil }
    cursor = ByteCursor(payload)
    while let size = IPv6Header.length(header, in: cursor.rest) {
      guard let following = cursor.rest.first, cursor.take(size) != nil else { return nil }
      header = following
    }
    guard header == 44, let next = cursor.uint8(), cursor.take(1) != nil, let place = cursor.uint16(),
      let identification = cursor.take(4)
    else { return nil }
    let content = cursor.rest
    return Fragment(
      key: Key(ends: Array(ends), identification: Array(identification), protocolNumber: next),
      offset: Int(place >> 3) * 8, isLast: place & 1 == 0, content: content, version: 6)
  }

  /// Restores the datagram before fragmentation. Its total length is zero if it is unknown or too large.
  private static func packet(_ content: [UInt8], of fragment: Fragment) -> [UInt8] {
    let key = fragment.key
    if fragment.version == 6 {
      return [0x60, 0, 0, 0, 0, 0, key.protocolNumber, 64] + key.ends + content
    }
    return [0x45, 0, 0, 0] + key.identification + [0, 0, 64, key.protocolNumber, 0, 0] + key.ends + content
  }
}

/// The extension headers before the next header (RFC 8200 section 4).
enum IPv6Header {
  /// The length of the extension header with this number at the start of `bytes`; nil for any other header.
  static func length(_ number: UInt8, in bytes: ArraySlice<UInt8>) -> Int? {
    guard let words = bytes.dropFirst().first else { return nil }
    switch number {
    // Hop-by-hop, routing and destination options, mobility (RFC 6275), HIP (RFC 7401) and shim6 (RFC 5533).
    case 0, 43, 60, 135, 139, 140: return Int(words) * 8 + 8
    case 51: return Int(words) * 4 + 8  // authentication: RFC 4302 section 2.2
    default: return nil
    }
  }
}

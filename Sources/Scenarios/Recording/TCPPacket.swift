/// One end of a TCP connection as a capture shows it.
struct TCPEnd: Hashable, CustomStringConvertible {
  /// Four bytes of IPv4, sixteen of IPv6.
  let address: [UInt8]
  let port: UInt16

  /// `192.0.2.1:443`, `[2001:db8:0:0:0:0:0:1]:443`
  var description: String {
    if address.count == 4 { return "\(address.map { String($0) }.joined(separator: ".")):\(port)" }
    let groups = stride(from: 0, to: address.count - 1, by: 2).map { index in
      String(UInt16(address[index]) << 8 | UInt16(address[index + 1]), radix: 16)
    }
    return "[\(groups.joined(separator: ":"))]:\(port)"
  }
}

/// A TCP segment within a captured frame: RFC 791, RFC 8200, RFC 9293 section 3.1.
struct TCPPacket {
  let source: TCPEnd
  let destination: TCPEnd
  let sequence: UInt32
  let isSYN: Bool
  let isACK: Bool
  let isRST: Bool
  let data: [UInt8]

  /// The segment in a frame of this link type; nil for everything else that travels: other protocols, IP fragments, and
  /// what is damaged.
  init?(_ frame: ArraySlice<UInt8>, linkType: UInt32) {
    var cursor = ByteCursor(frame)
    guard Self.skipLink(&cursor, linkType), let version = cursor.rest.first else { return nil }
    switch version >> 4 {
    case 4: self.init(version4: &cursor)
    case 6: self.init(version6: &cursor)
    default: return nil
    }
  }

  /// Passes the link layer's header; false for a kind of network that is not known, or another protocol than IP.
  private static func skipLink(_ cursor: inout ByteCursor, _ linkType: UInt32) -> Bool {
    switch linkType {
    case 0, 108: return cursor.take(4) != nil  // BSD loopback
    case 12, 14, 101, 228, 229: return true  // IP itself
    case 113: return cursor.take(14) != nil && isIP(cursor.uint16())  // Linux "cooked"
    case 276: return isIP(cursor.uint16()) && cursor.take(18) != nil  // the same, version 2
    case 1:
      guard cursor.take(12) != nil, var type = cursor.uint16() else { return false }
      while type == 0x8100 || type == 0x88a8 {  // a tag of IEEE 802.1Q
        guard cursor.take(2) != nil, let next = cursor.uint16() else { return false }
        type = next
      }
      return isIP(type)
    default: return false
    }
  }

  private static func isIP(_ type: UInt16?) -> Bool { type == 0x0800 || type == 0x86dd }

  private init?(version4 cursor: inout ByteCursor) {
    guard let first = cursor.uint8(), cursor.take(1) != nil, let total = cursor.uint16(), cursor.take(2) != nil,
      let fragment = cursor.uint16(), cursor.take(1) != nil, cursor.uint8() == 6, cursor.take(2) != nil,
      let source = cursor.take(4), let destination = cursor.take(4), fragment & 0x3fff == 0
    else { return nil }
    let header = Int(first & 15) * 4
    guard header >= 20, cursor.take(header - 20) != nil else { return nil }
    // A total length of zero is left by network cards that cut segments themselves.
    let length = total == 0 ? cursor.count : min(cursor.count, Int(total) - header)
    guard length >= 0, let content = cursor.take(length) else { return nil }
    self.init(content, Array(source), Array(destination))
  }

  private init?(version6 cursor: inout ByteCursor) {
    guard cursor.take(4) != nil, let payload = cursor.uint16(), var next = cursor.uint8(), cursor.take(1) != nil,
      let source = cursor.take(16), let destination = cursor.take(16)
    else { return nil }
    var content = ByteCursor(cursor.rest.prefix(payload == 0 ? cursor.count : Int(payload)))
    while [0, 43, 60].contains(next) {  // hop-by-hop, routing and destination options: RFC 8200 section 4
      guard let following = content.uint8(), let words = content.uint8(), content.take(Int(words) * 8 + 6) != nil
      else { return nil }
      next = following
    }
    guard next == 6 else { return nil }
    self.init(content.rest, Array(source), Array(destination))
  }

  private init?(_ segment: ArraySlice<UInt8>, _ sourceAddress: [UInt8], _ destinationAddress: [UInt8]) {
    var cursor = ByteCursor(segment)
    guard let sourcePort = cursor.uint16(), let destinationPort = cursor.uint16(), let sequence = cursor.uint32(),
      cursor.take(4) != nil, let offset = cursor.uint8(), let flags = cursor.uint8(), cursor.take(6) != nil,
      offset >> 4 >= 5, cursor.take(Int(offset >> 4) * 4 - 20) != nil
    else { return nil }
    source = TCPEnd(address: sourceAddress, port: sourcePort)
    destination = TCPEnd(address: destinationAddress, port: destinationPort)
    self.sequence = sequence
    isSYN = flags & 2 != 0
    isRST = flags & 4 != 0
    isACK = flags & 16 != 0
    data = Array(cursor.rest)
  }
}

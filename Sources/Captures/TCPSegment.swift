/// A TCP segment (RFC 9293 section 3.1) and the frame that contains it.
///
/// TrustLab writes segments in Ethernet and IPv4 (RFC 791) with both checksums. It can also read segments from other
/// link types and from IPv6 (RFC 8200).
struct TCPSegment {
  /// The control bits of a segment.
  struct Flags: OptionSet {
    let rawValue: UInt8

    static let fin = Flags(rawValue: 0x01)
    static let syn = Flags(rawValue: 0x02)
    static let rst = Flags(rawValue: 0x04)
    static let psh = Flags(rawValue: 0x08)
    static let ack = Flags(rawValue: 0x10)
  }

  /// The maximum number of data bytes in a segment, which fits an Ethernet frame of 1500 bytes (RFC 9293 section
  /// 3.7.1).
  static let maximumSize = 1460

  var source: SocketAddress
  var destination: SocketAddress
  var sequence: UInt32
  var acknowledgement: UInt32
  var flags: Flags
  var data: [UInt8] = []
  /// The number that identifies a packet of the sender (RFC 6864).
  var identification: UInt16 = 0
}

extension TCPSegment {
  /// The complete frame, without the check sequence, which capture files omit.
  var frame: [UInt8] {
    destination.hardwareAddress + source.hardwareAddress + UInt16(0x0800).networkOrder + packet
  }

  private var packet: [UInt8] {
    let segment = self.segment
    let length = UInt16(truncatingIfNeeded: 20 + segment.count)
    // An IPv4 header of five words, with "don't fragment", 64 hops and protocol 6 (TCP).
    var header: [UInt8] =
      [0x45, 0] + length.networkOrder + identification.networkOrder + [0x40, 0, 64, 6, 0, 0]
    header += source.address + destination.address
    header.replaceSubrange(10..<12, with: InternetChecksum.of(header).networkOrder)
    return header + segment
  }

  private var segment: [UInt8] {
    // A SYN announces the maximum segment size (kind 2).
    let options: [UInt8] =
      flags.contains(.syn) ? [2, 4] + UInt16(Self.maximumSize).networkOrder : []
    let words = UInt8(truncatingIfNeeded: (20 + options.count) / 4)
    var segment = source.port.networkOrder + destination.port.networkOrder
    segment += sequence.networkOrder + acknowledgement.networkOrder + [words << 4, flags.rawValue]
    let window: [UInt8] = flags.contains(.rst) ? [0, 0] : [0xff, 0xff]
    segment += window + [0, 0, 0, 0] + options + data
    let pseudoHeader =
      source.address + destination.address + [0, 6]
      + UInt16(truncatingIfNeeded: segment.count).networkOrder
    segment.replaceSubrange(16..<18, with: InternetChecksum.of(pseudoHeader + segment).networkOrder)
    return segment
  }
}

extension TCPSegment {
  /// Decodes the segment in a frame of this link type.
  ///
  /// Nil for other protocols, IP fragments and damaged frames.
  init?(_ frame: ArraySlice<UInt8>, linkType: UInt32) {
    var cursor = ByteCursor(frame)
    guard LinkLayer.skip(&cursor, linkType), let version = cursor.rest.first else { return nil }
    switch version >> 4 {
    case 4: self.init(version4: &cursor)
    case 6: self.init(version6: &cursor)
    default: return nil
    }
  }

  /// Whether a frame contains a UDP datagram with DTLS or QUIC.
  ///
  /// The datagram must begin like a DTLS handshake (RFC 6347 section 4.1), or like the first packet of QUIC version 1
  /// (RFC 9000 section 17.2) or 2 (RFC 9369).
  static func isDatagramTLS(_ frame: ArraySlice<UInt8>, linkType: UInt32) -> Bool {
    var cursor = ByteCursor(frame)
    guard LinkLayer.skip(&cursor, linkType), let first = cursor.rest.first else { return false }
    let packet = Array(cursor.rest.prefix(96))
    let (place, start) = first >> 4 == 6 ? (6, 40) : (9, Int(first & 15) * 4)
    guard packet.indices.contains(place), packet[place] == 17, packet.count > start + 8 + 5 else { return false }
    let payload = Array(packet[(start + 8)...])
    return payload[0] == 22 && payload[1] == 0xfe
      || payload[0] & 0xc0 == 0xc0 && [[0, 0, 0, 1], [0x6b, 0x33, 0x43, 0xcf]].contains(Array(payload[1...4]))
  }

  private init?(version4 cursor: inout ByteCursor) {
    guard let first = cursor.uint8(), cursor.take(1) != nil, let total = cursor.uint16(),
      cursor.take(2) != nil,
      let fragment = cursor.uint16(), cursor.take(1) != nil, cursor.uint8() == 6,
      cursor.take(2) != nil,
      let source = cursor.take(4), let destination = cursor.take(4), fragment & 0x3fff == 0
    else { return nil }
    let header = Int(first & 15) * 4
    guard header >= 20, cursor.take(header - 20) != nil else { return nil }
    // Network cards that segment the data themselves leave the total length at zero.
    let length = total == 0 ? cursor.count : min(cursor.count, Int(total) - header)
    guard length >= 0, let content = cursor.take(length) else { return nil }
    self.init(content, Array(source), Array(destination))
  }

  private init?(version6 cursor: inout ByteCursor) {
    guard cursor.take(4) != nil, let payload = cursor.uint16(), var next = cursor.uint8(),
      cursor.take(1) != nil,
      let source = cursor.take(16), let destination = cursor.take(16)
    else { return nil }
    var content = ByteCursor(cursor.rest.prefix(payload == 0 ? cursor.count : Int(payload)))
    while let length = IPv6Header.length(next, in: content.rest) {
      guard let following = content.rest.first, content.take(length) != nil else { return nil }
      next = following
    }
    guard next == 6 else { return nil }
    self.init(content.rest, Array(source), Array(destination))
  }

  private init?(
    _ segment: ArraySlice<UInt8>, _ sourceAddress: [UInt8], _ destinationAddress: [UInt8]
  ) {
    var cursor = ByteCursor(segment)
    guard let sourcePort = cursor.uint16(), let destinationPort = cursor.uint16(),
      let sequence = cursor.uint32(),
      let acknowledgement = cursor.uint32(), let offset = cursor.uint8(),
      let flags = cursor.uint8(),
      cursor.take(6) != nil,
      offset >> 4 >= 5, cursor.take(Int(offset >> 4) * 4 - 20) != nil
    else { return nil }
    self.init(
      source: SocketAddress(address: sourceAddress, port: sourcePort),
      destination: SocketAddress(address: destinationAddress, port: destinationPort),
      sequence: sequence,
      acknowledgement: acknowledgement, flags: Flags(rawValue: flags), data: Array(cursor.rest))
  }
}

/// The Internet checksum (RFC 1071): the ones' complement of the ones' complement sum of 16-bit words.
enum InternetChecksum {
  static func of(_ bytes: [UInt8]) -> UInt16 {
    var sum: UInt64 = 0
    for (index, byte) in bytes.enumerated() {
      sum += index.isMultiple(of: 2) ? UInt64(byte) << 8 : UInt64(byte)
    }
    while sum > 0xffff { sum = sum >> 16 + sum & 0xffff }
    return ~UInt16(truncatingIfNeeded: sum)
  }
}

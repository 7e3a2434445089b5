/// One TCP segment in its frame: Ethernet, IPv4 (RFC 791) and TCP (RFC 9293 section 3.1), with both checksums.
struct TCPSegment {
  /// The control bits that a connection here needs.
  struct Flags: OptionSet {
    let rawValue: UInt8

    static let fin = Flags(rawValue: 0x01)
    static let syn = Flags(rawValue: 0x02)
    static let rst = Flags(rawValue: 0x04)
    static let psh = Flags(rawValue: 0x08)
    static let ack = Flags(rawValue: 0x10)
  }

  /// The most data of a segment: what Ethernet's 1500 bytes leave (RFC 9293 section 3.7.1).
  static let maximumSize = 1460

  var source: NetworkPlace
  var destination: NetworkPlace
  var sequence: UInt32
  var acknowledgement: UInt32
  var flags: Flags
  var data: [UInt8] = []
  /// Tells the sender's packets apart: RFC 6864.
  var identification: UInt16

  /// The whole frame, without the check sequence that capture files leave out.
  var frame: [UInt8] {
    destination.hardwareAddress + source.hardwareAddress + UInt16(0x0800).networkOrder + packet
  }

  private var packet: [UInt8] {
    let segment = self.segment
    let length = UInt16(truncatingIfNeeded: 20 + segment.count)
    // Version 4, five words of header; "don't fragment"; 64 hops; protocol 6.
    var header: [UInt8] = [0x45, 0] + length.networkOrder + identification.networkOrder + [0x40, 0, 64, 6, 0, 0]
    header += source.address + destination.address
    header.replaceSubrange(10..<12, with: InternetChecksum.of(header).networkOrder)
    return header + segment
  }

  private var segment: [UInt8] {
    // A SYN says how much a segment may hold (kind 2).
    let options: [UInt8] = flags.contains(.syn) ? [2, 4] + UInt16(Self.maximumSize).networkOrder : []
    let words = UInt8(truncatingIfNeeded: (20 + options.count) / 4)
    var segment = source.port.networkOrder + destination.port.networkOrder
    segment += sequence.networkOrder + acknowledgement.networkOrder + [words << 4, flags.rawValue]
    let window: [UInt8] = flags.contains(.rst) ? [0, 0] : [0xff, 0xff]
    segment += window + [0, 0, 0, 0] + options + data
    let pseudoHeader =
      source.address + destination.address + [0, 6] + UInt16(truncatingIfNeeded: segment.count).networkOrder
    segment.replaceSubrange(16..<18, with: InternetChecksum.of(pseudoHeader + segment).networkOrder)
    return segment
  }
}

/// The ones' complement of the ones' complement sum of 16-bit words: RFC 1071.
enum InternetChecksum {
  static func of(_ bytes: [UInt8]) -> UInt16 {
    var sum: UInt64 = 0
    for (index, byte) in bytes.enumerated() { sum += index.isMultiple(of: 2) ? UInt64(byte) << 8 : UInt64(byte) }
    while sum > 0xffff { sum = sum >> 16 + sum & 0xffff }
    return ~UInt16(truncatingIfNeeded: sum)
  }
}

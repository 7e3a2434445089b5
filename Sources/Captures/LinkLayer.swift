/// The headers before an IP packet, by the link type of a capture (https://www.tcpdump.org/linktypes.html).
enum LinkLayer {
  /// Skips the headers before the IP packet.
  ///
  /// - Returns: `false` for an unsupported link type, and for a packet that does not contain IP.
  static func skip(_ cursor: inout ByteCursor, _ linkType: UInt32, depth: Int = 0) -> Bool {
    switch linkType {
    case 0, 108: return cursor.take(4) != nil  // BSD loopback
    case 12, 14, 101, 228, 229: return true  // IP itself
    case 1: return cursor.take(12) != nil && skipTypes(&cursor)
    case 9, 50, 166: return skipPPP(&cursor)
    case 204: return cursor.take(1) != nil && skipPPP(&cursor)  // the direction comes first
    case 51: return skipPPPoE(&cursor)
    case 104: return cursor.take(2) != nil && skipTypes(&cursor)  // Cisco's HDLC
    case 113: return cursor.take(14) != nil && skipTypes(&cursor)  // Linux "cooked"
    case 276:  // the same, version 2
      guard let type = cursor.uint16(), cursor.take(18) != nil else { return false }
      return skip(type, &cursor)
    case 138: return cursor.take(16) != nil && skipTypes(&cursor)  // IP over IEEE 1394
    case 105, 119, 127, 163, 192: return skipWireless(&cursor, linkType)
    case 149, 258: return depth < 2 && skipPKTAP(&cursor, depth: depth)
    default: return false
    }
  }

  /// Whether TrustLab can read frames of this link type.
  static func isRead(_ linkType: UInt32) -> Bool {
    [
      0, 1, 9, 12, 14, 50, 51, 101, 104, 105, 108, 113, 119, 127, 138, 149, 163, 166, 192, 204, 228, 229, 258, 276,
    ].contains(linkType)
  }

  /// The number and name of the link type, such as `link type 189 (USB)`.
  static func name(_ linkType: UInt32) -> String {
    "link type \(linkType)" + (names[linkType].map { " (\($0))" } ?? "")
  }

  private static let names: [UInt32: String] = [
    0: "BSD loopback", 1: "Ethernet", 6: "token ring", 7: "ARCNET", 8: "SLIP", 9: "PPP", 10: "FDDI", 11: "ATM",
    50: "PPP in HDLC", 51: "PPPoE", 104: "Cisco HDLC", 105: "802.11", 107: "frame relay", 113: "Linux cooked",
    117: "PF log", 119: "802.11 with a Prism header", 122: "fibre channel", 127: "802.11 with radiotap",
    147: "private use", 163: "802.11 with an AVS header", 166: "PPP", 182: "frame relay", 186: "USB", 187: "Bluetooth",
    189: "USB", 192: "PPI", 195: "802.15.4", 201: "Bluetooth", 203: "CAN", 220: "USB", 227: "CAN", 239: "NFLOG",
    240: "netANALYZER", 242: "IP over InfiniBand", 249: "USB", 251: "Bluetooth", 252: "Wireshark upper-layer PDUs",
    253: "netlink", 266: "USB", 271: "vsock", 272: "Bluetooth", 276: "Linux cooked, version 2", 288: "USB",
    293: "USB", 294: "USB", 295: "USB",
  ]
}

// Ethernet, and the protocols in it.
extension LinkLayer {
  private static func skipTypes(_ cursor: inout ByteCursor) -> Bool {
    guard let type = cursor.uint16() else { return false }
    return skip(type, &cursor)
  }

  /// Skips the tags and headers between an EtherType and the IP packet.
  ///
  /// These are IEEE 802.1Q tags, MPLS (RFC 3032), PPPoE (RFC 2516) and LLC.
  private static func skip(_ type: UInt16, _ cursor: inout ByteCursor) -> Bool {
    switch type {
    case 0x0800, 0x86dd: return true
    case 0x8100, 0x88a8, 0x9100: return cursor.take(2) != nil && skipTypes(&cursor)
    case 0x8847, 0x8848: return skipMPLS(&cursor)
    case 0x8864: return skipPPPoE(&cursor)
    case ...1500: return skipLLC(&cursor)  // the length of an IEEE 802.3 frame
    default: return false
    }
  }

  /// Skips LLC and SNAP headers (RFC 1042).
  private static func skipLLC(_ cursor: inout ByteCursor) -> Bool {
    cursor.rest.starts(with: [0xaa, 0xaa, 3, 0, 0, 0]) && cursor.take(6) != nil && skipTypes(&cursor)
  }

  private static func skipMPLS(_ cursor: inout ByteCursor) -> Bool {
    while let label = cursor.uint32() {
      guard label & 0x100 != 0 else { continue }  // the bottom of the stack
      guard let first = cursor.rest.first else { return false }
      if [4, 6].contains(first >> 4) { return true }
      // A control word precedes a whole frame (RFC 4448 section 4.6).
      return first >> 4 == 0 && cursor.take(16) != nil && skipTypes(&cursor)
    }
    return false
  }

  private static func skipPPPoE(_ cursor: inout ByteCursor) -> Bool {
    guard let version = cursor.uint8(), let code = cursor.uint8(), version == 0x11, code == 0 else { return false }
    return cursor.take(4) != nil && skipPPP(&cursor)
  }

  /// Skips a PPP header (RFC 1661), with or without the two bytes of HDLC (RFC 1662). The protocol field may have one
  /// byte.
  private static func skipPPP(_ cursor: inout ByteCursor) -> Bool {
    if cursor.rest.starts(with: [0xff, 3]) { _ = cursor.take(2) }
    guard let first = cursor.uint8() else { return false }
    if !first.isMultiple(of: 2) { return [0x21, 0x57].contains(first) }
    guard let second = cursor.uint8() else { return false }
    switch UInt16(first) << 8 | UInt16(second) {
    case 0x0021, 0x0057: return true
    case 0x0281: return skipMPLS(&cursor)
    default: return false
    }
  }

  /// Skips Apple's PKTAP header, which contains its length, the next header and the interface's link type.
  private static func skipPKTAP(_ cursor: inout ByteCursor, depth: Int) -> Bool {
    cursor.isBigEndian = false
    defer { cursor.isBigEndian = true }
    guard let length = cursor.uint32(), cursor.uint32() != nil, let inner = cursor.uint32(), length >= 12,
      cursor.take(Int(length) - 12) != nil
    else { return false }
    cursor.isBigEndian = true
    return skip(&cursor, inner, depth: depth + 1)
  }
}

// IEEE 802.11.
extension LinkLayer {
  /// Whether the data in an 802.11 frame is encrypted.
  static func isEncryptedWireless(_ frame: ArraySlice<UInt8>, _ linkType: UInt32) -> Bool {
    var cursor = ByteCursor(frame)
    guard [105, 119, 127, 163, 192].contains(linkType), skipRadio(&cursor, linkType),
      let control = cursor.uint8(), let flags = cursor.uint8()
    else { return false }
    return control & 0x0f == 0x08 && flags & 0x40 != 0
  }

  /// Skips the receiver's information about the radio signal.
  private static func skipRadio(_ cursor: inout ByteCursor, _ linkType: UInt32) -> Bool {
    guard linkType != 105 else { return true }
    let start = Array(cursor.rest.prefix(8))
    guard start.count == 8 else { return false }
    switch linkType {
    case 119: return cursor.take(144) != nil
    case 163: return cursor.take(Int(start[6]) << 8 | Int(start[7])) != nil
    case 192 where start[4] != 105: return false
    default: return cursor.take(Int(start[3]) << 8 | Int(start[2])) != nil  // radiotap and PPI
    }
  }

  /// Skips the header of a data frame (IEEE 802.11 section 9.3.2). Encrypted frames and frames with several packets are
  /// not supported.
  private static func skipWireless(_ cursor: inout ByteCursor, _ linkType: UInt32) -> Bool {
    guard skipRadio(&cursor, linkType), let control = cursor.uint8(), let flags = cursor.uint8(),
      control & 0x4f == 0x08, flags & 0x40 == 0, cursor.take(22 + (flags & 3 == 3 ? 6 : 0)) != nil
    else { return false }
    if control & 0x80 != 0 {
      guard let quality = cursor.uint8(), cursor.take(1) != nil, quality & 0x80 == 0 else { return false }
      if flags & 0x80 != 0, cursor.take(4) == nil { return false }
    }
    // Some receivers pad the header to a multiple of four bytes.
    if !cursor.rest.starts(with: [0xaa, 0xaa]), cursor.rest.dropFirst(2).starts(with: [0xaa, 0xaa]) {
      _ = cursor.take(2)
    }
    return skipLLC(&cursor)
  }
}

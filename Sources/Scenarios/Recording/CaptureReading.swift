import Explanation

/// The packets of a capture file, as libpcap (draft-ietf-opsawg-pcap) and Wireshark (draft-ietf-opsawg-pcapng) write it.
struct CaptureReading {
  /// A packet as it was seen.
  struct Packet {
    let time: Instant
    let linkType: UInt32
    let bytes: ArraySlice<UInt8>
  }

  /// Why a file is no capture.
  struct Problem: Error {
    let message: String
    let hint: String
  }

  private(set) var packets: [Packet] = []
  /// Key logs that the file itself carries: Decryption Secrets Blocks of TLS.
  private(set) var keyLogs: [String] = []
  private let size: Int

  /// Whether a file of these bytes calls itself a capture.
  static func isCapture(_ bytes: [UInt8]) -> Bool {
    let magics: [[UInt8]] = [
      [0xa1, 0xb2, 0xc3, 0xd4], [0xd4, 0xc3, 0xb2, 0xa1], [0xa1, 0xb2, 0x3c, 0x4d], [0x4d, 0x3c, 0xb2, 0xa1],
      [0x0a, 0x0d, 0x0d, 0x0a],
    ]
    return magics.contains { bytes.starts(with: $0) }
  }

  init(_ bytes: [UInt8]) throws(Problem) {
    size = bytes.count
    var cursor = ByteCursor(bytes)
    if bytes.starts(with: [0x0a, 0x0d, 0x0d, 0x0a]) {
      try readBlocks(&cursor)
    } else {
      try readClassic(&cursor)
    }
  }

  private func cut(_ cursor: ByteCursor, _ what: String) -> Problem {
    Problem(
      message: "the capture ends within \(what), at byte \(size - cursor.count)",
      hint: "was it copied whole? 'capinfos' or 'tshark -r' says how far it can be read")
  }

  private mutating func readClassic(_ cursor: inout ByteCursor) throws(Problem) {
    guard let magic = cursor.uint32() else { throw cut(cursor, "its header") }
    cursor.isBigEndian = magic == 0xa1b2_c3d4 || magic == 0xa1b2_3c4d
    // Versions, time zone and accuracy, the most bytes of a packet; then the kind of network.
    guard cursor.take(16) != nil, let network = cursor.uint32() else { throw cut(cursor, "its header") }
    while cursor.count > 0 {
      guard let seconds = cursor.uint32(), cursor.take(4) != nil, let length = cursor.uint32(), cursor.take(4) != nil,
        let data = cursor.take(Int(length))
      else { throw cut(cursor, "packet \(packets.count + 1)") }
      packets.append(
        Packet(time: Instant(secondsSince1970: Int64(seconds)), linkType: network & 0x0fff_ffff, bytes: data))
    }
  }
}

/// An interface of a section, in the order of their descriptions.
private struct CaptureInterface {
  var linkType: UInt32 = 0
  var ticksPerSecond: UInt64 = 1_000_000
}

extension CaptureReading {
  private mutating func readBlocks(_ cursor: inout ByteCursor) throws(Problem) {
    var interfaces: [CaptureInterface] = []
    while cursor.count > 0 {
      let start = cursor
      guard let type = cursor.uint32(), var length = cursor.uint32() else { throw cut(cursor, "a block") }
      if type == 0x0a0d_0d0a {
        var magic = cursor
        magic.isBigEndian = true
        cursor.isBigEndian = magic.uint32() == 0x1a2b_3c4d
        var again = start
        again.isBigEndian = cursor.isBigEndian
        _ = again.uint32()
        length = again.uint32() ?? 0
        interfaces = []
      }
      guard length >= 12, length.isMultiple(of: 4), let body = cursor.take(Int(length) - 12), cursor.take(4) != nil
      else { throw cut(cursor, "a block") }
      var content = ByteCursor(body)
      content.isBigEndian = cursor.isBigEndian
      switch type {
      case 1: interfaces.append(Self.interface(&content))
      case 6: try readPacket(&content, interfaces)
      case 10: readSecrets(&content)
      default: break
      }
    }
  }

  /// Interface Description Block: link type, and `if_tsresol` (option 9) when time is not in microseconds.
  private static func interface(_ content: inout ByteCursor) -> CaptureInterface {
    var interface = CaptureInterface()
    interface.linkType = UInt32(content.uint16() ?? 0)
    _ = content.take(6)
    while let code = content.uint16(), let length = content.uint16(), code != 0,
      let value = content.take((Int(length) + 3) & ~3)
    {
      guard code == 9, let resolution = value.first else { continue }
      let exponent = Int(resolution & 0x7f)
      let base: UInt64 = resolution & 0x80 == 0 ? 10 : 2
      guard exponent < (base == 10 ? 19 : 63) else { continue }
      interface.ticksPerSecond = (0..<exponent).reduce(1) { ticks, _ in ticks * base }
    }
    return interface
  }

  /// Enhanced Packet Block.
  private mutating func readPacket(
    _ content: inout ByteCursor, _ interfaces: [CaptureInterface]
  ) throws(Problem) {
    guard let id = content.uint32(), let high = content.uint32(), let low = content.uint32(),
      let length = content.uint32(), content.take(4) != nil, let data = content.take(Int(length)),
      let interface = interfaces.indices.contains(Int(id)) ? interfaces[Int(id)] : nil
    else {
      throw Problem(
        message: "packet \(packets.count + 1) of the capture does not fit into its block",
        hint: "is the file damaged? 'capinfos' or 'tshark -r' says how far it can be read")
    }
    let ticks = UInt64(high) << 32 | UInt64(low)
    let seconds = Int64(clamping: ticks / max(1, interface.ticksPerSecond))
    packets.append(
      Packet(time: Instant(secondsSince1970: seconds), linkType: interface.linkType, bytes: data))
  }

  /// Decryption Secrets Block: of those, the TLS key log.
  private mutating func readSecrets(_ content: inout ByteCursor) {
    guard content.uint32() == 0x544c_534b, let length = content.uint32(), let data = content.take(Int(length))
    else { return }
    keyLogs.append(String(decoding: data, as: UTF8.self))
  }
}

import Explanation
import TLS

/// The packets of a capture file in the pcap (draft-ietf-opsawg-pcap) or pcapng (draft-ietf-opsawg-pcapng) format.
public struct CaptureReader: Sendable {
  /// A captured packet.
  struct Packet: Sendable {
    /// The time of the packet; nil for a Simple Packet Block, which contains no time.
    let time: Instant?
    let linkType: UInt32
    let bytes: ArraySlice<UInt8>
  }

  private(set) var packets: [Packet] = []
  /// The number of packets in the capture.
  public var packetCount: Int { packets.count }
  /// The TLS key logs in the file's Decryption Secrets Blocks.
  public private(set) var keyLogs: [String] = []
  /// The error if the file ends after a packet but is incomplete; nil for a complete file.
  public private(set) var cut: CaptureError?
  /// The packets of which the capture contains only the first bytes.
  public private(set) var cutPackets = CutPackets()
  /// The types of the blocks that TrustLab did not read.
  public private(set) var unknownBlocks: Set<UInt32> = []
  private let size: Int

  /// The packets that were truncated when they were captured.
  public struct CutPackets: Sendable, Hashable {
    /// The number of truncated packets.
    public fileprivate(set) var count = 0
    /// The number of bytes captured of the longest truncated packet.
    public fileprivate(set) var length = 0
  }

  /// Whether these bytes begin like those of a capture file.
  public static func isCapture(_ bytes: [UInt8]) -> Bool {
    let magics: [[UInt8]] = [
      [0xa1, 0xb2, 0xc3, 0xd4], [0xd4, 0xc3, 0xb2, 0xa1], [0xa1, 0xb2, 0x3c, 0x4d],
      [0x4d, 0x3c, 0xb2, 0xa1], [0xa1, 0xb2, 0xcd, 0x34], [0x34, 0xcd, 0xb2, 0xa1],
      [0x0a, 0x0d, 0x0d, 0x0a],
    ]
    return magics.contains { bytes.starts(with: $0) }
  }

  /// Reads a capture file.
  ///
  /// - Throws: `CaptureError` if the file ends within its first packet, or is inconsistent.
  public init(_ bytes: [UInt8]) throws(CaptureError) {
    size = bytes.count
    var cursor = ByteCursor(bytes)
    do throws(CaptureError) {
      if bytes.starts(with: [0x0a, 0x0d, 0x0d, 0x0a]) {
        try readBlocks(&cursor)
      } else {
        try readClassic(&cursor)
      }
    } catch {
      guard case .cut = error, !packets.isEmpty else { throw error }
      cut = error
    }
  }

  private func end(_ cursor: ByteCursor, _ what: String) -> CaptureError {
    .cut(within: what, at: size - cursor.count)
  }

  private mutating func readClassic(_ cursor: inout ByteCursor) throws(CaptureError) {
    guard let magic = cursor.uint32() else { throw end(cursor, "its header") }
    cursor.isBigEndian = [0xa1b2_c3d4, 0xa1b2_3c4d, 0xa1b2_cd34].contains(magic)
    // Modified libpcap has 8 more bytes before each packet.
    let extra = [0xa1b2_cd34, 0x34cd_b2a1].contains(magic) ? 8 : 0
    // The header contains the versions, time zone, accuracy, snap length and link type. The upper half of the link type
    // is the length of the frame check sequence.
    guard cursor.take(16) != nil, let network = cursor.uint32() else {
      throw end(cursor, "its header")
    }
    while cursor.count > 0 {
      guard let seconds = cursor.uint32(), cursor.take(4) != nil, let length = cursor.uint32(),
        let original = cursor.uint32(), cursor.take(extra) != nil, let data = cursor.take(Int(length))
      else { throw end(cursor, "packet \(packets.count + 1)") }
      add(data, of: original, at: Instant(secondsSince1970: Int64(seconds)), network & 0xffff)
    }
  }

  /// Adds a packet that had `length` bytes on the network.
  private mutating func add(_ data: ArraySlice<UInt8>, of length: UInt32, at time: Instant?, _ linkType: UInt32) {
    if data.count < Int(length) {
      cutPackets.count += 1
      cutPackets.length = max(cutPackets.length, data.count)
    }
    packets.append(Packet(time: time, linkType: linkType, bytes: data))
  }
}

extension CaptureReader {
  /// Whether the capture contains DTLS or QUIC, which TrustLab does not read.
  public var hasDatagramTLS: Bool {
    packets.contains { TCPSegment.isDatagramTLS($0.bytes, linkType: $0.linkType) }
  }

  /// The TCP connections in the capture.
  var connections: [TCPReassembly.Connection] {
    var reassembly = TCPReassembly()
    var fragments = IPFragments()
    for (number, packet) in packets.enumerated() {
      guard let whole = fragments.take(packet.bytes, linkType: packet.linkType),
        let segment = TCPSegment(whole.bytes, linkType: whole.linkType)
      else { continue }
      reassembly.take(segment, at: packet.time, number: number)
    }
    return reassembly.connections
  }

  /// The TLS sessions among the TCP connections.
  public var sessions: [Session] {
    var counts: [Flow.Ends: Int] = [:]
    return connections.compactMap(\.tls).map { found in
      let count = counts[found.connection.ends, default: 0] + 1
      counts[found.connection.ends] = count
      return session(found, number: count)
    }
  }

  private func session(_ found: TCPReassembly.Connection.Found, number: Int) -> Session {
    let connection = found.connection
    let name = "\(connection.ends.client)-\(connection.ends.server)\(number == 1 ? "" : "#\(number)")"
    var flow = Flow(id: name, ends: connection.ends, portions: connection.portions)
    flow.prelude = found.prelude
    // A capture may have several link types. The packet with the first bytes determines the one to report.
    let first = connection.portions.first.map(\.number) ?? 0
    if packets.indices.contains(first), packets[first].linkType != 1 {
      flow.linkType = LinkLayer.name(packets[first].linkType)
    }
    let incomplete = Side.allCases.filter { connection.incomplete.contains($0) || connection.absent.contains($0) }
    for side in Side.allCases where !connection.closed.contains(side) {
      flow.unfinished[side] = "a capture that ends while the connection is open"
    }
    for side in incomplete {
      let reason = reason(of: side, connection)
      flow.unfinished[side] = reason
      flow.incomplete[side] = reason
    }
    return Session(flow: flow, incomplete: incomplete)
  }

  /// The reason why the capture lacks bytes from a side.
  private func reason(of side: Side, _ connection: TCPReassembly.Connection) -> String {
    if connection.absent.contains(side) { return "a capture of one direction only, with no packet from the \(side)" }
    if connection.portions.allSatisfy({ $0.side != side }) { return "a capture without the \(side)'s first bytes" }
    guard cutPackets.count > 0 else { return "a capture that lacks bytes from the \(side)" }
    return "a capture whose packets were cut to \(cutPackets.length) bytes (snap length)"
  }

  /// A TLS session in a capture.
  public struct Session: Sendable {
    /// The captured bytes, up to the first gap.
    public let flow: Flow
    /// The sides whose data has a gap. The bytes after the gap are omitted.
    public let incomplete: [Side]
  }
}

/// A capture interface of a section, in the order of the Interface Description Blocks.
private struct CaptureInterface {
  var linkType: UInt32 = 0
  /// The maximum length of a captured packet; 0 if there is no limit.
  var snapLength: UInt32 = 0
  var ticksPerSecond: UInt64 = 1_000_000
}

extension CaptureReader {
  private mutating func readBlocks(_ cursor: inout ByteCursor) throws(CaptureError) {
    var interfaces: [CaptureInterface] = []
    while cursor.count > 0 {
      let start = cursor
      guard let type = cursor.uint32(), var length = cursor.uint32() else {
        throw end(cursor, "a block")
      }
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
      guard length >= 12, length.isMultiple(of: 4), let body = cursor.take(Int(length) - 12),
        cursor.take(4) != nil
      else { throw end(cursor, "a block") }
      var content = ByteCursor(body)
      content.isBigEndian = cursor.isBigEndian
      switch type {
      case 1: interfaces.append(Self.interface(&content))
      case 2: try readObsoletePacket(&content, interfaces)
      case 3: try readSimplePacket(&content, interfaces)
      case 6: try readPacket(&content, interfaces)
      case 10: readSecrets(&content)
      case 4, 5, 0x0a0d_0d0a: break  // names, statistics, and the section itself
      default: unknownBlocks.insert(type)
      }
    }
  }

  /// Reads an Interface Description Block: the link type, and `if_tsresol` (option 9) if times are not in microseconds.
  private static func interface(_ content: inout ByteCursor) -> CaptureInterface {
    var interface = CaptureInterface()
    interface.linkType = UInt32(content.uint16() ?? 0)
    _ = content.take(2)
    interface.snapLength = content.uint32() ?? 0
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

  /// Reads an Enhanced Packet Block.
  private mutating func readPacket(
    _ content: inout ByteCursor, _ interfaces: [CaptureInterface]
  ) throws(CaptureError) {
    guard let id = content.uint32(), interfaces.indices.contains(Int(id)) else {
      throw .misfit(packet: packets.count + 1)
    }
    try readPacket(&content, interfaces[Int(id)])
  }

  /// Reads a Packet Block, the obsolete form of the Enhanced Packet Block.
  private mutating func readObsoletePacket(
    _ content: inout ByteCursor, _ interfaces: [CaptureInterface]
  ) throws(CaptureError) {
    guard let id = content.uint16(), content.take(2) != nil, interfaces.indices.contains(Int(id)) else {
      throw .misfit(packet: packets.count + 1)
    }
    try readPacket(&content, interfaces[Int(id)])
  }

  /// Reads the time, lengths and data of a packet.
  private mutating func readPacket(
    _ content: inout ByteCursor, _ interface: CaptureInterface
  ) throws(CaptureError) {
    guard let high = content.uint32(), let low = content.uint32(), let length = content.uint32(),
      let original = content.uint32(), let data = content.take(Int(length))
    else {
      throw .misfit(packet: packets.count + 1)
    }
    let ticks = UInt64(high) << 32 | UInt64(low)
    let seconds = Int64(clamping: ticks / max(1, interface.ticksPerSecond))
    add(data, of: original, at: Instant(secondsSince1970: seconds), interface.linkType)
  }

  /// Reads a Simple Packet Block: a packet of the first interface without a time.
  private mutating func readSimplePacket(
    _ content: inout ByteCursor, _ interfaces: [CaptureInterface]
  ) throws(CaptureError) {
    guard let interface = interfaces.first, let original = content.uint32() else {
      throw .misfit(packet: packets.count + 1)
    }
    let limit = interface.snapLength == 0 ? original : min(original, interface.snapLength)
    guard let data = content.take(min(Int(limit), content.count)) else { throw .misfit(packet: packets.count + 1) }
    add(data, of: original, at: nil, interface.linkType)
  }

  /// Reads a Decryption Secrets Block if it contains a TLS key log.
  private mutating func readSecrets(_ content: inout ByteCursor) {
    guard content.uint32() == 0x544c_534b, let length = content.uint32(),
      let data = content.take(Int(length))
    else { return }
    keyLogs.append(String(decoding: data, as: UTF8.self))
  }
}

/// A cursor over binary data, which returns nil instead of reading past the end.
struct ByteCursor {
  private(set) var rest: ArraySlice<UInt8>
  var isBigEndian = true

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  /// The number of bytes that remain.
  var count: Int { rest.count }

  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func uint8() -> UInt8? { rest.popFirst() }

  mutating func uint16() -> UInt16? { number(2).map { UInt16(truncatingIfNeeded: $0) } }

  mutating func uint32() -> UInt32? { number(4).map { UInt32(truncatingIfNeeded: $0) } }

  private mutating func number(_ size: Int) -> UInt64? {
    guard let bytes = take(size) else { return nil }
    let ordered = isBigEndian ? Array(bytes) : bytes.reversed()
    return ordered.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

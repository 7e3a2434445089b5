import Explanation
import TLS

/// A capture file of flows with real Ethernet, IPv4 and TCP frames, which Wireshark and tshark can open.
///
/// The format is classic pcap (draft-ietf-opsawg-pcap): big-endian, microseconds, LINKTYPE_ETHERNET. The same flows
/// always result in the same bytes.
public struct PacketCapture: Sendable {
  /// The bytes of the file that `take()` has not returned yet.
  public private(set) var bytes: [UInt8]
  /// The number of packets in the file.
  public private(set) var packetCount = 0
  /// The number of TCP connections in the file.
  public private(set) var connectionCount = 0
  private var time: CaptureTime?
  private var lastSender: SocketAddress?

  /// The maximum number of captured bytes per packet. No packet reaches it.
  private static let snapLength: UInt32 = 262_144
  private static let linkTypeEthernet: UInt32 = 1
  /// The time between two packets from one sender, in microseconds.
  private static let pause: UInt32 = 20
  private static let journey: UInt32 = 10_000

  /// Creates a capture without packets.
  public init() {
    bytes = UInt32(0xa1b2_c3d4).networkOrder + UInt16(2).networkOrder + UInt16(4).networkOrder
    bytes += UInt32(0).networkOrder + UInt32(0).networkOrder
    bytes += Self.snapLength.networkOrder + Self.linkTypeEthernet.networkOrder
  }

  /// Appends the flows of one recording in the order of their portions, starting at `clock`.
  ///
  /// Flows without IPv4 addresses are omitted.
  ///
  /// - Throws: `CaptureError.clock` if the file format does not support a time.
  public mutating func append(_ flows: [Flow], from clock: Instant) throws(CaptureError) {
    time = try CaptureTime(clock)
    var open: [Int: Connection] = [:]
    let sent = flows.enumerated().flatMap { flow, content in
      content.portions.map { (flow: flow, portion: $0) }
    }
    .sorted { $0.portion.number < $1.portion.number }
    for (flow, portion) in sent {
      guard let ends = flows[flow].ends, ends.client.address.count == 4,
        ends.server.address.count == 4
      else {
        continue
      }
      let start = try portion.at.map { at throws(CaptureError) in try CaptureTime(at) }
      time = [time, start].compactMap(\.self).max()
      var connection = open[flow] ?? begin(ends, flows[flow].portions)
      send(portion, on: &connection)
      open[flow] = connection
    }
  }

  /// Returns the bytes that were written since the last call. The first call also returns the file header.
  ///
  /// A caller can therefore write the file piece by piece as connections end, without keeping all of it in memory.
  public mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// A connection that is being written.
  private struct Connection {
    var tcp: TCPConversation
    /// The number of portions that each side has yet to send.
    var rest: [Side: Int]
    /// The side that ended its data first.
    var finisher: Side?
  }

  private mutating func begin(_ ends: Flow.Ends, _ portions: [Flow.Chunk]) -> Connection {
    connectionCount += 1
    lastSender = nil
    let counts = Dictionary(grouping: portions, by: \.side).mapValues(\.count)
    return Connection(tcp: TCPConversation(ends), rest: counts)
  }

  private mutating func send(_ portion: Flow.Chunk, on connection: inout Connection) {
    let side = portion.side
    connection.rest[side, default: 1] -= 1
    connection.tcp.send(portion.bytes, from: side)
    if connection.rest[side] == 0, let ending = portion.ending {
      connection.tcp.finish(side, forGood: ending == .abrupt)
      connection.finisher = connection.finisher ?? side
    }
    write(connection.tcp.take())
    guard connection.rest.values.allSatisfy({ $0 == 0 }) else { return }
    // If one side has finished, the other side finishes too. Otherwise, the connection stays open.
    if let finisher = connection.finisher { connection.tcp.finish(finisher.peer) }
    connection.tcp.settle()
    write(connection.tcp.take())
  }

  private mutating func write(_ segments: [TCPSegment]) {
    for segment in segments {
      guard let now = time else { return }
      let next = now.adding(microseconds: segment.source == lastSender ? Self.pause : Self.journey)
      write(segment.frame, at: next)
      (time, lastSender) = (next, segment.source)
    }
  }

  /// Writes a frame with this time.
  private mutating func write(_ frame: [UInt8], at time: CaptureTime) {
    let length = UInt32(truncatingIfNeeded: frame.count).networkOrder
    bytes += time.seconds.networkOrder + time.microseconds.networkOrder + length + length + frame
    packetCount += 1
  }
}

/// The time of a packet. A capture file supports the years 1970 to 2106.
struct CaptureTime: Comparable {
  private(set) var seconds: UInt32
  private(set) var microseconds: UInt32 = 0

  /// Creates a time at the start of this second.
  init(_ instant: Instant) throws(CaptureError) {
    guard let seconds = UInt32(exactly: instant.secondsSince1970) else { throw .clock(instant) }
    self.seconds = seconds
  }

  /// Adds less than a second in microseconds. The result never exceeds the last second that the format supports.
  func adding(microseconds more: UInt32) -> CaptureTime {
    var later = self
    let sum = microseconds + min(more, 999_999)
    later.microseconds = sum % 1_000_000
    if sum >= 1_000_000, seconds < .max { later.seconds += 1 }
    return later
  }

  static func < (left: CaptureTime, right: CaptureTime) -> Bool {
    (left.seconds, left.microseconds) < (right.seconds, right.microseconds)
  }
}

extension UnsignedInteger where Self: FixedWidthInteger {
  /// The bytes of the number, most significant first.
  var networkOrder: [UInt8] {
    stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}

import Explanation
import TLS

/// Flows as a capture file that Wireshark and tshark open: everything that was sent in real Ethernet, IPv4 and TCP
/// frames. Classic pcap (draft-ietf-opsawg-pcap): big-endian, microseconds, LINKTYPE_ETHERNET.
///
/// The file says nothing that the flows do not: the same flows give the same bytes.
public struct PacketCapture: Sendable {
  /// The file, or what of it was not taken yet.
  public private(set) var bytes: [UInt8]
  /// How many packets there are.
  public private(set) var packetCount = 0
  /// How many TCP connections they belong to.
  public private(set) var connectionCount = 0
  private var time: CaptureTime?
  private var lastSender: SocketAddress?

  /// The most bytes of a packet that are kept: all of them.
  private static let snapLength: UInt32 = 262_144
  private static let linkTypeEthernet: UInt32 = 1
  /// Between two packets of one sender, and for a packet to come through, in microseconds.
  private static let pause: UInt32 = 20
  private static let journey: UInt32 = 10_000

  /// A capture without packets.
  public init() {
    bytes = UInt32(0xa1b2_c3d4).networkOrder + UInt16(2).networkOrder + UInt16(4).networkOrder
    bytes += UInt32(0).networkOrder + UInt32(0).networkOrder
    bytes += Self.snapLength.networkOrder + Self.linkTypeEthernet.networkOrder
  }

  /// Appends flows that were recorded together, in the order in which their portions travelled, not before `clock`.
  /// Flows whose ends are not known, or have no IPv4 address, are left out.
  ///
  /// - Throws: `CaptureError.clock` when a time does not fit into the file.
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

  /// What was written since the last time, beginning with the file's header: for who writes the file as connections end,
  /// and keeps none of it.
  public mutating func take() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// A connection that is being written.
  private struct Connection {
    var tcp: TCPConversation
    /// What each side has still to send.
    var rest: [Side: Int]
    /// Who said first that nothing more comes.
    var finisher: Side?
  }

  private mutating func begin(_ ends: Flow.Ends, _ portions: [Flow.Portion]) -> Connection {
    connectionCount += 1
    lastSender = nil
    let counts = Dictionary(grouping: portions, by: \.side).mapValues(\.count)
    return Connection(tcp: TCPConversation(ends), rest: counts)
  }

  private mutating func send(_ portion: Flow.Portion, on connection: inout Connection) {
    let side = portion.side
    connection.rest[side, default: 1] -= 1
    connection.tcp.send(portion.bytes, from: side)
    if connection.rest[side] == 0, let ending = portion.ending {
      connection.tcp.finish(side, forGood: ending == .abrupt)
      connection.finisher = connection.finisher ?? side
    }
    write(connection.tcp.take())
    guard connection.rest.values.allSatisfy({ $0 == 0 }) else { return }
    // Whoever learns that the other has finished finishes too; a connection on which nobody did stays open.
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

  /// A frame that was seen at `time`.
  private mutating func write(_ frame: [UInt8], at time: CaptureTime) {
    let length = UInt32(truncatingIfNeeded: frame.count).networkOrder
    bytes += time.seconds.networkOrder + time.microseconds.networkOrder + length + length + frame
    packetCount += 1
  }
}

/// When a packet was seen: what a capture file can say, 1970 to 2106.
struct CaptureTime: Comparable {
  private(set) var seconds: UInt32
  private(set) var microseconds: UInt32 = 0

  /// The beginning of this second.
  init(_ instant: Instant) throws(CaptureError) {
    guard let seconds = UInt32(exactly: instant.secondsSince1970) else { throw .clock(instant) }
    self.seconds = seconds
  }

  /// So many microseconds later, less than a second; the last second of all does not end.
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
  /// The bytes, the most significant first.
  var networkOrder: [UInt8] {
    stride(from: bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}

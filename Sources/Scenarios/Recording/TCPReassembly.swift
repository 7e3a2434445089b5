import Explanation
import Simulator
import TLS

/// One direction of a TCP connection, put together from its segments: RFC 9293 section 3.4.
struct TCPStream {
  private var next: UInt32?
  private var waiting: [(sequence: UInt32, data: [UInt8])] = []

  /// Whether segments wait for others that the capture does not have.
  var hasGap: Bool { !waiting.isEmpty }

  /// The connection begins: data starts behind the SYN.
  mutating func synchronize(_ sequence: UInt32) { next = sequence &+ 1 }

  /// The bytes that a segment completes; empty for what came before, or too early.
  mutating func take(_ sequence: UInt32, _ data: [UInt8]) -> [UInt8] {
    guard !data.isEmpty else { return [] }
    if next == nil { next = sequence }
    waiting.append((sequence, data))
    var completed: [UInt8] = []
    while let expected = next, let index = waiting.firstIndex(where: { Self.distance($0.sequence, expected) <= 0 }) {
      let segment = waiting.remove(at: index)
      // What is behind the expected byte has come before, in an earlier copy.
      let known = -Self.distance(segment.sequence, expected)
      let fresh = segment.data.dropFirst(known)
      completed += fresh
      next = expected &+ UInt32(truncatingIfNeeded: fresh.count)
    }
    return completed
  }

  /// How far `first` is ahead of `second`, modulo 2^32.
  private static func distance(_ first: UInt32, _ second: UInt32) -> Int {
    Int(Int32(bitPattern: first &- second))
  }
}

/// Joins the packets of a capture into connections, whose ends and directions it tells apart.
struct TCPReassembly {
  /// One connection.
  struct Connection {
    let opener: TCPEnd
    let responder: TCPEnd
    var streams: [Side: TCPStream] = [:]
    var portions: [Recording.Portion] = []
    var initialSequence: UInt32?

    /// Whether what the client first said begins like a ClientHello in a record of TLS.
    var speaksTLS: Bool { Self.isClientHello(portions.first { $0.side == .client }?.bytes ?? []) }

    /// The sides the other way round, for a capture that began within the connection.
    var turned: Connection {
      var turned = Connection(opener: responder, responder: opener)
      turned.portions = portions.map { Recording.Portion($0.side.peer, $0.bytes, at: $0.at) }
      turned.streams = Dictionary(uniqueKeysWithValues: streams.map { ($0.key.peer, $0.value) })
      return turned
    }

    private static func isClientHello(_ bytes: [UInt8]) -> Bool {
      bytes.count > 5 && bytes[0] == 22 && bytes[1] == 3 && bytes[5] == 1
    }
  }

  /// The connections in the order in which they began.
  private(set) var connections: [Connection] = []
  private var current: [Set<TCPEnd>: Int] = [:]

  mutating func take(_ packet: TCPPacket, at time: Instant) {
    let ends: Set = [packet.source, packet.destination]
    let isOpening = packet.isSYN && !packet.isACK
    var index = current[ends]
    if let known = index, isOpening, connections[known].initialSequence != packet.sequence { index = nil }
    if index == nil {
      // Without its SYN a connection's sides are only guessed, until its first data tells.
      let isAnswer = packet.isSYN && packet.isACK
      connections.append(
        Connection(
          opener: isAnswer ? packet.destination : packet.source,
          responder: isAnswer ? packet.source : packet.destination))
      index = connections.count - 1
      current[ends] = index
    }
    guard let index else { return }
    if isOpening { connections[index].initialSequence = packet.sequence }
    let side: Side = packet.source == connections[index].opener ? .client : .server
    if packet.isSYN { connections[index].streams[side, default: TCPStream()].synchronize(packet.sequence) }
    let sequence = packet.isSYN ? packet.sequence &+ 1 : packet.sequence
    let bytes = packet.isRST ? [] : connections[index].streams[side, default: TCPStream()].take(sequence, packet.data)
    if !bytes.isEmpty { connections[index].portions.append(Recording.Portion(side, bytes, at: time)) }
  }
}

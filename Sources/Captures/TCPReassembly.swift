import Explanation
import TLS

/// One direction of a TCP connection, put together from its segments: RFC 9293 section 3.4.
struct TCPStream {
  private var next: UInt32?
  private var waiting: [(sequence: UInt32, data: [UInt8])] = []

  /// Where the sender said that its data ends.
  private var end: UInt32?

  /// Whether segments, or the end, wait for others that the capture does not have.
  var hasGap: Bool {
    guard waiting.isEmpty, let end, let next else { return !waiting.isEmpty }
    return Self.distance(end, next) > 0
  }

  /// The sender says nothing more behind its data, which ends here.
  mutating func finish(_ sequence: UInt32) { end = sequence }

  /// The connection begins: data starts behind the SYN.
  mutating func synchronize(_ sequence: UInt32) { next = sequence &+ 1 }

  /// The bytes that a segment completes; empty for what came before, or too early.
  mutating func take(_ sequence: UInt32, _ data: [UInt8]) -> [UInt8] {
    guard !data.isEmpty else { return [] }
    if next == nil { next = sequence }
    waiting.append((sequence, data))
    var completed: [UInt8] = []
    while let expected = next,
      let index = waiting.firstIndex(where: { Self.distance($0.sequence, expected) <= 0 })
    {
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

/// Joins the segments of a capture into connections, whose ends and directions it tells apart.
struct TCPReassembly {
  /// One connection.
  struct Connection {
    let ends: Flow.Ends
    var streams: [Side: TCPStream] = [:]
    var portions: [Flow.Portion] = []
    var initialSequence: UInt32?
    /// Who has said that nothing more comes, by FIN, or ended it at once, by RST: RFC 9293 section 3.6.
    var closed: Set<Side> = []

    /// Whether what the client first said begins like a ClientHello in a record of TLS, in however small segments it came.
    var speaksTLS: Bool { Self.isClientHello(beginning(at: 0)) }

    /// The first bytes that the client said from a portion on.
    private func beginning(at start: Int) -> [UInt8] {
      var bytes: [UInt8] = []
      for portion in portions[start...] where portion.side == .client && bytes.count <= 5 { bytes += portion.bytes }
      return bytes
    }

    /// The same without what was said in the clear before there was TLS: to a proxy, for a tunnel (RFC 9110 section 9.3.6), or
    /// to a server of another protocol, which was asked to go on with TLS (RFC 3207, RFC 2595, RFC 4217).
    var inTunnel: Connection {
      let asked = portions.first { $0.side == .client }?.bytes ?? []
      var last: [UInt8] = []
      for (index, portion) in portions.enumerated() where portion.side == .client {
        if index > 0, asked.starts(with: "CONNECT ".utf8) || Self.asksForTLS(last),
          Self.isClientHello(beginning(at: index))
        {
          var inner = self
          inner.portions = Array(portions[index...])
          return inner
        }
        last = portion.bytes
      }
      return self
    }

    /// Whether a command asks a server of mail or files to begin TLS: `STARTTLS`, with a tag before it in IMAP, `STLS` or
    /// `AUTH TLS`.
    private static func asksForTLS(_ bytes: [UInt8]) -> Bool {
      guard bytes.count <= 64, bytes.last == 10 else { return false }
      let words = String(decoding: bytes, as: UTF8.self).uppercased().split(whereSeparator: \.isWhitespace)
      return words.last == "STARTTLS" || words == ["STLS"] || words == ["AUTH", "TLS"]
    }

    /// The sides the other way round, for a capture that began within the connection.
    var turned: Connection {
      var turned = Connection(ends: Flow.Ends(client: ends.server, server: ends.client))
      turned.portions = portions.map {
        Flow.Portion($0.side.peer, $0.bytes, at: $0.at, number: $0.number)
      }
      turned.closed = Set(closed.map(\.peer))
      turned.streams = Dictionary(uniqueKeysWithValues: streams.map { ($0.key.peer, $0.value) })
      return turned
    }

    private static func isClientHello(_ bytes: [UInt8]) -> Bool {
      bytes.count > 5 && bytes[0] == 22 && bytes[1] == 3 && bytes[5] == 1
    }
  }

  /// The connections in the order in which they began.
  private(set) var connections: [Connection] = []
  private var current: [Set<SocketAddress>: Int] = [:]

  /// A segment that was seen at `time`, in the packet of this number.
  mutating func take(_ segment: TCPSegment, at time: Instant, number: Int) {
    let flags = segment.flags
    let isOpening = flags.contains(.syn) && !flags.contains(.ack)
    let index = connection(of: segment, isOpening: isOpening)
    if isOpening { connections[index].initialSequence = segment.sequence }
    let side: Side = segment.source == connections[index].ends.client ? .client : .server
    var stream = connections[index].streams[side] ?? TCPStream()
    if flags.contains(.syn) { stream.synchronize(segment.sequence) }
    let sequence = flags.contains(.syn) ? segment.sequence &+ 1 : segment.sequence
    let bytes = flags.contains(.rst) ? [] : stream.take(sequence, segment.data)
    if flags.contains(.fin) { stream.finish(sequence &+ UInt32(truncatingIfNeeded: segment.data.count)) }
    connections[index].streams[side] = stream
    if flags.contains(.fin) { connections[index].closed.insert(side) }
    if flags.contains(.rst) { connections[index].closed = [.client, .server] }
    if !bytes.isEmpty {
      connections[index].portions.append(Flow.Portion(side, bytes, at: time, number: number))
    }
  }

  /// The place of the connection that a segment belongs to; of a new one, where the segment begins one.
  private mutating func connection(of segment: TCPSegment, isOpening: Bool) -> Int {
    let ends: Set = [segment.source, segment.destination]
    if let known = current[ends],
      !isOpening || connections[known].initialSequence == segment.sequence
    {
      return known
    }
    // Without its SYN a connection's sides are only guessed, until its first data tells.
    let isAnswer = segment.flags.isSuperset(of: [.syn, .ack])
    connections.append(
      Connection(
        ends: Flow.Ends(
          client: isAnswer ? segment.destination : segment.source,
          server: isAnswer ? segment.source : segment.destination)))
    current[ends] = connections.count - 1
    return connections.count - 1
  }
}

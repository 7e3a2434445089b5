import Explanation
import TLS

/// One direction of a TCP connection, reassembled from its segments (RFC 9293 section 3.4).
struct TCPStream {
  /// Bytes that directly follow those of the previous piece.
  struct Piece {
    let bytes: [UInt8]
    /// The sender's acknowledgement number for the data of its peer.
    let acknowledgement: UInt32?
    /// The sequence number after the last byte.
    let end: UInt32
    let at: Instant?
    let number: Int
  }

  /// The pieces in the order of their sequence numbers, up to the first gap.
  private(set) var pieces: [Piece] = []
  /// The sequence number of the first byte; nil if it is unknown.
  let start: UInt32?
  /// Whether the capture lacks bytes that must exist, because later bytes, a FIN or an acknowledgement follows.
  private(set) var hasGap = false

  /// Reassembles the `own` segments; `peer` are the segments of the other direction.
  init(_ own: [SeenSegment], peer: [SeenSegment]) {
    start = Self.start(own, peer)
    guard let start else { return }
    var next = start
    for seen in Self.sorted(own, from: start) {
      let ahead = Self.distance(seen.firstByte, next)
      if ahead > 0 {
        hasGap = true
        break
      }
      // An earlier segment already contains the bytes before `next`.
      let fresh = seen.segment.data.dropFirst(-ahead)
      guard !fresh.isEmpty else { continue }
      next &+= UInt32(truncatingIfNeeded: fresh.count)
      pieces.append(
        Piece(
          bytes: Array(fresh), acknowledgement: seen.acknowledgement, end: next, at: seen.at, number: seen.number))
    }
    let ends = own.filter { $0.segment.flags.contains(.fin) }.map {
      $0.firstByte &+ UInt32(truncatingIfNeeded: $0.segment.data.count)
    }
    if ends.contains(where: { Self.distance($0, next) > 0 }) { hasGap = true }
    // An acknowledgement counts a FIN as one byte.
    if peer.contains(where: { seen in seen.acknowledgement.map { Self.distance($0, next) > 1 } ?? false }) {
      hasGap = true
    }
  }

  /// The first sequence number: that of a SYN, or the lowest number sent or acknowledged.
  private static func start(_ own: [SeenSegment], _ peer: [SeenSegment]) -> UInt32? {
    if let opening = own.first(where: { $0.segment.flags.contains(.syn) }) { return opening.firstByte }
    let answer = peer.first { $0.segment.flags.isSuperset(of: [.syn, .ack]) }
    if let answer { return answer.segment.acknowledgement }
    let sent = own.filter { !$0.segment.data.isEmpty && !$0.segment.flags.contains(.rst) }.map(\.firstByte)
    let places = sent + peer.compactMap(\.acknowledgement)
    guard let first = places.first else { return nil }
    return places.min { distance($0, first) < distance($1, first) }
  }

  /// The segments with data, in order. Of two copies, the copy that was sent first comes first.
  private static func sorted(_ own: [SeenSegment], from start: UInt32) -> [SeenSegment] {
    let data = own.filter { !$0.segment.data.isEmpty && !$0.segment.flags.contains(.rst) }
    return data.sorted { first, second in
      let (one, other) = (distance(first.firstByte, start), distance(second.firstByte, start))
      guard one == other else { return one < other }
      let later = distance(first.segment.acknowledgement, second.segment.acknowledgement)
      return later == 0 ? first.number < second.number : later < 0
    }
  }

  /// The distance from `second` to `first` modulo 2^32.
  static func distance(_ first: UInt32, _ second: UInt32) -> Int {
    Int(Int32(bitPattern: first &- second))
  }
}

/// A captured segment, with its position in the capture.
struct SeenSegment {
  let segment: TCPSegment
  let at: Instant?
  let number: Int

  /// The sequence number of the first byte of data, which follows a SYN.
  var firstByte: UInt32 { segment.flags.contains(.syn) ? segment.sequence &+ 1 : segment.sequence }

  /// The acknowledgement number; nil for a reset, whose number may have any value.
  var acknowledgement: UInt32? {
    segment.flags.contains(.ack) && !segment.flags.contains(.rst) ? segment.acknowledgement : nil
  }
}

/// Joins the captured segments into connections.
///
/// Sequence and acknowledgement numbers determine the order. The order of packets is used only if the numbers leave it
/// open. A capture may contain packets, or a whole direction, in another order.
struct TCPReassembly {
  /// One connection.
  struct Connection {
    let ends: Flow.Ends
    /// The portions in order. A response comes after its request.
    var portions: [Flow.Chunk] = []
    /// The sides from which bytes are missing.
    var incomplete: Set<Side> = []
    /// The sides from which the capture has no packets.
    var absent: Set<Side> = []
    /// The sides that closed the connection with FIN, or reset it with RST (RFC 9293 section 3.6).
    var closed: Set<Side> = []
    /// Whether the capture contains the client's SYN.
    var hasOpening = false
    /// Whether the connection ended with RST.
    var isReset = false

    /// The connection with client and server exchanged, for a capture that began after the SYN.
    var turned: Connection {
      var turned = Connection(ends: Flow.Ends(client: ends.server, server: ends.client))
      turned.portions = portions.map {
        Flow.Chunk($0.side.peer, $0.bytes, at: $0.at, number: $0.number)
      }
      turned.closed = Set(closed.map(\.peer))
      turned.incomplete = Set(incomplete.map(\.peer))
      turned.absent = Set(absent.map(\.peer))
      (turned.isReset, turned.hasOpening) = (isReset, hasOpening)
      return turned
    }
  }

  /// The captured segments of one connection.
  private struct Group {
    var seen: [SeenSegment] = []
    var client: SocketAddress?
    /// The sequence numbers of the SYNs of both sides.
    var initialSequence: UInt32?
    var serverSequence: UInt32?

    /// The client's sequence number when the segment was sent.
    func progress(_ segment: TCPSegment) -> UInt32? {
      let isClient = client.map { $0 == segment.source } ?? false
      if isClient { return segment.sequence }
      return segment.flags.contains(.ack) ? segment.acknowledgement : nil
    }

    /// Whether a segment may belong to this connection and not to an earlier one between the same endpoints.
    func fits(_ segment: TCPSegment) -> Bool {
      guard let initialSequence, let progress = progress(segment) else { return true }
      return TCPStream.distance(progress, initialSequence) >= 0
    }

    /// Whether the sequence numbers of all segments follow this SYN, although the segments precede it in the capture.
    func follows(_ opening: TCPSegment) -> Bool {
      var group = self
      group.client = opening.source
      return seen.allSatisfy { seen in
        guard let progress = group.progress(seen.segment) else { return true }
        return (0..<1 << 24).contains(TCPStream.distance(progress, opening.sequence))
      }
    }
  }

  private var groups: [Group] = []
  private var known: [Set<SocketAddress>: [Int]] = [:]

  /// The connections in the order in which they began.
  var connections: [Connection] { groups.compactMap(Self.connection) }

  /// Adds a segment, with the time and number of its packet.
  mutating func take(_ segment: TCPSegment, at time: Instant?, number: Int) {
    let isOpening = segment.flags.contains(.syn) && !segment.flags.contains(.ack)
    let isAnswer = segment.flags.isSuperset(of: [.syn, .ack])
    let index = group(of: segment, isOpening: isOpening, isAnswer: isAnswer)
    groups[index].seen.append(SeenSegment(segment: segment, at: time, number: number))
    if isOpening { (groups[index].client, groups[index].initialSequence) = (segment.source, segment.sequence) }
    if isAnswer {
      groups[index].client = groups[index].client ?? segment.destination
      groups[index].serverSequence = segment.sequence
    }
  }

  /// The index of the connection that a segment belongs to. A segment that opens a connection adds one.
  private mutating func group(of segment: TCPSegment, isOpening: Bool, isAnswer: Bool) -> Int {
    let ends: Set = [segment.source, segment.destination]
    let places = known[ends] ?? []
    if let place = place(of: segment, among: places, isOpening: isOpening, isAnswer: isAnswer) { return place }
    groups.append(Group())
    known[ends, default: []].append(groups.count - 1)
    return groups.count - 1
  }

  private func place(of segment: TCPSegment, among places: [Int], isOpening: Bool, isAnswer: Bool) -> Int? {
    guard let last = places.last else { return nil }
    if isOpening {
      let same = places.last { groups[$0].initialSequence == segment.sequence && groups[$0].client == segment.source }
      if let same { return same }
      return groups[last].initialSequence == nil && groups[last].follows(segment) ? last : nil
    }
    if isAnswer {
      return places.last { place in
        groups[place].fits(segment) && (groups[place].serverSequence ?? segment.sequence) == segment.sequence
      }
    }
    return places.last { groups[$0].fits(segment) } ?? last
  }

  private static func connection(_ group: Group) -> Connection? {
    guard let first = group.seen.first?.segment else { return nil }
    // Without a SYN, the roles of the two sides are a guess. Their data determines the roles later.
    let client = group.client ?? first.source
    let ends = Flow.Ends(client: client, server: client == first.source ? first.destination : first.source)
    let sent: [Side: [SeenSegment]] = Dictionary(grouping: group.seen) { seen in
      seen.segment.source == client ? .client : .server
    }
    let streams: [Side: TCPStream] = Dictionary(
      uniqueKeysWithValues: Side.allCases.map { side in
        (side, TCPStream(sent[side] ?? [], peer: sent[side.peer] ?? []))
      })
    var connection = Connection(ends: ends)
    connection.portions = portions(of: streams)
    connection.hasOpening = group.initialSequence != nil
    for side in Side.allCases {
      let segments = sent[side] ?? []
      if segments.isEmpty { connection.absent.insert(side) }
      if streams[side]?.hasGap == true { connection.incomplete.insert(side) }
      if segments.contains(where: { $0.segment.flags.contains(.fin) }) { connection.closed.insert(side) }
    }
    connection.isReset = group.seen.contains { $0.segment.flags.contains(.rst) }
    if connection.isReset { connection.closed = [.client, .server] }
    return connection
  }

  /// Merges both directions. A segment comes after all data that its sender had acknowledged.
  private static func portions(of streams: [Side: TCPStream]) -> [Flow.Chunk] {
    var rest: [Side: ArraySlice<TCPStream.Piece>] = streams.mapValues { $0.pieces[...] }
    var reached: [Side: UInt32] = streams.compactMapValues(\.start)
    var portions: [Flow.Chunk] = []
    func isNext(_ piece: TCPStream.Piece, of side: Side) -> Bool {
      guard let acknowledgement = piece.acknowledgement, let place = reached[side.peer],
        rest[side.peer]?.isEmpty == false
      else { return true }
      return TCPStream.distance(acknowledgement, place) <= 0
    }
    while true {
      let heads = Side.allCases.compactMap { side in rest[side]?.first.map { (side: side, piece: $0) } }
      let free = heads.filter { isNext($0.piece, of: $0.side) }
      guard let next = (free.isEmpty ? heads : free).min(by: { $0.piece.number < $1.piece.number }) else {
        return portions
      }
      rest[next.side] = rest[next.side]?.dropFirst()
      reached[next.side] = next.piece.end
      let number = max(next.piece.number, portions.last?.number ?? 0)
      portions.append(Flow.Chunk(next.side, next.piece.bytes, at: next.piece.at, number: number))
    }
  }
}

import Cryptography
import Explanation
import TLS

/// The packets of one TCP connection without packet loss (RFC 9293 sections 3.5 to 3.8).
struct TCPConversation {
  private struct Half {
    let address: SocketAddress
    var sequence: UInt32
    var identification: UInt16 = 1
    /// The number of the peer's segments that this side has not acknowledged.
    var owed = 0
    /// Whether the side sends no more data, but still reads.
    var hasFinished = false
    /// Whether the side has also stopped reading.
    var isGone = false
  }

  private var client: Half
  private var server: Half
  private var isReset = false
  /// The segments that `take()` has not returned yet.
  private var segments: [TCPSegment] = []

  /// Opens a connection from the client to the server.
  init(_ ends: Flow.Ends) {
    client = Half(address: ends.client, sequence: Self.initialSequence(ends.client, ends.server))
    server = Half(address: ends.server, sequence: Self.initialSequence(ends.server, ends.client))
    emit(.client, .syn)
    emit(.server, [.syn, .ack])
    emit(.client, .ack)
  }

  /// Returns the packets that were sent since the last call.
  mutating func take() -> [TCPSegment] {
    defer { segments = [] }
    return segments
  }

  /// Sends data in segments. The peer acknowledges at least every second segment (RFC 9293 section 3.8.6.3).
  mutating func send(_ data: [UInt8], from side: Side) {
    guard !isReset, !self[side].hasFinished else { return }
    for start in stride(from: 0, to: data.count, by: TCPSegment.maximumSize) {
      let stop = min(data.count, start + TCPSegment.maximumSize)
      emit(side, stop == data.count ? [.psh, .ack] : .ack, Array(data[start..<stop]))
      // A side that no longer reads responds to data with a reset (RFC 9293 section 3.10.7.1).
      if self[side.peer].isGone { return reset(from: side.peer) }
      if self[side.peer].owed == 2 { emit(side.peer, .ack) }
    }
  }

  /// Ends the data of a side. If `forGood` is true, the side also stops reading.
  mutating func finish(_ side: Side, forGood: Bool = false) {
    guard !isReset, !self[side].hasFinished else { return }
    emit(side, [.fin, .ack])
    self[side].hasFinished = true
    self[side].isGone = forGood
  }

  /// Acknowledges all segments that are not acknowledged.
  mutating func settle() {
    guard !isReset else { return }
    for side in Side.allCases where self[side].owed > 0 { emit(side, .ack) }
  }

  private mutating func reset(from side: Side) {
    emit(side, [.rst, .ack])
    isReset = true
  }

  private mutating func emit(_ side: Side, _ flags: TCPSegment.Flags, _ data: [UInt8] = []) {
    let (own, peer) = (self[side], self[side.peer])
    segments.append(
      TCPSegment(
        source: own.address, destination: peer.address, sequence: own.sequence,
        acknowledgement: flags.contains(.ack) ? peer.sequence : 0, flags: flags, data: data,
        identification: own.identification))
    let taken =
      UInt32(truncatingIfNeeded: data.count) + (flags.isDisjoint(with: [.syn, .fin]) ? 0 : 1)
    self[side].sequence = own.sequence &+ taken
    self[side].identification = own.identification &+ 1
    if flags.contains(.ack) { self[side].owed = 0 }
    if taken > 0, !flags.contains(.syn) { self[side.peer].owed += 1 }
  }

  /// An initial sequence number that depends on the endpoints: F in RFC 9293 section 3.4.1, without clock and secret.
  private static func initialSequence(_ own: SocketAddress, _ peer: SocketAddress) -> UInt32 {
    let parts = own.address + own.port.networkOrder + peer.address + peer.port.networkOrder
    return Hash.sha256.digest(parts).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  private subscript(side: Side) -> Half {
    get { side == .client ? client : server }
    set { if side == .client { client = newValue } else { server = newValue } }
  }
}

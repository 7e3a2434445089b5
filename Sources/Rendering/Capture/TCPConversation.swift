import Cryptography

/// One TCP connection as packets: RFC 9293 sections 3.5 to 3.8, without loss.
struct TCPConversation {
  /// One of its two ends.
  enum End {
    /// Opens the connection.
    case initiator
    /// Waits for it.
    case responder

    var peer: End { self == .initiator ? .responder : .initiator }
  }

  private struct Half {
    let place: NetworkPlace
    var sequence: UInt32
    var identification: UInt16 = 1
    /// Segments of the peer that it has not acknowledged.
    var owed = 0
    /// Says nothing more, but still reads.
    var hasFinished = false
    /// Reads no more either.
    var isGone = false
  }

  private var initiator: Half
  private var responder: Half
  private var isReset = false
  /// What has been sent and not yet taken.
  private var segments: [TCPSegment] = []

  init(from initiator: NetworkPlace, to responder: NetworkPlace) {
    self.initiator = Half(place: initiator, sequence: Self.initialSequence(initiator, responder))
    self.responder = Half(place: responder, sequence: Self.initialSequence(responder, initiator))
    emit(.initiator, .syn)
    emit(.responder, [.syn, .ack])
    emit(.initiator, .ack)
  }

  /// The packets since this was last asked.
  mutating func take() -> [TCPSegment] {
    defer { segments = [] }
    return segments
  }

  /// Sends data in segments; the peer acknowledges at least every second one (RFC 9293 section 3.8.6.3).
  mutating func send(_ data: [UInt8], from end: End) {
    guard !isReset, !self[end].hasFinished else { return }
    for start in stride(from: 0, to: data.count, by: TCPSegment.maximumSize) {
      let stop = min(data.count, start + TCPSegment.maximumSize)
      emit(end, stop == data.count ? [.psh, .ack] : .ack, Array(data[start..<stop]))
      // Data for someone who has closed for good is answered by a reset (RFC 9293 section 3.10.7.1).
      if self[end.peer].isGone { return reset(from: end.peer) }
      if self[end.peer].owed == 2 { emit(end.peer, .ack) }
    }
  }

  /// Says that no more will come; `forGood`, that nothing more will be read.
  mutating func finish(_ end: End, forGood: Bool = false) {
    guard !isReset, !self[end].hasFinished else { return }
    emit(end, [.fin, .ack])
    self[end].hasFinished = true
    self[end].isGone = forGood
  }

  /// Acknowledges what is open.
  mutating func settle() {
    guard !isReset else { return }
    for end in [End.initiator, .responder] where self[end].owed > 0 { emit(end, .ack) }
  }

  private mutating func reset(from end: End) {
    emit(end, [.rst, .ack])
    isReset = true
  }

  private mutating func emit(_ end: End, _ flags: TCPSegment.Flags, _ data: [UInt8] = []) {
    let (own, peer) = (self[end], self[end.peer])
    segments.append(
      TCPSegment(
        source: own.place, destination: peer.place, sequence: own.sequence,
        acknowledgement: flags.contains(.ack) ? peer.sequence : 0, flags: flags, data: data,
        identification: own.identification))
    let taken = UInt32(truncatingIfNeeded: data.count) + (flags.isDisjoint(with: [.syn, .fin]) ? 0 : 1)
    self[end].sequence = own.sequence &+ taken
    self[end].identification = own.identification &+ 1
    if flags.contains(.ack) { self[end].owed = 0 }
    if taken > 0, !flags.contains(.syn) { self[end.peer].owed += 1 }
  }

  /// A number that follows from who speaks to whom: F of RFC 9293 section 3.4.1, without its clock and its secret.
  private static func initialSequence(_ own: NetworkPlace, _ peer: NetworkPlace) -> UInt32 {
    let parts = own.address + own.port.networkOrder + peer.address + peer.port.networkOrder
    return Hash.sha256.digest(parts).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  private subscript(end: End) -> Half {
    get { end == .initiator ? initiator : responder }
    set { if end == .initiator { initiator = newValue } else { responder = newValue } }
  }
}

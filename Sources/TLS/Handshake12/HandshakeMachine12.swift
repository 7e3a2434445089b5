import Cryptography
import Explanation

/// The common parts of the client's and the server's state machines, from SSL 3.0 to TLS 1.2.
protocol HandshakeMachine12: HandshakeMachine {
  var transcript: Transcript { get set }
  var order: MessageOrder12 { get set }
  var names: ValueScope { get }
  /// The Finished values of the last handshake.
  var verifyData: VerifyData { get set }
}

extension HandshakeMachine12 {
  /// Adds a message to the transcript, and returns whether the message is expected. An expected message advances the
  /// order.
  @discardableResult
  mutating func follow(_ event: Event) -> Bool {
    if let message = event.transcriptMessage { transcript.append(message) }
    if case .awaitingEvaluation = state.phase { return false }
    return order.advance(past: event, from: Self.side.peer)
  }

  /// Sends a message and adds it to the transcript.
  mutating func send(_ body: HandshakeMessage.Body) throws(HandshakeFailure) {
    let message = try log.send(body, under: negotiated)
    transcript.append(message)
    order.skip(to: .received(message), from: Self.side)
  }

  /// Sends ChangeCipherSpec and Finished (RFC 5246 section 7.4.9).
  mutating func sendFinished(_ secrets: Secrets12) throws(HandshakeFailure) {
    log.add(.sendChangeCipherSpec)
    log.add(.protectWriting(secrets.keys.keys(of: Self.side)))
    order.skip(to: .changeCipherSpec, from: Self.side)
    let (names, proof) = (names, secrets.schedule.verifyData(of: Self.side, transcript))
    log.derive([names.verifyData(of: Self.side, proof, secrets.schedule)])
    verifyData[Self.side] = proof
    try send(.finished(Finished(verifyData: proof)))
  }

  /// Checks that the peer's Finished covers the messages before it (RFC 5246 section 7.4.9).
  mutating func verify(
    _ finished: Finished, _ message: HandshakeMessage, _ secrets: Secrets12
  ) throws(HandshakeFailure) {
    let (names, peer) = (names, Self.side.peer)
    let expected = secrets.schedule.verifyData(of: peer, transcript)
    log.derive([names.verifyData(of: peer, expected, secrets.schedule)])
    try log.checkFinished(finished, expected)
    transcript.append(message)
    verifyData[peer] = expected
  }
}

extension Event {
  /// The message that is added to the transcript before it is handled.
  ///
  /// HelloRequest is never added. A message that is checked against the transcript is added after that check.
  var transcriptMessage: HandshakeMessage? {
    guard case .handshake(_, let message) = self else { return nil }
    switch message.type {
    case .helloRequest, .finished, .certificateVerify: return nil
    default: return message
    }
  }
}

/// The secrets of a connection, and the parameters that are negotiated.
struct Secrets12: Sendable {
  /// The master secret and the values derived from it.
  let schedule: KeySchedule12
  /// The keys that protect the records.
  let keys: KeyBlock
  /// The parameters of the connection.
  let parameters: ConnectionParameters
  /// The ID under which the server may store the session; empty if the server does not store it.
  let sessionID: [UInt8]
  /// Whether the server still has to send a ticket (RFC 5077 section 3.2).
  var needsTicket = false
  /// The ticket from the server.
  var ticket: NewSessionTicket?
  /// The time at which the resumed session was established; nil for a new session.
  var established: Instant?
}

/// The two Finished values of a handshake, which the next renegotiation must repeat (RFC 5746 section 3.1).
struct VerifyData: Sendable, Hashable {
  private(set) var client: [UInt8] = []
  private(set) var server: [UInt8] = []

  subscript(side: Side) -> [UInt8] {
    get { side == .client ? client : server }
    set { if side == .client { client = newValue } else { server = newValue } }
  }
}

import Explanation

extension Replay {
  /// Nothing may follow close_notify: a record that authenticates all the same was sent after it.
  func afterClose(_ record: Record, _ log: inout EffectLog) -> HandshakeFailure {
    log.failure(
      .unexpectedMessage, .unexpectedMessage, required: .word("nothing after close_notify"),
      found: .word("\(record.type)"))
  }

  /// What `side` sent must end where a record and a message end, and with close_notify: each side owes it before closing
  /// (RFC 5246 section 7.2.1), and without it nobody can tell whether its last records are missing.
  func checkEnd(of side: Side, _ log: inout EffectLog) throws(HandshakeFailure) {
    let direction = self[side]
    guard direction.reader.isEmpty, direction.reassembly.isEmpty else {
      throw log.failure(
        .truncatedConnection, on: .message("the \(side)'s last message"), .closeNotify,
        required: .word("the rest of a record or message"), found: .absent)
    }
    if handshake.state.parameters == nil, self[side.peer].reader.isEmpty, self[side.peer].reassembly.isEmpty {
      let expected = handshake.state.expected
      guard expected.side == side else { return }
      throw log.failure(
        .truncatedConnection, .closeNotify, required: .anyOf(expected.messages), found: .absent)
    }
    if direction.isSealed {
      log.add(
        .found(
          handshake.configuration.enforcement.note(
            .truncatedConnection, on: .message("what the \(side) sent"), .notEvaluated,
            required: .word("close_notify"), found: .word("records that cannot be opened"))))
      return
    }
    try log.check(
      .truncatedConnection, on: .message("what the \(side) sent"), direction.isClosed, .closeNotify,
      required: .word("close_notify"), found: direction.isClosed ? .word("close_notify") : .absent)
  }
}

import Cryptography
import Explanation

/// Sessions that the client keeps for the server: RFC 5077.
///
/// ```
/// ClientHello (SessionTicket)  -------->
///                              <--------   ServerHello (SessionTicket) Certificate … ServerHelloDone
/// ClientKeyExchange … Finished -------->
///                                          NewSessionTicket
///                              <--------   [ChangeCipherSpec] Finished
/// ```
extension ServerHandshake12 {
  /// What a ticket of the client's held, and the key that opened it.
  struct OpenedTicket {
    let session: Session12
    let key: SessionTicketKey
    /// Whether the client gets another: the key is not the newest any more, or half of the session's life is over.
    let isRenewed: Bool
  }

  /// The session in the ticket that the client shows; nil for none, and for one that cannot be opened, which is no error
  /// (section 3.1).
  func openedTicket(_ offer: ClientHello) -> OpenedTicket? {
    guard let ticket = offer.extensions?.sessionTicket, !ticket.isEmpty else { return nil }
    for key in configuration.ticketKeys {
      guard let state = key.open(ticket) else { continue }
      let age = configuration.now.secondsSince1970 - state.established.secondsSince1970
      return state.session(offer.sessionID, masterSecretName: names.name(.masterSecret)).map { session in
        OpenedTicket(
          session: session, key: key,
          isRenewed: key != configuration.ticketKeys.first || age > configuration.sessionLifetime / 2)
      }
    }
    return nil
  }

  /// Who has the key of a ticket that everyone sees, sees what is in it.
  func values(of schedule: KeySchedule12, inside kind: ValueKind, _ key: SessionTicketKey) -> [Value] {
    [
      Value(key.id, key.bytes, .generated(by: configuration.party)),
      names.value(
        .masterSecret, schedule.masterSecret, .computed(.ticketOpening, from: [key.id, names.name(kind)])),
    ]
  }

  /// NewSessionTicket: section 3.3. A resumed session keeps the time at which it was established: its life does not begin
  /// again.
  mutating func sendTicket(
    _ schedule: KeySchedule12, _ parameters: ConnectionParameters, established: Instant
  ) throws(HandshakeFailure) {
    guard let key = configuration.ticketKeys.first else { return }
    let state = TicketState(schedule, parameters, at: established)
    let iv = configuration.random.bytes(for: ValueName(.sessionTicketIV), count: AESCBC.blockSize)
    let ticket = try log.representable { () throws in try key.seal(state, iv: iv) }
    let values = values(of: schedule, inside: .sessionTicket, key)
    log.derive(values + [names.value(.sessionTicket, ticket, .published)])
    let left = established.secondsSince1970 + configuration.sessionLifetime - configuration.now.secondsSince1970
    try send(.newSessionTicket(NewSessionTicket(lifetimeHint: UInt32(clamping: left), ticket: ticket)))
  }
}

extension ServerConfiguration {
  /// Whether the client takes a ticket and the server has a key for one.
  func givesTicket(_ offer: ClientHello) -> Bool { !ticketKeys.isEmpty && offer.extensions?.sessionTicket != nil }
}

import Cryptography
import Explanation

/// Session tickets, with which the client stores sessions for the server (RFC 5077).
///
/// ```
/// ClientHello (SessionTicket)  -------->
///                              <--------   ServerHello (SessionTicket) Certificate … ServerHelloDone
/// ClientKeyExchange … Finished -------->
///                                          NewSessionTicket
///                              <--------   [ChangeCipherSpec] Finished
/// ```
extension ServerHandshake12 {
  /// The content of a client's ticket, and the key that decrypted it.
  struct OpenedTicket {
    let session: Session12
    let key: SessionTicketKey
    /// Whether the server sends the client a new ticket.
    ///
    /// The server does if the key is no longer the newest, or if half of the session's lifetime has passed.
    let isRenewed: Bool
  }

  /// The session in the client's ticket.
  ///
  /// Nil if there is no ticket, or if the server cannot decrypt it, which is not an error (section 3.1).
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

  /// The secrets in a ticket, as values that any party with the ticket key can compute.
  func values(of schedule: KeySchedule12, inside kind: ValueKind, _ key: SessionTicketKey) -> [Value] {
    [
      Value(key.id, key.bytes, .generated(by: configuration.party)),
      names.value(
        .masterSecret, schedule.masterSecret, .computed(.ticketOpening, from: [key.id, names.name(kind)])),
    ]
  }

  /// Sends NewSessionTicket (section 3.3). A resumed session keeps the time at which it was established, so that its
  /// lifetime does not restart.
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
  /// Whether the client accepts a ticket and the server has a ticket key.
  func givesTicket(_ offer: ClientHello) -> Bool { !ticketKeys.isEmpty && offer.extensions?.sessionTicket != nil }
}

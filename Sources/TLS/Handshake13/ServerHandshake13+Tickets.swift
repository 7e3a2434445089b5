import Cryptography
import Explanation
import Wire

/// Tickets of TLS 1.3 (RFC 8446 section 4.6.1).
extension ServerHandshake13 {
  /// Sends tickets that the server can open, or whose keys it stores.
  mutating func sendTickets(_ flight: Flight) throws(HandshakeFailure) {
    guard !(flight.offer.extensions?.pskKeyExchangeModes ?? []).isEmpty, !configuration.pskModes.isEmpty,
      configuration.ticketKeys.first != nil || configuration.sessions != nil
    else { return }
    for number in 1...max(1, min(configuration.ticketCount, 16)) { try sendTicket(number, flight) }
  }

  private mutating func sendTicket(_ number: Int, _ flight: Flight) throws(HandshakeFailure) {
    guard let resumption = keys[.resumption] else { return }
    let (names, random) = (names, configuration.random)
    let nonce = [UInt8](repeating: 0, count: 7) + [UInt8(truncatingIfNeeded: number)]
    let psk = keys.functions.ticketPSK(resumption, nonce: nonce)
    let ageAdd = random.bytes(for: ValueName(.ticketAgeAdd, number: number), count: 4)
      .reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let lifetime = min(configuration.sessionLifetime, Int64(NewSessionTicket13.maximumLifetime))
    let maximum = configuration.earlyData?.maximum ?? 0
    let pskName = names.name(.psk, number: number)
    func session(_ id: [UInt8]) -> Session13 {
      Session13(
        id: id, psk: psk, pskName: pskName, parameters: flight.parameters, established: configuration.now,
        lifetime: lifetime, ageAdd: ageAdd, maximumEarlyData: maximum)
    }
    log.derive(names.ticketPSK(psk, nonce: nonce, number: number))
    let ticket: [UInt8]
    if let key = configuration.ticketKeys.first {
      let iv = random.bytes(for: ValueName(.sessionTicketIV, number: number), count: AESCBC.blockSize)
      ticket = try log.representable { () throws in try key.seal(TicketState13(session([])), iv: iv) }
      let name = names.name(.sessionTicket, number: number)
      let party = configuration.party
      log.derive([
        Value(key.id, key.bytes, .generated(by: party)),
        Value(pskName, psk, .computed(.ticketOpening, from: [key.id, name])), Value(name, ticket, .published),
      ])
    } else {
      ticket = random.bytes(for: ValueName(.sessionTicket, number: number), count: 32)
      log.derive([Value(names.name(.sessionTicket, number: number), ticket, .published)])
      log.add(.established(.tls13(session(ticket))))
    }
    try send(
      .newSessionTicket13(
        NewSessionTicket13(
          lifetime: UInt32(clamping: lifetime), ageAdd: ageAdd, nonce: nonce, ticket: ticket,
          extensions: maximum > 0 ? [.tls13(.earlyData(maximum: maximum))] : [])))
  }
}

/// The state in a ticket of TLS 1.3, in the form of `TicketState`.
///
/// ```
/// struct {
///   ProtocolVersion version; CipherSuite cipher_suite; opaque psk<0..2^8-1>; uint8 has_client_certificate;
///   uint32 timestamp; uint32 lifetime; uint32 ticket_age_add; uint32 max_early_data_size;
///   opaque server_name<0..2^16-1>; opaque application_protocol<0..2^8-1>;
/// } StatePlaintext;
/// ```
struct TicketState13: Sendable, Hashable {
  private let cipherSuite: CipherSuite
  let psk: [UInt8]
  private let hasClientCertificate: Bool
  private let established: Instant
  private let lifetime: UInt32
  private let ageAdd: UInt32
  private let maximumEarlyData: UInt32
  private let serverName: [UInt8]
  private let applicationProtocol: [UInt8]

  init(_ session: Session13) {
    cipherSuite = session.parameters.cipherSuite
    psk = session.psk
    hasClientCertificate = session.parameters.hasClientCertificate
    established = session.established
    lifetime = UInt32(clamping: session.lifetime)
    (ageAdd, maximumEarlyData) = (session.ageAdd, session.maximumEarlyData)
    serverName = Array((session.parameters.serverName ?? "").utf8)
    applicationProtocol = session.parameters.applicationProtocol?.bytes ?? []
  }

  /// Decodes the state; nil for the state of another version.
  init?(_ reader: inout Reader) throws(WireError) {
    guard try ProtocolVersion(&reader, "version") == .tls13 else { return nil }
    cipherSuite = try CipherSuite(&reader)
    psk = try reader.opaque("psk", 0...0xff)
    hasClientCertificate = try reader.uint8("has_client_certificate") == 1
    established = Instant(secondsSince1970: Int64(try reader.uint32("timestamp")))
    lifetime = try reader.uint32("lifetime")
    ageAdd = try reader.uint32("ticket_age_add")
    maximumEarlyData = try reader.uint32("max_early_data_size")
    serverName = try reader.opaque("server_name", 0...0xffff)
    applicationProtocol = try reader.opaque("application_protocol", 0...0xff)
  }

  func write(to writer: inout Writer) throws(WireError) {
    writer.uint16(ProtocolVersion.tls13.rawValue)
    writer.uint16(cipherSuite.rawValue)
    try writer.opaque("psk", 0...0xff, psk)
    writer.uint8(hasClientCertificate ? 1 : 0)
    writer.uint32(UInt32(clamping: established.secondsSince1970))
    writer.uint32(lifetime)
    writer.uint32(ageAdd)
    writer.uint32(maximumEarlyData)
    try writer.opaque("server_name", 0...0xffff, serverName)
    try writer.opaque("application_protocol", 0...0xff, applicationProtocol)
  }

  /// The session of a ticket.
  func session(_ ticket: [UInt8], pskName: Value.ID) -> Session13 {
    Session13(
      id: ticket, psk: psk, pskName: pskName,
      parameters: ConnectionParameters(
        version: .tls13, cipherSuite: cipherSuite, group: nil, signatureAlgorithm: nil,
        serverName: serverName.isEmpty ? nil : String(decoding: serverName, as: UTF8.self),
        hasSecureRenegotiation: true, hasExtendedMasterSecret: true,
        applicationProtocol: applicationProtocol.isEmpty ? nil : ApplicationProtocol(bytes: applicationProtocol),
        hasClientCertificate: hasClientCertificate, isResumed: false),
      established: established, lifetime: Int64(lifetime), ageAdd: ageAdd, maximumEarlyData: maximumEarlyData)
  }
}

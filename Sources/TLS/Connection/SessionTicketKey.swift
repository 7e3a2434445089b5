import Cryptography
import Explanation
import Wire

/// The key with which a server encrypts sessions into tickets, in the form that RFC 5077 section 4 recommends.
///
/// A party that has the key can decrypt every ticket encrypted with it, and therefore every session of these tickets.
///
/// ```
/// struct { opaque key_name[16]; opaque iv[16]; opaque encrypted_state<0..2^16-1>; opaque mac[32]; } ticket;
/// ```
public struct SessionTicketKey: Sendable, Hashable {
  /// The name of the key as a value: `session_ticket_key`.
  public let id: Value.ID
  /// The concatenated key_name, AES-128-CBC key and HMAC-SHA-256 key.
  public let bytes: [UInt8]

  /// The total number of bytes.
  public static let count = 16 + 16 + 32

  /// Creates a key from these bytes; nil if their number is wrong.
  public init?(_ id: Value.ID, _ bytes: [UInt8]) {
    guard bytes.count == Self.count else { return nil }
    self.id = id
    self.bytes = bytes
  }

  private var name: [UInt8] { Array(bytes.prefix(16)) }
  private var encryptionKey: [UInt8] { Array(bytes[16..<32]) }
  private var macKey: [UInt8] { Array(bytes[32...]) }

  /// Encrypts `state` into a ticket. `iv` must have 16 bytes.
  func seal(_ state: TicketState, iv: [UInt8]) throws -> [UInt8] {
    var content = Writer()
    try state.write(to: &content)
    return try seal(content, iv: iv)
  }

  /// Encrypts the state of a session of TLS 1.3.
  func seal(_ state: TicketState13, iv: [UInt8]) throws -> [UInt8] {
    var content = Writer()
    try state.write(to: &content)
    return try seal(content, iv: iv)
  }

  private func seal(_ content: Writer, iv: [UInt8]) throws -> [UInt8] {
    var plaintext = content
    // The RFC does not define the padding of the last block. Each padding byte is the number of padding bytes.
    let padding = AESCBC.blockSize - plaintext.bytes.count % AESCBC.blockSize
    plaintext.raw(repeatElement(UInt8(padding), count: padding))
    var ticket = Writer()
    ticket.raw(name + iv)
    try ticket.opaque(
      "encrypted_state", 0...0xffff, try AESCBC.encrypt(plaintext.bytes, key: encryptionKey, iv: iv))
    ticket.raw(HMAC.authenticationCode(.sha256, key: macKey, ticket.bytes))
    return ticket.bytes
  }

  /// The master secret in a ticket, or its pre-shared key in TLS 1.3.
  ///
  /// Nil if the ticket was encrypted with another key or has been modified.
  public func secret(in ticket: [UInt8]) -> [UInt8]? { open(ticket)?.masterSecret ?? open13(ticket)?.psk }

  /// The content of a ticket of TLS 1.2; nil if the ticket cannot be opened.
  func open(_ ticket: [UInt8]) -> TicketState? {
    guard var content = content(of: ticket), let state = try? TicketState(&content), content.isAtEnd else { return nil }
    return state
  }

  /// The content of a ticket of TLS 1.3.
  func open13(_ ticket: [UInt8]) -> TicketState13? {
    guard var content = content(of: ticket), let state = try? TicketState13(&content), content.isAtEnd else {
      return nil
    }
    return state
  }

  private func content(of ticket: [UInt8]) -> Reader? {
    var reader = Reader(ticket, isRecording: false)
    do {
      let name = try reader.bytes("key_name", count: 16)
      let iv = try reader.bytes("iv", count: 16)
      let state = try reader.opaque("encrypted_state", 0...0xffff)
      let code = try reader.bytes("mac", count: 32)
      try reader.finish("ticket")
      let expected = HMAC.authenticationCode(.sha256, key: macKey, Array(ticket.dropLast(32)))
      guard name == self.name, ConstantTime.difference(code, expected) == 0 else { return nil }
      let plaintext = try AESCBC.decrypt(state, key: encryptionKey, iv: iv)
      guard let padding = plaintext.last, (1...16).contains(padding), plaintext.count >= padding else { return nil }
      return Reader(Array(plaintext.dropLast(Int(padding))), isRecording: false)
    } catch { return nil }
  }
}

/// The state that a server needs to resume a session, as RFC 5077 section 4 recommends.
///
/// Later RFCs require the fields after the dotted line.
///
/// ```
/// struct {
///   ProtocolVersion protocol_version; CipherSuite cipher_suite; CompressionMethod compression_method;
///   opaque master_secret[48]; ClientIdentity client_identity; uint32 timestamp;
///   ........ uint8 extended_master_secret (RFC 7627); opaque server_name<0..2^16-1> (RFC 6066 section 3);
/// } StatePlaintext;
/// ```
struct TicketState: Sendable, Hashable {
  let version: ProtocolVersion
  let cipherSuite: CipherSuite
  let masterSecret: [UInt8]
  let hasClientCertificate: Bool
  let established: Instant
  let hasExtendedMasterSecret: Bool
  let serverName: String?

  init(_ schedule: KeySchedule12, _ parameters: ConnectionParameters, at time: Instant) {
    version = parameters.version
    cipherSuite = parameters.cipherSuite
    masterSecret = schedule.masterSecret
    hasClientCertificate = parameters.hasClientCertificate
    established = time
    hasExtendedMasterSecret = parameters.hasExtendedMasterSecret
    serverName = parameters.serverName
  }

  init(_ reader: inout Reader) throws(WireError) {
    version = try ProtocolVersion(&reader, "protocol_version")
    cipherSuite = try CipherSuite(&reader)
    _ = try reader.uint8("compression_method")
    masterSecret = try reader.bytes("master_secret", count: KeySchedule12.masterSecretLength)
    hasClientCertificate = try reader.uint8("client_authentication_type") == 1
    let seconds = try reader.bytes("timestamp", count: 4)
    established = Instant(secondsSince1970: seconds.reduce(0) { $0 << 8 | Int64($1) })
    hasExtendedMasterSecret = try reader.uint8("extended_master_secret") == 1
    let name = try reader.opaque("server_name", 0...0xffff)
    serverName = name.isEmpty ? nil : String(decoding: name, as: UTF8.self)
  }

  func write(to writer: inout Writer) throws(WireError) {
    writer.uint16(version.rawValue)
    writer.uint16(cipherSuite.rawValue)
    writer.uint8(0)
    writer.raw(masterSecret)
    writer.uint8(hasClientCertificate ? 1 : 0)
    writer.uint32(UInt32(clamping: established.secondsSince1970))
    writer.uint8(hasExtendedMasterSecret ? 1 : 0)
    try writer.opaque("server_name", 0...0xffff, Array((serverName ?? "").utf8))
  }

  /// The session of the ticket; nil for an unknown suite.
  ///
  /// Its ID is the one that the client chose for this connection (RFC 5077 section 3.4).
  func session(_ id: [UInt8], masterSecretName: Value.ID) -> Session12? {
    guard let suite = cipherSuite.registration else { return nil }
    let negotiated = Negotiated(version: version, suite: suite)
    return Session12(
      id: id, schedule: KeySchedule12(negotiated, masterSecret: masterSecret), masterSecretName: masterSecretName,
      parameters: ConnectionParameters(
        version: version, cipherSuite: cipherSuite, group: nil, signatureAlgorithm: nil, serverName: serverName,
        hasSecureRenegotiation: true, hasExtendedMasterSecret: hasExtendedMasterSecret, applicationProtocol: nil,
        hasClientCertificate: hasClientCertificate, isResumed: false), established: established)
  }
}

import Explanation
import Wire

/// The server's extensions that the key exchange does not need, which TLS 1.3 encrypts (RFC 8446 section 4.3.1).
///
/// ```
/// struct { Extension extensions<0..2^16-1>; } EncryptedExtensions;
/// ```
public struct EncryptedExtensions: Sendable, Hashable {
  /// The extensions in order.
  public var extensions: [Extension]

  /// Creates a message with these extensions.
  public init(extensions: [Extension]) { self.extensions = extensions }

  init(_ reader: inout Reader) throws(WireError) {
    extensions = try Extension.vector(&reader, in: .encryptedExtensions)
  }

  func write(to writer: inout Writer) throws(WireError) {
    try Extension.write(extensions, to: &writer, in: .encryptedExtensions)
  }
}

/// The server's request for a client certificate in TLS 1.3 (RFC 8446 section 4.3.2).
///
/// ```
/// struct { opaque certificate_request_context<0..2^8-1>; Extension extensions<0..2^16-1>; } CertificateRequest;
/// ```
public struct CertificateRequest13: Sendable, Hashable {
  /// The bytes that the client's Certificate repeats; empty in the handshake.
  public var context: [UInt8]
  /// The requirements, of which `signature_algorithms` is mandatory.
  public var extensions: [Extension]

  /// Creates a request.
  public init(context: [UInt8] = [], extensions: [Extension]) {
    (self.context, self.extensions) = (context, extensions)
  }

  init(_ reader: inout Reader) throws(WireError) {
    context = try reader.opaque("certificate_request_context", 0...0xff)
    extensions = try Extension.vector(&reader, in: .certificateRequest)
  }

  func write(to writer: inout Writer) throws(WireError) {
    try writer.opaque("certificate_request_context", 0...0xff, context)
    try Extension.write(extensions, to: &writer, in: .certificateRequest)
  }
}

/// A ticket for a resumption in TLS 1.3 (RFC 8446 section 4.6.1).
///
/// ```
/// uint32 ticket_lifetime; uint32 ticket_age_add; opaque ticket_nonce<0..255>; opaque ticket<1..2^16-1>;
/// Extension extensions<0..2^16-2>;
/// ```
public struct NewSessionTicket13: Sendable, Hashable {
  /// The lifetime of the ticket in seconds, at most 7 days.
  public var lifetime: UInt32
  /// The number that obfuscates the age of the ticket.
  public var ageAdd: UInt32
  /// The input of the PSK, different for each ticket of a connection.
  public var nonce: [UInt8]
  /// The name of the PSK, which the client offers later.
  public var ticket: [UInt8]
  /// The extensions, such as `early_data`.
  public var extensions: [Extension]

  /// The maximum lifetime in seconds.
  public static let maximumLifetime: UInt32 = 604_800

  /// Creates a ticket.
  public init(lifetime: UInt32, ageAdd: UInt32, nonce: [UInt8], ticket: [UInt8], extensions: [Extension] = []) {
    (self.lifetime, self.ageAdd, self.nonce) = (lifetime, ageAdd, nonce)
    (self.ticket, self.extensions) = (ticket, extensions)
  }

  init(_ reader: inout Reader) throws(WireError) {
    lifetime = try reader.uint32("ticket_lifetime") { "\($0) seconds" }
    ageAdd = try reader.uint32("ticket_age_add")
    nonce = try reader.opaque("ticket_nonce", 0...0xff)
    ticket = try reader.opaque("ticket", 1...0xffff)
    extensions = try Extension.vector(&reader, in: .newSessionTicket)
  }

  func write(to writer: inout Writer) throws(WireError) {
    writer.uint32(lifetime)
    writer.uint32(ageAdd)
    try writer.opaque("ticket_nonce", 0...0xff, nonce)
    try writer.opaque("ticket", 1...0xffff, ticket)
    try Extension.write(extensions, to: &writer, in: .newSessionTicket)
  }
}

/// The announcement that the sender uses its next traffic secret from now on (RFC 8446 section 4.6.3).
public struct KeyUpdate: Sendable, Hashable {
  /// `KeyUpdateRequest`: 1 if the receiver must update its keys too, otherwise 0. Other values are invalid.
  public var request: UInt8

  /// `update_not_requested(0)`
  public static let notRequested = KeyUpdate(request: 0)
  /// `update_requested(1)`
  public static let requested = KeyUpdate(request: 1)

  /// Creates a message with this value.
  public init(request: UInt8) { self.request = request }

  init(_ reader: inout Reader) throws(WireError) {
    request = try reader.uint8("request_update") {
      $0 == 0 ? "update_not_requested (0)" : $0 == 1 ? "update_requested (1)" : String($0)
    }
  }

  func write(to writer: inout Writer) { writer.uint8(request) }
}

extension CertificateVerify {
  /// The content that a side signs in TLS 1.3 (RFC 8446 section 4.4.3).
  ///
  /// It consists of 64 spaces, a text for the side, a zero byte and the hash of the messages before.
  public static func signedContent13(by side: Side, transcriptHash: [UInt8]) -> [UInt8] {
    [UInt8](repeating: 0x20, count: 64) + Array("TLS 1.3, \(side) CertificateVerify".utf8) + [0] + transcriptHash
  }
}

extension ServerHello {
  /// The random value that marks a HelloRetryRequest: SHA-256("HelloRetryRequest") (RFC 8446 section 4.1.3).
  public static let retryRandom: [UInt8] = [
    0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11,
    0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
  ]

  /// Whether the message is a HelloRetryRequest.
  public var isRetryRequest: Bool { random == Self.retryRandom }
}

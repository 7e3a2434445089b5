import Cryptography

/// `handshake_messages`: all handshake messages sent and received so far, headers included, RFC 5246 section 7.4.9.
///
/// A message joins after its own check, since Finished covers the messages before it; HelloRequest never joins.
public struct Transcript: Sendable, Hashable {
  /// The messages, joined.
  public private(set) var bytes: [UInt8] = []

  /// No messages.
  public init() {}

  /// One more message.
  public mutating func append(_ message: HandshakeMessage) { bytes += message.bytes }

  /// Hash(handshake_messages).
  public func digest(_ prf: CipherSuite.PRF) -> [UInt8] { prf.hash.digest(bytes) }
}

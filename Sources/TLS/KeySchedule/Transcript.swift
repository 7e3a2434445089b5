import Cryptography

/// The `handshake_messages`: all handshake messages sent and received, including their headers (RFC 5246 section
/// 7.4.9).
///
/// A message is added after it was checked, because Finished covers only the messages before it. HelloRequest is never
/// added.
public struct Transcript: Sendable {
  /// The bytes of all messages, concatenated.
  public private(set) var bytes: [UInt8] = []
  /// The running hashes of the messages; empty until the connection's hash functions are known.
  private var running: [Hash.Running] = []

  /// Creates a transcript without messages.
  public init() {}

  /// Sets the hash functions. From then on, each message is hashed once, when it is added.
  mutating func settle(_ prf: CipherSuite.PRF) {
    running = prf.hashes.map { hash in
      var hash = Hash.Running(hash)
      hash.update(bytes)
      return hash
    }
  }

  /// Adds a message.
  public mutating func append(_ message: HandshakeMessage) {
    bytes += message.bytes
    for index in running.indices { running[index].update(message.bytes) }
  }

  /// Replaces the first ClientHello with a `message_hash` message, because of a HelloRetryRequest (RFC 8446 section
  /// 4.4.1).
  mutating func replaceWithHash(_ hash: Hash) {
    let digest = hash.digest(bytes)
    bytes = [0xfe, 0, 0, UInt8(truncatingIfNeeded: digest.count)] + digest
    running = []
  }

  /// Hash(handshake_messages) with the hash of a suite of TLS 1.3.
  func digest(_ hash: Hash) -> [UInt8] { digest(hash, before: []) }

  /// Hash(handshake_messages + `end`) with one of the connection's hash functions.
  func digest(_ hash: Hash, before end: [UInt8]) -> [UInt8] {
    guard var running = running.first(where: { $0.hash == hash }) else { return hash.digest(bytes + end) }
    running.update(end)
    return running.digest
  }

  /// The hash of the handshake messages: Hash(handshake_messages), or MD5(handshake_messages) +
  /// SHA-1(handshake_messages) before TLS 1.2 (RFC 2246 section 7.4.9).
  public func digest(_ prf: CipherSuite.PRF) -> [UInt8] {
    let hashes = prf.hashes
    guard running.map(\.hash) == hashes else { return hashes.flatMap { $0.digest(bytes) } }
    return running.flatMap(\.digest)
  }
}

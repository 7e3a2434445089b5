import Cryptography

/// `handshake_messages`: all handshake messages sent and received so far, including headers (RFC 5246 section 7.4.9).
///
/// A message is added after its own check, because Finished covers the messages before it. HelloRequest is never added.
public struct Transcript: Sendable {
  /// The messages, concatenated.
  public private(set) var bytes: [UInt8] = []
  /// The running hashes of the connection, once its hashes are known.
  private var running: [Hash.Running] = []

  /// No messages.
  public init() {}

  /// Sets the hashes; from now on every message is hashed once, when it is added.
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

  /// Hash(handshake_messages + `end`), with one of the hashes of the connection.
  func digest(_ hash: Hash, before end: [UInt8]) -> [UInt8] {
    guard var running = running.first(where: { $0.hash == hash }) else { return hash.digest(bytes + end) }
    running.update(end)
    return running.digest
  }

  /// Hash(handshake_messages); before TLS 1.2 MD5(handshake_messages) + SHA-1(handshake_messages), RFC 2246 section
  /// 7.4.9.
  public func digest(_ prf: CipherSuite.PRF) -> [UInt8] {
    let hashes = prf.hashes
    guard running.map(\.hash) == hashes else { return hashes.flatMap { $0.digest(bytes) } }
    return running.flatMap(\.digest)
  }
}

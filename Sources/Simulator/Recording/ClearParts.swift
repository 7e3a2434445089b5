import Explanation
import TLS

/// The parts of a session of TLS 1.3 that an eavesdropper without secrets sees.
///
/// These are the hellos, and the number and the sizes of the protected records (RFC 8446 appendix E.3).
public struct ClearParts: Sendable {
  /// The protected records of one side.
  public struct Records: Sendable, Hashable {
    /// The number of records.
    public fileprivate(set) var count = 0
    /// The number of bytes in them, including headers.
    public fileprivate(set) var byteCount = 0
    fileprivate var last: [Record] = []
  }

  /// The last ClientHello; nil if there is none.
  public private(set) var offer: ClientHello?
  /// The ServerHello; nil if there is none.
  public private(set) var answer: ServerHello?
  /// Whether the server requested another ClientHello.
  public private(set) var hasRetry = false
  /// The protected records of each side.
  public private(set) var records: [Side: Records] = [:]

  /// Adds a message. Several messages may be in one record.
  mutating func add(_ message: ProtocolMessage, from side: Side) {
    if message.isProtected {
      var records = records[side] ?? Records()
      let fresh = message.records.filter { !records.last.contains($0) }
      records.count += fresh.count
      records.byteCount += fresh.reduce(0) { $0 + $1.bytes.count }
      records.last = message.records
      self.records[side] = records
    }
    guard case .handshake(let handshake) = message.content else { return }
    switch handshake.body {
    case .clientHello(let hello): offer = hello
    case .serverHello(let hello) where hello.isRetryRequest: hasRetry = true
    case .serverHello(let hello): answer = hello
    default: break
    }
  }
}

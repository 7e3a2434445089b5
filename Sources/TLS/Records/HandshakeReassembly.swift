/// Joins the fragments of handshake messages: RFC 5246 section 6.2.1. A message may span records, and a record hold
/// several messages.
struct HandshakeReassembly: Sendable {
  private var buffer: [UInt8] = []

  /// The most bytes this package takes for one message; a chain of certificates needs the most.
  static let maximumLength = 1 << 18

  /// Whether a message has begun and not ended.
  var isEmpty: Bool { buffer.isEmpty }

  mutating func append(_ fragment: [UInt8]) { buffer += fragment }

  /// The next whole message, nil while it is incomplete.
  mutating func next(_ log: inout EffectLog) throws(HandshakeFailure) -> [UInt8]? {
    guard buffer.count >= 4 else { return nil }
    let length = Int(buffer[1]) << 16 | Int(buffer[2]) << 8 | Int(buffer[3])
    guard length <= Self.maximumLength else {
      throw log.failure(
        .decodeError, on: .message(HandshakeType(rawValue: buffer[0]).description), .decodeError,
        required: .atMost(.byteCount(Self.maximumLength)), found: .byteCount(length))
    }
    guard buffer.count >= 4 + length else { return nil }
    defer { buffer.removeFirst(4 + length) }
    return Array(buffer.prefix(4 + length))
  }
}

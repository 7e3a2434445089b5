import Explanation

/// Joins the fragments of handshake messages (RFC 5246 section 6.2.1). A message may span several records, and a record
/// may contain several messages.
struct HandshakeReassembly: Sendable {
  private var buffer: [UInt8] = []

  /// The maximum length of a message that TrustLab accepts. Certificate chains are the longest messages.
  static let maximumLength = 1 << 18

  /// Whether there is no incomplete message.
  var isEmpty: Bool { buffer.isEmpty }

  mutating func append(_ fragment: [UInt8]) { buffer += fragment }

  /// The next complete message; nil while it is incomplete.
  mutating func next(_ log: inout EffectLog) throws(HandshakeFailure) -> [UInt8]? {
    guard buffer.count >= 4 else { return nil }
    let length = Int(buffer[1]) << 16 | Int(buffer[2]) << 8 | Int(buffer[3])
    guard length <= Self.maximumLength else {
      throw log.failure(
        .decodeError, on: .handshake(HandshakeType(rawValue: buffer[0])), .decodeError,
        required: .atMost(.byteCount(Self.maximumLength)), found: .byteCount(length))
    }
    guard buffer.count >= 4 + length else { return nil }
    defer { buffer.removeFirst(4 + length) }
    return Array(buffer.prefix(4 + length))
  }
}

/// Joins the fragments of alerts (RFC 5246 section 6.2.1).
///
/// Up to TLS 1.2, an alert may span two records, and a record may contain several alerts. Only TLS 1.3 forbids both
/// (RFC 8446 section 5.1). All complete alerts are removed before more bytes are appended.
struct AlertReassembly: Sendable {
  private var bytes: ArraySlice<UInt8> = []
  /// The records of the next alert: the record with its first half, if that arrived separately, and the last record.
  private var records: [Record] = []

  /// Whether there is no incomplete alert.
  var isEmpty: Bool { bytes.isEmpty }

  mutating func append(_ fragment: [UInt8], _ record: Record) {
    records = bytes.isEmpty ? [record] : Array(records.suffix(1)) + [record]
    bytes += fragment
  }

  /// The next complete alert with its records; nil while it is incomplete.
  mutating func next() -> (bytes: [UInt8], records: [Record])? {
    guard bytes.count >= 2 else { return nil }
    // The remaining bytes are from the last record.
    defer { (bytes, records) = (bytes.dropFirst(2), Array(records.suffix(1))) }
    return (Array(bytes.prefix(2)), records)
  }

  /// Returns and removes the first half of an incomplete alert; nil if there is none.
  mutating func takeHalf() -> [UInt8]? {
    defer { bytes = [] }
    return bytes.isEmpty ? nil : Array(bytes)
  }
}

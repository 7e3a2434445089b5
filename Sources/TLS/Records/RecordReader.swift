import Explanation

/// Divides a stream of bytes into records (RFC 5246 section 6.2).
///
/// A header is checked as soon as it is complete, so that a peer that does not use TLS is detected at once.
struct RecordReader: Sendable {
  private var buffer: [UInt8] = []
  private var start = 0

  /// Whether there is no incomplete record.
  var isEmpty: Bool { count == 0 }
  /// The number of unread bytes.
  var count: Int { buffer.count - start }

  mutating func append(_ bytes: [UInt8]) {
    if start == buffer.count {
      buffer = bytes
    } else {
      buffer.removeFirst(start)
      buffer += bytes
    }
    start = 0
  }

  /// The next complete record; nil while it is incomplete.
  mutating func next(_ bounds: RecordBounds, _ log: inout EffectLog) throws(HandshakeFailure) -> Record? {
    while buffer.count - start >= Record.headerLength {
      let header = Array(buffer[start..<(start + Record.headerLength)])
      let type = ContentType(rawValue: header[0])
      let version = ProtocolVersion(rawValue: UInt16(header[1]) << 8 | UInt16(header[2]))
      let length = Int(header[3]) << 8 | Int(header[4])
      try check(type, version, length, bounds, &log)
      let end = start + Record.headerLength + length
      guard buffer.count >= end else { return nil }
      let bytes = start == 0 && end == buffer.count ? buffer : Array(buffer[start..<end])
      start = end
      // If a disabled rule accepted a record of unknown type, the record's content is unknown.
      guard ContentType.known.contains(type) else { continue }
      return Record(bytes: bytes, type, version)
    }
    return nil
  }

  private func check(
    _ type: ContentType, _ version: ProtocolVersion, _ length: Int, _ bounds: RecordBounds, _ log: inout EffectLog
  ) throws(HandshakeFailure) {
    if !ContentType.known.contains(type) {
      try log.refuse(
        .unexpectedRecordType, .unexpectedMessage, required: .anyOf(ContentType.known.map(\.description)),
        found: .word(type.description))
    }
    if !bounds.ignoresVersion, bounds.version.map({ $0 != version }) ?? (version.major != 3) {
      try log.refuse(
        .recordVersion, .protocolVersion, required: .word(bounds.version?.description ?? "major version 3"),
        found: .word(version.description))
    }
    if length > bounds.maximumFragment {
      try log.refuse(
        .recordOverflow, .recordOverflow, required: .atMost(.byteCount(bounds.maximumFragment)),
        found: .byteCount(length))
    }
  }
}

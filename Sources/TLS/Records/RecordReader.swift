/// Cuts a stream of bytes into records: RFC 5246 section 6.2.
///
/// A header is checked as soon as it is there, so that a peer that does not speak TLS is noticed at once.
struct RecordReader: Sendable {
  private var buffer: [UInt8] = []
  private var start = 0

  /// Whether no record has begun.
  var isEmpty: Bool { buffer.count == start }

  mutating func append(_ bytes: [UInt8]) {
    if start == buffer.count {
      buffer = bytes
    } else {
      buffer.removeFirst(start)
      buffer += bytes
    }
    start = 0
  }

  /// The next whole record, nil while it is incomplete. `isProtected` sets the limit and the version.
  mutating func next(isProtected: Bool, _ log: inout EffectLog) throws(HandshakeFailure) -> Record? {
    let available = buffer.count - start
    guard available >= Record.headerLength else { return nil }
    let header = Array(buffer[start..<(start + Record.headerLength)])
    let type = ContentType(rawValue: header[0])
    let version = ProtocolVersion(rawValue: UInt16(header[1]) << 8 | UInt16(header[2]))
    let length = Int(header[3]) << 8 | Int(header[4])
    try check(type, version, length, isProtected: isProtected, &log)
    let end = start + Record.headerLength + length
    guard buffer.count >= end else { return nil }
    defer { start = end }
    return Record(type: type, version: version, fragment: Array(buffer[(start + Record.headerLength)..<end]))
  }

  private func check(
    _ type: ContentType, _ version: ProtocolVersion, _ length: Int, isProtected: Bool, _ log: inout EffectLog
  ) throws(HandshakeFailure) {
    guard ContentType.known.contains(type) else {
      throw log.failure(
        .unexpectedRecordType, .unexpectedMessage, required: .anyOf(ContentType.known.map(\.description)),
        found: .word(type.description))
    }
    guard isProtected ? version == .tls12 : version.major == 3 else {
      throw log.failure(
        .recordVersion, .protocolVersion, required: .word(isProtected ? "TLSv1.2" : "major version 3"),
        found: .word(version.description))
    }
    let limit = isProtected ? Record.maximumCiphertext : Record.maximumPlaintext
    guard length <= limit else {
      throw log.failure(
        .recordOverflow, .recordOverflow, required: .atMost(.byteCount(limit)), found: .byteCount(length))
    }
  }
}

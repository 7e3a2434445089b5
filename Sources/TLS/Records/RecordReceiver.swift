import Explanation

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

/// Opens the records of one direction and holds the rules against them: RFC 5246 section 6.2.
struct RecordReceiver: Sendable {
  private let side: Side
  private let random: RandomStreams
  private let names: ValueNames
  private var protection: RecordProtection?
  private var applicationDataCount = 0

  /// Receives what `side` sends.
  init(_ side: Side, _ surroundings: Surroundings) {
    self.side = side
    random = surroundings.random
    names = ValueNames(prefix: surroundings.valuePrefix)
  }

  /// Whether records come protected.
  var isProtected: Bool { protection != nil }

  /// From here on, everything is protected, and numbered from `number`.
  mutating func protect(with keys: RecordKeys, from number: UInt64 = 0) {
    protection = RecordProtection(
      keys: keys, random: random.stream("\(side)_record_IV"), sequenceNumber: number)
  }

  /// The content of a record.
  mutating func open(_ record: Record, _ log: inout EffectLog) throws(HandshakeFailure) -> [UInt8] {
    if protection?.isExhausted == true {
      throw log.failure(.sequenceExhausted, .unexpectedMessage, found: .word("one more record"))
    }
    guard let opened = protection?.open(record) else { return record.fragment }
    try log.check(
      .badMAC, opened.isAuthentic, .badRecordMAC, required: .word("an authentic \(record.type) record"),
      found: .byteCount(record.fragment.count))
    guard opened.plaintext.count <= Record.maximumPlaintext else {
      throw log.failure(
        .recordOverflow, .recordOverflow, required: .atMost(.byteCount(Record.maximumPlaintext)),
        found: .byteCount(opened.plaintext.count))
    }
    return opened.plaintext
  }

  /// The values that an application data record brings.
  mutating func values(_ content: [UInt8], _ record: Record) -> [Value] {
    applicationDataCount += 1
    return RecordValues(side, number: applicationDataCount, names).received(content, record, protection?.keys)
  }
}

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

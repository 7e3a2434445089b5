import Explanation

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

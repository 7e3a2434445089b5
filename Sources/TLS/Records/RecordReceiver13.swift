import Cryptography
import Explanation
import Wire

/// The receiving direction of an endpoint or of a recording in TLS 1.3 (RFC 8446 section 5).
///
/// In a recording, keys of the next epoch may wait: a record that the current keys do not open is tried with them. This
/// is how a recording continues after an epoch whose secret is unknown. An endpoint skips early data that it rejected.
struct RecordReceiver13: Sendable {
  /// The protection of the records.
  enum Protection: Sendable {
    case none
    case keys(RecordProtection, TrafficEpoch)
    /// The traffic secret is unknown.
    case unknown(TrafficEpoch)

    /// The keys' epoch; nil before any protection.
    var epoch: TrafficEpoch? {
      switch self {
      case .none: nil
      case .keys(_, let epoch), .unknown(let epoch): epoch
      }
    }
  }

  private let side: Side
  private let names: ValueScope
  private let recordsTrace: Bool
  private let ignoresBadMAC: Bool
  private var reader = RecordReader()
  private(set) var protection = Protection.none
  private var waiting: [Protection] = []
  private var reassembly = HandshakeReassembly()
  /// The records that contain the incomplete handshake message, and whether they are protected.
  private var records: [Record] = []
  private var isContentProtected = false
  /// The content of the last record with handshake messages, and the number of its bytes that belong to earlier ones.
  private var content: (values: RecordValues, bytes: [UInt8], used: Int)?
  private var dataCount = 0
  private var contentCount = 0
  /// Whether the side has sent close_notify, after which it must send nothing.
  private(set) var isClosed = false
  /// Whether a record was decrypted.
  private(set) var hasOpened = false
  /// The epochs whose records cannot be decrypted, in order.
  private(set) var unopened: [TrafficEpoch] = []
  /// The number of bytes of rejected early data that may still be skipped; nil if none may be.
  private var skippable: Int?
  /// The number of bytes of early data that this side still accepts; nil if there is no limit.
  private var acceptable: Int?
  /// The maximum content of a protected record in bytes (RFC 8449).
  var fragmentLimit = Record.maximumPlaintext

  init(_ side: Side, _ names: ValueScope) {
    self.init(side, names, RecordReader(), HandshakeReassembly(), recordsTrace: true, ignoresBadMAC: false)
  }

  /// Creates the receiver of an endpoint that has read the first hello.
  init(
    _ side: Side, _ names: ValueScope, _ reader: RecordReader, _ reassembly: HandshakeReassembly, recordsTrace: Bool,
    ignoresBadMAC: Bool
  ) {
    (self.side, self.names) = (side, names)
    (self.recordsTrace, self.ignoresBadMAC) = (recordsTrace, ignoresBadMAC)
    (self.reader, self.reassembly) = (reader, reassembly)
  }

  /// Opens all further records with these keys.
  mutating func protect(with keys: RecordKeys) {
    guard let epoch = keys.epoch else { return }
    // No cipher of TLS 1.3 draws random bytes for a record.
    let unused = DeterministicRandom(seed: .number(0), label: "")
    protect(with: .keys(RecordProtection(keys: keys, random: unused, ignoresBadMAC: ignoresBadMAC), epoch))
  }

  /// Skips up to this number of bytes of early data, which this side rejected (RFC 8446 section 4.2.10).
  mutating func skipEarlyData(_ count: Int) { skippable = count }

  /// Accepts up to this number of bytes of early data.
  mutating func limitEarlyData(_ count: Int) { acceptable = count }

  /// Whether records are protected with keys that are unknown.
  var isSealed: Bool { if case .unknown = protection { true } else { false } }
  /// Whether records are opened with the keys of the application phase.
  var isAfterHandshake: Bool {
    if case .keys(_, let epoch) = protection, case .application = epoch.phase { true } else { false }
  }
  /// Whether received data is encrypted.
  var isEncrypted: Bool { protection.epoch != nil }
  /// The number of unread bytes.
  var unreadCount: Int { reader.count }
  /// Whether there is no incomplete record or message.
  var isEmpty: Bool { reader.isEmpty && reassembly.isEmpty }
  /// Whether a handshake message is incomplete, so that the keys must not change (section 5.1).
  var hasPartialMessage: Bool { !reassembly.isEmpty }

  mutating func append(_ bytes: [UInt8]) { reader.append(bytes) }

  /// Uses this protection from now on.
  mutating func protect(with protection: Protection) { (self.protection, waiting) = (protection, []) }

  /// Uses this protection from the first record on that the current keys do not open.
  mutating func await(_ protection: Protection) { waiting.append(protection) }

  /// Uses the protection that waits.
  mutating func protectWithNext() { if !waiting.isEmpty { protection = waiting.removeFirst() } }

  /// Regards the current secret as unknown, because it belongs to another session.
  mutating func forgetKeys() { protection = protection.epoch.map(Protection.unknown) ?? .none }

  /// The conditions under which a side may send records of certain types.
  struct Conditions {
    let takesData: Bool
    let takesChangeCipherSpec: Bool
  }

  /// The next message; nil while it is incomplete.
  mutating func next(
    _ negotiated: Negotiated?, _ conditions: Conditions, _ log: inout EffectLog
  ) -> RecordReceiver.Received? {
    do throws(HandshakeFailure) {
      while true {
        if let bytes = try reassembly.next(&log) { return handshake(bytes, negotiated) }
        let bounds: RecordBounds = protection.epoch == nil ? .plaintext : .protected(.tls13)
        guard let record = try reader.next(bounds, &log) else { return nil }
        if let received = try receive(record, conditions, &log) { return received }
      }
    } catch {
      return RecordReceiver.Received(message: nil, content: .failed(error))
    }
  }

  private mutating func receive(
    _ record: Record, _ conditions: Conditions, _ log: inout EffectLog
  ) throws(HandshakeFailure) -> RecordReceiver.Received? {
    switch record.type {
    case .changeCipherSpec: return changeCipherSpec(record, conditions, &log)
    case .handshake where isClear && record.content.isEmpty, .alert where !hasOpened && record.content.isEmpty:
      try refuseEmpty(&log)
      return nil
    // A client that cannot compute the keys sends its alert in the clear.
    case .alert where !hasOpened || isSealed: return try alert(record.fragment, record, isProtected: false, &log)
    case .handshake where isClear:
      (protection, skippable) = (.none, nil)
      return try handshakeContent(record.fragment, record, nil, &log)
    case .applicationData where protection.epoch != nil: return try open(record, conditions, &log)
    case .applicationData where skippable != nil:
      try skip(record, &log)
      return nil
    default:
      try log.refuse(
        Rule.unexpectedRecordType.tls13("5"), .unexpectedMessage,
        required: .word(protection.epoch == nil ? "a handshake record" : "a protected record"),
        found: .word("\(record.type)"))
      return nil
    }
  }

  /// Whether handshake messages are in the clear: before the keys, and in the second ClientHello after early data.
  private var isClear: Bool {
    if protection.epoch == nil { return true }
    return waiting.contains { $0.epoch == nil }
  }

  /// Refuses a record without content, which only application data may have (section 5.1).
  private func refuseEmpty(_ log: inout EffectLog) throws(HandshakeFailure) {
    try log.refuse(
      Rule.emptyRecord.tls13("5.1"), .unexpectedMessage, required: .atLeast(.byteCount(1)), found: .byteCount(0))
  }

  /// Skips a record of rejected early data. More of it than the server permits is an error.
  private mutating func skip(_ record: Record, _ log: inout EffectLog) throws(HandshakeFailure) {
    let rest = (skippable ?? 0) - record.content.count
    skippable = rest
    // The sender counts the record, too.
    dataCount += 1
    guard rest < 0 else { return }
    throw log.failure(
      Rule.stalling.tls13("4.2.10"), .unexpectedMessage, required: .word("no more early data"),
      found: .byteCount(record.content.count))
  }

  /// Opens a record with the current keys, or with those that wait.
  private mutating func open(
    _ record: Record, _ conditions: Conditions, _ log: inout EffectLog
  ) throws(HandshakeFailure) -> RecordReceiver.Received? {
    for (index, candidate) in ([protection] + waiting).enumerated() {
      guard case .keys(let before, let epoch) = candidate else { continue }
      var keys = before
      let opened = keys.open(record)
      guard opened.alert != .badRecordMAC || ignoresBadMAC else { continue }
      protection = .keys(keys, epoch)
      waiting.removeFirst(index)
      (hasOpened, skippable) = (true, nil)
      try check(opened, record, &log)
      return try receive(opened, record, before, conditions, &log)
    }
    if skippable != nil {
      try skip(record, &log)
      return nil
    }
    // Early data whose secret is known ends where its keys open nothing.
    if case .keys(_, let epoch) = protection, epoch.phase == .early, case .unknown? = waiting.first {
      protectWithNext()
    }
    if case .unknown(let epoch) = protection {
      if !unopened.contains(epoch) { unopened.append(epoch) }
      return unopened(record, .sealed(record.type))
    }
    let failure = log.failure(
      Rule.badMAC.tls13("5.2"), .badRecordMAC, required: .word("an authentic \(record.type) record"),
      found: .byteCount(record.content.count))
    return unopened(record, .failed(failure))
  }

  private func check(
    _ opened: RecordProtection.Opened, _ record: Record, _ log: inout EffectLog
  ) throws(HandshakeFailure) {
    if opened.alert == .recordOverflow {
      try log.refuse(
        .recordOverflow13, .recordOverflow, required: .atMost(.byteCount(Record.maximumPlaintext)),
        found: .byteCount(record.content.count))
    }
    if opened.alert == .unexpectedMessage {
      try log.refuse(
        Rule.unexpectedRecordType.tls13("5.4"), .unexpectedMessage,
        required: .anyOf([ContentType.alert, .handshake, .applicationData].map(\.description)),
        found: .word(opened.plaintext.isEmpty ? "no type" : "\(opened.type)"))
    }
    if opened.plaintext.count + opened.paddingLength > fragmentLimit {
      try log.refuse(
        Rule.recordOverflow.citing(.rfc(8449, "4")), .recordOverflow,
        required: .atMost(.byteCount(fragmentLimit)),
        found: .byteCount(opened.plaintext.count + opened.paddingLength))
    }
    try log.check(
      Rule.badMAC.tls13("5.2"), opened.alert != .badRecordMAC, .badRecordMAC,
      required: .word("an authentic \(record.type) record"),
      found: .byteCount(record.content.count))
  }

  private mutating func receive(
    _ opened: RecordProtection.Opened, _ record: Record, _ before: RecordProtection,
    _ conditions: Conditions, _ log: inout EffectLog
  ) throws(HandshakeFailure) -> RecordReceiver.Received? {
    if opened.plaintext.isEmpty, opened.type != .applicationData {
      try refuseEmpty(&log)
      return nil
    }
    switch opened.type {
    case .handshake:
      contentCount += 1
      let values = RecordValues(side, number: contentCount, names, before, of: .handshake)
      return try handshakeContent(opened.plaintext, record, values, &log)
    case .alert: return try alert(opened.plaintext, record, isProtected: true, &log)
    default:
      try checkOpen(opened.type, &log)
      if !conditions.takesData {
        try log.refuse(
          Rule.unexpectedRecordType.tls13("5"), .unexpectedMessage, required: .word("the handshake"),
          found: .word("\(opened.type)"))
      }
      if hasPartialMessage {
        try log.refuse(
          Rule.unexpectedRecordType.tls13("5.1"), .unexpectedMessage,
          required: .word("the rest of the handshake message"), found: .word("\(opened.type)"))
      }
      try countEarlyData(opened.plaintext.count, &log)
      dataCount += 1
      let names = RecordValues(side, number: dataCount, names, before)
      return received(
        .applicationData(opened.plaintext), opened.plaintext, [record], isProtected: true,
        .applicationData(opened.plaintext, recordsTrace ? names.received(opened.plaintext, record) : []),
        names.dataID)
    }
  }

  /// Counts early data. More of it than the ticket permits is an error (RFC 8446 section 4.2.10).
  private mutating func countEarlyData(_ count: Int, _ log: inout EffectLog) throws(HandshakeFailure) {
    guard case .keys(_, let epoch) = protection, epoch.phase == .early, let limit = acceptable else { return }
    acceptable = limit - count
    try log.check(
      Rule.stalling.tls13("4.2.10"), count <= limit, .unexpectedMessage, required: .atMost(.byteCount(max(0, limit))),
      found: .byteCount(count))
  }

  private mutating func handshakeContent(
    _ bytes: [UInt8], _ record: Record, _ values: RecordValues?, _ log: inout EffectLog
  ) throws(HandshakeFailure) -> RecordReceiver.Received? {
    try checkOpen(.handshake, &log)
    content = reassembly.isEmpty ? values.map { ($0, bytes, 0) } : nil
    if reassembly.isEmpty { records = [] }
    records.append(record)
    isContentProtected = values != nil
    reassembly.append(bytes)
    return nil
  }

  private mutating func handshake(_ bytes: [UInt8], _ negotiated: Negotiated?) -> RecordReceiver.Received {
    let part = content
    if let part, part.used + bytes.count <= part.bytes.count { content?.used += bytes.count } else { content = nil }
    let (shown, event): (ProtocolMessage.Content, Event)
    do {
      let message = try HandshakeMessage(decoding: bytes, under: negotiated)
      (shown, event) = (.handshake(message), .received(message))
    } catch {
      let type = HandshakeType(rawValue: bytes.first ?? 0)
      (shown, event) = (.malformed(type, error), .malformed(type, error))
    }
    let isWhole = content != nil
    var whole = received(
      shown, bytes, records, isProtected: isContentProtected, .event(event), isWhole ? part?.values.dataID : nil,
      part?.used ?? 0)
    if recordsTrace, isWhole, let part, part.used == 0, let record = records.first {
      whole.values = part.values.received(part.bytes, record)
    }
    if records.count > 1 { records = records.suffix(1) }
    return whole
  }

  private func changeCipherSpec(
    _ record: Record, _ conditions: Conditions, _ log: inout EffectLog
  ) -> RecordReceiver.Received {
    var meaning = RecordReceiver.Received.Content.event(.changeCipherSpec)
    do throws(HandshakeFailure) {
      try log.check(
        Rule.unexpectedMessage.tls13("5"), on: .message(.changeCipherSpec),
        record.fragment == ChangeCipherSpec.bytes && conditions.takesChangeCipherSpec && reassembly.isEmpty,
        .unexpectedMessage, required: .word("one byte 01 during the handshake"), found: .bytes(record.fragment))
    } catch {
      meaning = .failed(error)
    }
    return received(.changeCipherSpec, record.fragment, [record], isProtected: false, meaning)
  }

  /// One alert. It may neither span records nor share one (section 5.1).
  private mutating func alert(
    _ bytes: [UInt8], _ record: Record, isProtected: Bool, _ log: inout EffectLog
  ) throws(HandshakeFailure) -> RecordReceiver.Received? {
    try checkOpen(.alert, &log)
    do throws(WireError) {
      let alert = try Alert(decoding: bytes)
      isClosed = isClosed || alert.description == .closeNotify
      return received(.alert(alert), bytes, [record], isProtected: isProtected, .event(.alert(alert)))
    } catch {
      try log.refuse(
        Rule.decodeError.tls13("6"), on: .message(.alert), .decodeError, found: .word(error.description))
      return nil
    }
  }

  private func checkOpen(_ type: ContentType, _ log: inout EffectLog) throws(HandshakeFailure) {
    guard isClosed else { return }
    try log.refuse(
      Rule.unexpectedMessage.tls13("6.1"), .unexpectedMessage, required: .word("nothing after close_notify"),
      found: .word("\(type)"))
  }

  private func received(
    _ content: ProtocolMessage.Content, _ plaintext: [UInt8], _ records: [Record], isProtected: Bool,
    _ meaning: RecordReceiver.Received.Content, _ valueID: Value.ID? = nil, _ valueOffset: Int = 0
  ) -> RecordReceiver.Received {
    let message = ProtocolMessage(
      content, plaintext: plaintext, records: records, isProtected: isProtected, isEncrypted: isProtected,
      valueID: valueID, valueOffset: valueOffset)
    return RecordReceiver.Received(message: message, content: meaning)
  }

  private func unopened(_ record: Record, _ meaning: RecordReceiver.Received.Content) -> RecordReceiver.Received {
    received(.encrypted(record.type), [], [record], isProtected: true, meaning)
  }
}

import Explanation
import Wire

/// The receiving direction of an endpoint or of a recording.
///
/// The receiver turns bytes into records (RFC 5246 section 6.2), records into content, and content into TLS messages.
struct RecordReceiver: Sendable {
  private let side: Side
  private let random: RandomStreams
  private var names: ValueScope
  private let decisions: TLSDecisions
  private let recordsTrace: Bool
  private let ignoresBadMAC: Bool
  private var reader = RecordReader()
  private var protection: RecordProtection?
  private var reassembly = HandshakeReassembly()
  private var alerts = AlertReassembly()
  /// The records that contain the incomplete handshake message.
  private var records: [Record] = []
  /// The second ChangeCipherSpec in a record that contains several (RFC 5246 section 6.2.1).
  private var secondChange: Received?
  private var applicationDataCount = 0
  /// The number of handshake messages named under these keys, and the protection of the last one's record.
  private var handshakeCount = 0
  private var handshakeProtection: RecordProtection?
  /// The maximum content of a record in bytes, which the sides may agree to reduce from 2^14 (RFC 6066 section 4).
  var fragmentLimit = Record.maximumPlaintext
  /// The limits of records that are protected with unknown keys.
  private var sealed: RecordBounds?
  /// The length of the MAC after cleartext content, if the MAC key is unknown.
  private var unverifiedMACLength: Int?
  /// Whether the side has sent close_notify, after which it must send nothing.
  private(set) var isClosed = false

  /// Creates the receiver of the data that `side` sends.
  init(_ side: Side, _ context: ConnectionContext) {
    self.side = side
    random = context.random
    names = context.valueScope
    decisions = context.decisions
    recordsTrace = context.recordsTrace
    ignoresBadMAC = context.enforcement.isOverridden(.badMAC)
  }

  /// Whether records are protected.
  var isProtected: Bool { protection != nil || sealed != nil }
  /// Whether records are protected with keys that are unknown.
  var isSealed: Bool { sealed != nil }
  /// Whether received data is encrypted. NULL suites only authenticate it.
  var isEncrypted: Bool { protection.map { $0.keys.cipher != .null } ?? (isSealed && unverifiedMACLength == nil) }
  /// Whether there is no incomplete record, message or alert.
  var isEmpty: Bool { reader.isEmpty && reassembly.isEmpty && alerts.isEmpty }
  /// The number of unread bytes.
  var unreadCount: Int { reader.count }

  /// Changes the scope of value names, because a later handshake on the connection has started.
  mutating func rename(_ scope: ValueScope) {
    guard scope != names else { return }
    names = scope
    (applicationDataCount, handshakeCount) = (0, 0)
  }

  /// Opens all further records with these keys, with sequence numbers that start at `number`.
  mutating func protect(with keys: RecordKeys, from number: UInt64 = 0) {
    protection = RecordProtection(
      keys: keys, random: random.stream(ValueName(.recordIV, of: side)), sequenceNumber: number, decisions: decisions,
      ignoresBadMAC: ignoresBadMAC)
  }

  /// Marks all further records as protected with unknown keys.
  ///
  /// If `code` is given, the content is in the clear, and a MAC of that many bytes follows it (NULL, RFC 5246 section
  /// 6.2.3.1). The receiver can read such content, but cannot verify it.
  mutating func markUndecryptable(_ version: ProtocolVersion, clearBefore code: Int? = nil) {
    sealed = .protected(version)
    unverifiedMACLength = code
  }

  mutating func append(_ bytes: [UInt8]) { reader.append(bytes) }

  /// The receiver of the same direction in TLS 1.3, which continues with the unread bytes.
  var successor13: RecordReceiver13 {
    RecordReceiver13(side, names, reader, reassembly, recordsTrace: recordsTrace, ignoresBadMAC: ignoresBadMAC)
  }

  /// The record as it was before it was protected with these keys.
  mutating func unwrap(_ record: Record) -> Record {
    guard let opened = protection?.open(record) else { return record }
    return Record(type: opened.type, version: record.version, fragment: opened.plaintext)
  }

  /// A received message and its event.
  struct Received {
    /// The received message; nil if there is none to report.
    let message: ProtocolMessage?
    let content: Content
    /// The values of the record of a protected handshake message, and of the message.
    var values: [Value] = []

    /// Whether nothing in the record was decrypted.
    var isClosed: Bool {
      switch content {
      case .sealed, .failed: true
      case .event, .applicationData: false
      }
    }

    /// Whether this is a fatal alert in the clear, which ends the connection.
    var isFatalAlert: Bool {
      guard case .event(.alert(let alert)) = content, message?.isProtected == false else { return false }
      return alert.level == .fatal && alert.description != .closeNotify
    }

    enum Content {
      /// An event for a handshake machine.
      case event(Event)
      /// Application data, and the values that it results in.
      case applicationData([UInt8], [Value])
      /// A protected record whose keys are unknown.
      case sealed(ContentType)
      /// A failure of the record layer.
      case failed(HandshakeFailure)
    }
  }

  /// The next message; nil while it is incomplete.
  ///
  /// The version and suite determine the form of the message once they are known. Application data is accepted only
  /// after the handshake and, in a renegotiation, until ChangeCipherSpec (RFC 5246 section 6.2.1).
  mutating func next(_ negotiated: Negotiated?, takesData: Bool, _ log: inout EffectLog) -> Received? {
    do throws(HandshakeFailure) {
      if let second = secondChange {
        secondChange = nil
        return second
      }
      while true {
        if let bytes = try reassembly.next(&log) { return handshake(bytes, negotiated) }
        if let received = try alert(&log) { return received }
        let bounds = protection?.bounds ?? sealed ?? .plaintext
        guard let record = try reader.next(bounds, &log) else { return nil }
        if isSealed, unverifiedMACLength == nil { return unopened(record, .sealed(record.type)) }
        if let received = try receive(record, takesData: takesData, &log) { return received }
      }
    } catch {
      return Received(message: nil, content: .failed(error))
    }
  }

  private mutating func receive(
    _ record: Record, takesData: Bool, _ log: inout EffectLog
  ) throws(HandshakeFailure) -> Received? {
    let type: ContentType
    let content: [UInt8]
    let before = recordsTrace ? protection : nil
    do throws(HandshakeFailure) {
      (type, content) = try open(record, &log)
    } catch {
      return unopened(record, .failed(error))
    }
    if content.isEmpty, type != .applicationData {
      try log.refuse(.emptyRecord, .unexpectedMessage, required: .atLeast(.byteCount(1)), found: .byteCount(0))
      return nil
    }
    if type != .alert {
      try endAlerts(&log)
      try checkOpen(type, &log)
    }
    switch type {
    case .handshake:
      if reassembly.isEmpty { (records, handshakeProtection) = ([], before) }
      records.append(record)
      reassembly.append(content)
      return nil
    case .changeCipherSpec: return changeCipherSpec(content, record, &log)
    case .alert:
      alerts.append(content, record)
      return nil
    case .applicationData:
      return try applicationData(content, record, before: before, takesData: takesData, &log)
    default: return nil
    }
  }

  /// Returns the content and type of a record.
  private mutating func open(
    _ record: Record, _ log: inout EffectLog
  ) throws(HandshakeFailure) -> (ContentType, [UInt8]) {
    if protection?.isExhausted == true {
      throw log.failure(.sequenceExhausted, .unexpectedMessage, found: .word("one more record"))
    }
    if let unverifiedMACLength {
      guard record.fragment.count >= unverifiedMACLength else {
        throw log.failure(.badMAC, .badRecordMAC, required: .atLeast(.byteCount(unverifiedMACLength)))
      }
      let content = Array(record.fragment.dropLast(unverifiedMACLength))
      try checkLength(content, &log)
      return (record.type, content)
    }
    guard let opened = protection?.open(record) else {
      // The default limit was already checked when the header was read.
      if fragmentLimit < Record.maximumPlaintext { try checkLength(record.fragment, &log) }
      return (record.type, record.fragment)
    }
    try log.check(
      .badMAC, opened.isAuthentic, opened.alert ?? .badRecordMAC, required: .word("an authentic \(record.type) record"),
      found: .byteCount(record.content.count))
    try checkLength(opened.plaintext, &log)
    return (opened.type, opened.plaintext)
  }

  private func checkLength(_ content: [UInt8], _ log: inout EffectLog) throws(HandshakeFailure) {
    guard content.count > fragmentLimit else { return }
    try log.refuse(
      .recordOverflow, .recordOverflow, required: .atMost(.byteCount(fragmentLimit)), found: .byteCount(content.count))
  }

  private mutating func handshake(_ bytes: [UInt8], _ negotiated: Negotiated?) -> Received {
    do {
      let message = try HandshakeMessage(decoding: bytes, under: negotiated)
      guard let opened = handshakeValues(message) else {
        return received(.handshake(message), bytes, records, .event(.received(message)))
      }
      var whole = received(.handshake(message), bytes, records, .event(.received(message)), opened.dataID)
      whole.values = records.first.map { opened.received(bytes, $0) } ?? []
      return whole
    } catch {
      let type = HandshakeType(rawValue: bytes.first ?? 0)
      return received(.malformed(type, error), bytes, records, .event(.malformed(type, error)))
    }
  }

  /// The values of a protected message; nil if it shares its record with other messages.
  private mutating func handshakeValues(_ message: HandshakeMessage) -> RecordValues? {
    guard let protection = handshakeProtection, protection.keys.cipher != .null, records.count == 1,
      records.first?.fragment.isEmpty == false, ![.finished, .helloRequest].contains(message.type)
    else { return nil }
    handshakeCount += 1
    return RecordValues(side, number: handshakeCount, names, protection, of: .handshake)
  }

  private mutating func changeCipherSpec(
    _ content: [UInt8], _ record: Record, _ log: inout EffectLog
  ) -> Received? {
    if !reassembly.isEmpty {
      do throws(HandshakeFailure) {
        try log.refuse(
          .unexpectedMessage, on: .message(.changeCipherSpec), .unexpectedMessage,
          required: .word("the rest of a handshake message"),
          found: .word("\(ProtocolMessage.Name.changeCipherSpec)"))
      } catch {
        return received(.changeCipherSpec, content, [record], .failed(error))
      }
    }
    // Section 6.2.1: a record may contain several messages of one type, and each byte here is one message.
    let second = Array(content.dropFirst().prefix(1))
    if !second.isEmpty { secondChange = changeCipherSpec(second, record) }
    return changeCipherSpec(Array(content.prefix(1)), record)
  }

  private func changeCipherSpec(_ content: [UInt8], _ record: Record) -> Received {
    do throws(WireError) {
      try ChangeCipherSpec.check(content)
    } catch {
      return received(.changeCipherSpec, content, [record], .event(.malformedChangeCipherSpec(error)))
    }
    return received(.changeCipherSpec, content, [record], .event(.changeCipherSpec))
  }

  /// The next complete alert; nil if there is none.
  private mutating func alert(_ log: inout EffectLog) throws(HandshakeFailure) -> Received? {
    while let (bytes, records) = alerts.next() {
      try checkOpen(.alert, &log)
      do throws(WireError) {
        let alert = try Alert(decoding: bytes)
        isClosed = isClosed || alert.description == .closeNotify
        return received(.alert(alert), bytes, records, .event(.alert(alert)))
      } catch {
        try refuseAlert(error, &log)
      }
    }
    return nil
  }

  /// Checks that no incomplete alert remains: its second half must arrive before any other message and before the end.
  mutating func endAlerts(_ log: inout EffectLog) throws(HandshakeFailure) {
    guard let half = alerts.takeHalf() else { return }
    do throws(WireError) {
      _ = try Alert(decoding: half)
    } catch {
      try refuseAlert(error, &log)
    }
  }

  private func refuseAlert(_ error: WireError, _ log: inout EffectLog) throws(HandshakeFailure) {
    try log.refuse(.decodeError, on: .message(.alert), .decodeError, found: .word(error.description))
  }

  private func checkOpen(_ type: ContentType, _ log: inout EffectLog) throws(HandshakeFailure) {
    guard isClosed else { return }
    try log.refuse(
      .unexpectedMessage, .unexpectedMessage, required: .word("nothing after close_notify"), found: .word("\(type)"))
  }

  private mutating func applicationData(
    _ content: [UInt8], _ record: Record, before: RecordProtection?, takesData: Bool, _ log: inout EffectLog
  ) throws(HandshakeFailure) -> Received? {
    if !takesData {
      try log.refuse(
        .unexpectedRecordType, .unexpectedMessage, required: .word("the handshake"),
        found: .word(record.type.description))
    }
    if !reassembly.isEmpty {
      // As in TLS 1.3: RFC 8446 section 5.1.
      try log.refuse(
        .unexpectedMessage, .unexpectedMessage, required: .word("the rest of the handshake message"),
        found: .word(record.type.description))
    }
    applicationDataCount += 1
    let names = RecordValues(side, number: applicationDataCount, names, before)
    let values = recordsTrace ? names.received(content, record, isClear: unverifiedMACLength != nil) : []
    return received(.applicationData(content), content, [record], .applicationData(content, values), names.dataID)
  }

  private func received(
    _ content: ProtocolMessage.Content, _ plaintext: [UInt8], _ records: [Record], _ meaning: Received.Content,
    _ valueID: Value.ID? = nil
  ) -> Received {
    let message = ProtocolMessage(
      content, plaintext: plaintext, records: records, isProtected: isProtected, isEncrypted: isEncrypted,
      valueID: valueID)
    return Received(message: message, content: meaning)
  }

  private func unopened(_ record: Record, _ meaning: Received.Content) -> Received {
    received(.encrypted(record.type), [], [record], meaning)
  }
}

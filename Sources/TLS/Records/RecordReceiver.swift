import Explanation
import Wire

/// One direction as it is received, by an end of the connection or by someone who reads along: bytes become records
/// (RFC 5246 section 6.2), records content, and content messages of TLS's protocols.
struct RecordReceiver: Sendable {
  private let side: Side
  private let random: RandomStreams
  private var names: ValueScope
  private let decisions: TLSDecisions
  private let narrates: Bool
  private let ignoresBadMAC: Bool
  private var reader = RecordReader()
  private var protection: RecordProtection?
  private var reassembly = HandshakeReassembly()
  private var alerts = AlertReassembly()
  /// The records of the handshake message that is being joined.
  private var records: [Record] = []
  /// The second ChangeCipherSpec of a record with several bytes (RFC 5246 section 6.2.1).
  private var secondChange: Received?
  private var applicationDataCount = 0
  /// How many named handshake messages came under these keys, and what the last one's record was opened with.
  private var handshakeCount = 0
  private var handshakeProtection: RecordProtection?
  /// The most bytes of content in a record: fewer than 2^14 where that was agreed on (RFC 6066 section 4).
  var fragmentLimit = Record.maximumPlaintext
  /// The bounds of records that are protected with keys that are not known.
  private var sealed: RecordBounds?
  /// How long the authentication code is behind content that is not encrypted, where its key is not known.
  private var unverifiedCode: Int?
  /// Whether the side has said close_notify, after which it sends nothing.
  private(set) var isClosed = false

  /// Receives what `side` sends.
  init(_ side: Side, _ context: ConnectionContext) {
    self.side = side
    random = context.random
    names = context.valueScope
    decisions = context.decisions
    narrates = context.narrates
    ignoresBadMAC = context.enforcement.isOverridden(.badMAC)
  }

  /// Whether records come protected.
  var isProtected: Bool { protection != nil || sealed != nil }
  /// Whether records come protected with keys that are not known.
  var isSealed: Bool { sealed != nil }
  /// Whether what comes cannot be read on its way: NULL only authenticates it.
  var isEncrypted: Bool { protection.map { $0.keys.cipher != .null } ?? (isSealed && unverifiedCode == nil) }
  /// Whether neither a record nor a message has begun and not ended.
  var isEmpty: Bool { reader.isEmpty && reassembly.isEmpty && alerts.isEmpty }
  /// How many bytes have come and were not read.
  var unreadCount: Int { reader.count }

  /// From here on, values are named after another handshake on the same connection.
  mutating func rename(_ scope: ValueScope) {
    guard scope != names else { return }
    names = scope
    (applicationDataCount, handshakeCount) = (0, 0)
  }

  /// From here on, everything is protected, and numbered from `number`.
  mutating func protect(with keys: RecordKeys, from number: UInt64 = 0) {
    protection = RecordProtection(
      keys: keys, random: random.stream(ValueName(.recordIV, of: side)), sequenceNumber: number, decisions: decisions,
      ignoresBadMAC: ignoresBadMAC)
  }

  /// From here on, everything is protected with keys that are not known; with a code of so many bytes behind content that
  /// travels in the clear (RFC 5246 section 6.2.3.1, NULL), which can be read, and not verified.
  mutating func markUndecryptable(_ version: ProtocolVersion, clearBefore code: Int? = nil) {
    sealed = .protected(version)
    unverifiedCode = code
  }

  mutating func append(_ bytes: [UInt8]) { reader.append(bytes) }

  /// A record as it was before it was protected with these keys.
  mutating func unwrap(_ record: Record) -> Record {
    guard let opened = protection?.open(record) else { return record }
    return Record(type: opened.type, version: record.version, fragment: opened.plaintext)
  }

  /// What came, and what is to be made of it.
  struct Received {
    /// The message; nil where nothing came that could be shown.
    let message: ProtocolMessage?
    let content: Content
    /// The record of a protected handshake message, and the message, as values.
    var values: [Value] = []

    /// Whether nothing of a record was opened.
    var isClosed: Bool {
      switch content {
      case .sealed, .failed: true
      case .event, .applicationData: false
      }
    }

    /// Whether it is an alert after which nothing comes, in the clear.
    var isFatalAlert: Bool {
      guard case .event(.alert(let alert)) = content, message?.isProtected == false else { return false }
      return alert.level == .fatal && alert.description != .closeNotify
    }

    enum Content {
      /// What a handshake machine is told.
      case event(Event)
      /// Data of the application, with the values that it brings.
      case applicationData([UInt8], [Value])
      /// A record that cannot be opened for want of its keys.
      case sealed(ContentType)
      /// The record layer cannot go on.
      case failed(HandshakeFailure)
    }
  }

  /// The next message; nil while the bytes of one are incomplete. Version and suite, once settled, give it its shape;
  /// application data has its place only once the connection stands, and in another handshake up to ChangeCipherSpec (RFC
  /// 5246 section 6.2.1).
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
        if isSealed, unverifiedCode == nil { return unopened(record, .sealed(record.type)) }
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
    let before = narrates ? protection : nil
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

  /// The content of a record, and its type.
  private mutating func open(
    _ record: Record, _ log: inout EffectLog
  ) throws(HandshakeFailure) -> (ContentType, [UInt8]) {
    if protection?.isExhausted == true {
      throw log.failure(.sequenceExhausted, .unexpectedMessage, found: .word("one more record"))
    }
    if let unverifiedCode {
      guard record.fragment.count >= unverifiedCode else {
        throw log.failure(.badMAC, .badRecordMAC, required: .atLeast(.byteCount(unverifiedCode)))
      }
      let content = Array(record.fragment.dropLast(unverifiedCode))
      try checkLength(content, &log)
      return (record.type, content)
    }
    guard let opened = protection?.open(record) else {
      // The usual limit was held against the header.
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

  /// How a protected message is named that its record holds alone.
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
          required: .word("the rest of a handshake message"), found: .word("ChangeCipherSpec"))
      } catch {
        return received(.changeCipherSpec, content, [record], .failed(error))
      }
    }
    // Section 6.2.1: several messages of one type may share a record, and each byte is one.
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

  /// The next alert; nil where none has come, or half of one.
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

  /// Half an alert is followed by its other half: neither by what is no alert, nor by the end.
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
    applicationDataCount += 1
    let names = RecordValues(side, number: applicationDataCount, names, before)
    let values = narrates ? names.received(content, record, isClear: unverifiedCode != nil) : []
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

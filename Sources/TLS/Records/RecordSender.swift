import Cryptography
import Explanation

/// Divides messages into records and protects them (RFC 5246 section 6.2).
struct RecordSender: Sendable {
  private let side: Side
  private let party: Party
  private let random: RandomStreams
  private var names: ValueScope
  private var protection: RecordProtection?
  private var applicationDataCount = 0
  /// The number of handshake messages sent under these keys that have a value name.
  private var handshakeCount = 0
  /// The version of the first record, which is low for the sake of old servers (RFC 5246 appendix E.1). Nil after that
  /// record was sent.
  private var firstVersion: ProtocolVersion?
  private let decisions: TLSDecisions
  private let recordsTrace: Bool
  private let splitsRecords: Bool
  /// The number of zeros after the content of each protected record in TLS 1.3, if the record has room for them.
  private let padding: Int
  /// The version of the connection; TLS 1.2 until the hello messages determine it.
  var version = ProtocolVersion.tls12
  /// The maximum content of a record in bytes. A sender may use less than 2^14 (RFC 5246 section 6.2.1).
  var fragmentLimit = Record.maximumPlaintext

  init(_ side: Side, _ context: ConnectionContext) {
    self.side = side
    party = context.party
    random = context.random
    names = context.valueScope
    firstVersion = side == .client ? context.firstRecordVersion : nil
    decisions = context.decisions
    recordsTrace = context.recordsTrace
    splitsRecords = context.splitsRecords
    padding = max(0, context.recordPadding)
  }

  /// The result of sending data.
  struct Sent {
    var effects: [ConnectionEffect] = []
    /// Whether the sequence numbers were exhausted before all content was sent.
    var isExhausted = false
  }

  /// Changes the scope of value names, because a later handshake on the connection has started.
  mutating func rename(_ scope: ValueScope) {
    guard scope != names else { return }
    names = scope
    (applicationDataCount, handshakeCount) = (0, 0)
  }

  /// Protects all further records with these keys, with sequence numbers that start at `number`.
  mutating func protect(with keys: RecordKeys, from number: UInt64 = 0) {
    protection = RecordProtection(
      keys: keys, random: random.stream(ValueName(.recordIV, of: side)), sequenceNumber: number, decisions: decisions)
  }

  /// Sends the next records in the clear.
  mutating func stopProtecting() { protection = nil }

  mutating func handshake(_ message: HandshakeMessage) -> Sent {
    let version = firstVersion ?? version
    firstVersion = nil
    if isTLS13 { return handshake13(message) }
    let before = recordsTrace ? protection : nil
    var sent = sent(.handshake(message), message.bytes, .handshake, version)
    guard ![.finished, .helloRequest].contains(message.type), let before, before.keys.cipher != .null,
      case .send(let whole)? = sent.effects.last, whole.records.count == 1, let record = whole.records.first
    else { return sent }
    handshakeCount += 1
    let value = RecordValues(side, number: handshakeCount, names, before, of: .handshake)
    let named = ProtocolMessage(
      whole.content, plaintext: whole.plaintext, records: whole.records, isProtected: true, isEncrypted: true,
      valueID: value.dataID)
    sent.effects =
      value.sent(message.bytes, record, by: party).map(ConnectionEffect.derived) + [.send(named)]
    return sent
  }

  /// Sends a message in TLS 1.3. The content of each of its records has a name, by which a receiver counts it too.
  private mutating func handshake13(_ message: HandshakeMessage) -> Sent {
    var (records, values): ([Record], [Value]) = ([], [])
    var name: Value.ID?
    for fragment in handshakeFragments(message.bytes) {
      let before = protection
      guard let record = record(.handshake, version, fragment) else { continue }
      records.append(record)
      handshakeCount += 1
      guard recordsTrace else { continue }
      let content = RecordValues(side, number: handshakeCount, names, before, of: .handshake)
      name = content.dataID
      values += content.sent(fragment, record, by: party)
    }
    let whole = ProtocolMessage(
      .handshake(message), plaintext: message.bytes, records: records, isProtected: true, isEncrypted: true,
      valueID: records.count == 1 ? name : nil)
    return Sent(effects: values.map(ConnectionEffect.derived) + [.send(whole)])
  }

  /// Sends ChangeCipherSpec, which TLS 1.3 never protects (RFC 8446 section 5).
  mutating func changeCipherSpec() -> Sent {
    if isTLS13 {
      let record = Record(type: .changeCipherSpec, version: version, fragment: ChangeCipherSpec.bytes)
      return Sent(effects: [
        .send(
          ProtocolMessage(
            .changeCipherSpec, plaintext: ChangeCipherSpec.bytes, records: [record], isProtected: false,
            isEncrypted: false))
      ])
    }
    return sent(.changeCipherSpec, ChangeCipherSpec.bytes, .changeCipherSpec, version)
  }

  private var isTLS13: Bool { protection?.keys.epoch != nil }

  /// Whether one key has protected as many records as it may (RFC 8446 section 5.5).
  var needsKeyUpdate: Bool { protection?.needsKeyUpdate ?? false }

  mutating func alert(_ alert: Alert) -> Sent { sent(.alert(alert), alert.bytes, .alert, version) }

  mutating func applicationData(_ bytes: [UInt8]) -> Sent {
    var all = Sent()
    for fragment in applicationFragments(bytes) {
      // The last sequence number is reserved for the alert.
      guard protection?.sequenceNumber != .max else {
        all.isExhausted = true
        return all
      }
      applicationDataCount += 1
      let value = RecordValues(side, number: applicationDataCount, names, protection)
      guard let record = record(.applicationData, version, fragment) else { return all }
      if recordsTrace {
        all.effects += value.sent(fragment, record, by: party).map(ConnectionEffect.derived)
      }
      all.effects.append(
        .send(
          ProtocolMessage(
            .applicationData(fragment), plaintext: fragment, records: [record], isProtected: protection != nil,
            isEncrypted: isEncrypted, valueID: value.dataID)))
    }
    return all
  }

  private mutating func sent(
    _ content: ProtocolMessage.Content, _ plaintext: [UInt8], _ type: ContentType, _ version: ProtocolVersion
  ) -> Sent {
    let isProtected = protection != nil
    var records: [Record] = []
    for fragment in type == .handshake ? handshakeFragments(plaintext) : fragments(plaintext) {
      if let record = record(type, version, fragment) { records.append(record) }
    }
    return Sent(
      effects: [
        .send(
          ProtocolMessage(
            content, plaintext: plaintext, records: records, isProtected: isProtected, isEncrypted: isEncrypted))
      ])
  }

  /// Whether the data that this side sends is encrypted.
  var isEncrypted: Bool { protection.map { $0.keys.cipher != .null } ?? false }

  /// A record of another party, protected with this side's keys.
  mutating func wrap(_ other: Record) -> Record { record(other.type, version, other.fragment) ?? other }

  /// A record, protected if keys are in use. Nil if the keys are invalid for the cipher, which never occurs with a
  /// suite's keys.
  private mutating func record(
    _ type: ContentType, _ version: ProtocolVersion, _ fragment: [UInt8]
  ) -> Record? {
    guard protection != nil else { return Record(type: type, version: version, fragment: fragment) }
    let room = max(0, fragmentLimit - fragment.count)
    return try? protection?.seal(fragment, type: type, padding: min(padding, room))
  }

  /// Splits application data into 1 and n-1 bytes, as a defence against BEAST.
  ///
  /// In TLS 1.0, the IV of a CBC record is known before its content is chosen. A record of one byte, whose MAC is
  /// unpredictable, therefore precedes the content.
  private func applicationFragments(_ bytes: [UInt8]) -> [[UInt8]] {
    guard splitsRecords, bytes.count > 1, let keys = protection?.keys, keys.cipher.blockLength != nil,
      !keys.hasExplicitIV
    else { return fragments(bytes) }
    return [Array(bytes.prefix(1))] + fragments(Array(bytes.dropFirst()))
  }

  private func handshakeFragments(_ bytes: [UInt8]) -> [[UInt8]] {
    let whole = fragments(bytes)
    return decisions.fragments?(whole) ?? whole
  }

  private func fragments(_ bytes: [UInt8]) -> [[UInt8]] {
    if bytes.count <= fragmentLimit { return [bytes] }
    return stride(from: 0, to: bytes.count, by: fragmentLimit).map { start in
      Array(bytes[start..<min(bytes.count, start + fragmentLimit)])
    }
  }
}

/// The values that describe a protected record and its content.
///
/// They are `application_data.client.1`, derived from `record.client.1` and the keys, and `handshake_message.client.1`,
/// derived from `handshake_record.client.1`.
struct RecordValues {
  /// The kind of content in the record.
  enum Content {
    case applicationData
    /// A handshake message.
    case handshake
  }

  let dataID: Value.ID
  private let recordName: ValueName
  private let vectorName: ValueName
  private let side: Side
  private let names: ValueScope
  private let keys: RecordKeys?
  private let previousBlock: [UInt8]
  private let streamOffset: Int
  /// Whether the record is the first under its keys.
  private let isFirst: Bool

  /// Creates the values of a record from `side`.
  ///
  /// Records are counted from 1, and `protection` is the state before record `number`.
  init(
    _ side: Side, number: Int, _ names: ValueScope, _ protection: RecordProtection?,
    of content: Content = .applicationData
  ) {
    self.side = side
    self.names = names
    let isHandshake = content == .handshake
    dataID = names.name(isHandshake ? .handshakeMessage : .applicationData, of: side, number: number)
    recordName = names.name(isHandshake ? .handshakeRecord : .record, of: side, number: number)
    vectorName = names.name(isHandshake ? .handshakeRecordIV : .recordIV, of: side, number: number)
    keys = protection?.keys
    previousBlock = protection?.previousBlock ?? []
    streamOffset = protection?.streamOffset ?? 0
    isFirst = protection?.sequenceNumber == 0
  }

  func sent(_ content: [UInt8], _ record: Record, by party: Party) -> [Value] {
    values(content, record, [.generated(by: party)])
  }

  /// The values of a received record. With `isClear`, the content is in the clear although its keys are unknown.
  func received(_ content: [UInt8], _ record: Record, isClear: Bool = false) -> [Value] {
    values(content, record, [], isClear: isClear)
  }

  private func values(
    _ content: [UInt8], _ record: Record, _ others: [Value.Derivation], isClear: Bool = false
  ) -> [Value] {
    var data = Value(dataID, content, derivations: others)
    var vector: [Value] = []
    if let keys {
      data.add(opening(keys))
      if !previousBlock.isEmpty { vector = [Value(vectorName, previousBlock, .published)] }
    }
    if isClear { data.add(.published) }
    return vector + [Value(recordName, record.bytes, .published), data] + [recoveredVector].compactMap(\.self)
  }

  /// The IV of TLS 1.3, as an observer with the write key recovers it.
  ///
  /// Under AES-GCM, the tag of the first record reveals its nonce, which is the IV.
  private var recoveredVector: Value? {
    guard isFirst, let keys, let epoch = keys.epoch, [.aes128GCM, .aes256GCM].contains(keys.cipher)
    else { return nil }
    return Value(
      names.name(epoch.ivKind, of: side), keys.iv,
      .computed(.nonceRecovery, from: [names.name(epoch.keyKind, of: side), recordName]))
  }

  /// The derivation of the content by an observer who has the write key and the IV.
  ///
  /// In TLS 1.0, the IV is the last block of the previous record. Without a cipher, the record contains the content in
  /// the clear.
  private func opening(_ keys: RecordKeys) -> Value.Derivation {
    if keys.cipher == .null { return .published }
    let (key, iv) = (keys.epoch?.keyKind ?? .writeKey, keys.epoch?.ivKind ?? .writeIV)
    let start = !previousBlock.isEmpty ? [vectorName] : keys.iv.isEmpty ? [] : [names.name(iv, of: side)]
    return .computed(
      .recordOpening(cipher: keys.cipher.rawValue, offset: streamOffset),
      from: [names.name(key, of: side)] + start + [recordName])
  }
}

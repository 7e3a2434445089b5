import Cryptography
import Explanation

/// Puts messages into records and protects them: RFC 5246 section 6.2.
struct RecordSender: Sendable {
  private let side: Side
  private let party: Party
  private let random: RandomStreams
  private let names: ValueNames
  private var protection: RecordProtection?
  private var applicationDataCount = 0
  private var isFirstFlight: Bool

  init(_ side: Side, _ surroundings: Surroundings) {
    self.side = side
    party = surroundings.party
    random = surroundings.random
    names = ValueNames(prefix: surroundings.valuePrefix)
    isFirstFlight = side == .client
  }

  /// What sending something comes to.
  struct Sent {
    var effects: [ConnectionEffect] = []
  }

  /// From here on, everything is protected.
  mutating func protect(with keys: RecordKeys) {
    protection = RecordProtection(keys: keys, random: random.stream("\(side)_record_IV"))
  }

  mutating func handshake(_ message: HandshakeMessage) -> Sent {
    // The first record carries an old version for old servers: RFC 5246 appendix E.1.
    let version = isFirstFlight ? ProtocolVersion.tls10 : .tls12
    isFirstFlight = false
    return sent(.handshake(message), message.bytes, .handshake, version)
  }

  mutating func changeCipherSpec() -> Sent {
    sent(.changeCipherSpec, ChangeCipherSpec.bytes, .changeCipherSpec, .tls12)
  }

  mutating func alert(_ alert: Alert) -> Sent { sent(.alert(alert), alert.bytes, .alert, .tls12) }

  mutating func applicationData(_ bytes: [UInt8]) -> Sent {
    var all = Sent()
    for fragment in Self.fragments(bytes) {
      applicationDataCount += 1
      let value = RecordValues(side, number: applicationDataCount, names)
      guard let record = record(.applicationData, .tls12, fragment) else { return all }
      all.effects += value.sent(fragment, record, protection?.keys, by: party).map(ConnectionEffect.derived)
      all.effects.append(
        .send(
          ProtocolMessage(
            .applicationData(fragment), plaintext: fragment, records: [record], isProtected: protection != nil,
            valueID: value.dataID)))
    }
    return all
  }

  private mutating func sent(
    _ content: ProtocolMessage.Content, _ plaintext: [UInt8], _ type: ContentType, _ version: ProtocolVersion
  ) -> Sent {
    let isProtected = protection != nil
    var records: [Record] = []
    for fragment in Self.fragments(plaintext) {
      if let record = record(type, version, fragment) { records.append(record) }
    }
    return Sent(
      effects: [
        .send(ProtocolMessage(content, plaintext: plaintext, records: records, isProtected: isProtected))
      ])
  }

  /// A record, protected where that is in force; nil for keys that fit no cipher, which no suite makes.
  private mutating func record(
    _ type: ContentType, _ version: ProtocolVersion, _ fragment: [UInt8]
  ) -> Record? {
    guard protection != nil else { return Record(type: type, version: version, fragment: fragment) }
    let protected = try? protection?.protect(fragment, type: type, version: version)
    return protected.map { Record(type: type, version: version, fragment: $0) }
  }

  private static func fragments(_ bytes: [UInt8]) -> [[UInt8]] {
    if bytes.count <= Record.maximumPlaintext { return [bytes] }
    return stride(from: 0, to: bytes.count, by: Record.maximumPlaintext).map { start in
      Array(bytes[start..<min(bytes.count, start + Record.maximumPlaintext)])
    }
  }
}

import Cryptography
import Explanation

@testable import TLS

/// A record that a test makes by hand.
enum ForgedRecord {
  /// Content with this type, protected with the sender's keys.
  case sealed(ContentType, [UInt8])
  /// The whole inner plaintext, protected with the sender's keys.
  case inner([UInt8])
  /// Bytes on the wire.
  case clear([UInt8])

  static func handshake(_ bytes: [UInt8]) -> ForgedRecord { .sealed(.handshake, bytes) }

  /// A handshake record in the clear.
  static func clearHandshake(_ bytes: [UInt8]) -> ForgedRecord {
    .clear(Record(type: .handshake, version: .tls12, fragment: bytes).bytes)
  }
}

/// Protects records as one side of a conversation does with TLS_AES_128_GCM_SHA256, from the secrets of that side.
struct RecordForger {
  private var epochs: ArraySlice<RecordKeys>
  private var number: UInt64 = 0

  init(_ side: Side, _ values: [Value.ID: Value]) {
    let secrets: [ScheduledSecret] =
      side == .client
      ? [.clientHandshakeTraffic, .clientApplicationTraffic] : [.serverHandshakeTraffic, .serverApplicationTraffic]
    epochs =
      secrets.compactMap { secret in
        guard let value = values[ValueName(secret.kind, of: secret.side)],
          let suite = CipherSuite.aes128GCMSHA256.registration
        else { return nil }
        return ExpandLabel(.sha256).recordKeys(value.bytes, suite)
      }[...]
  }

  /// The bytes of a message with the sender's keys, or of the records that replace it.
  mutating func bytes(_ message: ProtocolMessage, replacedBy forged: [ForgedRecord]? = nil) -> [UInt8] {
    defer { if message.name == .handshake(.finished) { (epochs, number) = (epochs.dropFirst(), 0) } }
    let own =
      message.isProtected ? [ForgedRecord.sealed(message.contentType, message.plaintext)] : [.clear(message.bytes)]
    return (forged ?? own).flatMap { bytes(of: $0) }
  }

  private mutating func bytes(of record: ForgedRecord) -> [UInt8] {
    switch record {
    case .sealed(let type, let content): sealed(content + [type.rawValue])
    case .inner(let plaintext): sealed(plaintext)
    case .clear(let bytes): bytes
    }
  }

  private mutating func sealed(_ plaintext: [UInt8]) -> [UInt8] {
    guard let keys = epochs.first else { return [] }
    let nonce = zip(keys.iv, [0, 0, 0, 0] + number.bigEndianBytes).map { $0 ^ $1 }
    let header = Record.header(.applicationData, .tls12, length: plaintext.count + 16)
    number += 1
    return (try? AESGCM.seal(plaintext, key: keys.key, nonce: nonce, authenticating: header, behind: header)) ?? []
  }
}

extension ProtocolMessage {
  /// The type of the message's records before protection.
  var contentType: ContentType {
    switch content {
    case .handshake, .malformed: .handshake
    case .changeCipherSpec: .changeCipherSpec
    case .alert: .alert
    case .applicationData: .applicationData
    case .encrypted(let type): type
    }
  }
}

extension Conversation {
  /// Replaces the message of `side` with this name, counted from 1, by records that the side's keys protect.
  ///
  /// The keys are known from a run without a change: a side draws the same random values in each run.
  mutating func forge(
    _ side: Side, _ type: HandshakeType, number: Int = 1, _ change: @escaping (ProtocolMessage) -> [ForgedRecord]
  ) {
    var forger = RecordForger(side, ran().values(of: side))
    var count = 0
    alter = { message, sender in
      guard sender == side else { return message.bytes }
      if message.name == .handshake(type) { count += 1 }
      let isMeant = message.name == .handshake(type) && count == number
      return forger.bytes(message, replacedBy: isMeant ? change(message) : nil)
    }
  }
}

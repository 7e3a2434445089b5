import Explanation
import Wire

/// One message of a TLS protocol, with the records that carry it.
public struct ProtocolMessage: Sendable, Hashable {
  /// The content of a message.
  public enum Content: Sendable, Hashable {
    case handshake(HandshakeMessage)
    case changeCipherSpec
    case alert(Alert)
    case applicationData([UInt8])
    /// A malformed handshake message, and the error.
    case malformed(HandshakeType, WireError)
    /// The content of a protected record that cannot be decrypted here.
    case encrypted(ContentType)
  }

  /// The content.
  public let content: Content
  /// Its bytes before protection, to which the ranges of fields refer.
  public let plaintext: [UInt8]
  /// The records as sent: protected if `isProtected`. A received record with several messages belongs to each of them.
  public let records: [Record]
  /// Whether its records are protected: with a MAC, and except for NULL with a cipher.
  public let isProtected: Bool
  /// Whether an eavesdropper sees only ciphertext. NULL suites protect against changes and hide nothing (RFC 5246
  /// section 6.2.3.1).
  public let isEncrypted: Bool

  /// The bytes on the wire.
  public var bytes: [UInt8] { records.count == 1 ? records[0].bytes : records.flatMap(\.bytes) }

  /// Its name.
  public var name: Name {
    switch content {
    case .handshake(let message): .handshake(message.type)
    case .changeCipherSpec: .changeCipherSpec
    case .alert: .alert
    case .applicationData: .applicationData
    case .malformed(let type, _): .handshake(type)
    case .encrypted(let type): .encrypted(type)
    }
  }

  /// The certificates of a Certificate message; empty for other messages.
  public var certificates: [[UInt8]] {
    if case .handshake(let message) = content, case .certificate(let shown) = message.body {
      shown.certificateList
    } else {
      []
    }
  }

  /// The message as a tree of fields over `plaintext`.
  public var field: Field {
    switch content {
    case .handshake(let message): message.field
    case .changeCipherSpec: ChangeCipherSpec.field
    case .alert(let alert): alert.field
    case .applicationData(let bytes): Field("\(name)", 0..<bytes.count, meaning: "\(bytes.count) bytes")
    case .malformed(let type, let error):
      Field(type.description, 0..<plaintext.count, meaning: error.description)
    case .encrypted(let type): Field("\(type)", 0..<plaintext.count, meaning: "not opened")
    }
  }

  /// The name of the value in a protected record: `application_data.client.1`, `handshake_message.client.1`; nil for
  /// other messages.
  public let valueID: Value.ID?

  /// Adds the derivation of a value that a handshake message carries.
  ///
  /// If the message is protected, only a party that decrypts it obtains the value.
  public func carrying(_ value: Value) -> Value {
    guard isEncrypted else { return value }
    var carried = value.unpublished
    if let valueID, let range = field.first(of: value.bytes, in: plaintext) {
      carried.add(.computed(.messagePart(range), from: [valueID]))
    }
    return carried
  }

  init(
    _ content: Content, plaintext: [UInt8], records: [Record], isProtected: Bool, isEncrypted: Bool,
    valueID: Value.ID? = nil
  ) {
    self.content = content
    self.plaintext = plaintext
    self.records = records
    self.isProtected = isProtected
    self.isEncrypted = isEncrypted
    self.valueID = valueID
  }
}

extension Field {
  /// The range of the first field that has exactly these bytes of `whole`; nil if there is none.
  fileprivate func first(of bytes: [UInt8], in whole: [UInt8]) -> Range<Int>? {
    if whole.indices.contains(range.lowerBound), range.upperBound <= whole.count, whole[range].elementsEqual(bytes) {
      return range
    }
    return children.lazy.compactMap { $0.first(of: bytes, in: whole) }.first
  }
}

extension Value {
  /// The same value without its publication.
  var unpublished: Value { Value(id, bytes, derivations: derivations.filter { $0 != .published }) }
}

extension ProtocolMessage {
  /// The type of the handshake message; nil for every other message.
  public var handshakeType: HandshakeType? {
    switch content {
    case .handshake(let message): message.type
    case .malformed(let type, _): type
    default: nil
    }
  }
}

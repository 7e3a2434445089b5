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
    /// A malformed handshake message, and the decoding error.
    case malformed(HandshakeType, WireError)
    /// The content of a protected record that this side cannot decrypt.
    case encrypted(ContentType)
  }

  /// The content of the message.
  public let content: Content
  /// The bytes of the message before protection. The ranges of its fields refer to these bytes.
  public let plaintext: [UInt8]
  /// The records as sent, with their protection. A received record that contains several messages belongs to each of
  /// them.
  public let records: [Record]
  /// Whether the records of the message have a MAC and, unless the cipher is NULL, are encrypted.
  public let isProtected: Bool
  /// Whether an eavesdropper sees only ciphertext. NULL suites protect records against changes, but hide nothing (RFC
  /// 5246 section 6.2.3.1).
  public let isEncrypted: Bool

  /// The bytes on the wire.
  public var bytes: [UInt8] { records.count == 1 ? records[0].bytes : records.flatMap(\.bytes) }

  /// The name of the message.
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

  /// The certificates of a Certificate message; empty for any other message.
  public var certificates: [[UInt8]] {
    guard case .handshake(let message) = content else { return [] }
    switch message.body {
    case .certificate(let shown): return shown.certificateList
    case .compressedCertificate(let compressed): return compressed.certificate?.certificateList ?? []
    default: return []
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

  /// The name of the value that a protected record carries, such as `application_data.client.1` or
  /// `handshake_message.client.1`; nil for any other message.
  public let valueID: Value.ID?
  /// The position of the message in the value with this name. In TLS 1.3, a protected record often contains several
  /// messages.
  private let valueOffset: Int

  /// Adds to a value the fact that this handshake message carries it.
  ///
  /// If the message is protected, only a party that decrypts it obtains the value.
  public func carrying(_ value: Value) -> Value {
    guard isEncrypted else { return value }
    var carried = value.unpublished
    if let valueID, let method = method(for: value.bytes) { carried.add(.computed(method, from: [valueID])) }
    return carried
  }

  /// The method that extracts these bytes from the value of the protected record; nil if the message lacks them.
  private func method(for bytes: [UInt8]) -> Method? {
    func place(_ range: Range<Int>) -> Range<Int> {
      (range.lowerBound + valueOffset)..<(range.upperBound + valueOffset)
    }
    if case .handshake(let message) = content, case .compressedCertificate(let compressed) = message.body {
      let header = plaintext.count - compressed.bodyLength
      return compressed.decompressed?.firstRange(of: bytes).map {
        .certificateDecompression(body: place(header..<plaintext.count), part: $0)
      }
    }
    return field.first(of: bytes, in: plaintext).map { .messagePart(place($0)) }
  }

  init(
    _ content: Content, plaintext: [UInt8], records: [Record], isProtected: Bool, isEncrypted: Bool,
    valueID: Value.ID? = nil, valueOffset: Int = 0
  ) {
    self.content = content
    self.plaintext = plaintext
    self.records = records
    self.isProtected = isProtected
    self.isEncrypted = isEncrypted
    self.valueID = valueID
    self.valueOffset = valueOffset
  }
}

extension Field {
  /// The range in `whole` of the first field that has exactly these bytes; nil if there is none.
  fileprivate func first(of bytes: [UInt8], in whole: [UInt8]) -> Range<Int>? {
    if whole.indices.contains(range.lowerBound), range.upperBound <= whole.count, whole[range].elementsEqual(bytes) {
      return range
    }
    return children.lazy.compactMap { $0.first(of: bytes, in: whole) }.first
  }
}

extension Value {
  /// The same value, no longer marked as public.
  var unpublished: Value { Value(id, bytes, derivations: derivations.filter { $0 != .published }) }
}

extension ProtocolMessage {
  /// The type of the handshake message; nil for any other message.
  public var handshakeType: HandshakeType? {
    switch content {
    case .handshake(let message): message.type
    case .malformed(let type, _): type
    default: nil
    }
  }
}

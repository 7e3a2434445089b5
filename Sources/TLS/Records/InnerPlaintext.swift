import Explanation

/// The content of a protected record in TLS 1.3, with its type and padding (RFC 8446 section 5.2).
///
/// ```
/// struct { opaque content[length]; ContentType type; uint8 zeros[length_of_padding]; } TLSInnerPlaintext;
/// ```
public struct InnerPlaintext: Sendable, Hashable {
  /// The content of the record.
  public var content: [UInt8]
  /// The type of the content.
  public var type: ContentType
  /// The number of zeros after the type.
  public var paddingLength: Int

  /// The maximum length of the encoded structure: 2^14 + 1 bytes.
  public static let maximumLength = Record.maximumPlaintext + 1

  /// Creates the structure from its parts.
  public init(content: [UInt8], type: ContentType, paddingLength: Int = 0) {
    self.content = content
    self.type = type
    self.paddingLength = paddingLength
  }

  /// Decodes the structure. The last byte that is not zero is the type (section 5.4); nil if there is none.
  public init?(decoding bytes: consuming [UInt8]) {
    guard let end = bytes.lastIndex(where: { $0 != 0 }) else { return nil }
    let (type, paddingLength) = (ContentType(rawValue: bytes[end]), bytes.count - end - 1)
    // The bytes of a record are shortened and not copied.
    bytes.removeSubrange(end...)
    self.init(content: bytes, type: type, paddingLength: paddingLength)
  }

  /// The encoded structure.
  public var bytes: [UInt8] {
    let zeros = max(0, paddingLength)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(content.count + 1 + zeros)
    bytes += content
    bytes.append(type.rawValue)
    bytes += repeatElement(0, count: zeros)
    return bytes
  }

  /// The structure as a tree of fields over `bytes`.
  public var field: Field {
    let (end, whole) = (content.count, content.count + 1 + max(0, paddingLength))
    let parts = [
      Field("content", 0..<end, meaning: "\(end) bytes"),
      Field("type", end..<(end + 1), meaning: "\(type) (\(type.rawValue))"),
    ]
    let zeros = paddingLength > 0 ? [Field("zeros", (end + 1)..<whole, meaning: "\(paddingLength) bytes")] : []
    return Field("TLSInnerPlaintext", 0..<whole, children: parts + zeros)
  }
}

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
  public init?(decoding bytes: [UInt8]) {
    guard let end = bytes.lastIndex(where: { $0 != 0 }) else { return nil }
    self.init(
      content: Array(bytes[..<end]), type: ContentType(rawValue: bytes[end]), paddingLength: bytes.count - end - 1)
  }

  /// The encoded structure.
  public var bytes: [UInt8] {
    content + [type.rawValue] + [UInt8](repeating: 0, count: max(0, paddingLength))
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

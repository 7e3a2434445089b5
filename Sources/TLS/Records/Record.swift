import Explanation

/// A record as it travels: TLSPlaintext before ChangeCipherSpec, TLSCiphertext after it, RFC 5246 section 6.2.
///
/// ```
/// struct { ContentType type; ProtocolVersion version; uint16 length; opaque fragment[length]; } TLSPlaintext;
/// ```
public struct Record: Sendable, Hashable {
  /// What it carries.
  public let type: ContentType
  /// The version of the connection, or nearly any version in a first flight.
  public let version: ProtocolVersion
  /// The content, protected or not.
  public let fragment: [UInt8]
  /// The bytes on the wire.
  public let bytes: [UInt8]

  /// The most that a plaintext may hold: 2^14 bytes.
  public static let maximumPlaintext = 1 << 14
  /// The most that a protected fragment may hold: 2^14 + 2048 bytes.
  public static let maximumCiphertext = (1 << 14) + 2048
  /// The size of the header.
  public static let headerLength = 5

  /// A record of these parts.
  public init(type: ContentType, version: ProtocolVersion, fragment: [UInt8]) {
    self.type = type
    self.version = version
    self.fragment = fragment
    bytes = Self.header(type, version, length: fragment.count) + fragment
  }

  /// TLSPlaintext.type, .version and .length, in five bytes.
  static func header(_ type: ContentType, _ version: ProtocolVersion, length: Int) -> [UInt8] {
    let version = version.rawValue
    return [
      type.rawValue, UInt8(truncatingIfNeeded: version >> 8), UInt8(truncatingIfNeeded: version),
      UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length),
    ]
  }

  /// The record as a tree of fields over `bytes`.
  public var field: Field {
    let end = Self.headerLength + fragment.count
    return Field(
      "Record", 0..<end,
      children: [
        Field("type", 0..<1, meaning: "\(type) (\(type.rawValue))"), Field("version", 1..<3, meaning: version.named),
        Field("length", 3..<5, meaning: String(fragment.count)), Field("fragment", 5..<end),
      ])
  }
}

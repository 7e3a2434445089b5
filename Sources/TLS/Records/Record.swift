import Explanation

/// A record on the wire (RFC 5246 section 6.2): TLSPlaintext before ChangeCipherSpec, and TLSCiphertext after it.
///
/// ```
/// struct { ContentType type; ProtocolVersion version; uint16 length; opaque fragment[length]; } TLSPlaintext;
/// ```
public struct Record: Sendable, Hashable {
  /// The type of the record's content.
  public let type: ContentType
  /// The version of the connection; in the first flight, nearly any version.
  public let version: ProtocolVersion
  /// The bytes on the wire.
  public let bytes: [UInt8]

  /// The maximum length of the plaintext in a record: 2^14 bytes.
  public static let maximumPlaintext = 1 << 14
  /// The maximum length of a protected fragment: 2^14 + 2048 bytes.
  public static let maximumCiphertext = (1 << 14) + 2048
  /// The maximum length of a protected fragment in TLS 1.3: 2^14 + 256 bytes (RFC 8446 section 5.2).
  public static let maximumCiphertext13 = (1 << 14) + 256
  /// The size of the header.
  public static let headerLength = 5

  /// Creates a record from a content type, a version and a fragment.
  public init(type: ContentType, version: ProtocolVersion, fragment: [UInt8]) {
    self.init(bytes: Self.header(type, version, length: fragment.count) + fragment, type, version)
  }

  /// Creates a record from its encoded bytes, including the header.
  package init(bytes: [UInt8], _ type: ContentType, _ version: ProtocolVersion) {
    self.bytes = bytes
    self.type = type
    self.version = version
  }

  /// The content, which may be protected.
  public var fragment: [UInt8] { Array(content) }
  /// The content as a slice of the record's bytes.
  var content: ArraySlice<UInt8> { bytes[Self.headerLength...] }

  /// The five bytes of TLSPlaintext.type, .version and .length.
  static func header(_ type: ContentType, _ version: ProtocolVersion, length: Int) -> [UInt8] {
    let version = version.rawValue
    return [
      type.rawValue, UInt8(truncatingIfNeeded: version >> 8), UInt8(truncatingIfNeeded: version),
      UInt8(truncatingIfNeeded: length >> 8), UInt8(truncatingIfNeeded: length),
    ]
  }

  /// The record as a tree of fields over `bytes`.
  public var field: Field {
    let end = bytes.count
    return Field(
      "Record", 0..<end,
      children: [
        Field("type", 0..<1, meaning: "\(type) (\(type.rawValue))"), Field("version", 1..<3, meaning: version.named),
        Field("length", 3..<5, meaning: String(content.count)), Field("fragment", 5..<end),
      ])
  }
}

/// The type of a record's content (RFC 5246 section 6.2.1).
public struct ContentType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The byte that encodes the type.
  public let rawValue: UInt8

  /// Creates the type with this code point, which may be unregistered.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `change_cipher_spec(20)`
  public static let changeCipherSpec = ContentType(rawValue: 20)
  /// `alert(21)`
  public static let alert = ContentType(rawValue: 21)
  /// `handshake(22)`
  public static let handshake = ContentType(rawValue: 22)
  /// `application_data(23)`
  public static let applicationData = ContentType(rawValue: 23)

  /// The four content types of RFC 5246.
  public static let known: [ContentType] = [.changeCipherSpec, .alert, .handshake, .applicationData]

  /// The name in the RFC; the code point if there is no name.
  public var description: String {
    switch self {
    case .changeCipherSpec: "change_cipher_spec"
    case .alert: "alert"
    case .handshake: "handshake"
    case .applicationData: "application_data"
    default: rawValue.codePoint
    }
  }
}

/// What a record carries: RFC 5246 section 6.2.1.
public struct ContentType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The byte on the wire.
  public let rawValue: UInt8

  /// The type that travels as `rawValue`, known or not.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// `change_cipher_spec(20)`
  public static let changeCipherSpec = ContentType(rawValue: 20)
  /// `alert(21)`
  public static let alert = ContentType(rawValue: 21)
  /// `handshake(22)`
  public static let handshake = ContentType(rawValue: 22)
  /// `application_data(23)`
  public static let applicationData = ContentType(rawValue: 23)

  /// The four types of RFC 5246.
  public static let known: [ContentType] = [.changeCipherSpec, .alert, .handshake, .applicationData]

  /// The name in the RFC, or the number where there is none.
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

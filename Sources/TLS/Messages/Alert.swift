import Explanation
import Wire

/// The end of a connection, an error or a warning (RFC 5246 section 7.2).
///
/// ```
/// struct { AlertLevel level; AlertDescription description; } Alert;
/// ```
public struct Alert: Sendable, Hashable {
  /// `AlertLevel`.
  public enum Level: UInt8, Sendable, Hashable, CaseIterable {
    case warning = 1
    case fatal = 2
  }

  /// The level of the alert. A fatal alert ends the connection at once.
  public var level: Level
  /// The reason of the alert.
  public var description: AlertDescription

  /// Creates an alert of this level.
  public init(_ level: Level, _ description: AlertDescription) {
    self.level = level
    self.description = description
  }

  /// The two bytes on the wire.
  public var bytes: [UInt8] { [level.rawValue, description.rawValue] }

  /// Decodes exactly one alert, which may come from several records.
  public init(decoding bytes: [UInt8]) throws(WireError) {
    var reader = Reader(bytes)
    let level = try reader.uint8("level") { Level(rawValue: $0).map { "\($0)" } ?? $0.codePoint }
    description = AlertDescription(rawValue: try reader.uint8("description"))
    try reader.finish("Alert")
    guard let level = Level(rawValue: level) else {
      throw WireError(offset: 0, field: "level", .value(Int(level), expected: "warning (1) or fatal (2)"))
    }
    self.level = level
  }

  /// The alert as a tree of fields over `bytes`.
  public var field: Field {
    Field(
      "Alert", 0..<2,
      children: [
        Field("level", 0..<1, meaning: "\(level) (\(level.rawValue))"),
        Field("description", 1..<2, meaning: "\(description) (\(description.rawValue))"),
      ])
  }
}

/// The message after which everything that the sender sends is protected (RFC 5246 section 7.1). It is not a handshake
/// message.
public enum ChangeCipherSpec {
  /// The single byte of the message on the wire.
  public static let bytes: [UInt8] = [1]

  /// The message as a tree of fields over its byte.
  public static let field = Field(
    "ChangeCipherSpec", 0..<1, children: [Field("type", 0..<1, meaning: "change_cipher_spec (1)")])

  /// Checks that the content of a record is a valid ChangeCipherSpec.
  static func check(_ content: [UInt8]) throws(WireError) {
    var reader = Reader(content)
    let type = try reader.uint8("type")
    try reader.finish("ChangeCipherSpec")
    if type != 1 { throw WireError(offset: 0, field: "type", .value(Int(type), expected: "1")) }
  }
}

import Explanation
import Wire

/// "From here on, everything I send is protected": RFC 5246 section 7.1. Not a handshake message.
public enum ChangeCipherSpec {
  /// The one byte on the wire.
  public static let bytes: [UInt8] = [1]

  /// The message as a tree of fields over its byte.
  public static let field = Field(
    "ChangeCipherSpec", 0..<1, children: [Field("type", 0..<1, meaning: "change_cipher_spec (1)")])

  /// Checks the content of a ChangeCipherSpec record.
  static func check(_ content: [UInt8]) throws(WireError) {
    var reader = Reader(content)
    let type = try reader.uint8("type")
    try reader.finish("ChangeCipherSpec")
    if type != 1 { throw WireError(offset: 0, field: "type", .value(Int(type), expected: "1")) }
  }
}

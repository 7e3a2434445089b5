import Explanation
import Wire

/// An extension of a hello: RFC 5246 section 7.4.1.4. Unknown ones are kept as they are.
///
/// ```
/// struct { ExtensionType extension_type; opaque extension_data<0..2^16-1>; } Extension;
/// ```
public enum Extension: Sendable, Hashable {
  /// The host the client means to reach, RFC 6066 section 3; the server answers with none.
  case serverName(String?)
  /// Groups for (EC)DHE, the client's favourite first: RFC 8422 section 5.1.1.
  case supportedGroups([NamedGroup])
  /// Ways to write a point, 0 is `uncompressed`: RFC 8422 section 5.1.2.
  case ecPointFormats([UInt8])
  /// How the peer may sign: RFC 5246 section 7.4.1.4.1.
  case signatureAlgorithms([SignatureAndHashAlgorithm])
  /// The protocols a client would speak inside, its favourite first, or the one its server chose: RFC 7301 section 3.1.
  case applicationProtocols([ApplicationProtocol])
  /// The versions a client of TLS 1.3 speaks, or the one its server chose: RFC 8446 section 4.2.1.
  case supportedVersions([ProtocolVersion])
  /// `renegotiated_connection`, empty in a first handshake: RFC 5746 section 3.2.
  case renegotiationInfo([UInt8])
  /// Any other extension, its content as it is; `extended_master_secret` and `encrypt_then_mac` have none.
  case other(type: ExtensionType, data: [UInt8])

  /// The message an extension stands in, which decides its shape.
  enum Place { case clientHello, serverHello }

  /// The kind of extension.
  public var type: ExtensionType {
    switch self {
    case .serverName: .serverName
    case .supportedGroups: .supportedGroups
    case .ecPointFormats: .ecPointFormats
    case .signatureAlgorithms: .signatureAlgorithms
    case .applicationProtocols: .applicationProtocols
    case .supportedVersions: .supportedVersions
    case .renegotiationInfo: .renegotiationInfo
    case .other(let type, _): type
    }
  }

  /// The optional block of extensions at the end of a hello; nil when the hello ends before it.
  static func list(_ reader: inout Reader, in place: Place) throws(WireError) -> [Extension]? {
    if reader.isAtEnd { return nil }
    let start = reader.offset
    let extensions = try reader.vector("extensions", 0...0xffff, meaning: { "\($0.count) extensions" }) {
      (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in try Extension(&reader, in: place) }
    }
    var seen: Set<ExtensionType> = []
    for item in extensions where !seen.insert(item.type).inserted {
      throw WireError(
        offset: start, field: "extensions", .value(Int(item.type.rawValue), expected: "each extension once"))
    }
    return extensions
  }

  static func write(_ extensions: [Extension]?, to writer: inout Writer, in place: Place) throws(WireError) {
    guard let extensions else { return }
    try writer.vector("extensions", 0...0xffff) { (writer) throws(WireError) in
      for item in extensions {
        writer.uint16(item.type.rawValue)
        try writer.vector(item.type.description, 0...0xffff) { (writer) throws(WireError) in
          try item.writeData(to: &writer, in: place)
        }
      }
    }
  }

  private init(_ reader: inout Reader, in place: Place) throws(WireError) {
    self = try reader.structure("extension", meaning: { $0.type.description }) { (reader) throws(WireError) in
      let raw = try reader.uint16("extension_type") { "\(ExtensionType(rawValue: $0)) (\($0))" }
      let type = ExtensionType(rawValue: raw)
      return try reader.vector("extension_data", 0...0xffff) { (reader) throws(WireError) in
        try Extension(data: &reader, type, in: place)
      }
    }
  }
}

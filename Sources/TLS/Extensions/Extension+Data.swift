import Explanation
import Wire

extension Extension {
  /// Reads `extension_data`, all of it.
  init(data reader: inout Reader, _ type: ExtensionType, in place: Place) throws(WireError) {
    switch type {
    case .serverName: self = .serverName(try Self.serverName(&reader))
    case .supportedGroups:
      self = .supportedGroups(
        try reader.vector("named_group_list", 2...0xffff) { (reader) throws(WireError) in
          try reader.items { (reader) throws(WireError) in try NamedGroup(&reader, "named_group") }
        })
    case .ecPointFormats:
      self = .ecPointFormats(
        try reader.vector("ec_point_format_list", 1...0xff) { (reader) throws(WireError) in
          try reader.items { (reader) throws(WireError) in
            try reader.uint8("ec_point_format") { $0 == 0 ? "uncompressed (0)" : String($0) }
          }
        })
    case .signatureAlgorithms:
      self = .signatureAlgorithms(
        try reader.vector("supported_signature_algorithms", 2...0xfffe) { (reader) throws(WireError) in
          try reader.items { (reader) throws(WireError) in try SignatureAndHashAlgorithm(&reader, "algorithm") }
        })
    case .applicationProtocols:
      self = .applicationProtocols(
        try reader.vector("protocol_name_list", 2...0xffff) { (reader) throws(WireError) in
          try reader.items { (reader) throws(WireError) in
            ApplicationProtocol(
              bytes: try reader.opaque("ProtocolName", 1...0xff) { ApplicationProtocol(bytes: $0).description })
          }
        })
    case .supportedVersions: self = .supportedVersions(try Self.supportedVersions(&reader, in: place))
    case .renegotiationInfo:
      self = .renegotiationInfo(try reader.opaque("renegotiated_connection", 0...0xff))
    default: self = .other(type: type, data: try reader.rest("data"))
    }
  }

  /// Writes `extension_data` without its length.
  func writeData(to writer: inout Writer, in place: Place) throws(WireError) {
    switch self {
    case .serverName(let host):
      guard let host else { return }
      try writer.vector("server_name_list", 1...0xffff) { (writer) throws(WireError) in
        writer.uint8(0)
        try writer.opaque("HostName", 1...0xffff, Array(host.utf8))
      }
    case .supportedGroups(let groups):
      try writer.vector("named_group_list", 2...0xffff) { writer in
        for group in groups { writer.uint16(group.rawValue) }
      }
    case .ecPointFormats(let formats): try writer.opaque("ec_point_format_list", 1...0xff, formats)
    case .signatureAlgorithms(let algorithms):
      try writer.vector("supported_signature_algorithms", 2...0xfffe) { writer in
        for algorithm in algorithms { writer.uint16(algorithm.rawValue) }
      }
    case .applicationProtocols(let protocols):
      try writer.vector("protocol_name_list", 2...0xffff) { (writer) throws(WireError) in
        for item in protocols { try writer.opaque("ProtocolName", 1...0xff, item.bytes) }
      }
    case .supportedVersions(let versions): try writeVersions(versions, to: &writer, in: place)
    case .renegotiationInfo(let verifyData): try writer.opaque("renegotiated_connection", 0...0xff, verifyData)
    case .other(_, let data): writer.raw(data)
    }
  }

  private static func serverName(_ reader: inout Reader) throws(WireError) -> String? {
    if reader.isAtEnd { return nil }
    let names = try reader.vector("server_name_list", 1...0xffff) { (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in
        let start = reader.offset
        let type = try reader.uint8("name_type") { $0 == 0 ? "host_name (0)" : String($0) }
        guard type == 0 else {
          throw WireError(offset: start, field: "name_type", .value(Int(type), expected: "host_name (0)"))
        }
        let bytes = try reader.opaque("HostName", 1...0xffff) { String(decoding: $0, as: UTF8.self) }
        return String(decoding: bytes, as: UTF8.self)
      }
    }
    return names.first
  }

  private static func supportedVersions(
    _ reader: inout Reader, in place: Place
  ) throws(WireError) -> [ProtocolVersion] {
    switch place {
    case .serverHello: return [try ProtocolVersion(&reader, "selected_version")]
    case .clientHello:
      return try reader.vector("versions", 2...254) { (reader) throws(WireError) in
        try reader.items { (reader) throws(WireError) in try ProtocolVersion(&reader, "version") }
      }
    }
  }

  private func writeVersions(
    _ versions: [ProtocolVersion], to writer: inout Writer, in place: Place
  ) throws(WireError) {
    switch place {
    case .serverHello: for version in versions { writer.uint16(version.rawValue) }
    case .clientHello:
      try writer.vector("versions", 2...254) { writer in
        for version in versions { writer.uint16(version.rawValue) }
      }
    }
  }
}

extension [Extension] {
  /// The host of `server_name`, nil without one.
  public var serverName: String? {
    for case .serverName(let host) in self { return host }
    return nil
  }
  /// The groups of `supported_groups`, nil without one.
  public var supportedGroups: [NamedGroup]? {
    for case .supportedGroups(let groups) in self { return groups }
    return nil
  }
  /// The algorithms of `signature_algorithms`, nil without one.
  public var signatureAlgorithms: [SignatureAndHashAlgorithm]? {
    for case .signatureAlgorithms(let algorithms) in self { return algorithms }
    return nil
  }
  /// The protocols of `application_layer_protocol_negotiation`, nil without one.
  public var applicationProtocols: [ApplicationProtocol]? {
    for case .applicationProtocols(let protocols) in self { return protocols }
    return nil
  }
  /// The versions of `supported_versions`, nil without one.
  public var supportedVersions: [ProtocolVersion]? {
    for case .supportedVersions(let versions) in self { return versions }
    return nil
  }
  /// The content of `renegotiation_info`, nil without one.
  public var renegotiationInfo: [UInt8]? {
    for case .renegotiationInfo(let verifyData) in self { return verifyData }
    return nil
  }
}

import Cryptography
import Explanation
import Wire

/// An extension of a hello message (RFC 5246 section 7.4.1.4) or of another message (RFC 8446 section 4.2).
///
/// An unknown extension is stored unchanged.
///
/// ```
/// struct { ExtensionType extension_type; opaque extension_data<0..2^16-1>; } Extension;
/// ```
public enum Extension: Sendable, Hashable {
  /// The host that the client connects to (RFC 6066 section 3). A server sends the extension without a host.
  case serverName(String?)
  /// The groups that the client supports for (EC)DHE, in order of preference (RFC 8422 section 5.1.1).
  case supportedGroups([NamedGroup])
  /// The supported point formats, of which 0 is `uncompressed` (RFC 8422 section 5.1.2).
  case ecPointFormats([UInt8])
  /// The algorithms that the peer may sign with (RFC 5246 section 7.4.1.4.1).
  case signatureAlgorithms([SignatureAndHashAlgorithm])
  /// The client's application protocols in order of preference, or the protocol that the server selected (RFC 7301
  /// section 3.1).
  case applicationProtocols([ApplicationProtocol])
  /// The versions that a TLS 1.3 client supports, or the version that the server selected (RFC 8446 section 4.2.1).
  case supportedVersions([ProtocolVersion])
  /// The `renegotiated_connection`, which is empty in the first handshake (RFC 5746 section 3.2).
  case renegotiationInfo([UInt8])
  /// The code of the fragment length that a client requests or a server accepts, at least 1 (RFC 6066 section 4).
  case maxFragmentLength(UInt8)
  /// A client's CertificateStatusRequest. A server sends the extension with empty content (RFC 6066 section 8).
  case statusRequest([UInt8])
  /// A server's SignedCertificateTimestampList. A client sends the extension with empty content (RFC 6962 section
  /// 3.3.1).
  case signedCertificateTimestamps([UInt8])
  /// Padding, whose bytes have no meaning (RFC 7685).
  case padding([UInt8])
  /// Support for encrypt-then-MAC (RFC 7366 section 2).
  case encryptThenMAC
  /// Support for the extended master secret (RFC 7627 section 5.1).
  case extendedMasterSecret
  /// The ticket that a client presents. The content is empty if the client requests a ticket or a server will send one
  /// (RFC 5077 section 3.2).
  case sessionTicket([UInt8])
  /// An extension that only TLS 1.3 defines.
  case tls13(Extension13)
  /// Any other extension, with its content.
  case other(type: ExtensionType, data: [UInt8])

  /// The message that contains an extension. It determines the form of the extension.
  ///
  /// Before TLS 1.3, a ClientHello contains extensions of TLS 1.3 as unknown ones.
  enum Place {
    case clientHello, serverHello
    case clientHello13, helloRetryRequest, encryptedExtensions, certificateRequest, certificateEntry, newSessionTicket
  }

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
    case .maxFragmentLength: .maxFragmentLength
    case .statusRequest: .statusRequest
    case .signedCertificateTimestamps: .signedCertificateTimestamp
    case .padding: .padding
    case .encryptThenMAC: .encryptThenMAC
    case .extendedMasterSecret: .extendedMasterSecret
    case .sessionTicket: .sessionTicket
    case .tls13(let item): item.type
    case .other(let type, _): type
    }
  }

  /// Decodes the extensions at the end of a hello message; nil if the message ends before them.
  static func list(_ reader: inout Reader, in place: Place) throws(WireError) -> [Extension]? {
    reader.isAtEnd ? nil : try vector(&reader, in: place)
  }

  /// Decodes a list of extensions, each with another type.
  static func vector(_ reader: inout Reader, in place: Place) throws(WireError) -> [Extension] {
    let start = reader.offset
    let extensions = try reader.vector(
      "extensions", 0...0xffff, meaning: { $0.count == 1 ? "1 extension" : "\($0.count) extensions" }
    ) { (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in try Extension(&reader, in: place) }
    }
    var seen = ExtensionTypes()
    for item in extensions where !seen.insert(item.type) {
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
    func name(_ type: ExtensionType) -> String {
      [.clientHello, .serverHello].contains(place) ? type.description : type.name13
    }
    self = try reader.structure("extension", meaning: { name($0.type) }) { (reader) throws(WireError) in
      let raw = try reader.uint16("extension_type") { "\(name(ExtensionType(rawValue: $0))) (\($0))" }
      let type = ExtensionType(rawValue: raw)
      return try reader.vector("extension_data", 0...0xffff) { (reader) throws(WireError) in
        try Extension(data: &reader, type, in: place)
      }
    }
  }
}

extension Extension {
  /// Creates an extension with this type and content, in the form that a client sends.
  public init(_ type: ExtensionType, content: [UInt8]) {
    var reader = Reader(content, isRecording: false)
    let typed = try? Extension(data: &reader, type, in: .clientHello)
    self = reader.isAtEnd ? typed ?? .other(type: type, data: content) : .other(type: type, data: content)
  }

  /// Decodes the complete `extension_data`.
  init(data reader: inout Reader, _ type: ExtensionType, in place: Place) throws(WireError) {
    if place == .clientHello {
      // Before TLS 1.3 is selected, its extensions may have any content.
      var attempt = reader
      if let item = try? Extension13(data: &attempt, type, in: .clientHello13), attempt.isAtEnd {
        (self, reader) = (.tls13(item), attempt)
        return
      }
    } else if let item = try Extension13(data: &reader, type, in: place) {
      self = .tls13(item)
      return
    }
    switch type {
    case .serverName: self = .serverName(try Self.serverName(&reader, in: place))
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
      self = .signatureAlgorithms(try Self.signatureAlgorithms(&reader))
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
    // These two extensions, and a server's status_request, have no content: remaining bytes are an error.
    case .extendedMasterSecret: self = .extendedMasterSecret
    case .encryptThenMAC: self = .encryptThenMAC
    case .statusRequest: self = .statusRequest(place == .serverHello ? [] : try reader.rest("data"))
    case .maxFragmentLength:
      self = .maxFragmentLength(
        try reader.uint8("max_fragment_length") { code in
          MaximumFragmentLength(rawValue: code).map { "\($0.count) bytes (\(code))" } ?? String(code)
        })
    case .signedCertificateTimestamp: self = .signedCertificateTimestamps(try reader.rest("data"))
    case .padding: self = .padding(try reader.rest("data"))
    case .sessionTicket: self = .sessionTicket(try reader.rest("data"))
    default: self = .other(type: type, data: try reader.rest("data"))
    }
  }

  /// Encodes `extension_data` without its length field.
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
    case .maxFragmentLength(let code): writer.uint8(code)
    case .encryptThenMAC, .extendedMasterSecret: break
    case .tls13(let item): try item.writeData(to: &writer)
    case .statusRequest(let data), .signedCertificateTimestamps(let data), .padding(let data), .sessionTicket(let data),
      .other(_, let data):
      writer.raw(data)
    }
  }

  /// Decodes a list of signature algorithms (RFC 5246 section 7.4.1.4.1, RFC 8446 section 4.2.3).
  static func signatureAlgorithms(_ reader: inout Reader) throws(WireError) -> [SignatureAndHashAlgorithm] {
    try reader.vector("supported_signature_algorithms", 2...0xfffe) { (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in try SignatureAndHashAlgorithm(&reader, "algorithm") }
    }
  }

  /// Decodes a list with one host_name. RFC 6066 section 3 allows one name for each type, and defines only one type. A
  /// server's extension is empty.
  private static func serverName(_ reader: inout Reader, in place: Place) throws(WireError) -> String? {
    guard place.isClientHello else { return nil }
    let start = reader.offset
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
    if names.count > 1 {
      throw WireError(offset: start, field: "server_name_list", .value(names.count, expected: "one host_name"))
    }
    return names.first
  }

  private static func supportedVersions(
    _ reader: inout Reader, in place: Place
  ) throws(WireError) -> [ProtocolVersion] {
    guard place.isClientHello else { return [try ProtocolVersion(&reader, "selected_version")] }
    return try reader.vector("versions", 2...254) { (reader) throws(WireError) in
      try reader.items { (reader) throws(WireError) in try ProtocolVersion(&reader, "version") }
    }
  }

  private func writeVersions(
    _ versions: [ProtocolVersion], to writer: inout Writer, in place: Place
  ) throws(WireError) {
    guard place.isClientHello else {
      for version in versions { writer.uint16(version.rawValue) }
      return
    }
    try writer.vector("versions", 2...254) { writer in
      for version in versions { writer.uint16(version.rawValue) }
    }
  }
}

extension Extension.Place {
  /// Whether the message is a ClientHello, which lists everything that the client supports.
  var isClientHello: Bool { self == .clientHello || self == .clientHello13 }
}

extension [Extension] {
  /// The host in `server_name`; nil if the extension is absent.
  public var serverName: String? {
    for case .serverName(let host) in self { return host }
    return nil
  }
  /// The groups in `supported_groups`; nil if the extension is absent.
  public var supportedGroups: [NamedGroup]? {
    for case .supportedGroups(let groups) in self { return groups }
    return nil
  }
  /// The formats in `ec_point_formats`; nil if the extension is absent.
  var pointFormats: [UInt8]? {
    for case .ecPointFormats(let formats) in self { return formats }
    return nil
  }
  /// The algorithms in `signature_algorithms`; nil if the extension is absent.
  public var signatureAlgorithms: [SignatureAndHashAlgorithm]? {
    for case .signatureAlgorithms(let algorithms) in self { return algorithms }
    return nil
  }
  /// The protocols in `application_layer_protocol_negotiation`; nil if the extension is absent.
  public var applicationProtocols: [ApplicationProtocol]? {
    for case .applicationProtocols(let protocols) in self { return protocols }
    return nil
  }
  /// The versions in `supported_versions`; nil if the extension is absent.
  public var supportedVersions: [ProtocolVersion]? {
    for case .supportedVersions(let versions) in self { return versions }
    return nil
  }
  /// The content of `renegotiation_info`; nil if the extension is absent.
  public var renegotiationInfo: [UInt8]? {
    for case .renegotiationInfo(let verifyData) in self { return verifyData }
    return nil
  }
}

/// The type of a hello extension (RFC 5246 section 7.4.1.4 and the IANA registry "TLS ExtensionType Values").
public struct ExtensionType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The code point on the wire.
  public let rawValue: UInt16

  /// Creates the type with this code point, which may be unregistered.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `server_name`, RFC 6066 section 3.
  public static let serverName = ExtensionType(rawValue: 0)
  /// `max_fragment_length`, RFC 6066 section 4.
  public static let maxFragmentLength = ExtensionType(rawValue: 1)
  /// `status_request`, RFC 6066 section 8.
  public static let statusRequest = ExtensionType(rawValue: 5)
  /// `supported_groups`, RFC 8422 section 5.1.1 (originally named `elliptic_curves`).
  public static let supportedGroups = ExtensionType(rawValue: 10)
  /// `ec_point_formats`, RFC 8422 section 5.1.2.
  public static let ecPointFormats = ExtensionType(rawValue: 11)
  /// `signature_algorithms`, RFC 5246 section 7.4.1.4.1.
  public static let signatureAlgorithms = ExtensionType(rawValue: 13)
  /// `use_srtp`, RFC 5764.
  static let useSRTP = ExtensionType(rawValue: 14)
  /// `heartbeat`, RFC 6520.
  static let heartbeat = ExtensionType(rawValue: 15)
  /// `client_certificate_type`, RFC 7250.
  static let clientCertificateType = ExtensionType(rawValue: 19)
  /// `server_certificate_type`, RFC 7250.
  static let serverCertificateType = ExtensionType(rawValue: 20)
  /// `application_layer_protocol_negotiation`, RFC 7301.
  public static let applicationProtocols = ExtensionType(rawValue: 16)
  /// `signed_certificate_timestamp`, RFC 6962 section 3.3.1.
  public static let signedCertificateTimestamp = ExtensionType(rawValue: 18)
  /// `padding`, RFC 7685.
  public static let padding = ExtensionType(rawValue: 21)
  /// `encrypt_then_mac`, RFC 7366.
  public static let encryptThenMAC = ExtensionType(rawValue: 22)
  /// `extended_master_secret`, RFC 7627.
  public static let extendedMasterSecret = ExtensionType(rawValue: 23)
  /// `compress_certificate`, RFC 8879.
  public static let compressCertificate = ExtensionType(rawValue: 27)
  /// `record_size_limit`, RFC 8449.
  public static let recordSizeLimit = ExtensionType(rawValue: 28)
  /// `session_ticket`, RFC 5077 section 3.2.
  public static let sessionTicket = ExtensionType(rawValue: 35)
  /// `pre_shared_key`, RFC 8446 section 4.2.11.
  public static let preSharedKey = ExtensionType(rawValue: 41)
  /// `early_data`, RFC 8446 section 4.2.10.
  public static let earlyData = ExtensionType(rawValue: 42)
  /// `supported_versions`, RFC 8446 section 4.2.1.
  public static let supportedVersions = ExtensionType(rawValue: 43)
  /// `cookie`, RFC 8446 section 4.2.2.
  public static let cookie = ExtensionType(rawValue: 44)
  /// `psk_key_exchange_modes`, RFC 8446 section 4.2.9.
  public static let pskKeyExchangeModes = ExtensionType(rawValue: 45)
  /// `certificate_authorities`, RFC 8446 section 4.2.4.
  public static let certificateAuthorities = ExtensionType(rawValue: 47)
  /// `oid_filters`, RFC 8446 section 4.2.5.
  public static let oidFilters = ExtensionType(rawValue: 48)
  /// `post_handshake_auth`, RFC 8446 section 4.2.6.
  public static let postHandshakeAuth = ExtensionType(rawValue: 49)
  /// `signature_algorithms_cert`, RFC 8446 section 4.2.3.
  public static let certificateSignatureAlgorithms = ExtensionType(rawValue: 50)
  /// `key_share`, RFC 8446 section 4.2.8.
  public static let keyShare = ExtensionType(rawValue: 51)
  /// `renegotiation_info`, RFC 5746 section 3.2.
  public static let renegotiationInfo = ExtensionType(rawValue: 0xff01)

  private static let names: [UInt16: String] = [
    0: "server_name", 1: "max_fragment_length", 5: "status_request", 10: "supported_groups", 11: "ec_point_formats",
    13: "signature_algorithms", 15: "heartbeat", 16: "application_layer_protocol_negotiation",
    18: "signed_certificate_timestamp", 21: "padding", 22: "encrypt_then_mac", 23: "extended_master_secret",
    27: "compress_certificate", 35: "session_ticket", 41: "pre_shared_key", 42: "early_data", 43: "supported_versions",
    45: "psk_key_exchange_modes",
    50: "signature_algorithms_cert", 51: "key_share", 13172: "next_protocol_negotiation", 0xff01: "renegotiation_info",
  ]
  /// The names of types that occur only in TLS 1.3, or that TrustLab does not name before.
  private static let names13: [UInt16: String] = [
    14: "use_srtp", 19: "client_certificate_type", 20: "server_certificate_type", 28: "record_size_limit",
    44: "cookie", 47: "certificate_authorities", 48: "oid_filters", 49: "post_handshake_auth",
  ]

  /// The IANA name in a message of TLS 1.3; the code point if the type has no name.
  var name13: String { Self.names13[rawValue] ?? description }

  /// The IANA name; the code point if the type has no name.
  public var description: String { Self.names[rawValue] ?? rawValue.unregisteredName }
}

/// An application protocol, identified by its registered name (RFC 7301 section 6).
///
/// A name is any sequence of bytes and is often text.
public struct ApplicationProtocol: Sendable, Hashable, CustomStringConvertible {
  /// The encoded name: 1 to 255 bytes.
  public let bytes: [UInt8]

  /// Creates the protocol whose name has these bytes.
  public init(bytes: [UInt8]) { self.bytes = bytes }

  /// Creates the protocol with this registered name, such as `http/1.1`.
  public init(_ name: String) { bytes = Array(name.utf8) }

  /// HTTP/1.1, RFC 9112.
  public static let http11 = ApplicationProtocol("http/1.1")
  /// HTTP/2 over TLS, RFC 9113.
  public static let http2 = ApplicationProtocol("h2")

  /// The name if it is printable ASCII; otherwise its bytes in hexadecimal.
  public var description: String {
    let isText = !bytes.isEmpty && bytes.allSatisfy { (0x20...0x7e).contains($0) }
    return isText ? String(decoding: bytes, as: UTF8.self) : "0x\(Hex.string(bytes))"
  }
}

/// The extension types received in a message: a set that does not hash the common types.
private struct ExtensionTypes {
  /// One bit for each of the first 64 types, which include nearly all types that occur.
  private var usual: UInt64 = 0
  private var others: Set<ExtensionType> = []

  /// Adds the type, and returns whether it was absent.
  mutating func insert(_ type: ExtensionType) -> Bool {
    guard type.rawValue < 64 else { return others.insert(type).inserted }
    let bit: UInt64 = 1 << type.rawValue
    defer { usual |= bit }
    return usual & bit == 0
  }
}

/// The kind of a hello extension: RFC 5246 section 7.4.1.4 and the IANA registry "TLS ExtensionType Values".
public struct ExtensionType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The code point on the wire.
  public let rawValue: UInt16

  /// The kind that travels as `rawValue`, known or not.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// `server_name`, RFC 6066 section 3.
  public static let serverName = ExtensionType(rawValue: 0)
  /// `supported_groups`, RFC 8422 section 5.1.1 (there still as `elliptic_curves`).
  public static let supportedGroups = ExtensionType(rawValue: 10)
  /// `ec_point_formats`, RFC 8422 section 5.1.2.
  public static let ecPointFormats = ExtensionType(rawValue: 11)
  /// `signature_algorithms`, RFC 5246 section 7.4.1.4.1.
  public static let signatureAlgorithms = ExtensionType(rawValue: 13)
  /// `application_layer_protocol_negotiation`, RFC 7301.
  public static let applicationProtocols = ExtensionType(rawValue: 16)
  /// `encrypt_then_mac`, RFC 7366.
  public static let encryptThenMAC = ExtensionType(rawValue: 22)
  /// `extended_master_secret`, RFC 7627.
  public static let extendedMasterSecret = ExtensionType(rawValue: 23)
  /// `supported_versions`, RFC 8446 section 4.2.1.
  public static let supportedVersions = ExtensionType(rawValue: 43)
  /// `renegotiation_info`, RFC 5746 section 3.2.
  public static let renegotiationInfo = ExtensionType(rawValue: 0xff01)

  private static let names: [UInt16: String] = [
    0: "server_name", 1: "max_fragment_length", 5: "status_request", 10: "supported_groups", 11: "ec_point_formats",
    13: "signature_algorithms", 15: "heartbeat", 16: "application_layer_protocol_negotiation",
    18: "signed_certificate_timestamp", 21: "padding", 22: "encrypt_then_mac", 23: "extended_master_secret",
    27: "compress_certificate", 35: "session_ticket", 43: "supported_versions", 45: "psk_key_exchange_modes",
    50: "signature_algorithms_cert", 51: "key_share", 13172: "next_protocol_negotiation", 0xff01: "renegotiation_info",
  ]

  /// The IANA name, or the number where there is none.
  public var description: String { Self.names[rawValue] ?? rawValue.codePoint }
}

/// The reason of an alert: RFC 5246 section 7.2, RFC 6066 and RFC 7301 section 3.2.
public struct AlertDescription: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
  /// The code point on the wire.
  public let rawValue: UInt8

  /// Creates the description with this code point, which may be unregistered.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Creates the description with this name in the RFCs, such as `handshake_failure`.
  public init?(name: String) {
    guard let row = Self.registry.first(where: { $0.name == name }) else { return nil }
    self = row.description
  }

  /// The sender will send nothing more on this connection.
  public static let closeNotify = AlertDescription(rawValue: 0)
  /// An unexpected message was received.
  public static let unexpectedMessage = AlertDescription(rawValue: 10)
  /// A record fails authentication, or its padding is wrong.
  public static let badRecordMAC = AlertDescription(rawValue: 20)
  /// Reserved, because a separate alert for decryption failures helped attackers.
  public static let decryptionFailedReserved = AlertDescription(rawValue: 21)
  /// A record is longer than the limits allow.
  public static let recordOverflow = AlertDescription(rawValue: 22)
  /// Compressed data could not be decompressed.
  public static let decompressionFailure = AlertDescription(rawValue: 30)
  /// No offered set of parameters is acceptable.
  public static let handshakeFailure = AlertDescription(rawValue: 40)
  /// The client has no certificate (SSL 3.0 only).
  public static let noCertificateReserved = AlertDescription(rawValue: 41)
  /// A certificate is corrupt or its signature does not verify.
  public static let badCertificate = AlertDescription(rawValue: 42)
  /// A certificate has an unsupported type.
  public static let unsupportedCertificate = AlertDescription(rawValue: 43)
  /// A certificate was revoked by its signer.
  public static let certificateRevoked = AlertDescription(rawValue: 44)
  /// A certificate has expired or is not currently valid.
  public static let certificateExpired = AlertDescription(rawValue: 45)
  /// A certificate is not acceptable for another reason.
  public static let certificateUnknown = AlertDescription(rawValue: 46)
  /// A field is out of range or inconsistent with others.
  public static let illegalParameter = AlertDescription(rawValue: 47)
  /// A chain is valid but does not end at a trusted CA.
  public static let unknownCA = AlertDescription(rawValue: 48)
  /// The certificate is valid, but the sender refuses access.
  public static let accessDenied = AlertDescription(rawValue: 49)
  /// A message could not be decoded: a field or a length is wrong.
  public static let decodeError = AlertDescription(rawValue: 50)
  /// A cryptographic check of the handshake failed: a signature or Finished.
  public static let decryptError = AlertDescription(rawValue: 51)
  /// The peer is restricted to export-grade cryptography; obsolete.
  public static let exportRestrictionReserved = AlertDescription(rawValue: 60)
  /// The version that the peer offers is recognised but not supported.
  public static let protocolVersion = AlertDescription(rawValue: 70)
  /// The server requires stronger ciphers than the client supports.
  public static let insufficientSecurity = AlertDescription(rawValue: 71)
  /// An error occurred that is unrelated to the peer.
  public static let internalError = AlertDescription(rawValue: 80)
  /// The client made an unnecessary fallback to an older version (RFC 7507).
  public static let inappropriateFallback = AlertDescription(rawValue: 86)
  /// The user or the application cancelled the handshake.
  public static let userCanceled = AlertDescription(rawValue: 90)
  /// The sender will not renegotiate.
  public static let noRenegotiation = AlertDescription(rawValue: 100)
  /// A mandatory extension is missing (RFC 8446).
  public static let missingExtension = AlertDescription(rawValue: 109)
  /// The peer sent an extension that was not offered.
  public static let unsupportedExtension = AlertDescription(rawValue: 110)
  /// A certificate could not be fetched from its URL (RFC 6066).
  public static let certificateUnobtainable = AlertDescription(rawValue: 111)
  /// The server does not recognize the requested host name (RFC 6066).
  public static let unrecognizedName = AlertDescription(rawValue: 112)
  /// The stapled OCSP response is invalid (RFC 6066).
  public static let badCertificateStatusResponse = AlertDescription(rawValue: 113)
  /// A certificate does not match the hash that was sent for it (RFC 6066).
  public static let badCertificateHashValue = AlertDescription(rawValue: 114)
  /// The identity of the pre-shared key is unknown (RFC 4279).
  public static let unknownPSKIdentity = AlertDescription(rawValue: 115)
  /// A client certificate was required but not sent (RFC 8446).
  public static let certificateRequired = AlertDescription(rawValue: 116)
  /// An error that no other alert describes (RFC 9846 section 6.2).
  public static let generalError = AlertDescription(rawValue: 117)
  /// The sides have no application protocol in common (RFC 7301).
  public static let noApplicationProtocol = AlertDescription(rawValue: 120)

  /// One entry in the registry of alert descriptions.
  public struct Registration: Sendable, Hashable {
    /// The description itself.
    public let description: AlertDescription
    /// The name in the RFCs, such as `handshake_failure`.
    public let name: String
    /// The meaning of the alert, as a sentence.
    public let statement: String
  }

  /// The name in the RFCs; the code point if there is no name.
  public var description: String { registration?.name ?? rawValue.codePoint }
  /// The meaning of the alert, as a sentence; empty for an unknown description.
  public var statement: String { registration?.statement ?? "" }

  private var registration: Registration? { Self.registry.first { $0.description == self } }

  /// The description that replaces this one in `version`, if necessary.
  ///
  /// SSL 3.0 has twelve descriptions (RFC 6101 section 5.4.2), and the nearest replaces a newer one.
  /// inappropriate_fallback (RFC 7507) exists in all versions. So does protocol_version, which a server sends if all of
  /// its versions are newer than the client's (RFC 5246 appendix E.1).
  func said(in version: ProtocolVersion) -> AlertDescription {
    guard version == .sslv3, !Self.ofSSL3.contains(self) else { return self }
    switch self {
    case .decryptionFailedReserved, .recordOverflow: return .badRecordMAC
    case .unknownCA: return .badCertificate
    default: return .handshakeFailure
    }
  }

  private static let ofSSL3: Set<AlertDescription> = [
    .closeNotify, .unexpectedMessage, .badRecordMAC, .decompressionFailure, .handshakeFailure, .noCertificateReserved,
    .badCertificate, .unsupportedCertificate, .certificateRevoked, .certificateExpired, .certificateUnknown,
    .illegalParameter, .inappropriateFallback, .protocolVersion,
  ]

  /// All descriptions that have a name.
  public static let registry: [Registration] = [
    Registration(
      description: .closeNotify, name: "close_notify",
      statement: "The sender will send nothing more on this connection."),
    Registration(
      description: .unexpectedMessage, name: "unexpected_message",
      statement: "A message arrived that is not allowed at this point."),
    Registration(
      description: .badRecordMAC, name: "bad_record_mac",
      statement: "A record does not authenticate, or its padding is wrong."),
    Registration(
      description: .decryptionFailedReserved, name: "decryption_failed_RESERVED",
      statement: "Reserved: the distinction from bad_record_mac helped attackers."),
    Registration(
      description: .recordOverflow, name: "record_overflow",
      statement: "A record is longer than the limits allow."),
    Registration(
      description: .decompressionFailure, name: "decompression_failure",
      statement: "Compressed data could not be expanded."),
    Registration(
      description: .handshakeFailure, name: "handshake_failure",
      statement: "The offer contains no acceptable set of parameters."),
    Registration(
      description: .noCertificateReserved, name: "no_certificate_RESERVED",
      statement: "SSL 3.0 only."),
    Registration(
      description: .badCertificate, name: "bad_certificate",
      statement: "A certificate is corrupt or its signature does not verify."),
    Registration(
      description: .unsupportedCertificate, name: "unsupported_certificate",
      statement: "A certificate is of an unsupported kind."),
    Registration(
      description: .certificateRevoked, name: "certificate_revoked",
      statement: "A certificate was revoked by its signer."),
    Registration(
      description: .certificateExpired, name: "certificate_expired",
      statement: "A certificate has expired or is not currently valid."),
    Registration(
      description: .certificateUnknown, name: "certificate_unknown",
      statement: "Some other reason made a certificate unacceptable."),
    Registration(
      description: .illegalParameter, name: "illegal_parameter",
      statement: "A field is out of range or inconsistent with others."),
    Registration(
      description: .unknownCA, name: "unknown_ca",
      statement: "A chain is sound but does not lead to a known, trusted CA."),
    Registration(
      description: .accessDenied, name: "access_denied",
      statement: "The certificate is valid, but access control denies access."),
    Registration(
      description: .decodeError, name: "decode_error",
      statement: "A message could not be decoded: a field or a length is wrong."),
    Registration(
      description: .decryptError, name: "decrypt_error",
      statement: "A cryptographic check of the handshake failed: a signature or Finished."),
    Registration(
      description: .exportRestrictionReserved, name: "export_restriction_RESERVED",
      statement: "Reserved: it served export-grade cryptography, now removed."),
    Registration(
      description: .protocolVersion, name: "protocol_version",
      statement: "The sender recognizes the version that the peer offers, but does not support it."),
    Registration(
      description: .insufficientSecurity, name: "insufficient_security",
      statement: "The server requires stronger ciphers than the client has."),
    Registration(
      description: .internalError, name: "internal_error",
      statement: "An internal error that is unrelated to the peer."),
    Registration(
      description: .inappropriateFallback, name: "inappropriate_fallback",
      statement: "The fallback to an older version was not necessary: RFC 7507."),
    Registration(
      description: .userCanceled, name: "user_canceled",
      statement: "The user or the application cancelled the handshake."),
    Registration(
      description: .noRenegotiation, name: "no_renegotiation",
      statement: "The sender will not renegotiate."),
    Registration(
      description: .missingExtension, name: "missing_extension",
      statement: "A mandatory extension is missing: RFC 8446."),
    Registration(
      description: .unsupportedExtension, name: "unsupported_extension",
      statement: "The peer sent an extension that was not offered."),
    Registration(
      description: .certificateUnobtainable, name: "certificate_unobtainable",
      statement: "A certificate could not be fetched from its URL: RFC 6066."),
    Registration(
      description: .unrecognizedName, name: "unrecognized_name",
      statement: "The server does not recognize the requested name: RFC 6066."),
    Registration(
      description: .badCertificateStatusResponse, name: "bad_certificate_status_response",
      statement: "The stapled OCSP response is invalid: RFC 6066."),
    Registration(
      description: .badCertificateHashValue, name: "bad_certificate_hash_value",
      statement: "A certificate does not match the hash that was sent for it: RFC 6066."),
    Registration(
      description: .unknownPSKIdentity, name: "unknown_psk_identity",
      statement: "The pre-shared key identity is unknown: RFC 4279."),
    Registration(
      description: .certificateRequired, name: "certificate_required",
      statement: "A client certificate was required: RFC 8446."),
    Registration(
      description: .generalError, name: "general_error",
      statement: "An error that no other alert describes: RFC 9846."),
    Registration(
      description: .noApplicationProtocol, name: "no_application_protocol",
      statement: "The server supports no application protocol that the client offers: RFC 7301."),
  ]
}

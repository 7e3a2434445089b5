import TLS

extension AlertDescription {
  /// The definition of the alert.
  var source: String {
    switch self {
    case .noCertificateReserved: "RFC 6101 section 5.4.2"
    case .decryptionFailedReserved, .decompressionFailure, .exportRestrictionReserved, .noRenegotiation:
      "RFC 5246 section 7.2"
    case .inappropriateFallback: "RFC 7507 section 3"
    case .missingExtension, .certificateRequired: "RFC 8446 section 6.2"
    case .certificateUnobtainable, .unrecognizedName, .badCertificateStatusResponse, .badCertificateHashValue:
      "RFC 6066 section 9"
    case .unknownPSKIdentity: "RFC 4279 section 2, RFC 8446 section 6.2"
    case .generalError: "RFC 9846 section 6.2"
    case .noApplicationProtocol: "RFC 7301 section 3.2"
    default: "RFC 5246 section 7.2, RFC 8446 section 6"
    }
  }
}

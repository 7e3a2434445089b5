import Explanation

/// The requirements of RFC 6960 on an OCSP response, in the order of section 3.2. If a response violates one, it is
/// refused, and the certificate's status is unknown.
extension Rule {
  /// The responder must return a status, not an error.
  public static let ocspStatus = Rule(
    .chain, "ocsp-status",
    "The responder returned a status, not an error.",
    .rfc(6960, "2.3"),
    fix: "Send the request again later, or ask the CA about its responder. An OCSP error is unsigned and proves "
      + "nothing.",
    decides: false)

  /// The response must be for the requested certificate (section 3.2 (1)).
  public static let ocspCertificate = Rule(
    .chain, "ocsp-certificate",
    "The response identifies this certificate: its issuer's name and key, and its serial number.",
    .rfc(6960, "3.2 (1)"),
    fix: "Request the OCSP response for this certificate, and staple it.", decides: false)

  /// The signature must verify (section 3.2 (2) and (3)).
  public static let ocspSignature = Rule(
    .chain, "ocsp-signature",
    "The response is signed by the responder that it names.",
    .rfc(6960, "3.2 (2), (3)"),
    fix: "Get the response from the responder again.", decides: false)

  /// The signer must be authorised (sections 3.2 (4) and 4.2.2.2).
  public static let ocspResponder = Rule(
    .chain, "ocsp-responder",
    "The signer is the certificate's issuer, or a delegate that the issuer certified for OCSPSigning.",
    .rfc(6960, "4.2.2.2"),
    fix: "Have the issuer certify the responder with OCSPSigning in extKeyUsage.", decides: false)

  /// The response must be current (section 3.2 (5) and (6)).
  public static let ocspCurrent = Rule(
    .chain, "ocsp-current",
    "thisUpdate of the response is in the past, and nextUpdate in the future.",
    .rfc(6960, "4.2.2.1"),
    fix: "Get a new response before nextUpdate, and check the clocks.", decides: false)

  /// Critical extensions must be supported (section 4.4).
  public static let ocspExtension = Rule(
    .chain, "ocsp-extension",
    "The client supports every critical extension of the response.",
    .rfc(6960, "4.4"),
    fix: "Have the responder omit the extension, or mark it not critical.", decides: false)

  /// The response must repeat the request's nonce (section 4.4.1).
  public static let ocspNonce = Rule(
    .chain, "ocsp-nonce",
    "The response contains the nonce of the request.",
    .rfc(6960, "4.4.1"),
    fix: "If the responder signs in advance, send the request without a nonce. Otherwise, the response is old: request "
      + "it again.", decides: false)

  static let ocspResponses = [
    ocspStatus, ocspCertificate, ocspSignature, ocspResponder, ocspCurrent, ocspExtension, ocspNonce,
  ]
}

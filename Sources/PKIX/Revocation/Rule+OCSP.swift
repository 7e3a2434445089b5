import Explanation

/// What RFC 6960 demands of an answer before it is believed, in the order of section 3.2. A violation refuses the answer;
/// the certificate's status is then not known.
extension Rule {
  /// The responder answered.
  public static let ocspStatus = Rule(
    .chain, "ocsp-status", "The responder answered successfully.", .rfc(6960, "2.3"),
    fix: "Ask later, or ask the authority why its responder does not answer: an error is not signed and says nothing.",
    decides: false)

  /// It is about the certificate, 3.2 (1).
  public static let ocspCertificate = Rule(
    .chain, "ocsp-certificate",
    "The answer is about the certificate in question: its issuer's name and key, its number.",
    .rfc(6960, "3.2 (1)"), fix: "Ask about this certificate of this issuer, and staple that answer.", decides: false)

  /// The signature verifies, 3.2 (2) and (3).
  public static let ocspSignature = Rule(
    .chain, "ocsp-signature", "The signature on the answer is that of the responder it names.",
    .rfc(6960, "3.2 (2), (3)"), fix: "The answer was changed, or another key signed it: ask again.", decides: false)

  /// The signer may answer, 3.2 (4) and 4.2.2.2.
  public static let ocspResponder = Rule(
    .chain, "ocsp-responder",
    "The answer is signed by the certificate's issuer, or by a delegate that the issuer certified for OCSPSigning.",
    .rfc(6960, "4.2.2.2"), fix: "Certify the responder by the issuer itself, with OCSPSigning in extKeyUsage.",
    decides: false)

  /// The answer is current, 3.2 (5) and (6).
  public static let ocspCurrent = Rule(
    .chain, "ocsp-current", "The answer is of the past, not of long ago, and its next update is still to come.",
    .rfc(6960, "4.2.2.1"), fix: "Fetch a new answer before nextUpdate; check the clocks.", decides: false)

  /// Nothing critical is passed over, 4.4.
  public static let ocspExtension = Rule(
    .chain, "ocsp-extension", "Every critical extension of the answer is one that the client processes.",
    .rfc(6960, "4.4"), fix: "Let the responder answer without the extension, or mark it not critical.", decides: false)

  /// The nonce comes back, 4.4.1.
  public static let ocspNonce = Rule(
    .chain, "ocsp-nonce", "The answer holds the nonce that was sent.", .rfc(6960, "4.4.1"),
    fix: "Ask without a nonce: most responders sign their answers beforehand. Else the answer is an old one.",
    decides: false)

  static let ocspAnswers = [
    ocspStatus, ocspCertificate, ocspSignature, ocspResponder, ocspCurrent, ocspExtension, ocspNonce,
  ]
}

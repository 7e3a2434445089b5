import Explanation

/// The status of one certificate according to CRLs.
public enum RevocationStatus: Sendable, Hashable {
  /// The CRLs cover all revocation reasons, and none of them lists the certificate.
  case good
  /// A CRL lists the certificate, with this date and reason.
  case revoked(Instant, RevocationReason?)
  /// The available CRLs do not establish the status. The value is the reason that is nearest to a result.
  case undetermined(RevocationRejectionReason)
}

/// The reason why a CRL does not establish a certificate's status, in the order of RFC 5280 section 6.3.3.
///
/// A later reason is nearer to a result.
public enum RevocationRejectionReason: Int, Error, Sendable, Hashable, Comparable {
  /// There is no CRL from the issuer that the certificate names.
  case noCRL
  /// The CRL covers other certificates (b).
  case otherScope
  /// The CRL is not yet valid, or the next CRL is overdue (a).
  case notCurrent
  /// The CRL is not current, but lists the certificate.
  case notCurrentButListed
  /// The CRL has a malformed extension, or a critical one that is not supported (sections 5.2 and 5.3).
  case unprocessedExtension
  /// The CRL does not meet the requirements of section 5 on CRL issuers.
  case nonconforming
  /// The issuer's key did not sign the CRL, or the CRL was changed (g).
  case signatureInvalid
  /// No available certificate with cRLSign has the signing key, or no such certificate is valid ((f), (g)).
  case noValidIssuer
  /// The certificate of the CRL's signer is revoked (f).
  case issuerRevoked
  /// The applicable CRLs cover only some revocation reasons (l).
  case someReasons

  /// Orders reasons by how near they are to a result.
  public static func < (left: RevocationRejectionReason, right: RevocationRejectionReason) -> Bool {
    left.rawValue < right.rawValue
  }
}

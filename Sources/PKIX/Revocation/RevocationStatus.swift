import Explanation

/// The status of one certificate by CRLs.
public enum RevocationStatus: Sendable, Hashable {
  /// The CRLs cover all reasons, and the certificate is on none.
  case good
  /// It is on a CRL, with this date and reason.
  case revoked(Instant, RevocationReason?)
  /// The available CRLs do not show the status; the reason of the nearest one.
  case undetermined(RevocationRejectionReason)
}

/// The reason why a CRL does not show a certificate's status, in the order of RFC 5280 section 6.3.3. A later reason is
/// nearer to a result.
public enum RevocationRejectionReason: Int, Error, Sendable, Hashable, Comparable {
  /// There is no CRL of the issuer that the certificate names.
  case noCRL
  /// It covers other certificates: (b).
  case otherScope
  /// It is not yet issued, or the next one is overdue: (a).
  case notCurrent
  /// It is not current, and the certificate is on it.
  case notCurrentButListed
  /// It has a malformed extension, or a critical one that is not supported: sections 5.2 and 5.3.
  case unprocessedExtension
  /// It does not meet the requirements of section 5 on CRL issuers.
  case nonconforming
  /// The issuer's key did not sign it, or it was changed: (g).
  case signatureInvalid
  /// No available certificate with cRLSign has the signing key, or none that is valid: (f), (g).
  case noValidIssuer
  /// The signer's certificate is revoked: (f).
  case issuerRevoked
  /// The applicable CRLs cover only some reasons: (l).
  case someReasons

  /// A later reason is nearer to a result.
  public static func < (left: RevocationRejectionReason, right: RevocationRejectionReason) -> Bool {
    left.rawValue < right.rawValue
  }
}

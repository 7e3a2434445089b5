import Explanation

/// What revocation lists say about one certificate.
public enum RevocationStatus: Sendable, Hashable {
  /// No reason for which it could be revoked is left, and none was found.
  case good
  /// It is on a list, since this date and for this reason.
  case revoked(Instant, RevocationReason?)
  /// The lists at hand cannot tell; why the nearest could not.
  case undetermined(RevocationObstacle)
}

/// Why a revocation list does not tell a certificate's status, in the order of RFC 5280 section 6.3.3; a later one came
/// nearer.
public enum RevocationObstacle: Int, Error, Sendable, Hashable, Comparable {
  /// There is none by the issuer that the certificate names.
  case noList
  /// It covers other certificates: (b).
  case otherScope
  /// It was not issued yet, or the next one should have been: (a).
  case notCurrent
  /// It is not current, and the certificate is on it.
  case notCurrentButListed
  /// It holds something critical that is not processed, or something malformed: sections 5.2 and 5.3.
  case unprocessedExtension
  /// It lacks what section 5 demands of conforming issuers.
  case nonconforming
  /// The key of whoever has the issuer's name did not sign it, or it was changed: (g).
  case signatureInvalid
  /// No certificate with cRLSign at hand has the key that signed it, or none that is valid itself: (f), (g).
  case noValidIssuer
  /// The certificate of who signed it is revoked itself: (f).
  case issuerRevoked
  /// Those that do cover some reasons only: (l).
  case someReasons

  /// A later obstacle came nearer.
  public static func < (left: RevocationObstacle, right: RevocationObstacle) -> Bool { left.rawValue < right.rawValue }
}

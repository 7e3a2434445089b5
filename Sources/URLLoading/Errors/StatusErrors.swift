extension AppError {
  /// Results of trust evaluation: Apple's SecBase.h.
  static let statusErrors: [Registration] = [
    Registration(
      -9886, "errSSLATSCertificateTrustViolation", "The chain has none of the identities of NSPinnedDomains."),
    Registration(-25318, "errSecCreateChainFailed", "The chain is not complete."),
    Registration(-67602, "errSecHostNameMismatch", "The certificate is for another name."),
    Registration(
      -67603, "errSecUnknownCriticalExtensionFlag", "A critical extension of the chain is one that nobody knows."),
    Registration(-67604, "errSecNoBasicConstraints", "An issuer's certificate has no basicConstraints."),
    Registration(-67605, "errSecNoBasicConstraintsCA", "An issuer's certificate is not that of an authority."),
    Registration(-67608, "errSecInvalidKeyUsageForPolicy", "An issuer's key may not sign certificates."),
    Registration(-67609, "errSecInvalidExtendedKeyUsage", "The certificate is not for servers."),
    Registration(
      -67611, "errSecPathLengthConstraintExceeded", "More intermediates follow an authority than it allows."),
    Registration(-67618, "errSecUnknownCertExtension", "An extension of the chain cannot be read."),
    Registration(
      -67635, "errSecIncompleteCertRevocationCheck", "Whether it is revoked was to be known, and nobody answered."),
    Registration(-67654, "errSecTrustSettingDeny", "The user or an administrator said never to trust it."),
    Registration(-67689, "errSecInvalidName", "A name is not one that an authority of the chain may certify."),
    Registration(-67735, "errSecUnsupportedKeySize", "A key of the chain is too short."),
    Registration(-67815, "errSecInvalidDigestAlgorithm", "A certificate of the chain is signed with a weak hash."),
    Registration(-67818, "errSecCertificateExpired", "A certificate of the chain is not valid on this date."),
    Registration(
      -67819, "errSecCertificateNotValidYet",
      "The name says it, and evaluation does not: a server's certificate before its notBefore shows as -67818."),
    Registration(
      -67820, "errSecCertificateRevoked", "A certificate of the chain is revoked, or blocked by the system."),
    Registration(-67825, "errSecVerifyActionFailed", "Certificate transparency is missing."),
    Registration(-67835, "errSecInvalidPolicyIdentifiers", "The chain has no certificate policy that it must have."),
    Registration(-67843, "errSecNotTrusted", "The chain does not end in a trusted root."),
    Registration(-67901, "errSecCertificateValidityPeriodTooLong", "The certificate is valid for too long."),
    Registration(-67903, "errSecCertificateDuplicateExtension", "An extension appears twice in a certificate."),
  ]
}

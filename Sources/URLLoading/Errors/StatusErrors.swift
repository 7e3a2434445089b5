extension AppError {
  /// Results of trust evaluation: Apple's SecBase.h.
  static let statusErrors: [Registration] = [
    Registration(
      -9886, "errSSLATSCertificateTrustViolation", "The chain has none of the identities of NSPinnedDomains."),
    Registration(-25318, "errSecCreateChainFailed", "The chain is not complete."),
    Registration(-67602, "errSecHostNameMismatch", "The certificate is for another name."),
    Registration(-67609, "errSecInvalidExtendedKeyUsage", "The certificate is not for servers."),
    Registration(-67735, "errSecUnsupportedKeySize", "A key of the chain is too short."),
    Registration(-67815, "errSecInvalidDigestAlgorithm", "A certificate of the chain is signed with a weak hash."),
    Registration(-67818, "errSecCertificateExpired", "A certificate of the chain is not valid on this date."),
    Registration(-67825, "errSecVerifyActionFailed", "Certificate transparency is missing."),
    Registration(-67843, "errSecNotTrusted", "The chain does not end in a trusted root."),
    Registration(-67901, "errSecCertificateValidityPeriodTooLong", "The certificate is valid for too long."),
  ]
}

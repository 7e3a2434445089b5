extension AppError {
  /// The error codes of the URL Loading System.
  static let urlErrors: [Registration] = [
    Registration(-1, "NSURLErrorUnknown", "The reason is unknown."),
    Registration(-999, "NSURLErrorCancelled", "The load was cancelled."),
    Registration(-1000, "NSURLErrorBadURL", "The URL is malformed."),
    Registration(-1001, "NSURLErrorTimedOut", "The load took too long."),
    Registration(-1002, "NSURLErrorUnsupportedURL", "The URL's scheme is not supported."),
    Registration(-1003, "NSURLErrorCannotFindHost", "The host name has no address."),
    Registration(-1004, "NSURLErrorCannotConnectToHost", "The host does not accept the connection."),
    Registration(-1005, "NSURLErrorNetworkConnectionLost", "The connection was lost."),
    Registration(-1006, "NSURLErrorDNSLookupFailed", "The host name could not be looked up."),
    Registration(
      -1007, "NSURLErrorHTTPTooManyRedirects", "There were too many redirects, or they form a loop."),
    Registration(-1009, "NSURLErrorNotConnectedToInternet", "The device is not connected to the internet."),
    Registration(-1010, "NSURLErrorRedirectToNonExistentLocation", "A redirect leads nowhere."),
    Registration(-1011, "NSURLErrorBadServerResponse", "The server sent an invalid response."),
    Registration(-1012, "NSURLErrorUserCancelledAuthentication", "The authentication challenge was cancelled."),
    Registration(-1013, "NSURLErrorUserAuthenticationRequired", "Authentication is required."),
    Registration(
      -1017, "NSURLErrorCannotParseResponse", "The response to a request could not be parsed."),
    Registration(
      -1022, "NSURLErrorAppTransportSecurityRequiresSecureConnection",
      "App Transport Security blocked an insecure load."),
    Registration(-1200, "NSURLErrorSecureConnectionFailed", "A secure connection could not be made."),
    Registration(
      -1201, "NSURLErrorServerCertificateHasBadDate", "The server's certificate has expired or is not yet valid."),
    Registration(-1202, "NSURLErrorServerCertificateUntrusted", "The server's certificate is not trusted."),
    Registration(-1203, "NSURLErrorServerCertificateHasUnknownRoot", "The server's certificate has an unknown root."),
    Registration(-1204, "NSURLErrorServerCertificateNotYetValid", "The server's certificate is not yet valid."),
    Registration(-1205, "NSURLErrorClientCertificateRejected", "The server rejected the client's certificate."),
    Registration(-1206, "NSURLErrorClientCertificateRequired", "The server requires a client certificate."),
    Registration(
      -2000, "NSURLErrorCannotLoadFromNetwork",
      "The load may use only the cache, which contains no response."),
  ]

  /// The CFNetwork error codes about proxies (CFNetworkErrors).
  static let networkErrors: [Registration] = [
    Registration(306, "kCFErrorHTTPProxyConnectionFailure", "The HTTP proxy cannot be reached."),
    Registration(307, "kCFErrorHTTPBadProxyCredentials", "The HTTP proxy does not accept the credentials."),
    Registration(310, "kCFErrorHTTPSProxyConnectionFailure", "The HTTPS proxy does not open a tunnel."),
    Registration(
      311, "kCFStreamErrorHTTPSProxyFailureUnexpectedResponseToCONNECTMethod",
      "The HTTPS proxy responds to CONNECT with an unexpected status."),
  ]

  /// The results of trust evaluation (Apple's SecBase.h).
  static let statusErrors: [Registration] = [
    Registration(-50, "errSecParam", "A parameter is not valid: SecTrustEvaluate received no trust object."),
    Registration(
      -9886, "errSSLATSCertificateTrustViolation", "The chain contains none of the identities in NSPinnedDomains."),
    Registration(-25257, "errSecUnknownFormat", "The format of the file to import is unknown."),
    Registration(
      -25260, "errSecPassphraseRequired",
      "The file to import needs a passphrase, but the options contain none."),
    Registration(
      -25293, "errSecAuthFailed",
      "The passphrase of the file to import is wrong, the file is damaged, or the system does not support its MAC."),
    Registration(-25300, "errSecItemNotFound", "The keychain contains no such item."),
    Registration(-25318, "errSecCreateChainFailed", "The chain is incomplete."),
    Registration(
      -26275, "errSecDecode", "The file to import cannot be decoded, or the system does not support its protection."
    ),
    Registration(-67602, "errSecHostNameMismatch", "The certificate is for another name."),
    Registration(
      -67603, "errSecUnknownCriticalExtensionFlag", "A certificate in the chain has an unknown critical extension."),
    Registration(-67604, "errSecNoBasicConstraints", "An issuer's certificate has no basicConstraints."),
    Registration(-67605, "errSecNoBasicConstraintsCA", "An issuer's certificate is not a CA certificate."),
    Registration(-67608, "errSecInvalidKeyUsageForPolicy", "An issuer's key may not sign certificates."),
    Registration(-67609, "errSecInvalidExtendedKeyUsage", "The certificate is not intended for servers."),
    Registration(
      -67610, "errSecInvalidIDLinkage", "The key identifiers of a certificate and its issuer do not match."),
    Registration(
      -67611, "errSecPathLengthConstraintExceeded", "The chain has more intermediates below a CA than the CA allows."),
    Registration(-67618, "errSecUnknownCertExtension", "An extension of a certificate in the chain cannot be decoded."),
    Registration(
      -67635, "errSecIncompleteCertRevocationCheck", "Revocation status is required, but no responder provides it."),
    Registration(-67654, "errSecTrustSettingDeny", "The user or an administrator marked a certificate Never Trust."),
    Registration(-67655, "errSecInvalidSubjectName", "A certificate in the chain has an empty subject."),
    Registration(-67689, "errSecInvalidName", "A CA of the chain may not issue a certificate for one of the names."),
    Registration(-67735, "errSecUnsupportedKeySize", "A key in the chain is too short or of an unsupported type."),
    Registration(-67815, "errSecInvalidDigestAlgorithm", "A certificate in the chain is signed with a weak hash."),
    Registration(-67818, "errSecCertificateExpired", "A certificate in the chain is not valid on this date."),
    Registration(
      -67819, "errSecCertificateNotValidYet",
      "Trust evaluation does not use this code: for a server's certificate before its notBefore, it returns -67818."),
    Registration(
      -67820, "errSecCertificateRevoked", "A certificate in the chain is revoked, or blocked by the system."),
    Registration(-67825, "errSecVerifyActionFailed", "The certificate does not meet Certificate Transparency."),
    Registration(-67835, "errSecInvalidPolicyIdentifiers", "The chain lacks a required certificate policy."),
    Registration(-67843, "errSecNotTrusted", "The chain does not end in a trusted root."),
    Registration(-67901, "errSecCertificateValidityPeriodTooLong", "The certificate is valid for too long."),
    Registration(-67903, "errSecCertificateDuplicateExtension", "An extension occurs twice in a certificate."),
  ]

  /// The status codes of TLS (Apple's SecBase.h). The codes with "Peer" in their names are for alerts from the server.
  static let tlsErrors: [Registration] = [
    Registration(-9800, "errSSLProtocol", "SSL protocol error."),
    Registration(-9801, "errSSLNegotiation", "Cipher Suite negotiation failure."),
    Registration(-9802, "errSSLFatalAlert", "Fatal alert."),
    Registration(-9803, "errSSLWouldBlock", "I/O would block (not fatal)."),
    Registration(-9804, "errSSLSessionNotFound", "Attempt to restore an unknown session."),
    Registration(-9805, "errSSLClosedGraceful", "Connection closed gracefully."),
    Registration(-9806, "errSSLClosedAbort", "Connection closed via error."),
    Registration(-9807, "errSSLXCertChainInvalid", "Invalid certificate chain."),
    Registration(-9808, "errSSLBadCert", "Bad certificate format."),
    Registration(-9809, "errSSLCrypto", "Underlying cryptographic error."),
    Registration(-9810, "errSSLInternal", "Internal error."),
    Registration(-9811, "errSSLModuleAttach", "Module attach failure."),
    Registration(-9812, "errSSLUnknownRootCert", "Valid cert chain, untrusted root."),
    Registration(-9813, "errSSLNoRootCert", "Cert chain not verified by root."),
    Registration(-9814, "errSSLCertExpired", "Chain had an expired cert."),
    Registration(-9815, "errSSLCertNotYetValid", "Chain had a cert not yet valid."),
    Registration(-9816, "errSSLClosedNoNotify", "Server closed session with no notification."),
    Registration(-9817, "errSSLBufferOverflow", "Insufficient buffer provided."),
    Registration(-9818, "errSSLBadCipherSuite", "Bad SSLCipherSuite."),
    Registration(-9819, "errSSLPeerUnexpectedMsg", "Unexpected message received."),
    Registration(-9820, "errSSLPeerBadRecordMac", "Bad MAC."),
    Registration(-9821, "errSSLPeerDecryptionFail", "Decryption failed."),
    Registration(-9822, "errSSLPeerRecordOverflow", "Record overflow."),
    Registration(-9823, "errSSLPeerDecompressFail", "Decompression failure."),
    Registration(-9824, "errSSLPeerHandshakeFail", "Handshake failure."),
    Registration(-9825, "errSSLPeerBadCert", "Misc. bad certificate."),
    Registration(-9826, "errSSLPeerUnsupportedCert", "Bad unsupported cert format."),
    Registration(-9827, "errSSLPeerCertRevoked", "Certificate revoked."),
    Registration(-9828, "errSSLPeerCertExpired", "Certificate expired."),
    Registration(-9829, "errSSLPeerCertUnknown", "Unknown certificate."),
    Registration(-9830, "errSSLIllegalParam", "Illegal parameter."),
    Registration(-9831, "errSSLPeerUnknownCA", "Unknown Cert Authority."),
    Registration(-9832, "errSSLPeerAccessDenied", "Access denied."),
    Registration(-9833, "errSSLPeerDecodeError", "Decoding error."),
    Registration(-9834, "errSSLPeerDecryptError", "Decryption error."),
    Registration(-9835, "errSSLPeerExportRestriction", "Export restriction."),
    Registration(-9836, "errSSLPeerProtocolVersion", "Bad protocol version."),
    Registration(-9837, "errSSLPeerInsufficientSecurity", "Insufficient security."),
    Registration(-9838, "errSSLPeerInternalError", "Internal error."),
    Registration(-9839, "errSSLPeerUserCancelled", "User canceled."),
    Registration(-9840, "errSSLPeerNoRenegotiation", "No renegotiation allowed."),
    Registration(-9841, "errSSLPeerAuthCompleted", "Peer cert is valid, or was ignored if verification disabled."),
    Registration(-9842, "errSSLClientCertRequested", "Server has requested a client cert."),
    Registration(-9843, "errSSLHostNameMismatch", "Peer host name mismatch."),
    Registration(-9844, "errSSLConnectionRefused", "Peer dropped connection before responding."),
    Registration(-9845, "errSSLDecryptionFail", "Decryption failure."),
    Registration(-9846, "errSSLBadRecordMac", "Bad MAC."),
    Registration(-9847, "errSSLRecordOverflow", "Record overflow."),
    Registration(-9848, "errSSLBadConfiguration", "Configuration error."),
    Registration(-9849, "errSSLUnexpectedRecord", "Unexpected (skipped) record in DTLS."),
    Registration(-9850, "errSSLWeakPeerEphemeralDHKey", "Weak ephemeral dh key."),
    Registration(-9851, "errSSLClientHelloReceived", "SNI."),
    Registration(-9852, "errSSLTransportReset", "Transport (socket) shutdown, e.g., TCP RST or FIN."),
    Registration(-9853, "errSSLNetworkTimeout", "Network timeout triggered."),
    Registration(-9854, "errSSLConfigurationFailed", "TLS configuration failed."),
    Registration(-9855, "errSSLUnsupportedExtension", "Unsupported TLS extension."),
    Registration(-9856, "errSSLUnexpectedMessage", "Peer rejected unexpected message."),
    Registration(-9857, "errSSLDecompressFail", "Decompression failed."),
    Registration(-9858, "errSSLHandshakeFail", "Handshake failed."),
    Registration(-9859, "errSSLDecodeError", "Decode failed."),
    Registration(-9860, "errSSLInappropriateFallback", "Inappropriate fallback."),
    Registration(-9861, "errSSLMissingExtension", "Missing extension."),
    Registration(-9862, "errSSLBadCertificateStatusResponse", "Bad OCSP response."),
    Registration(-9863, "errSSLCertificateRequired", "Certificate required."),
    Registration(-9864, "errSSLUnknownPSKIdentity", "Unknown PSK identity."),
    Registration(-9865, "errSSLUnrecognizedName", "Unknown or unrecognized name."),
    Registration(-9880, "errSSLATSViolation", "ATS violation."),
    Registration(-9881, "errSSLATSMinimumVersionViolation", "ATS: minimum protocol version is not ATS compliant."),
    Registration(-9882, "errSSLATSCiphersuiteViolation", "ATS: selected ciphersuite is not ATS compliant."),
    Registration(-9883, "errSSLATSMinimumKeySizeViolation", "ATS: peer key size is not ATS compliant."),
    Registration(
      -9884, "errSSLATSLeafCertificateHashAlgorithmViolation",
      "ATS: peer leaf certificate hash algorithm is not ATS compliant."),
    Registration(
      -9885, "errSSLATSCertificateHashAlgorithmViolation", "ATS: peer certificate hash algorithm is not ATS compliant."),
    Registration(-9886, "errSSLATSCertificateTrustViolation", "ATS: peer certificate is not issued by trusted peer."),
    Registration(-9890, "errSSLEarlyDataRejected", "Early application data rejected by peer."),
  ]
}

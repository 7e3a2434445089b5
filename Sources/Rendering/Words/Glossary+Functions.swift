extension Glossary {
  /// The functions and properties of Foundation and Security that examine challenges, trusts and identities.
  static let functionTerms = [
    Term(
      name: "SecTrust",
      meaning: "The object with which an app evaluates a server: its chain, the policies, the anchors and the date. A "
        + "ServerTrust challenge contains a SecTrust that is set up for the host; other challenges have none.",
      source: "Apple: SecTrust", others: ["SecTrustRef"]),
    Term(
      name: "SecTrustEvaluateAsync",
      meaning: "Evaluates a trust on another queue, because an evaluation may download issuers or query revocation. "
        + "A NULL trust results in Invalid. SecTrustEvaluateAsyncWithError (iOS 13) must be called on the queue that "
        + "is passed to it.",
      source: "Apple: SecTrustEvaluateAsync(_:_:_:)", others: ["SecTrustEvaluateAsyncWithError"]),
    Term(
      name: "SecTrustGetTrustResult",
      meaning:
        "Returns the result of the last evaluation. Every change of the trust discards this result. Up to iOS 10, the "
        + "function then returns Invalid. Since iOS 11, it evaluates the trust first (challenge.not-evaluated).",
      source: "Apple: SecTrustGetTrustResult(_:_:)"),
    Term(
      name: "SecTrustSetAnchorCertificates",
      meaning: "Sets the only anchors that a chain may end in. NULL restores the system's anchors; an empty array "
        + "trusts nothing. Names, dates and purposes are still checked.",
      source: "Apple: SecTrustSetAnchorCertificates(_:_:)"),
    Term(
      name: "SecTrustSetAnchorCertificatesOnly",
      meaning: "With false, the system's roots are anchors in addition to the app's own. Call it after "
        + "SecTrustSetAnchorCertificates, which sets it to true.",
      source: "Apple: SecTrustSetAnchorCertificatesOnly(_:_:)"),
    Term(
      name: "SecTrustSetPolicies",
      meaning:
        "Replaces the policies of the trust. SecPolicyCreateSSL(true, host) compares the name; with NULL as the host, "
        + "it does not compare the name (pin.host-not-checked). SecPolicyCreateBasicX509 applies no TLS rules.",
      source: "Apple: SecTrustSetPolicies(_:_:)", others: ["SecPolicyCreateSSL", "SecPolicyCreateBasicX509"]),
    Term(
      name: "SecTrustSetExceptions",
      meaning:
        "Ignores the failures that SecTrustCopyExceptions recorded for one certificate; the result is then Proceed. A "
        + "new failure, or another certificate, still fails. An app that sets exceptions without asking the user "
        + "accepts everything.",
      source: "Apple: SecTrustSetExceptions(_:_:)", others: ["SecTrustCopyExceptions"]),
    Term(
      name: "SecTrustGetCertificateCount",
      meaning: "Returns the number of certificates in the chain, and evaluates the trust first if necessary. Index 0 "
        + "is the leaf; its public key is available before any evaluation.",
      source: "Apple: SecTrustGetCertificateCount(_:)",
      others: ["SecTrustGetCertificateAtIndex", "SecTrustCopyPublicKey", "SecTrustCopyKey"]),
    Term(
      name: "SecCertificateCreateWithData",
      meaning:
        "Creates a certificate from DER. For other data, such as a PEM file, it returns NULL. An array cannot hold "
        + "NULL: an exception ends the app (challenge.anchor-not-der).",
      source: "Apple: SecCertificateCreateWithData(_:_:)"),
    Term(
      name: "SecPKCS12Import",
      meaning: "Opens a PKCS #12 file with kSecImportExportPassphrase. It returns an array of dictionaries, each "
        + "with an identity, a trust and a chain. Certificates without a key result in an empty array. The items "
        + "exist while the process runs; SecItemAdd keeps an identity in the keychain.",
      source: "Apple: SecPKCS12Import(_:_:_:)",
      others: ["kSecImportExportPassphrase", "kSecImportItemIdentity", "SecItemAdd"]),
    Term(
      name: "SecIdentityCopyCertificate",
      meaning:
        "Returns the certificate of an identity; the caller must release it. The identity itself belongs to the array "
        + "from which it was taken. Without a retain, the identity dangles (pkcs12.dangling-identity).",
      source: "Apple: SecIdentityCopyCertificate(_:_:)"),
    Term(
      name: "credentialForTrust:",
      meaning:
        "A credential that states that the app has evaluated the trust. The class checks nothing: an app that creates "
        + "one without an evaluation accepts every certificate (challenge.accepts-all).",
      source: "Apple: init(trust:)", others: ["initWithTrust:", "credentialForTrust"]),
    Term(
      name: "credentialWithUser:password:persistence:",
      meaning: "A credential with user and password. It is kept for this request, for the process, or in the "
        + "keychain.",
      source: "Apple: init(user:password:persistence:)"),
    Term(
      name: "credentialWithIdentity:certificates:persistence:",
      meaning: "A credential with an identity and the intermediates above it, without the leaf. A leaf in the array "
        + "is sent twice (client-auth.duplicate-leaf). The persistence is ignored (client-auth.not-persisted).",
      source: "Apple: init(identity:certificates:persistence:)"),
    Term(
      name: "connectionShouldUseCredentialStorage:",
      meaning:
        "A method of an NSURLConnection's delegate that is called before any authentication. If it returns NO, the "
        + "credential storage is neither read nor written. Before iOS 7, the method is not called if the delegate "
        + "implements willSendRequestForAuthenticationChallenge:.",
      source: "Apple: connectionShouldUseCredentialStorage(_:)", others: ["connectionShouldUseCredentialStorage"]),
    Term(
      name: "defaultCredentialForProtectionSpace:",
      meaning:
        "Returns the storage's default credential for a protection space that is equal in every part. If one letter of "
        + "the realm differs, it returns nil. The method setDefaultCredential:forProtectionSpace: sets the default "
        + "credential.",
      source: "Apple: defaultCredential(for:)", others: ["setDefaultCredential:forProtectionSpace:"]),
    Term(
      name: "failureResponse",
      meaning: "The 401 or 407 response that caused a challenge; nil for challenges of TLS.",
      source: "Apple: failureResponse"),
    Term(
      name: "distinguishedNames",
      meaning:
        "The names of the CAs in a server's CertificateRequest, in DER; nil for every other challenge. They are a "
        + "hint: the app filters its identities by these names, but the system does not.",
      source: "Apple: distinguishedNames; RFC 5246 section 7.4.4"),
    Term(
      name: "receivesCredentialSecurely",
      meaning: "Whether a password is protected on its way to this protection space. It is YES over https. The value "
        + "for Digest and NTLM over http is not documented.",
      source: "Apple: receivesCredentialSecurely"),
    Term(
      name: "NSURLProtectionSpaceHTTPS",
      meaning: "The protocol of a protection space as a string: http, https or ftp; nil for a proxy.",
      source: "Apple: NSURLProtectionSpaceHTTPS", others: ["NSURLProtectionSpaceHTTP", "NSURLProtectionSpaceFTP"]),
    Term(
      name: "openssl_x509_parse",
      meaning:
        "A PHP function that returns the fields of a certificate: subject, issuer, serial number, dates, purposes. It "
        + "proves nothing: it does not check the signature, the revocation status or the owner of the private key.",
      source: "PHP: openssl_x509_parse"),
  ]
}

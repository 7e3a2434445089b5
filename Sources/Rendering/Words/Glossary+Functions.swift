extension Glossary {
  /// Functions and properties of Foundation and Security with which an app looks at challenges, trusts and identities.
  static let functionTerms = [
    Term(
      name: "SecTrust",
      meaning:
        "What an app evaluates about a server: its chain, the policy, the anchors and the date. A challenge ServerTrust "
        + "brings one along, ready for the host; no other challenge has any.",
      source: "Apple: SecTrust", others: ["SecTrustRef"]),
    Term(
      name: "SecTrustEvaluateAsync",
      meaning:
        "Evaluates on another queue, since an evaluation may fetch issuers or ask about revocation. A trust that is NULL "
        + "comes to Invalid. SecTrustEvaluateAsyncWithError of iOS 13 must be called on the queue that it is given.",
      source: "Apple: SecTrustEvaluateAsync(_:_:_:)", others: ["SecTrustEvaluateAsyncWithError"]),
    Term(
      name: "SecTrustGetTrustResult",
      meaning:
        "The result of the last evaluation. Every change of the trust discards it: Invalid up to iOS 10; from iOS 11 on the "
        + "function evaluates first (challenge.not-evaluated).",
      source: "Apple: SecTrustGetTrustResult(_:_:)"),
    Term(
      name: "SecTrustSetAnchorCertificates",
      meaning:
        "Says which certificates a chain may end in, and that no others do. NULL brings the system's back, an empty array "
        + "trusts nothing. Names, dates and purposes are still checked.",
      source: "Apple: SecTrustSetAnchorCertificates(_:_:)"),
    Term(
      name: "SecTrustSetAnchorCertificatesOnly",
      meaning:
        "With false the system's roots are anchors as well, beside the app's own; it counts only when it is called after "
        + "SecTrustSetAnchorCertificates, which sets it to true.",
      source: "Apple: SecTrustSetAnchorCertificatesOnly(_:_:)"),
    Term(
      name: "SecTrustSetPolicies",
      meaning:
        "Puts other policies in the place of the trust's. SecPolicyCreateSSL(true, host) compares the name, with NULL in "
        + "the place of the host it compares none (pin.host-not-checked); SecPolicyCreateBasicX509 asks for no rule of TLS.",
      source: "Apple: SecTrustSetPolicies(_:_:)", others: ["SecPolicyCreateSSL", "SecPolicyCreateBasicX509"]),
    Term(
      name: "SecTrustSetExceptions",
      meaning:
        "Lets pass what SecTrustCopyExceptions has written down of one certificate's failures: the result is Proceed then. "
        + "A new failure still fails, and so does another certificate. Without asking a person it accepts everything.",
      source: "Apple: SecTrustSetExceptions(_:_:)", others: ["SecTrustCopyExceptions"]),
    Term(
      name: "SecTrustGetCertificateCount",
      meaning:
        "How many certificates the chain has; the function evaluates where nobody has. Index 0 is the leaf, whose public "
        + "key can be had before any evaluation.",
      source: "Apple: SecTrustGetCertificateCount(_:)",
      others: ["SecTrustGetCertificateAtIndex", "SecTrustCopyPublicKey", "SecTrustCopyKey"]),
    Term(
      name: "SecCertificateCreateWithData",
      meaning:
        "Makes a certificate of DER, and NULL of anything else, a PEM file among it; an array cannot hold that, and an "
        + "exception ends the app (challenge.anchor-not-der).",
      source: "Apple: SecCertificateCreateWithData(_:_:)"),
    Term(
      name: "SecPKCS12Import",
      meaning:
        "Opens a file of PKCS #12 with kSecImportExportPassphrase. An array of dictionaries comes back, each with an "
        + "identity, a trust and a chain; certificates without a key give an empty one. The items live as long as the "
        + "process; SecItemAdd keeps an identity in the keychain.",
      source: "Apple: SecPKCS12Import(_:_:_:)",
      others: ["kSecImportExportPassphrase", "kSecImportItemIdentity", "SecItemAdd"]),
    Term(
      name: "SecIdentityCopyCertificate",
      meaning:
        "The certificate of an identity, which its caller must release; the identity itself belongs to the array that it "
        + "was taken from, and dangles where nobody retains it (pkcs12.dangling-identity).",
      source: "Apple: SecIdentityCopyCertificate(_:_:)"),
    Term(
      name: "credentialForTrust:",
      meaning:
        "A credential that says: this trust was evaluated, go on. The class checks nothing; whoever makes one without "
        + "looking accepts every certificate (challenge.accepts-all).",
      source: "Apple: init(trust:)", others: ["initWithTrust:", "credentialForTrust"]),
    Term(
      name: "credentialWithUser:password:persistence:",
      meaning: "A credential of user and password, kept for this request, for the process, or in the keychain.",
      source: "Apple: init(user:password:persistence:)"),
    Term(
      name: "credentialWithIdentity:certificates:persistence:",
      meaning:
        "A credential of an identity and the intermediates above it, without the leaf: one that is listed is sent twice "
        + "(client-auth.duplicate-leaf). The persistence is ignored (client-auth.not-persisted).",
      source: "Apple: init(identity:certificates:persistence:)"),
    Term(
      name: "connectionShouldUseCredentialStorage:",
      meaning:
        "Asked of an NSURLConnection's delegate before any authentication: with NO nothing is read from the storage, and "
        + "nothing stored. Before iOS 7 it is not called where willSendRequestForAuthenticationChallenge: is there.",
      source: "Apple: connectionShouldUseCredentialStorage(_:)", others: ["connectionShouldUseCredentialStorage"]),
    Term(
      name: "defaultCredentialForProtectionSpace:",
      meaning:
        "The storage's credential for a space that is equal in every part; nil where a letter of the realm differs. "
        + "setDefaultCredential:forProtectionSpace: puts one there.",
      source: "Apple: defaultCredential(for:)", others: ["setDefaultCredential:forProtectionSpace:"]),
    Term(
      name: "failureResponse",
      meaning: "The 401 or 407 that a challenge is about; nil for the challenges of TLS.",
      source: "Apple: failureResponse"),
    Term(
      name: "distinguishedNames",
      meaning:
        "The authorities that a server names when it asks for a certificate, in DER. A hint: the app filters by them, the "
        + "system does not. nil for every other challenge.",
      source: "Apple: distinguishedNames; RFC 5246 section 7.4.4"),
    Term(
      name: "receivesCredentialSecurely",
      meaning:
        "Whether a password is protected on its way to this space. YES over https; what Digest and NTLM over http count "
        + "as is not documented.",
      source: "Apple: receivesCredentialSecurely"),
    Term(
      name: "NSURLProtectionSpaceHTTPS",
      meaning: "The protocol of a protection space, as a string: http, https or ftp; nil for a proxy.",
      source: "Apple: NSURLProtectionSpaceHTTPS", others: ["NSURLProtectionSpaceHTTP", "NSURLProtectionSpaceFTP"]),
    Term(
      name: "openssl_x509_parse",
      meaning:
        "PHP's function that lists what a certificate says: name, issuer, serial number, dates, purposes. It proves "
        + "nothing: neither a signature nor who holds the key nor revocation is looked at.",
      source: "PHP: openssl_x509_parse"),
  ]
}

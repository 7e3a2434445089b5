import Explanation

/// What Apple's default evaluation of a server demands beyond RFC 5280: Security, SecPolicyChecks.list.
extension Rule {
  /// There is something to evaluate.
  public static let noCertificate = Rule(
    .chain, "no-certificate", "The server presents at least one certificate.", .rfc(5246, "7.4.2"),
    fix: "Configure the server's certificate.")

  /// Keys are long enough.
  public static let keySize = Rule(
    .chain, "key-size", "Keys in the chain are RSA of at least 2048 bits or elliptic-curve of at least 256 bits.",
    .apple("HT210176"), fix: "Make a new key of at least 2048 bits (RSA) or 256 bits (elliptic curve).")

  /// Keys are of a kind that counts.
  public static let keyAlgorithm = Rule(
    .chain, "key-algorithm",
    "Keys in the chain are RSA keys (rsaEncryption) or elliptic-curve keys on P-256, P-384 or P-521.",
    .apple("HT210176"),
    fix: "Make a new key: RSA of at least 2048 bits (rsaEncryption), or elliptic-curve on P-256, P-384 or P-521.")

  /// Signatures are made with SHA-2.
  public static let weakSignature = Rule(
    .chain, "weak-signature", "Certificates are signed with a hash of the SHA-2 family.", .apple("HT210176"),
    fix: "Have the certificate issued again with SHA-256.")

  /// The validity period is short enough.
  public static let lifetime = Rule(
    .chain, "lifetime", "The server's certificate is valid for no more than the days allowed for its day of issue.",
    .apple("HT210176, HT211025"), fix: "Have the certificate issued for fewer days, and renewed more often.")

  /// The key is for TLS servers, or for what was asked.
  public static let extendedKeyUsage = Rule(
    .chain, "extended-key-usage",
    "extKeyUsage allows what the certificate is used for wherever it is present, and is present where that is demanded.",
    .rfc(5280, "4.2.1.12"),
    fix: "Have the certificate issued with the purpose in extKeyUsage: serverAuth for a TLS server.")

  /// The leaf is no authority.
  public static let authorityAsLeaf = Rule(
    .chain, "ca-as-leaf", "The server's own certificate is not that of a certification authority.",
    .baselineRequirements("7.1.2.7.8, 7.1.2.7.11"),
    fix: "Issue the server a certificate of its own, with cA FALSE and without keyCertSign.",
    implies: ["chain.authority-fields"])

  /// The path is not longer than the caller wants.
  public static let chainDepth = Rule(
    .chain, "depth", "The path has no more intermediates than the caller allows.", .rfc(4158, "2.4.2"),
    fix: "Use a certificate from an authority nearer to the root, or allow more intermediates.")

  /// Key identifiers as the CA/Browser Forum wants them.
  public static let keyIdentifierForm = Rule(
    .chain, "key-identifier-form",
    "authorityKeyIdentifier holds a keyIdentifier and nothing else, in a root its own subjectKeyIdentifier.",
    .baselineRequirements("7.1.2.1.3, 7.1.2.11.1"), fix: "Issue the certificate with a keyIdentifier alone.")

  /// The common name is one of the names.
  public static let commonNameForm = Rule(
    .chain, "common-name-form",
    "The server's common name, if it has one, is a character-for-character copy of a name in subjectAltName.",
    .baselineRequirements("7.1.4.3"), fix: "Leave the common name out, or copy a name of subjectAltName into it.")

  /// The server's certificate comes first.
  public static let leafNotFirst = Rule(
    .chain, "leaf-not-first", "The server's own certificate stands before those of its issuers.", .rfc(5246, "7.4.2"),
    fix: "Put the certificate of the server first, then the one that issued it, and so on.", decides: false)

  /// The system does not refuse it.
  public static let distrusted = Rule(
    .chain, "distrusted", "No certificate of the chain is one that the system blocks.",
    .apple("support article 103723, SecPolicyCheckBlackListedKey"),
    fix: "Get a certificate from another authority.",
    implies: ["chain.no-anchor", "chain.no-issuer", "chain.self-signed", "chain.not-trusted-yet"])

  /// Nobody said never to trust it.
  public static let denied = Rule(
    .chain, "denied", "Neither user nor administrator said never to trust a certificate of the chain.",
    .apple("SecTrustResultType.deny"),
    fix: "Only who set it can change it: Keychain Access, the certificate's Trust settings, not Never Trust.",
    implies: ["chain.no-anchor", "chain.no-issuer", "chain.self-signed", "chain.not-trusted-yet"])

  /// Nobody wants to be asked.
  public static let asksUser = Rule(
    .chain, "asks-user", "No certificate of the chain is one that the user wants to be asked about each time.",
    .apple("SecTrustResultType.confirm"), fix: "Ask the user, or refuse; since OS X 10.5 the setting has no effect.",
    implies: ["chain.no-anchor", "chain.no-issuer", "chain.self-signed", "chain.not-trusted-yet"])

  /// Validity is judged today.
  public static let verifyDate = Rule(
    .chain, "verify-date", "Validity is judged at the moment of the connection, unless the app sets another date.",
    .apple("SecTrustSetVerifyDate"),
    fix: "Set a date only for what was signed then and received then; for a connection it is today.", decides: false)

  /// The server sends what is needed.
  public static let issuerFetched = Rule(
    .chain, "issuer-fetched", "The server presents the certificates of all its issuers below the root.",
    .rfc(5246, "7.4.2"),
    fix: "Configure the server to send its intermediates: other clients fetch nothing, and who fetches has to wait.",
    decides: false)

  /// The installed root was also switched on.
  public static let notTrustedYet = Rule(
    .chain, "not-trusted-yet", "A root that was installed by hand is also trusted for TLS servers.",
    .apple("HT204477"), fix: "Switch the root on: Settings, General, About, Certificate Trust Settings.",
    implies: ["chain.no-anchor", "chain.no-issuer", "chain.self-signed"])

  /// It could be found out whether it is revoked.
  public static let revocationUnknown = Rule(
    .chain, "revocation-unknown", "A current CRL or OCSP response shows whether the certificate is revoked.",
    .rfc(5280, "6.3.3"),
    fix: "Make the CA's CRL or responder reachable, or staple its response for clients that ask for one. A client with "
      + "soft-fail needs neither.")

  /// Who must staple does.
  public static let mustStaple = Rule(
    .chain, "must-staple", "A server whose certificate says so comes with an answer of the responder.",
    .rfc(7633, "4"), fix: "Let the server staple OCSP responses, or take a certificate without the extension.")

  /// What is stapled can be believed.
  public static let badStaple = Rule(
    .chain, "bad-staple", "What the server staples about its certificate is an answer that can be believed.",
    .rfc(6066, "8"), fix: "Let the server staple a current answer of the responder, or nothing.")
}

/// What a client demands beyond trust.
extension Rule {
  /// One of the keys it knows.
  public static let pinMismatch = Rule(
    .pin, "mismatch", "A public key on the validated path is one of those that the client has pinned.",
    .apple("NSPinnedDomains"),
    fix: "Pin the SHA-256 of the SubjectPublicKeyInfo of a key in the chain, and a spare key before the server uses it."
  )

  /// The same for pins anywhere on the path, as HTTP public key pinning and libraries compare them.
  public static let pathPinMismatch = pinMismatch.citing(.rfc(7469, "2.6"))
    .fixed(by: "Add a key of the chain to the pins, and the server's next key before the server uses it.")
}

/// What RFC 9525 and Apple's default evaluation demand of the names in the server's certificate.
extension Rule {
  /// A name in the certificate is the host's.
  public static let nameMismatch = Rule(
    .name, "mismatch", "A name in the server's certificate is the name of the host that was asked for.",
    .rfc(9525, "6.1"), fix: "Have the certificate issued for this host, or ask for a host it names.")

  /// The same rule if the server presents a certificate for the host, but not first.
  var forHostNotFirst: Rule {
    fixed(by: "Put the certificate for this host first in the list that the server presents.")
  }

  /// Wildcards stand for one label.
  public static let wildcardDepth = Rule(
    .name, "wildcard-depth", "A wildcard stands for exactly one label.", .rfc(9525, "6.3"),
    fix: "Have the certificate issued for the host as well: *.example covers neither example nor a.b.example.",
    implies: ["name.mismatch"])

  /// Wildcards are a whole left-most label, and not too high.
  public static let wildcardForm = Rule(
    .name, "wildcard-form", "A wildcard is the whole left-most label, and what follows is nobody's registry.",
    .rfc(9525, "6.3"), fix: "Have the certificate issued for the host itself, or for * as the whole first label.",
    implies: ["name.mismatch"])

  /// The names are where names belong.
  public static let noAlternativeName = Rule(
    .name, "no-san", "The server's certificate has its names in subjectAltName; the common name is not looked at.",
    .apple("HT210176"), fix: "Have the certificate issued with the host in subjectAltName.",
    implies: ["name.mismatch", "chain.common-name-form"])

  /// An address is not only text.
  public static let addressAsText = Rule(
    .name, "address-as-text",
    "The requested address is in an iPAddress; before iOS 13 and macOS 10.15, a dNSName with the text of an IPv4 address "
      + "also matches.",
    .apple("SecPolicyCheckCertSSLHostname"),
    fix: "Have the certificate issued with the address as an iPAddress: later systems compare nothing else (RFC 9525 "
      + "section 6.4).",
    decides: false)

  /// All rules of the decision whether to trust a server.
  public static let trust: [Rule] = [
    noCertificate, keySize, keyAlgorithm, weakSignature, lifetime, extendedKeyUsage, certificateTransparency,
    authorityAsLeaf,
    chainDepth, keyIdentifierForm, commonNameForm, leafNotFirst, distrusted, denied, asksUser,
    verifyDate, issuerFetched, notTrustedYet, revocationUnknown, mustStaple, badStaple, nameMismatch, wildcardDepth,
    wildcardForm,
    noAlternativeName, addressAsText, pinMismatch,
  ]
}

extension Clause {
  /// A section of the Baseline Requirements for TLS server certificates of the CA/Browser Forum.
  static func baselineRequirements(_ section: String) -> Clause {
    Clause(document: "CA/B Baseline Requirements", section: section)
  }
}

extension Rule {
  /// Since which of Apple's systems the rule is held, and under which roots; empty where it does not depend on either.
  public var since: [String] { Rule.history[id] ?? [] }

  private static let history: [String: [String]] = [
    "chain.key-identifier": [
      "all of Apple's systems: a keyIdentifier that is not the issuer's subjectKeyIdentifier refuses the chain (Security, "
        + "SecPolicyCheckIdLinkage); RFC 5280 uses it to build paths alone"
    ],
    "chain.empty-name": [
      "all of Apple's systems: only a server's certificate with an issuer and a critical subjectAltName may have an empty "
        + "subject (Security, SecPolicyCheckCertNonEmptySubject)"
    ],
    "name.address-as-text": [
      "iOS 13, macOS 10.15: no dNSName matches an address (Security 59306); IPv6 text never did"
    ],
    "chain.unhandled-critical-extension": [
      "all of Apple's systems: extensions of Apple's own are skipped, critical or not (Security, SecCertificate.c)"
    ],
    "chain.key-size": [
      "iOS 13, macOS 10.15: all roots; a server's certificate that the user trusts itself is exempt (HT210176)",
      "iOS 11, macOS 10.13: under roots of the system (SecPolicyCheckSystemTrustedWeakKey; the release by WWDC17, session "
        + "701)",
    ],
    "chain.weak-signature": [
      "iOS 13, macOS 10.15: SHA-1 and older under all roots (HT210176); a self-signed certificate's own signature and "
        + "an anchor that the user trusts are exempt",
      "iOS 11, macOS 10.13: SHA-1 and older under roots of the system (HT207459)",
      "iOS 10.3, macOS 10.12.4: the same in WebKit alone (HT207459); of macOS 10.12 the third number is not told apart",
      "iOS 5: MD5 and older under all roots (TS4133)",
    ],
    "chain.revoked": [
      "order, since iOS 10 and macOS 10.12: Apple's own list (Valid), what the server staples, what is kept, then the "
        + "network (Security, SecRevocationServer.c)",
      "iOS 10, macOS 10.12: a stapled or kept answer counts for every chain; before, where an app asks, or for extended "
        + "validation",
      "a responder is asked over the network where an app asks (SecPolicyCreateRevocation), for extended validation, or "
        + "where Valid says so; in no other load",
      "lists: fetched by macOS 10.12 to 10.14 alone, where an app asks and no responder is named; by no published code of "
        + "iOS",
      "Valid: since iOS 10.3 and macOS 10.12.4; what is on it on a day is unknown",
      "good counts with 75 minutes of leeway by the wall clock, and for a day where it says no end; revoked whatever its "
        + "dates: kSecTrustResultFatalTrustFailure, -67820",
      "iOS 14, macOS 11: a delegate is no authority, and its key may make signatures",
    ],
    "chain.revocation-unknown": [
      "only where an app asks with kSecRevocationRequirePositiveResponse, of the server's certificate alone: "
        + "kSecTrustResultRecoverableTrustFailure, -67635; without it every failure to find out is soft",
      "not enforced where there is no network for it: watchOS and bridgeOS",
    ],
    "chain.must-staple": [
      "held by no published part of Security.framework; what CFNetwork and libboringssl do is unknown"
    ],
    "chain.certificate-transparency": [
      "iOS 12.1.1, macOS 10.14.2: servers under roots of the system, issued from 2018-10-16 on; not where the list of logs "
        + "is older than 60 days, and not under roots of users, administrators and apps",
      "iOS 14.6, macOS 11.4: by days since 2021-04-21 (two timestamps up to 180 days, then three), by months before",
      "-67825, kSecTrustResultRecoverableTrustFailure; which code an app saw for NSRequiresCertificateTransparency on iOS "
        + "10 to 12 is unknown",
    ],
    "chain.lifetime": [
      "iOS 13, macOS 10.15, roots of the system: 825 days issued from 2018-03-01 on (SecPolicyServer.c), 398 days issued "
        + "from 2020-09-01 on (HT211025); 39 and 60 months before",
      "iOS 13, macOS 10.15, roots of users and apps: 825 days issued from July 2019 on; a server's certificate that "
        + "the user trusts itself is exempt",
    ],
  ]
}

import Explanation

/// The requirements of Apple's default server evaluation beyond RFC 5280 (Security, SecPolicyChecks.list).
extension Rule {
  /// The server presents a certificate.
  public static let noCertificate = Rule(
    .chain, "no-certificate", "The server presents at least one certificate.", .rfc(5246, "7.4.2"),
    fix: "Configure a certificate on the server.")

  /// Every key has at least the minimum size.
  public static let keySize = Rule(
    .chain, "key-size", "Keys in the chain are RSA of at least 2048 bits or elliptic-curve of at least 256 bits.",
    .apple("HT210176"), fix: "Generate a new key of at least 2048 bits (RSA) or 256 bits (elliptic curve).")

  /// Keys use an allowed algorithm.
  public static let keyAlgorithm = Rule(
    .chain, "key-algorithm",
    "Keys in the chain are RSA keys (rsaEncryption) or elliptic-curve keys on P-256, P-384 or P-521.",
    .apple("HT210176"),
    fix: "Generate a new key: RSA of at least 2048 bits (rsaEncryption), or elliptic-curve on P-256, P-384 or P-521.")

  /// Signatures use SHA-2.
  public static let weakSignature = Rule(
    .chain, "weak-signature", "Certificates are signed with a hash of the SHA-2 family.", .apple("HT210176"),
    fix: "Have the certificate issued again with SHA-256.")

  /// The validity period does not exceed its limit.
  public static let lifetime = Rule(
    .chain, "lifetime", "The validity period of the server's certificate is within the limit for its day of issue.",
    .apple("HT210176, HT211025"), fix: "Have the certificate issued for fewer days, and renew it more often.")

  /// The purposes in the certificate allow its use.
  public static let extendedKeyUsage = Rule(
    .chain, "extended-key-usage",
    "If extKeyUsage is present, it allows the certificate's use; if the profile requires it, it is present.",
    .rfc(5280, "4.2.1.12"),
    fix: "Have the certificate issued with the purpose in extKeyUsage: serverAuth for a TLS server.")

  /// The leaf is not a CA certificate.
  public static let caAsLeaf = Rule(
    .chain, "ca-as-leaf", "The server's own certificate is not a CA certificate.",
    .baselineRequirements("7.1.2.7.8, 7.1.2.7.11"),
    fix: "Issue the server its own certificate, with cA FALSE and without keyCertSign.",
    implies: ["chain.authority-fields"])

  /// The path does not exceed the caller's maximum length.
  public static let chainDepth = Rule(
    .chain, "depth", "The path has no more intermediates than the caller allows.", .rfc(4158, "2.4.2"),
    fix: "Use a certificate from a CA nearer to the root, or allow more intermediates.")

  /// Key identifiers have the form that the Baseline Requirements define.
  public static let keyIdentifierForm = Rule(
    .chain, "key-identifier-form",
    "authorityKeyIdentifier contains only a keyIdentifier; in a root, it equals the subjectKeyIdentifier.",
    .baselineRequirements("7.1.2.1.3, 7.1.2.11.1"),
    fix: "Issue the certificate with only a keyIdentifier in authorityKeyIdentifier.")

  /// The common name is a copy of a name in subjectAltName.
  public static let commonNameForm = Rule(
    .chain, "common-name-form",
    "The common name, if present, is a character-for-character copy of a name in subjectAltName.",
    .baselineRequirements("7.1.4.3"), fix: "Leave the common name out, or copy a name of subjectAltName into it.")

  /// The server presents its own certificate first.
  public static let leafNotFirst = Rule(
    .chain, "leaf-not-first", "The server's own certificate comes before those of its issuers.", .rfc(5246, "7.4.2"),
    fix: "Put the server's certificate first, then the certificate that issued it, and so on.", decides: false)

  /// The system does not block any certificate of the chain.
  public static let distrusted = Rule(
    .chain, "distrusted", "The system blocks no certificate in the chain.",
    .apple("support article 103723, SecPolicyCheckBlackListedKey"),
    fix: "Get a certificate from another CA.",
    implies: ["chain.no-anchor", "chain.no-issuer", "chain.self-signed", "chain.not-trusted-yet"])

  /// No certificate in the chain is marked Never Trust.
  public static let denied = Rule(
    .chain, "denied", "No certificate in the chain is marked Never Trust.",
    .apple("SecTrustResultType.deny"),
    fix: "In Keychain Access or in the administrator's profile, change the certificate's trust setting from Never "
      + "Trust to another value.",
    implies: ["chain.no-anchor", "chain.no-issuer", "chain.self-signed", "chain.not-trusted-yet"])

  /// No certificate in the chain has the trust setting Ask Permission.
  public static let asksUser = Rule(
    .chain, "asks-user", "No certificate in the chain has a trust setting that asks the user each time.",
    .apple("SecTrustResultType.confirm"),
    fix: "Change the certificate's trust setting from Ask Permission to another value, or ask the user. Since OS X "
      + "10.5, the setting has no effect.",
    implies: ["chain.no-anchor", "chain.no-issuer", "chain.self-signed", "chain.not-trusted-yet"])

  /// Certificates are validated at the current time.
  public static let verifyDate = Rule(
    .chain, "verify-date",
    "The client checks validity at the time of the connection, unless the app sets another date.",
    .apple("SecTrustSetVerifyDate"),
    fix: "Set a date only for data that was signed and received on that date. For a connection, use the current date.",
    decides: false)

  /// The server presents its intermediate certificates.
  public static let issuerFetched = Rule(
    .chain, "issuer-fetched", "The server presents the certificates of all its issuers below the root.",
    .rfc(5246, "7.4.2"),
    fix: "Configure the server to send its intermediates: other clients do not fetch them, and fetching takes time.",
    decides: false)

  /// Full trust is turned on for the root that the user installed.
  public static let notTrustedYet = Rule(
    .chain, "not-trusted-yet", "A manually installed root also has full trust enabled for TLS servers.",
    .apple("HT204477"),
    fix: "Enable full trust for the root in Settings > General > About > Certificate Trust Settings.",
    implies: ["chain.no-anchor", "chain.no-issuer", "chain.self-signed"])

  /// The revocation status is known.
  public static let revocationUnknown = Rule(
    .chain, "revocation-unknown", "A current CRL or OCSP response shows whether the certificate is revoked.",
    .rfc(5280, "6.3.3"),
    fix: "Make the CA's CRL or responder reachable, or staple its response for clients that request one. A client with "
      + "soft-fail needs neither.")

  /// The server staples a response for a must-staple certificate.
  public static let mustStaple = Rule(
    .chain, "must-staple", "If the certificate requires it, the server staples an OCSP response.",
    .rfc(7633, "4"),
    fix: "Configure the server to staple OCSP responses, or use a certificate without the must-staple extension.")

  /// The stapled response is valid.
  public static let badStaple = Rule(
    .chain, "bad-staple", "The OCSP response that the server staples is valid.",
    .rfc(6066, "8"), fix: "Configure the server to staple a current OCSP response, or none.")
}

/// Requirements of a client in addition to a trusted path.
extension Rule {
  /// A pinned key occurs on the path.
  public static let pinMismatch = Rule(
    .pin, "mismatch", "The validated path contains a public key that the client has pinned.",
    .apple("NSPinnedDomains"),
    fix: "Pin the SHA-256 of the SubjectPublicKeyInfo of a key in the chain, and a spare key before the server uses it."
  )

  /// The pinning rule for keys anywhere on the path, as in HTTP Public Key Pinning and in libraries.
  public static let pathPinMismatch = pinMismatch.citing(.rfc(7469, "2.6"))
    .fixed(by: "Add a key in the chain to the pins, and the server's next key before the server uses it.")
}

/// The requirements of RFC 9525 and of Apple's default evaluation for the names in the server's certificate.
extension Rule {
  /// The certificate contains the host's name.
  public static let nameMismatch = Rule(
    .name, "mismatch", "A name in the server's certificate matches the requested host.",
    .rfc(9525, "6.1"), fix: "Have the certificate issued for this host, or request a host that it names.")

  /// The name rule, with a fix for a server that presents the host's certificate, but not first.
  var forHostNotFirst: Rule {
    fixed(by: "Put the certificate for this host first in the server's chain.")
  }

  /// A wildcard label matches exactly one label.
  public static let wildcardDepth = Rule(
    .name, "wildcard-depth", "A wildcard label matches exactly one label.", .rfc(9525, "6.3"),
    fix: "Have the certificate issued for the host as well: *.example covers neither example nor a.b.example.",
    implies: ["name.mismatch"])

  /// A wildcard is a whole left-most label, and does not directly precede a public suffix.
  public static let wildcardForm = Rule(
    .name, "wildcard-form", "A wildcard is the whole leftmost label, and is not directly before a public suffix.",
    .rfc(9525, "6.3"), fix: "Have the certificate issued for the host itself, or for * as the whole first label.",
    implies: ["name.mismatch"])

  /// Host names are in subjectAltName.
  public static let noAlternativeName = Rule(
    .name, "no-san", "The server's certificate contains its names in subjectAltName; the common name is ignored.",
    .apple("HT210176"), fix: "Have the certificate issued with the host in subjectAltName.",
    implies: ["name.mismatch", "chain.common-name-form"])

  /// Addresses are in iPAddress names.
  public static let addressAsText = Rule(
    .name, "address-as-text",
    "The requested address is in an iPAddress; before iOS 13 and macOS 10.15, a dNSName that contains the IPv4 address "
      + "as text also matches.",
    .apple("SecPolicyCheckCertSSLHostname"),
    fix: "Have the certificate issued with the address as an iPAddress: later systems compare only iPAddress (RFC 9525 "
      + "section 6.4).",
    decides: false)

  /// All rules for the trust in a server.
  public static let trust: [Rule] = [
    noCertificate, keySize, keyAlgorithm, weakSignature, lifetime, extendedKeyUsage, certificateTransparency,
    caAsLeaf,
    chainDepth, keyIdentifierForm, commonNameForm, leafNotFirst, distrusted, denied, asksUser,
    verifyDate, issuerFetched, notTrustedYet, revocationUnknown, mustStaple, badStaple, nameMismatch, wildcardDepth,
    wildcardForm,
    noAlternativeName, addressAsText, pinMismatch,
  ]
}

extension Clause {
  /// Creates a clause for a section of the CA/Browser Forum's Baseline Requirements for TLS server certificates.
  static func baselineRequirements(_ section: String) -> Clause {
    Clause(document: "CA/B Baseline Requirements", section: section)
  }
}

extension Rule {
  /// The Apple systems and the roots for which the rule is checked; empty if the rule depends on neither.
  public var since: [String] { Rule.history[id] ?? [] }

  private static let history: [String: [String]] = [
    "chain.key-identifier": [
      "all of Apple's systems: a keyIdentifier that is not the issuer's subjectKeyIdentifier refuses the chain "
        + "(Security, SecPolicyCheckIdLinkage); RFC 5280 uses it only to build paths"
    ],
    "chain.empty-name": [
      "all of Apple's systems: only a server's certificate with an issuer and a critical subjectAltName may have an empty "
        + "subject (Security, SecPolicyCheckCertNonEmptySubject)"
    ],
    "name.address-as-text": [
      "iOS 13, macOS 10.15: no dNSName matches an address (Security 59306); IPv6 text never did"
    ],
    "chain.unhandled-critical-extension": [
      "all of Apple's systems: Apple's own extensions are ignored, critical or not (Security, SecCertificate.c)"
    ],
    "chain.key-size": [
      "iOS 13, macOS 10.15: all roots; a server's certificate that the user trusts itself is exempt (HT210176)",
      "iOS 11, macOS 10.13: under system roots (SecPolicyCheckSystemTrustedWeakKey; release according to "
        + "WWDC17, session 701)",
    ],
    "chain.weak-signature": [
      "iOS 13, macOS 10.15: SHA-1 and older under all roots (HT210176); a self-signed certificate's own signature and "
        + "an anchor that the user trusts are exempt",
      "iOS 11, macOS 10.13: SHA-1 and older under roots of the system (HT207459)",
      "iOS 10.3, macOS 10.12.4: the same rule, only in WebKit (HT207459); TrustLab treats all macOS 10.12 alike",
      "iOS 5: MD5 and older under all roots (TS4133)",
    ],
    "chain.revoked": [
      "order, since iOS 10 and macOS 10.12: Apple's own list (Valid), the stapled response, cached responses, then the "
        + "network (Security, SecRevocationServer.c)",
      "iOS 10, macOS 10.12: a stapled or cached response is used for every chain; earlier, only for extended "
        + "validation or if an app requests a check",
      "responders are queried only if an app requests a check (SecPolicyCreateRevocation), for extended validation, or "
        + "if Valid requires it",
      "CRLs: only macOS 10.12 to 10.14 fetched them, if an app requested a check and the certificate named no "
        + "responder; no published code of iOS fetches them",
      "Valid: since iOS 10.3 and macOS 10.12.4; its contents on a given day are unknown",
      "the status good is accepted with 75 minutes of clock skew, and for a day without nextUpdate; revoked is "
        + "accepted with any dates: kSecTrustResultFatalTrustFailure, -67820",
      "iOS 14, macOS 11: a delegated responder is not a CA, and its keyUsage allows signatures",
    ],
    "chain.revocation-unknown": [
      "only if an app sets kSecRevocationRequirePositiveResponse, and only for the server's certificate: "
        + "kSecTrustResultRecoverableTrustFailure, -67635; otherwise, an unknown status is ignored",
      "not enforced on watchOS and bridgeOS, which have no network for it",
    ],
    "chain.must-staple": [
      "no published part of Security.framework checks it; the checks of CFNetwork and libboringssl are unknown"
    ],
    "chain.certificate-transparency": [
      "iOS 12.1.1, macOS 10.14.2: servers under system roots, issued from 2018-10-16 on, if the log list is at most 60 "
        + "days old; roots of users, administrators and apps are exempt",
      "iOS 14.6, macOS 11.4: counted in days since 2021-04-21 (two SCTs up to 180 days, then three), and in months "
        + "before",
      "-67825, kSecTrustResultRecoverableTrustFailure; the app's error code for NSRequiresCertificateTransparency "
        + "on iOS 10 to 12 is unknown",
    ],
    "chain.lifetime": [
      "iOS 13, macOS 10.15, roots of the system: 825 days issued from 2018-03-01 on (SecPolicyServer.c), 398 days issued "
        + "from 2020-09-01 on (HT211025); 39 and 60 months before",
      "iOS 13, macOS 10.15, roots of users and apps: 825 days issued from July 2019 on; a server's certificate that "
        + "the user trusts itself is exempt",
    ],
  ]
}

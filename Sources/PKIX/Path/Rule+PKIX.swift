import Explanation

/// The requirements of RFC 5280 for the certificates of a path, in the order of the validation algorithm.
extension Rule {
  /// The signature must verify (section 6.1.3 (a)(1)).
  public static let signatureInvalid = Rule(
    .chain, "signature-invalid",
    "The issuer's public key verifies the signature on the certificate.",
    .rfc(5280, "6.1.3 (a)(1)"),
    fix: "Issue the certificate again with the issuer's own key: it was changed, or signed with another key.",
    implies: ["chain.key-identifier"])

  /// The number of verified signatures is limited (RFC 4158 section 2.4.2).
  public static let signatureLimit = Rule(
    .chain, "signature-limit",
    "One evaluation verifies no more signatures than the limit allows.",
    .rfc(4158, "2.4.2"),
    fix: "Present only the certificates of one path. If this path alone has too many signatures, use a certificate "
      + "from a CA nearer to the root, or allow more signatures.")

  /// The signature algorithm must be supported (section 6.1.3 (a)(1)).
  public static let unsupportedSignatureAlgorithm = Rule(
    .chain, "unsupported-signature-algorithm",
    "The client supports the signature algorithm and its parameters, and the issuer's key fits it.",
    .rfc(5280, "6.1.3 (a)(1)"),
    fix: "Issue the certificate again with an algorithm that clients support and that fits the issuer's key, such as "
      + "sha256WithRSAEncryption or ecdsa-with-SHA256.")

  /// Both signature algorithm fields must agree (section 4.1.1.2).
  public static let signatureAlgorithmMismatch = Rule(
    .chain, "signature-algorithm-mismatch",
    "The signatureAlgorithm field equals the signature field of tbsCertificate.",
    .rfc(5280, "4.1.1.2"),
    fix: "Issue the certificate again with software that writes the same algorithm in both fields.")

  /// Not expired, 6.1.3 (a)(2).
  public static let expired = Rule(
    .chain, "expired",
    "The certificate has not expired.",
    .rfc(5280, "6.1.3 (a)(2)"),
    fix: "Renew the certificate, and check the clock of the client.")

  /// Already valid, 6.1.3 (a)(2).
  public static let notYetValid = Rule(
    .chain, "not-yet-valid",
    "The certificate's validity period has begun.",
    .rfc(5280, "6.1.3 (a)(2)"),
    fix: "Check the clock of the client, or wait until notBefore. If the app sets the date (SecTrustSetVerifyDate), "
      + "set a later date.")

  /// Not revoked, 6.1.3 (a)(3).
  public static let revoked = Rule(
    .chain, "revoked",
    "The certificate is not revoked at the current time.",
    .rfc(5280, "6.1.3 (a)(3)"),
    fix: "Find out why the certificate was revoked, and issue a new certificate for a new key.")

  /// Names chain, 6.1.3 (a)(4).
  public static let issuerNameMismatch = Rule(
    .chain, "issuer-name-mismatch",
    "The certificate's issuer equals the subject of the certificate above it (working_issuer_name).",
    .rfc(5280, "6.1.3 (a)(4)"),
    fix: "Present the certificate whose subject is this certificate's issuer.")

  /// Names must satisfy the name constraints (sections 6.1.3 (b), (c) and 6.1.4 (g)).
  public static let nameConstraints = Rule(
    .chain, "name-constraints",
    "The names of the certificate are within the permitted subtrees and outside the excluded subtrees.",
    .rfc(5280, "6.1.3 (b) and (c), 6.1.4 (g)"),
    fix: "Have the certificate issued by a CA whose name constraints permit its names.")

  /// The number of comparisons with name constraints is limited (section 6.1.3 (b) and (c)).
  public static let nameConstraintsLimit = Rule(
    .chain, "name-constraints-limit",
    "Checking the names of the path takes no more comparisons than the limit allows.",
    .rfc(5280, "6.1.3 (b) and (c)"),
    fix: "Issue certificates with fewer names and fewer constraints.", implies: ["chain.name-constraints"])

  /// anyPolicy must not be mapped (section 6.1.4 (a)).
  public static let policyMapping = Rule(
    .chain, "policy-mapping",
    "No policy mapping contains anyPolicy.",
    .rfc(5280, "6.1.4 (a)"),
    fix: "Issue the CA's certificate without mappings of anyPolicy.")

  /// The path must be valid for an acceptable policy.
  ///
  /// See sections 6.1.3 (d) to (f), 6.1.4 (a), (b), (h) to (j), and 6.1.5 (a), (b), (g).
  public static let certificatePolicy = Rule(
    .chain, "certificate-policy",
    "If a policy is required, the path is valid for at least one acceptable policy.",
    .rfc(5280, "6.1.3 (d) to (f), 6.1.5 (g)"),
    fix: "Issue the certificates under a policy that the validator accepts.")

  /// The version must allow the fields that are present (section 4.1.2.1).
  public static let certificateVersion = Rule(
    .chain, "version",
    "A certificate with extensions has version 3.",
    .rfc(5280, "4.1.2.9"),
    fix: "Issue the certificate as version 3.")

  /// Extensions must have their defined syntax (section 4.2).
  public static let malformedExtension = Rule(
    .chain, "malformed",
    "Every extension appears once and has the syntax that the standard defines.",
    .rfc(5280, "4.2"),
    fix: "Issue the certificate again with software that encodes the extension as its standard defines it.")

  /// The bytes must be a certificate (section 4.1). It applies `malformedExtension` to bytes that end before the
  /// extensions.
  public static let unreadableCertificate = malformedExtension.moved(
    in: .chain, statement: "The bytes are a DER-encoded certificate.",
    clause: .rfc(5280, "4.1"),
    fix:
      "Present the certificate as its CA issued it, complete and in DER. If the CA issued it in this form, have it "
      + "issued again.")

  /// A public key must have the form that its algorithm requires (RFC 8410 sections 3 and 4). The rule's id is that of
  /// `malformedExtension`.
  static let malformedKey = malformedExtension.moved(
    in: .chain, statement: "The public key has the form that its algorithm defines.", clause: .rfc(8410, "3, 4"),
    fix: "Issue the certificate again for an Ed25519 key of 32 bytes, without parameters in the algorithm identifier.")

  /// A proxy certificate must follow RFC 3820.
  public static let proxyCertificate = Rule(
    .chain, "proxy-certificate",
    "A proxy's subject extends its issuer's subject; the issuer's key allows signatures, and the depth is permitted.",
    .rfc(3820, "4.1.3"),
    fix: "Issue the proxy with its issuer's subject plus one common name.")

  /// A key must name its curve (RFC 5480).
  public static let namedCurve = Rule(
    .chain, "named-curve",
    "The certificate's key names its curve instead of listing the curve's parameters.",
    .rfc(5480, "2.1.1"),
    fix: "Issue the certificate for a key that names its curve.")

  /// The issuer must be a CA (section 6.1.4 (k)).
  public static let notCA = Rule(
    .chain, "not-a-ca",
    "An issuer's certificate has basicConstraints with cA TRUE.",
    .rfc(5280, "6.1.4 (k)"),
    fix: "Sign with the key of a CA: an end entity's key cannot issue certificates. If the issuer is meant to be a "
      + "CA, issue its certificate again with cA TRUE and keyCertSign.")

  /// The path must not exceed its maximum length (section 6.1.4 (l) and (m)).
  public static let pathLength = Rule(
    .chain, "path-length",
    "The number of intermediates below a CA, without self-issued ones, is within its pathLenConstraint.",
    .rfc(5280, "6.1.4 (l) and (m)"),
    fix: "Have a CA with a larger pathLenConstraint, or without one, issue the intermediate.")

  /// The issuer's key must be allowed to sign certificates (section 6.1.4 (n)).
  public static let keyUsage = Rule(
    .chain, "key-usage",
    "If an issuer's certificate has keyUsage, keyCertSign is set.",
    .rfc(5280, "6.1.4 (n)"),
    fix: "Issue the CA's certificate with keyCertSign.")

  /// Every critical extension must be supported (sections 6.1.4 (o) and 6.1.5 (f)).
  public static let unhandledCriticalExtension = Rule(
    .chain, "unhandled-critical-extension",
    "The validator supports every critical extension.",
    .rfc(5280, "6.1.4 (o) and 6.1.5 (f)"),
    fix: "Issue the certificate without the extension, or mark it not critical.")

  /// The key identifiers must agree (section 4.2.1.1).
  public static let keyIdentifier = Rule(
    .chain, "key-identifier",
    "authorityKeyIdentifier equals the issuer's subjectKeyIdentifier.",
    .rfc(5280, "4.2.1.1"),
    fix: "Present the issuer's certificate for the key that made the signature.", decides: false)
}

/// Rules about the last certificate of a path.
extension Rule {
  /// The path must end at a trust anchor (section 6.1.1 (d)).
  public static let noAnchor = Rule(
    .chain, "no-anchor",
    "The path ends at a certificate in the trust store.",
    .rfc(5280, "6.1.1 (d)"),
    fix: "Use a certificate from a CA that the client trusts, or install the root on the client. If another "
      + "intermediate is missing above the last certificate, configure the server to present it.")

  /// The certificate of the issuer must be available (RFC 4158).
  public static let noIssuer = Rule(
    .chain, "no-issuer",
    "The issuer's certificate is in the presented chain or in the trust store.",
    .rfc(5246, "7.4.2"),
    fix: "If an intermediate of a trusted CA is missing, configure the server to present it after its own certificate. "
      + "Otherwise, use a certificate from a CA that the client trusts, or install the root on the "
      + "client.")

  /// The leaf must not be its own issuer.
  public static let selfSigned = Rule(
    .chain, "self-signed",
    "A CA signed the certificate, or the client trusts the certificate itself.",
    .rfc(5280, "3.2"),
    fix: "Get a certificate from a CA, or install this certificate on the client as trusted.",
    implies: ["chain.no-anchor", "chain.no-issuer"])

  /// A certificate must not occur twice in a path (section 6.1).
  public static let pathLoop = Rule(
    .chain, "loop",
    "No certificate appears twice in a path.",
    .rfc(5280, "6.1"),
    fix: "Present a certificate that leads out of the loop to a trusted root, or install a CA of the loop on the "
      + "client.", implies: ["chain.no-anchor", "chain.no-issuer"])

  /// The work of path building is limited (RFC 4158 section 2.4.2).
  public static let buildingLimit = Rule(
    .chain, "building-limit",
    "The client can try all paths within the limit of steps.",
    .rfc(4158, "2.4.2"),
    fix: "Present only the certificates of one path.", decides: false)

  /// All rules of path building and path validation.
  public static let pkix: [Rule] =
    [
      signatureInvalid, signatureLimit, unsupportedSignatureAlgorithm, signatureAlgorithmMismatch, expired, notYetValid,
      revoked,
      issuerNameMismatch, nameConstraints, nameConstraintsLimit, certificatePolicy, policyMapping, certificateVersion,
      malformedExtension, namedCurve, proxyCertificate, notCA,
      pathLength, keyUsage,
      unhandledCriticalExtension, keyIdentifier, noAnchor, noIssuer, selfSigned, pathLoop, buildingLimit,
    ] + ocspResponses + logAudits + conformance
}

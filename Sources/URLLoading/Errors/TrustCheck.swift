/// A check of Security's trust evaluation, with its name and its text in device logs.
///
/// The names come from Security's SecPolicyChecks.list, and the texts from its SecFrameworkStrings.h.
public struct TrustCheck: Sendable, Hashable {
  /// The name: `AnchorTrusted`.
  public let name: String
  /// The meaning of a failure.
  public let meaning: String
  /// The fix for a failure.
  public let fix: String
  /// The ids of TrustLab's rules for this check; empty if there are none.
  public let rules: [String]
  /// The text of the check in a log, in lower case; empty if another check has an identical text.
  let text: String

  init(_ name: String, _ rules: [String], _ meaning: String, fix: String, text: String = "") {
    self.name = name
    self.meaning = meaning
    self.fix = fix
    self.rules = rules
    self.text = text
  }
}

extension TrustCheck {
  /// Returns the check with this name; nil if there is none.
  public static func named(_ name: String) -> TrustCheck? { all.first { $0.name == name } }

  /// Returns the fix for violations of these rules, from the first check that covers all of them.
  static func fix(for rules: [String]) -> String {
    all.first { !rules.isEmpty && Set(rules).isSubset(of: $0.rules) }?.fix ?? ShortForm.verify
  }

  /// Every check whose name is known.
  public static let all = servers + authorities + appleOnly

  private static let hostNames = ["name.mismatch", "name.no-san", "name.wildcard-form", "name.wildcard-depth"]

  private static let servers = [
    TrustCheck(
      "SSLHostname", hostNames, "No name in the certificate's subjectAltName matches the host of the URL.",
      fix: "Have the certificate issued for this host, or use a host that the certificate names.",
      text: "ssl hostname does not match name(s) in certificate"),
    TrustCheck(
      "TemporalValidity", ["chain.expired", "chain.not-yet-valid"],
      "According to the device's clock, a certificate has expired or is not yet valid.",
      fix: "Renew the certificate. Also check the date of the device and the intermediates.",
      text: "certificate is not temporally valid"),
    TrustCheck(
      "ValidRoot", ["chain.expired", "chain.not-yet-valid"], "The root has expired or is not yet valid.",
      fix: "Use a chain that ends in a valid root.", text: "root is not temporally valid"),
    TrustCheck(
      "ValidLeaf", ["chain.expired", "chain.not-yet-valid"],
      "The server's certificate has expired or is not yet valid.",
      fix: "Renew the certificate. Also check the date of the device."),
    TrustCheck(
      "ValidIntermediates", ["chain.expired", "chain.not-yet-valid"],
      "An intermediate has expired or is not yet valid.",
      fix: "Send a current intermediate certificate."),
    TrustCheck(
      "AnchorTrusted", ["chain.no-anchor", "chain.self-signed", "chain.not-trusted-yet"],
      "The chain does not end in a root that the device trusts.",
      fix:
        "Send the intermediates, and use a certificate from a CA that the device trusts. If the root is private, "
        + "install it and turn on full trust for it.",
      text: "root is not trusted"),
    TrustCheck(
      "MissingIntermediate", ["chain.no-issuer"], "The chain is incomplete: the issuer of a certificate is missing.",
      fix: "Make the server send the intermediate certificates after its own certificate.",
      text: "unable to build chain to root"),
    TrustCheck(
      "WeakKeySize", ["chain.key-size", "chain.key-algorithm"],
      "A key in the chain is too short: an RSA key under 2048 bits, or an EC key under 256 bits.",
      fix: "Issue the certificate for an RSA key of at least 2048 bits or an EC key of at least 256 bits.",
      text: "certificate is using a broken key size"),
    TrustCheck(
      "WeakLeaf", ["chain.key-size"], "The key of the server's certificate is too short.",
      fix: "Issue the certificate for an RSA key of at least 2048 bits or an EC key of at least 256 bits."),
    TrustCheck(
      "WeakIntermediates", ["chain.key-size"], "The key of an intermediate is too short.",
      fix: "Use an intermediate with an RSA key of at least 2048 bits or an EC key of at least 256 bits."),
    TrustCheck(
      "WeakRoot", ["chain.key-size"], "The key of the root is too short.",
      fix: "Use a root with an RSA key of at least 2048 bits or an EC key of at least 256 bits."),
    TrustCheck(
      "SystemTrustedWeakKey", ["chain.key-size"], "A key in a public chain is too short.",
      fix: "Issue the certificate for an RSA key of at least 2048 bits or an EC key of at least 256 bits.",
      text: "key size is not permitted for this use"),
    TrustCheck(
      "WeakSignature", ["chain.weak-signature"], "A certificate is signed with a weak hash: MD5 or SHA-1.",
      fix: "Have the certificate signed with SHA-256 or better.",
      text: "certificate is using a broken signature algorithm"),
    TrustCheck(
      "SystemTrustedWeakHash", ["chain.weak-signature"], "A certificate in a public chain is signed with a weak hash.",
      fix: "Have the certificate signed with SHA-256 or better.",
      text: "signature hash algorithm is not permitted for this use"),
    TrustCheck(
      "ExtendedKeyUsage", ["chain.extended-key-usage"],
      "The certificate's extendedKeyUsage does not allow a TLS server.",
      fix: "Issue the certificate with serverAuth in extendedKeyUsage.",
      text: "extended key usage does not match certificate usage"),
    TrustCheck(
      "ServerAuthEKU", ["chain.extended-key-usage"],
      "The certificate, or a CA above it, lacks serverAuth in extendedKeyUsage.",
      fix: "Issue the certificate with serverAuth in extendedKeyUsage."),
    TrustCheck(
      "SinglePurposeChainEKU", ["chain.extended-key-usage"],
      "A CA of the chain has an extendedKeyUsage that does not allow TLS servers.",
      fix: "Use a CA that may issue certificates for TLS servers."),
    TrustCheck(
      "KeyUsage", ["chain.key-usage"], "A certificate's keyUsage does not allow this use of its key.",
      fix: "Issue the certificate with the keyUsage that its use requires.",
      text: "key usage does not match certificate usage"),
    TrustCheck(
      "ValidityPeriodMaximums", ["chain.lifetime"],
      "The certificate is valid for too long: over 398 days under "
        + "a public root, or over 825 days under a private root.",
      fix: "Issue the certificate for at most 397 days under a public root, or at most 825 days under a private root.",
      text: "certificate exceeds maximum temporal validity period"),
    TrustCheck(
      "SystemTrustValidityPeriod", ["chain.lifetime"],
      "The certificate is valid for more than 398 days, the maximum under a public root.",
      fix: "Issue the certificate for at most 397 days."),
    TrustCheck(
      "OtherTrustValidityPeriod", ["chain.lifetime"],
      "The certificate is valid for more than 825 days, the maximum under a private root.",
      fix: "Issue the certificate for at most 825 days."),
    TrustCheck(
      "SystemTrustedCTRequired", ["chain.certificate-transparency"],
      "The certificate chains to a public root and has too few SCTs (Certificate Transparency).",
      fix: "Have the CA issue the certificate with SCTs from enough Apple-approved logs.",
      text: "certificate transparency validation required for this use"),
    TrustCheck(
      "CTRequired", ["chain.certificate-transparency"],
      "Certificate Transparency is required, but the SCTs are not sufficient.",
      fix: "Have the CA issue the certificate with SCTs from enough Apple-approved logs.",
      text: "certificate transparency validation required but missing"),
    TrustCheck(
      "NonTlsCTRequired", ["chain.certificate-transparency"],
      "Certificate Transparency is required, but the SCTs are not sufficient.",
      fix: "Have the CA issue the certificate with SCTs from enough Apple-approved logs."),
    TrustCheck(
      "Revocation", ["chain.revoked"], "A certificate is revoked.", fix: "Replace the certificate and its key.",
      text: "certificate is revoked"),
    TrustCheck(
      "RevocationResponseRequired", ["chain.revocation-unknown"],
      "The app requires a revocation response, but the device received no usable response.",
      fix: "Make the CA's responder reachable, or staple its response.", text: "failed to check revocation"),
    TrustCheck(
      "LeafSPKISHA256", ["pin.mismatch"], "The key of the server's certificate is not in NSPinnedLeafIdentities.",
      fix: "Compare the pins with the SHA-256 of the SubjectPublicKeyInfo of the server's certificate.",
      text: "public key does not match pinned value"),
    TrustCheck(
      "CAspkiSHA256", ["pin.mismatch"], "No CA of the chain has a key that NSPinnedCAIdentities lists.",
      fix: "Compare the pins with the SHA-256 of the SubjectPublicKeyInfo of each CA in the chain."),
    TrustCheck(
      "IntermediateSPKISHA256", ["pin.mismatch"], "The key of an intermediate is not the pinned key.",
      fix: "Compare the pins with the SHA-256 of the SubjectPublicKeyInfo of the intermediate."),
    TrustCheck(
      "PinningRequired", ["pin.mismatch"],
      "The app requires pins (SecTrustPinningRequired), but has none for the host.",
      fix: "Add the host to NSPinnedDomains, or remove SecTrustPinningRequired.", text: "pinning required but not used"
    ),
  ]

  private static let authorities = [
    TrustCheck(
      "BasicConstraints", ["chain.not-a-ca"], "An issuer's certificate has no basicConstraints.",
      fix: "Issue the CA certificate with basicConstraints cA TRUE.",
      text: "basic constraints are required but missing"),
    TrustCheck(
      "BasicConstraintsCA", ["chain.not-a-ca"],
      "A certificate that is not a CA certificate issued another certificate.",
      fix: "Have the certificate issued by a CA.", text: "non-ca certificate used as a ca"),
    TrustCheck(
      "BasicConstraintsPathLen", ["chain.path-length"],
      "The chain has more intermediates below a CA than its pathLen allows.",
      fix: "Use a CA whose pathLen allows this chain.", text: "chain exceeded constrained path length"),
    TrustCheck(
      "NotCA", ["chain.ca-as-leaf"], "The server's own certificate is a CA certificate.",
      fix: "Issue a certificate for the server that is not a CA certificate.", text: "leaf certificate is a ca"),
    TrustCheck(
      "NameConstraints", ["chain.name-constraints"],
      "A name in the certificate is outside the name constraints of a CA.",
      fix: "Have the certificate issued by a "
        + "CA whose name constraints permit this name.", text: "name constraints violated"),
    TrustCheck(
      "IssuerNameConstraints", ["chain.name-constraints"],
      "A name in the certificate is outside the constraints that the system sets for the CA.",
      fix: "Have the certificate issued by another CA.", text: "certificate violates issuer name constraints"),
    TrustCheck(
      "PolicyConstraints", ["chain.certificate-policy"], "The chain lacks a certificate policy that a CA requires.",
      fix: "Have the certificate issued with the required policy.", text: "policy constraints violated"),
    TrustCheck(
      "IssuerPolicyConstraints", ["chain.distrusted"], "The system blocks certificates of this CA for this use.",
      fix: "Have the certificate issued by another CA.", text: "certificate violates issuer policy constraints"),
    TrustCheck(
      "CriticalExtensions", ["chain.unhandled-critical-extension"],
      "A certificate has a critical extension that the system does not know.",
      fix: "Issue the certificate without the extension, "
        + "or mark the extension as not critical.", text: "found unknown critical extensions"),
    TrustCheck(
      "UnparseableExtension", ["chain.malformed"], "An extension of a certificate cannot be decoded.",
      fix: "Issue the certificate again with a correct encoding.", text: "unable to parse known extension"),
    TrustCheck(
      "DuplicateExtension", ["chain.malformed"], "A certificate contains the same extension twice.",
      fix: "Issue the certificate with only one of each extension."),
    TrustCheck(
      "NonEmptySubject", ["chain.empty-name"], "A certificate has an empty subject.",
      fix: "Issue the certificate with a subject.", text: "certificate missing a name"),
    TrustCheck(
      "IdLinkage", ["chain.key-identifier"],
      "A certificate's authorityKeyIdentifier does not match the subjectKeyIdentifier of its issuer.",
      fix: "Issue the certificate with the key identifier of its issuer, or send the correct issuer.",
      text: "subjectkeyid/authoritykeyid mismatch in chain"),
    TrustCheck(
      "BasicCertificateProcessing", ["chain.signature-invalid", "chain.malformed"],
      "The chain fails the basic validation of RFC 5280 section 6, for example because a signature is invalid.",
      fix: "Run 'trustlab verify' on the chain to see which check fails."),
    TrustCheck(
      "BlackListedLeaf", ["chain.distrusted"], "The system blocks the certificate.",
      fix: "Have a certificate issued by another CA."),
    TrustCheck(
      "BlackListedKey", ["chain.distrusted"], "The system blocks a key in the chain.",
      fix: "Have a certificate issued by another CA.", text: "key is blocked"),
    TrustCheck(
      "GrayListedLeaf", ["chain.distrusted"], "The system trusts the certificate only if the user does.",
      fix: "Have a certificate issued by another CA.", text: "certificate is listed as untrusted"),
    TrustCheck(
      "GrayListedKey", ["chain.distrusted"], "The system trusts a key in the chain only if the user does.",
      fix: "Have a certificate issued by another CA.", text: "key is listed as untrusted"),
    TrustCheck(
      "UsageConstraints", ["chain.denied"], "The user or an administrator marked a certificate Never Trust.",
      fix: "Remove the trust setting in Keychain Access or in the profile.",
      text: "user or administrator set certificate as distrusted"),
  ]

  /// The checks of policies for Apple's own services, for mail or for Wi-Fi. The default policy for TLS servers does
  /// not include them.
  private static let appleOnly = appleOnlyTexts.map { entry in
    TrustCheck(
      entry.name, [],
      "The check belongs to a policy that is not the default for TLS servers, such as for Apple's own services, mail "
        + "or Wi-Fi.",
      fix: "Find out which policy the app or the system set (SecTrustSetPolicies).", text: entry.text)
  }

  private static let appleOnlyTexts: [(name: String, text: String)] = [
    ("Email", "email address does not match name(s) in certificate"), ("EmailProtectionEKU", ""),
    ("EAPTrustedServerNames", "trusted eap hostname does not match name(s) in certificate"),
    ("SubjectCommonName", "common name does not match expected name"), ("SubjectCommonNamePrefix", ""),
    ("SubjectCommonNameTEST", ""), ("SubjectOrganization", "organization does not match expected name"),
    ("SubjectOrganizationalUnit", "organizational unit does not match expected name"),
    ("NotValidBefore", "certificate issued before allowed time"),
    ("LeafMarkerOid", "missing project-specific extension oid"), ("LeafMarkerOidWithoutValueCheck", ""),
    ("LeafMarkersProdAndQA", ""), ("MarkRepresentation", ""), ("IssuerCommonName", ""), ("IssuerCommonNamePrefix", ""),
    ("IntermediateEKU", "extended key usage does not match pinned value"),
    ("IntermediateMarkerOid", "missing issuer-specific extension oid"),
    ("IntermediateMarkerOidWithoutValueCheck", ""), ("IntermediateOrganization", ""), ("IntermediateCountry", ""),
    ("AnchorSHA256", "anchor does not match pinned fingerprint"), ("AnchorApple", "anchor is not an apple root"),
    ("KeySize", ""), ("SignatureHashAlgorithms", ""),
    ("CertificatePolicy", "missing project-specific certificate policy oid"),
    ("ChainLength", "chain does not match expected path length"),
  ]

  /// The names that are also ordinary words. They are recognised only in a list of checks.
  private static let ordinaryWords: Set<String> = [
    "Email", "Revocation", "KeyUsage", "ExtendedKeyUsage", "BasicConstraints", "NameConstraints", "PolicyConstraints",
    "CertificatePolicy", "KeySize", "NotCA", "NotValidBefore",
  ]

  /// Whether the name alone shows that a log line is about this check.
  var isDistinctive: Bool { !Self.ordinaryWords.contains(name) }
}

extension TrustCheck {
  /// A text in an error of SecTrustEvaluateWithError that covers a group of checks.
  struct ShortForm {
    let text: String
    let meaning: String
    let fix: String
    let rules: [String]

    init(_ text: String, _ rules: [String], _ meaning: String, fix: String = ShortForm.verify) {
      self.text = text
      self.meaning = meaning
      self.fix = fix
      self.rules = rules
    }

    static let verify =
      "Save the chain with 'trustlab connect', then run 'trustlab verify --profile apple' on it to see which check "
      + "fails."
  }

  /// The texts of groups, in lower case.
  static let shortForms = [
    ShortForm(
      "certificate is not standards compliant",
      [
        "chain.lifetime", "chain.certificate-transparency", "chain.extended-key-usage", "chain.key-identifier",
        "chain.empty-name", "chain.not-a-ca", "chain.path-length", "chain.name-constraints", "chain.malformed",
        "chain.unhandled-critical-extension", "chain.signature-invalid",
      ],
      "One of several checks failed. The validity is too long (398 or 825 days), SCTs or serverAuth in "
        + "extendedKeyUsage are missing, key identifiers do not match, or a certificate is malformed."),
    ShortForm(
      "certificate is expired", ["chain.expired", "chain.not-yet-valid"],
      "According to the device's clock, a certificate has expired or is not yet valid.",
      fix: "Renew the certificate. Also check the date of the device and the intermediates."),
    ShortForm(
      "certificate name does not match input", hostNames,
      "No name in the certificate's subjectAltName matches the host of the URL.",
      fix: "Have the certificate issued for this host, or use a host that the certificate names."),
    ShortForm(
      "certificate is not trusted",
      ["chain.no-anchor", "chain.self-signed", "chain.no-issuer", "chain.not-trusted-yet"],
      "The chain does not end in a trusted root: it is self-signed, lacks an intermediate or has an unknown root.",
      fix:
        "Send the intermediates, and use a certificate from a CA that the device trusts. If the root is private, "
        + "install it and turn on full trust for it."),
    ShortForm(
      "certificate is not permitted for this usage", ["chain.extended-key-usage", "chain.key-usage"],
      "The certificate's keyUsage or extendedKeyUsage does not allow a TLS server.",
      fix: "Issue the certificate with serverAuth in extendedKeyUsage."),
    ShortForm(
      "do not meet pinning requirements", ["pin.mismatch", "chain.revocation-unknown"],
      "The chain contains none of the pinned keys, or a required revocation response is missing.",
      fix: "Compare the pins of the app with the SHA-256 of the SubjectPublicKeyInfo of each certificate in the chain."),
    ShortForm(
      "certificate is blocked", ["chain.distrusted"], "The system blocks the certificate or its CA.",
      fix: "Have a certificate issued by another CA."),
    ShortForm(
      "certificate as distrusted", ["chain.denied"], "The user or an administrator marked a certificate Never Trust.",
      fix: "Remove the trust setting in Keychain Access or in the profile."),
    ShortForm(
      "certificate does not meet issuer constraints", ["chain.name-constraints", "chain.distrusted"],
      "The certificate violates a constraint that the system sets for its CA.",
      fix: "Have a certificate issued by another CA."),
  ]

  /// The rules for the codes that are verdicts of App Transport Security (SecBase.h).
  static let violations: [Int: [String]] = [
    -9880: [
      "ats.tls-version", "ats.no-forward-secrecy", "ats.cipher-suite", "ats.key-size", "ats.leaf-hash",
      "ats.trust-loosening",
    ],
    -9881: ["ats.tls-version"], -9882: ["ats.no-forward-secrecy", "ats.cipher-suite"], -9883: ["ats.key-size"],
    -9884: ["ats.leaf-hash"], -9885: ["ats.leaf-hash", "chain.weak-signature"], -9886: ["pin.mismatch"],
  ]
}

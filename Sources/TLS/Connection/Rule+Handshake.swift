import Explanation

extension Rule {
  /// Every rule of TLS's handshakes.
  public static let handshake: [Rule] = [
    .noCommonVersion, .versionNotImplemented, .ssl3, .rc4, .shortBlocks, .noCommonSuite, .suiteNotOffered,
    .suiteOfOtherVersion,
    .suiteNotImplemented, .noCommonGroup, .shortDHGroup, .badDHGroup,
    .noCommonSignatureScheme, .unrecognizedName, .noApplicationProtocol, .inappropriateFallback, .unsupportedExtension,
    .illegalParameter,
    .insecureRenegotiation, .unboundRenegotiation, .renegotiation, .unexpectedMessage, .decodeError,
    .certificateRefused, .keyTypeMismatch, .keyPurpose,
    .badSignature, .badKeyShare, .premasterMalformed, .paddingOracle, .finishedMismatch, .fatalAlert, .internalError,
  ]

  /// `handshake.no-common-version`
  public static let noCommonVersion = Rule(
    .handshake, "no-common-version", "Client and server must have a version of the protocol in common.",
    .rfc(5246, "E.1"),
    fix: "Enable TLS 1.2 or newer on the side that lacks it. If the client has fallen back to an older version, find "
      + "out who stopped its first attempt.")
  /// `handshake.version-not-implemented`
  public static let versionNotImplemented = Rule(
    .handshake, "version-not-implemented", "The version that was negotiated must be one these machines can run.",
    .rfc(5246, "1"),
    fix: "Nothing is wrong with TLS 1.3, which is not modelled here: another version of both sides would be played.")
  /// `handshake.ssl3`
  public static let ssl3 = Rule(
    .handshake, "ssl3", "A connection should not be one of SSL 3.0, whose padding nobody can check.", .rfc(7568, "3"),
    fix: "Disable SSL 3.0 on the server (POODLE, CVE-2014-3566).", decides: false)
  /// `handshake.rc4`
  public static let rc4 = Rule(
    .handshake, "rc4", "A connection should not be encrypted with RC4, whose output is not evenly distributed.",
    .rfc(7465, "2"), fix: "Disable the suites with RC4 on the server (CVE-2013-2566).", decides: false)
  /// `handshake.short-blocks`
  public static let shortBlocks = Rule(
    .handshake, "short-blocks",
    "A connection should not be encrypted in blocks of 8 bytes, of which some are alike after 32 GiB.",
    .rfc(9325, "4.1"), fix: "Disable the suites with 3DES on the server (Sweet32, CVE-2016-2183).", decides: false)
  /// `handshake.no-common-suite`
  public static let noCommonSuite = Rule(
    .handshake, "no-common-suite",
    "The server must find, among the cipher suites the client offers, one that it supports and has a key for.",
    .rfc(5246, "7.4.1.3"),
    fix: "Enable a suite of the client's list on the server, with a certificate, a group and a signature scheme for it."
  )
  /// `handshake.suite-not-offered`
  public static let suiteNotOffered = Rule(
    .handshake, "suite-not-offered", "The server must choose a cipher suite that the client offered.",
    .rfc(5246, "7.4.1.3"), fix: "Repair the server, or look for someone who alters the messages.")
  /// `handshake.suite-of-other-version`
  public static let suiteOfOtherVersion = Rule(
    .handshake, "suite-of-other-version",
    "The server must not choose, for an older version, a cipher suite that came with a newer one.", .rfc(5246, "A.5"),
    fix: "Enable TLS 1.2 on the server, or a suite of AES in CBC mode with SHA-1.")
  /// `handshake.suite-not-implemented`
  public static let suiteNotImplemented = Rule(
    .handshake, "suite-not-implemented", "The suite that was negotiated must be one these machines can run.",
    .rfc(5246, "A.5"), fix: "Put an RSA or ECDHE suite with AES or ChaCha20-Poly1305 first on the server's list.")
  /// `handshake.no-common-group`
  public static let noCommonGroup = Rule(
    .handshake, "no-common-group", "For (EC)DHE, client and server must have a group in common.",
    .rfc(8422, "5.1"), fix: "Enable secp256r1 or x25519 on both sides.")
  /// `handshake.short-dh-group`
  public static let shortDHGroup = Rule(
    .handshake, "short-dh-group",
    "The modulus of a server's Diffie-Hellman group must be so long that nobody finds discrete logarithms in it.",
    .rfc(5246, "F.1.1.3"),
    fix: "Use a group of RFC 7919, or better ECDHE: 512 bits were broken in minutes (Logjam, 2015), 1024 are in reach.")
  /// `handshake.bad-dh-group`
  public static let badDHGroup = Rule(
    .handshake, "bad-dh-group",
    "The modulus of a server's Diffie-Hellman group must be prime, and its generator make more than two values.",
    .rfc(7919, "3"), fix: "Use a group of RFC 7919.")
  /// `handshake.no-common-signature-scheme`
  public static let noCommonSignatureScheme = Rule(
    .handshake, "no-common-signature-scheme",
    "The server must sign its key exchange in a way that the client listed in signature_algorithms.",
    .rfc(5246, "7.4.3"),
    fix: "Let the server sign with a scheme of the client's list: use a certificate for an RSA or P-256 key, or enable "
      + "the scheme of the present key on the client.")
  /// `handshake.unrecognized-name`
  public static let unrecognizedName = Rule(
    .handshake, "unrecognized-name", "The server should have a certificate for the name that the client asks for.",
    .rfc(6066, "3"), fix: "Ask for a host that the server answers for, or give it a certificate for the name.")
  /// `handshake.no-application-protocol`
  public static let noApplicationProtocol = Rule(
    .handshake, "no-application-protocol",
    "Where client and server both name application protocols, they must have one in common.", .rfc(7301, "3.2"),
    fix: "Let the server speak a protocol that the client offers, such as http/1.1.")
  /// `handshake.inappropriate-fallback`
  public static let inappropriateFallback = Rule(
    .handshake, "inappropriate-fallback",
    "A client that falls back to an older version must not meet a server that speaks a newer one.",
    .rfc(7507, "3"),
    fix: "Find out who stopped the client's first attempt: a fallback may be the work of an attacker.")
  /// `handshake.unsupported-extension`
  public static let unsupportedExtension = Rule(
    .handshake, "unsupported-extension", "The server must not answer an extension that the client did not send.",
    .rfc(5246, "7.4.1.4"), fix: "Repair the server.")
  /// `handshake.illegal-parameter`
  public static let illegalParameter = Rule(
    .handshake, "illegal-parameter", "A field must not be out of range or at odds with other fields.",
    .rfc(5246, "7.2.2"), fix: "Repair the peer, or look for someone who alters the messages.")
  /// `handshake.insecure-renegotiation`
  public static let insecureRenegotiation = Rule(
    .handshake, "insecure-renegotiation", "The peer should bind renegotiations to the connection they happen in.",
    .rfc(5746, "4.1"), fix: "Update the peer to a library that knows renegotiation_info.", decides: false)
  /// `handshake.unbound-renegotiation`
  public static let unboundRenegotiation = Rule(
    .handshake, "unbound-renegotiation",
    "Another handshake on a connection must repeat what both sides finished the one before with.",
    .rfc(5746, "3.7"), fix: "Someone has put another's handshake into a connection of his own, or the peer is broken.")
  /// `handshake.renegotiation`
  public static let renegotiation = Rule(
    .handshake, "renegotiation", "A connection that stands should not begin another handshake; it is declined.",
    .rfc(5246, "7.2.2"), fix: "Open a new connection in place of a renegotiation.", decides: false)
  /// `handshake.unexpected-message`
  public static let unexpectedMessage = Rule(
    .handshake, "unexpected-message", "Messages must come in the order of the protocol.", .rfc(5246, "7.4"),
    fix: "Look for someone who drops, repeats or reorders messages.")
  /// `handshake.decode-error`
  public static let decodeError = Rule(
    .handshake, "decode-error", "A message must have the form that the protocol gives it.", .rfc(5246, "7.2.2"),
    fix: "Repair the peer, or look for someone who alters the messages.")
  /// `handshake.certificate-refused`
  public static let certificateRefused = Rule(
    .handshake, "certificate-refused", "Each side must trust the certificate that the other one shows.",
    .rfc(5246, "7.4.2"),
    fix: "See the findings on the certificates, which say why.", decides: false)
  /// `handshake.key-type-mismatch`
  public static let keyTypeMismatch = Rule(
    .handshake, "key-type-mismatch", "The key in the server's certificate must suit the key exchange of the suite.",
    .rfc(5246, "7.4.2"), fix: "Use a suite for the key there is: ECDHE_ECDSA for an EC key, all others for RSA.")
  /// `handshake.key-purpose`
  public static let keyPurpose = Rule(
    .handshake, "key-purpose",
    "A certificate with keyUsage must allow its key what it does here: to sign, or with RSA key exchange to decrypt.",
    .rfc(5246, "7.4.2"), fix: "Issue the certificate with digitalSignature, for RSA key exchange with keyEncipherment.")
  /// `handshake.bad-signature`
  public static let badSignature = Rule(
    .handshake, "bad-signature",
    "The key in the server's certificate must have signed the ephemeral key and both hello randoms.",
    .rfc(5246, "7.4.3"),
    fix: "Find and remove the device or the attacker that answers for the server or alters its messages. If there is "
      + "none, let the server sign with the private key of the certificate that it presents.")
  /// `handshake.bad-key-share`
  public static let badKeyShare = Rule(
    .handshake, "bad-key-share", "The peer's ephemeral public key must be a valid member of its group.",
    .rfc(8422, "5.11"), fix: "Repair the peer, or look for someone who alters the messages.")
  /// `handshake.premaster-malformed`
  public static let premasterMalformed = Rule(
    .handshake, "premaster-malformed",
    "The decrypted premaster secret must be padded rightly, have 48 bytes and begin with the client's version; "
      + "if not, the server goes on with a random one and says nothing.",
    .rfc(5246, "7.4.7.1"), fix: "Look for someone who uses the server as an oracle (Bleichenbacher 1998).",
    decides: false)
  /// `handshake.padding-oracle`
  public static let paddingOracle = Rule(
    .handshake, "padding-oracle",
    "Nothing that a server does may tell whether a decrypted premaster secret was padded rightly.",
    .rfc(5246, "7.4.7.1"), fix: "Update the server; better, let it do no RSA key exchange at all.")
  /// `handshake.finished-mismatch`
  public static let finishedMismatch = Rule(
    .handshake, "finished-mismatch",
    "Finished must prove that both sides saw the same messages and hold the same master secret.",
    .rfc(5246, "7.4.9"),
    fix: "Find and remove the device or the attacker that alters messages of this handshake. If there is none, repair "
      + "the side that holds another secret.")
  /// `handshake.fatal-alert`
  public static let fatalAlert = Rule(
    .handshake, "fatal-alert", "The peer must not end the connection with a fatal alert.", .rfc(5246, "7.2.2"),
    fix: "See what the peer found, or its log.")
  /// `handshake.internal-error`
  public static let internalError = Rule(
    .handshake, "internal-error", "The configuration must allow this side to do its part.", .rfc(5246, "7.2.2"),
    fix: "Look at the key and the names in the configuration.")

  /// Every rule of this module.
  public static let tls: [Rule] = handshake + record + recording + clientAuthentication

  /// The rules about client certificates in a handshake.
  public static let clientAuthentication: [Rule] = [
    .clientCertificateRequired, .badCertificateVerify, .authorityNotListed,
  ]

  /// `client-auth.certificate-required`
  public static let clientCertificateRequired = Rule(
    .clientAuth, "certificate-required", "A client must show a certificate where the server demands one.",
    .rfc(5246, "7.4.6"),
    fix: "Give the client an identity that fits the CertificateRequest and let its delegate answer with it, or make "
      + "the certificate optional at the server.")
  /// `client-auth.bad-certificate-verify`
  public static let badCertificateVerify = Rule(
    .clientAuth, "bad-certificate-verify",
    "The key in the client's certificate must have signed all handshake messages before CertificateVerify.",
    .rfc(5246, "7.4.8"),
    fix: "Let the client sign with the private key of its certificate. If it does, find and remove the device or the "
      + "attacker that alters a message.")
  /// `client-auth.authority-not-listed`
  public static let authorityNotListed = Rule(
    .clientAuth, "authority-not-listed",
    "The client's certificate should come from an authority that the server lists, where it lists any.",
    .rfc(5246, "7.4.6"), fix: "Get the client's certificate from an authority that the server trusts for clients.",
    decides: false)
}

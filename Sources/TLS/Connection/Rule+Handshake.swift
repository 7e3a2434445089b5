import Explanation

extension Rule {
  /// All rules of the TLS handshake.
  public static let handshake: [Rule] = [
    .noCommonVersion, .versionNotImplemented, .ssl3, .rc4, .shortBlocks, .noCommonSuite, .suiteNotOffered,
    .suiteOfOtherVersion,
    .suiteNotImplemented, .noCommonGroup, .shortDHGroup, .badDHGroup,
    .noCommonSignatureScheme, .unrecognizedName, .noApplicationProtocol, .inappropriateFallback, .downgrade,
    .unsupportedExtension,
    .illegalParameter,
    .insecureRenegotiation, .unboundRenegotiation, .renegotiation, .unexpectedMessage, .decodeError,
    .certificateRefused, .keyTypeMismatch, .keyPurpose,
    .badSignature, .badKeyShare, .premasterMalformed, .paddingOracle, .finishedMismatch, .fatalAlert, .internalError,
  ]

  /// `handshake.no-common-version`
  public static let noCommonVersion = Rule(
    .handshake, "no-common-version",
    "The client and the server have a protocol version in common.",
    .rfc(5246, "E.1"),
    fix: "Enable a version on one side that the other side supports, TLS 1.2 or newer. If the client has fallen back "
      + "to an older version, find out why its first attempt failed.")
  /// `handshake.version-not-implemented`
  public static let versionNotImplemented = Rule(
    .handshake, "version-not-implemented",
    "TrustLab supports the negotiated version.",
    .rfc(5246, "1"),
    fix: "Enable a version from SSL 3.0 to TLS 1.3 on both sides.")
  /// `handshake.ssl3`
  public static let ssl3 = Rule(
    .handshake, "ssl3",
    "The connection uses TLS, not SSL 3.0, whose padding cannot be checked.",
    .rfc(7568, "3"),
    fix: "Disable SSL 3.0 on the server (POODLE, CVE-2014-3566).", decides: false)
  /// `handshake.rc4`
  public static let rc4 = Rule(
    .handshake, "rc4",
    "The connection does not use RC4, whose output is biased.",
    .rfc(7465, "2"),
    fix: "Disable the suites with RC4 on the server (CVE-2013-2566).", decides: false)
  /// `handshake.short-blocks`
  public static let shortBlocks = Rule(
    .handshake, "short-blocks",
    "The cipher's blocks are longer than 8 bytes; shorter blocks repeat after about 32 GiB.",
    .rfc(9325, "4.1"),
    fix: "Disable the suites with 3DES on the server (Sweet32, CVE-2016-2183).", decides: false)
  /// `handshake.no-common-suite`
  public static let noCommonSuite = Rule(
    .handshake, "no-common-suite",
    "The server supports an offered cipher suite and has a key for it.",
    .rfc(5246, "7.4.1.3"),
    fix: "Enable a suite from the client's list on the server, with a certificate, a group and a signature scheme for "
      + "it.")
  /// `handshake.suite-not-offered`
  public static let suiteNotOffered = Rule(
    .handshake, "suite-not-offered",
    "The server selects a cipher suite that the client offered.",
    .rfc(5246, "7.4.1.3"),
    fix: "Repair the server, or find and remove the device or the attacker that changes the messages.")
  /// `handshake.suite-of-other-version`
  public static let suiteOfOtherVersion = Rule(
    .handshake, "suite-of-other-version",
    "The negotiated version allows the selected cipher suite.",
    .rfc(5246, "A.5"),
    fix: "Enable TLS 1.2 on the server, or enable an AES-CBC suite that uses SHA-1.")
  /// `handshake.suite-not-implemented`
  public static let suiteNotImplemented = Rule(
    .handshake, "suite-not-implemented",
    "TrustLab supports the negotiated cipher suite.",
    .rfc(5246, "A.5"),
    fix: "Put an RSA or ECDHE suite with AES or ChaCha20-Poly1305 first in the server's list.")
  /// `handshake.no-common-group`
  public static let noCommonGroup = Rule(
    .handshake, "no-common-group",
    "For (EC)DHE, the client and the server have a group in common.",
    .rfc(8422, "5.1"),
    fix: "Enable secp256r1 or x25519 on both sides.")
  /// The same rule for a client, which finds that the server selected another group.
  static let groupNotOffered = noCommonGroup.fixed(
    by: "Configure the server to select a group from the client's list, such as secp256r1.")
  /// `handshake.short-dh-group`
  public static let shortDHGroup = Rule(
    .handshake, "short-dh-group",
    "The modulus of the server's Diffie-Hellman group is too long to compute discrete logarithms.",
    .rfc(5246, "F.1.1.3"),
    fix: "Use ECDHE, or a group of RFC 7919. Groups of 512 bits are broken in minutes (Logjam, 2015), and 1024 bits "
      + "are within reach.")
  /// `handshake.bad-dh-group`
  public static let badDHGroup = Rule(
    .handshake, "bad-dh-group",
    "The modulus of the server's Diffie-Hellman group is prime, and its generator produces more than two values.",
    .rfc(7919, "3"),
    fix: "Use a group of RFC 7919.")
  /// `handshake.no-common-signature-scheme`
  public static let noCommonSignatureScheme = Rule(
    .handshake, "no-common-signature-scheme",
    "The server signs its key exchange with a scheme from the client's signature_algorithms.",
    .rfc(5246, "7.4.3"),
    fix: "Configure the server to sign with a scheme from the client's list: use a certificate for an RSA or P-256 "
      + "key, or enable the current key's scheme on the client.")
  /// `handshake.unrecognized-name`
  public static let unrecognizedName = Rule(
    .handshake, "unrecognized-name",
    "The server has a certificate for the name in server_name.",
    .rfc(6066, "3"),
    fix: "Request a host that the server serves, or give the server a certificate for the name.")
  /// `handshake.no-application-protocol`
  public static let noApplicationProtocol = Rule(
    .handshake, "no-application-protocol",
    "If the client and the server both list application protocols (ALPN), they have one in common.",
    .rfc(7301, "3.2"),
    fix: "Enable a protocol that the client offers, such as http/1.1, on the server.")
  /// `handshake.inappropriate-fallback`
  public static let inappropriateFallback = Rule(
    .handshake, "inappropriate-fallback",
    "If a client falls back to an older version, the server supports no newer version.",
    .rfc(7507, "3"),
    fix: "Find out why the client's first attempt failed: an attacker may have caused the fallback.")
  /// `handshake.downgrade`
  public static let downgrade = Rule(
    .handshake, "downgrade",
    "If the server selects an older version, its random value does not say that it supports a newer one.",
    .rfc(8446, "4.1.3"),
    fix: "Find and remove the device or the attacker that removes the newer version from ClientHello.")
  /// `handshake.unsupported-extension`
  public static let unsupportedExtension = Rule(
    .handshake, "unsupported-extension",
    "The server sends only extensions that the client offered.",
    .rfc(5246, "7.4.1.4"),
    fix: "Repair the server.")
  /// `handshake.illegal-parameter`
  public static let illegalParameter = Rule(
    .handshake, "illegal-parameter",
    "Every field is in its range and consistent with the other fields.",
    .rfc(5246, "7.2.2"),
    fix: "Repair the peer, or find and remove the device or the attacker that changes the messages.")
  /// `handshake.insecure-renegotiation`
  public static let insecureRenegotiation = Rule(
    .handshake, "insecure-renegotiation",
    "The peer supports secure renegotiation (renegotiation_info).",
    .rfc(5746, "4.1"),
    fix: "Update the peer to a TLS library that supports renegotiation_info.", decides: false)
  /// `handshake.unbound-renegotiation`
  public static let unboundRenegotiation = Rule(
    .handshake, "unbound-renegotiation",
    "A renegotiation repeats the Finished values of the previous handshake.",
    .rfc(5746, "3.7"),
    fix: "Find and remove the attacker that put the client's handshake into its own connection. If there is none, "
      + "repair the peer.")
  /// `handshake.renegotiation`
  public static let renegotiation = Rule(
    .handshake, "renegotiation",
    "No renegotiation starts on this connection, because this side declines it.",
    .rfc(5246, "7.2.2"),
    fix: "Open a new connection instead of renegotiating.", decides: false)
  /// `handshake.unexpected-message`
  public static let unexpectedMessage = Rule(
    .handshake, "unexpected-message",
    "Messages arrive in the order of the protocol.",
    .rfc(5246, "7.4"),
    fix: "Find and remove the device or the attacker that drops, repeats or reorders messages. If there is none, "
      + "repair the peer.")
  /// `handshake.decode-error`
  public static let decodeError = Rule(
    .handshake, "decode-error",
    "Every message has the form that the protocol defines.",
    .rfc(5246, "7.2.2"),
    fix: "Repair the peer, or find and remove the device or the attacker that changes the messages.")
  /// `handshake.certificate-refused`
  public static let certificateRefused = Rule(
    .handshake, "certificate-refused",
    "Each side trusts the certificate that the other side presents.",
    .rfc(5246, "7.4.2"),
    fix: "Fix the findings on the certificates.", decides: false)
  /// `handshake.key-type-mismatch`
  public static let keyTypeMismatch = Rule(
    .handshake, "key-type-mismatch",
    "The key in the server's certificate fits the key exchange of the suite.",
    .rfc(5246, "7.4.2"),
    fix: "Use a suite for this key: ECDHE_ECDSA for an EC key, another suite for an RSA key.")
  /// `handshake.key-purpose`
  public static let keyPurpose = Rule(
    .handshake, "key-purpose",
    "If the certificate has keyUsage, it allows this use of the key: signing, or decryption for RSA key exchange.",
    .rfc(5246, "7.4.2"),
    fix: "Issue the certificate with digitalSignature, or with keyEncipherment for RSA key exchange.")
  /// `handshake.bad-signature`
  public static let badSignature = Rule(
    .handshake, "bad-signature",
    "The key in the server's certificate signed the ephemeral key and both random values.",
    .rfc(5246, "7.4.3"),
    fix: "Find and remove the device or the attacker that answers for the server or alters its messages. If there is "
      + "none, configure the server to sign with the private key of the certificate that it presents.")
  /// `handshake.bad-key-share`
  public static let badKeyShare = Rule(
    .handshake, "bad-key-share",
    "The peer's ephemeral public key is a valid member of its group.",
    .rfc(8422, "5.11"),
    fix: "Repair the peer, or find and remove the device or the attacker that changes the messages.")
  /// `handshake.premaster-malformed`
  public static let premasterMalformed = Rule(
    .handshake, "premaster-malformed",
    "The decrypted premaster secret has valid padding, 48 bytes, and the client's version. If not, the server silently "
      + "continues with a random secret.",
    .rfc(5246, "7.4.7.1"),
    fix: "Find and stop the attacker that uses the server as an oracle (Bleichenbacher 1998).", decides: false)
  /// `handshake.padding-oracle`
  public static let paddingOracle = Rule(
    .handshake, "padding-oracle",
    "The server does not reveal whether a decrypted premaster secret had valid padding.",
    .rfc(5246, "7.4.7.1"),
    fix: "Disable RSA key exchange on the server, or update its TLS library.")
  /// `handshake.finished-mismatch`
  public static let finishedMismatch = Rule(
    .handshake, "finished-mismatch",
    "Finished proves that both sides saw the same messages and have the same master secret.",
    .rfc(5246, "7.4.9"),
    fix: "Find and remove the device or the attacker that alters messages of this handshake. If there is none, repair "
      + "the side that has a different secret.")
  /// `handshake.fatal-alert`
  public static let fatalAlert = Rule(
    .handshake, "fatal-alert",
    "The peer does not end the connection with a fatal alert.",
    .rfc(5246, "7.2.2"),
    fix: "Look for the reason in the peer's findings or in its log. If the peer sent no alert, find and remove the "
      + "device or the attacker that forged it.")
  /// `handshake.internal-error`
  public static let internalError = Rule(
    .handshake, "internal-error",
    "The configuration gives this side everything that the handshake needs.",
    .rfc(5246, "7.2.2"),
    fix: "Check the key and the names in the configuration.")

  /// All rules of this module.
  public static let tls: [Rule] = handshake + record + recording + clientAuthentication

  /// The rules about client certificates in a handshake.
  public static let clientAuthentication: [Rule] = [
    .clientCertificateRequired, .badCertificateVerify, .authorityNotListed,
  ]

  /// `client-auth.certificate-required`
  public static let clientCertificateRequired = Rule(
    .clientAuth, "certificate-required",
    "If the server requires a client certificate, the client presents one.",
    .rfc(5246, "7.4.6"),
    fix: "Give the client an identity that fits the CertificateRequest and have its delegate return it, or make client "
      + "certificates optional on the server.")
  /// `client-auth.bad-certificate-verify`
  public static let badCertificateVerify = Rule(
    .clientAuth, "bad-certificate-verify",
    "The key in the client's certificate signed all handshake messages before CertificateVerify.",
    .rfc(5246, "7.4.8"),
    fix: "Configure the client to sign with its certificate's private key. If it already does, find and remove the "
      + "device or the attacker that alters a message.")
  /// `client-auth.authority-not-listed`
  public static let authorityNotListed = Rule(
    .clientAuth, "authority-not-listed",
    "If the server lists CAs, the client's certificate comes from one of them.",
    .rfc(5246, "7.4.6"),
    fix: "Get the client's certificate from a CA that the server trusts for client certificates.", decides: false)
}

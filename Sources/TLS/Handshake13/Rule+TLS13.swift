import Explanation

/// The rules of a TLS 1.3 handshake: those of earlier versions, with the clauses of RFC 8446.
extension Rule {
  /// The rules that RFC 8446 states too, each with its main clause there.
  public static let inTLS13: [Rule] = [
    noCommonVersion.tls13("4.2.1"), noCommonParameters13, suiteNotOffered.tls13("4.1.3"),
    suiteOfOtherVersion.tls13("B.4"), noCommonGroup.tls13("4.1.1"), noCommonSignatureScheme13,
    unsupportedExtension.tls13("4.2"), illegalParameter.tls13("6.2"), unexpectedMessage.tls13("4"),
    decodeError.tls13("6.2"), badSignature13, badKeyShare.tls13("4.2.8"), finishedMismatch13, keyPurpose13,
    clientCertificateRequired.tls13("4.4.2.4"), badCertificateVerify13, recordOverflow13, emptyRecord.tls13("5.1"),
    unexpectedRecordType.tls13("5"), badMAC.tls13("5.2"), truncatedConnection.tls13("6.1"), stalling.tls13("4.2.10"),
  ]

  /// The rule with the clause of RFC 8446 that states it.
  func tls13(_ section: String) -> Rule { citing(.rfc(8446, section)) }

  /// `handshake.bad-signature`, for CertificateVerify of the server.
  static let badSignature13 = badSignature.moved(
    in: .handshake, statement: "The key in the server's certificate signed all messages before CertificateVerify.",
    clause: .rfc(8446, "4.4.3"))
  /// `handshake.key-purpose`, for a certificate that signs CertificateVerify.
  static let keyPurpose13 = keyPurpose.tls13("4.4.2.2")
  /// `handshake.no-common-suite`, for a server that only sends handshake_failure.
  ///
  /// The alert does not name the missing parameter.
  public static let noCommonParameters13 = noCommonSuite.moved(
    in: .handshake, statement: "The two sides have a cipher suite, a group and a signature scheme in common.",
    clause: .rfc(8446, "4.1.1"),
    fix: "Enable on the server a suite and a group from the client's lists, and use a certificate whose key can sign "
      + "with a scheme from the client's list.")
  /// `client-auth.bad-certificate-verify`, for CertificateVerify of the client.
  static let badCertificateVerify13 = badCertificateVerify.tls13("4.4.3")
  /// `handshake.no-common-signature-scheme`
  static let noCommonSignatureScheme13 = noCommonSignatureScheme.moved(
    in: .handshake,
    statement: "CertificateVerify uses a scheme that the other side accepts and that fits the certificate's key.",
    clause: .rfc(8446, "4.4.3"))
  /// `handshake.finished-mismatch`
  static let finishedMismatch13 = finishedMismatch.moved(
    in: .handshake, statement: "Finished proves that both sides saw the same messages and have the same secrets.",
    clause: .rfc(8446, "4.4.4"))
  /// `handshake.finished-mismatch`, for the binder of a pre-shared key.
  static let binderMismatch = finishedMismatch.moved(
    in: .handshake, statement: "The binder proves that the client has the pre-shared key.",
    clause: .rfc(8446, "4.2.11.2"))
  /// `record.overflow`
  static let recordOverflow13 = recordOverflow.moved(
    in: .record, statement: "A record has at most 2^14 bytes of content, and at most 2^14 + 256 bytes if protected.",
    clause: .rfc(8446, "5.2"))
  /// `handshake.unexpected-message`, for a message that continues under other keys.
  static let keyChange13 = unexpectedMessage.moved(
    in: .handshake, statement: "A handshake message does not continue in a record under other keys.",
    clause: .rfc(8446, "5.1"))
}

extension HandshakeFailure {
  /// A handshake message continues in records under other keys (RFC 8446 section 5.1).
  static let keyChange = HandshakeFailure(
    alert: .unexpectedMessage,
    finding: Enforcement.standard.check(
      .keyChange13, on: .connection, false, required: .word("the end of the record"),
      found: .word("another handshake message")))
}

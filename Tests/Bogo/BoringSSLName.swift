import Explanation
import TLS

extension HandshakeFailure {
  /// BoringSSL's name for the failure, such as `:NO_SHARED_CIPHER:`.
  func boringSSLName(_ options: Options) -> String {
    if finding.rule.id == Rule.fatalAlert.id { return ":\(alert.boringSSLName):" }
    return ":\(Self.name(finding.rule, isServer: options.isServer)):"
  }

  private static func name(_ rule: Rule, isServer: Bool) -> String {
    switch rule.id {
    case Rule.noCommonSignatureScheme.id: isServer ? "NO_COMMON_SIGNATURE_ALGORITHMS" : "WRONG_SIGNATURE_TYPE"
    case Rule.noCommonGroup.id: isServer ? "NO_SHARED_GROUP" : "WRONG_CURVE"
    default: names[rule.id] ?? "OTHER"
    }
  }

  private static let names: [String: String] = Dictionary(
    uniqueKeysWithValues: [
      (.noCommonVersion, "UNSUPPORTED_PROTOCOL"), (.versionNotImplemented, "UNSUPPORTED_PROTOCOL"),
      (.noCommonSuite, "NO_SHARED_CIPHER"), (.suiteNotOffered, "WRONG_CIPHER_RETURNED"),
      (.suiteOfOtherVersion, "WRONG_CIPHER_RETURNED"), (.suiteNotImplemented, "WRONG_CIPHER_RETURNED"),
      (.noApplicationProtocol, "NO_APPLICATION_PROTOCOL"), (.inappropriateFallback, "INAPPROPRIATE_FALLBACK"),
      (.unsupportedExtension, "UNEXPECTED_EXTENSION"), (.illegalParameter, "ILLEGAL_PARAMETER"),
      (.unboundRenegotiation, "RENEGOTIATION_MISMATCH"), (.insecureRenegotiation, "RENEGOTIATION_MISMATCH"),
      (.renegotiation, "NO_RENEGOTIATION"), (.unexpectedMessage, "UNEXPECTED_MESSAGE"),
      (.decodeError, "DECODE_ERROR"), (.certificateRefused, "CERTIFICATE_VERIFY_FAILED"),
      (.keyTypeMismatch, "WRONG_CERTIFICATE_TYPE"), (.keyPurpose, "KEY_USAGE_BIT_INCORRECT"),
      (.badSignature, "BAD_SIGNATURE"), (.badCertificateVerify, "BAD_SIGNATURE"), (.badKeyShare, "BAD_ECPOINT"),
      (.downgrade, "TLS13_DOWNGRADE"), (.finishedMismatch, "DIGEST_CHECK_FAILED"),
      (.clientCertificateRequired, "PEER_DID_NOT_RETURN_A_CERTIFICATE"),
      (.badMAC, "DECRYPTION_FAILED_OR_BAD_RECORD_MAC"), (.recordOverflow, "DATA_LENGTH_TOO_LONG"),
      (.unexpectedRecordType, "UNEXPECTED_RECORD"), (.recordVersion, "WRONG_VERSION_NUMBER"),
      (.emptyRecord, "UNEXPECTED_RECORD"), (.stalling, "TOO_MANY_EMPTY_FRAGMENTS"),
      (.closedEarly, "UNEXPECTED_EOF"), (.truncatedConnection, "UNEXPECTED_EOF"),
    ].map { (rule: Rule, name: String) in (rule.id, name) })
}

extension AlertDescription {
  /// BoringSSL's name for a fatal alert of the peer. The prefix is the version that introduced the alert.
  fileprivate var boringSSLName: String {
    let word = description.uppercased().replacing("_RESERVED", with: "")
    return (rawValue <= 47 && ![21, 22].contains(rawValue)) ? "SSLV3_ALERT_\(word)" : "TLSV1_ALERT_\(word)"
  }
}

import Explanation

extension Rule {
  /// All rules of the record layer.
  public static let record: [Rule] = [
    .badMAC, .sequenceExhausted, .recordOverflow, .unexpectedRecordType, .recordVersion, .emptyRecord,
    .truncatedConnection, .closedEarly, .stalling,
  ]

  /// `record.bad-mac`
  public static let badMAC = Rule(
    .record, "bad-mac",
    "A protected record passes authentication, including its padding and its sequence number.",
    .rfc(5246, "6.2.3"),
    fix: "Find and remove the device or the attacker that alters, drops, repeats or reorders records. If there is "
      + "none, repair the side that uses different keys.")
  /// `record.sequence-exhausted`
  public static let sequenceExhausted = Rule(
    .record, "sequence-exhausted",
    "Every record has its own sequence number, which is at most 2^64 - 1.",
    .rfc(5246, "6.1"),
    fix: "Open a new connection.")
  /// `record.overflow`
  public static let recordOverflow = Rule(
    .record, "overflow",
    "A record has at most 2^14 bytes, or 2^14 + 2048 bytes if it is protected.",
    .rfc(5246, "6.2.3"),
    fix: "Repair the peer, or find and remove the device or the attacker that changes the records.")
  /// `record.unexpected-type`
  public static let unexpectedRecordType = Rule(
    .record, "unexpected-type",
    "A record has a known type that is expected at this point.",
    .rfc(5246, "6"),
    fix: "Check that both sides use TLS on this port. If they do, find and remove the device or the attacker that "
      + "changes the records.")
  /// `record.unexpected-version`
  public static let recordVersion = Rule(
    .record, "unexpected-version",
    "A record has the version of the connection.",
    .rfc(5246, "6.2.1"),
    fix: "Check that both sides use TLS on this port. If they do, find and remove the device or the attacker that "
      + "changes the records.")
  /// `record.empty`
  public static let emptyRecord = Rule(
    .record, "empty",
    "A record with a handshake message, an alert or a ChangeCipherSpec is not empty.",
    .rfc(5246, "6.2.1"),
    fix: "Repair the peer.")
  /// `record.truncated`
  public static let truncatedConnection = Rule(
    .record, "truncated",
    "The peer sends close_notify before the connection ends.",
    .rfc(5246, "7.2.1"),
    fix: "Find and remove the device or the attacker that cuts the connection. If there is none, configure the peer to "
      + "send close_notify before it closes the connection.")

  /// `record.closed-early`
  public static let closedEarly = Rule(
    .record, "closed-early",
    "The peer does not close the connection before the handshake is complete.",
    .rfc(5246, "7.2.1"),
    fix: "Look for the reason in the peer's findings or in its log: close_notify gives none.")

  /// The rules by which a side learns that its peer ended the handshake. They repeat the peer's finding.
  public static let passingOn: [Rule] = [.fatalAlert, .closedEarly]

  /// `record.stalling`
  public static let stalling = Rule(
    .record, "stalling",
    "The peer does not keep sending useless messages: warnings, empty records or renegotiation requests.",
    .rfc(5246, "6.2.1"),
    fix: "Repair the peer, or find and remove the device or the attacker that sends the messages: they only keep this "
      + "side busy.")

  /// All rules about the secrets of a recording.
  public static let recording: [Rule] = [.foreignKey, .recordedSecret]

  /// `handshake.foreign-key`
  public static let foreignKey = Rule(
    .handshake, "foreign-key",
    "The given private key belongs to the certificate in the recording.",
    .rfc(5246, "7.4.7.1"),
    fix: "Pass the private key of the certificate in the recording.", decides: false)
  /// `handshake.recorded-secret`
  public static let recordedSecret = Rule(
    .handshake, "recorded-secret",
    "The given secret belongs to the recorded session.",
    .rfc(5246, "8.1"),
    fix: "Pass the secret of this session: its line in the key log has this session's client_random.")
}

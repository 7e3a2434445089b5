import Explanation

extension Rule {
  /// Every rule of the record layer.
  public static let record: [Rule] = [
    .badMAC, .sequenceExhausted, .recordOverflow, .unexpectedRecordType, .recordVersion, .emptyRecord,
    .truncatedConnection, .closedEarly, .stalling,
  ]

  /// `record.bad-mac`
  public static let badMAC = Rule(
    .record, "bad-mac", "A protected record must authenticate, with its padding and its place in the sequence.",
    .rfc(5246, "6.2.3"),
    fix: "Find and remove the device or the attacker that alters, drops, repeats or reorders records. If there is "
      + "none, repair the side that has other keys.")
  /// `record.sequence-exhausted`
  public static let sequenceExhausted = Rule(
    .record, "sequence-exhausted", "A record must have a sequence number of its own; after 2^64 - 1 there is none.",
    .rfc(5246, "6.1"), fix: "Make a new connection.")
  /// `record.overflow`
  public static let recordOverflow = Rule(
    .record, "overflow", "A record must not hold more than 2^14 bytes, nor 2^14 + 2048 when it is protected.",
    .rfc(5246, "6.2.3"), fix: "Repair the peer, or look for someone who alters the records.")
  /// `record.unexpected-type`
  public static let unexpectedRecordType = Rule(
    .record, "unexpected-type", "A record must be of a type that exists and that has its place at this point.",
    .rfc(5246, "6"), fix: "Look whether the peer speaks TLS at all on this port.")
  /// `record.unexpected-version`
  public static let recordVersion = Rule(
    .record, "unexpected-version", "A record must carry the version of the connection.", .rfc(5246, "6.2.1"),
    fix: "Look whether the peer speaks TLS at all on this port.")
  /// `record.empty`
  public static let emptyRecord = Rule(
    .record, "empty", "A record of a handshake message, an alert or a ChangeCipherSpec must not be empty.",
    .rfc(5246, "6.2.1"), fix: "Repair the peer.")
  /// `record.truncated`
  public static let truncatedConnection = Rule(
    .record, "truncated", "The peer must say close_notify before the connection ends.", .rfc(5246, "7.2.1"),
    fix: "Find and remove the device or the attacker that cuts the connection. If there is none, let the peer send "
      + "close_notify before it closes.")

  /// `record.closed-early`
  public static let closedEarly = Rule(
    .record, "closed-early", "The peer must not close the connection before the handshake is complete.",
    .rfc(5246, "7.2.1"), fix: "See what the peer found, or its log: close_notify does not say why it goes.")

  /// The rules by which a side learns that the peer ended a handshake. They repeat the peer's finding.
  public static let passingOn: [Rule] = [.fatalAlert, .closedEarly]

  /// `record.stalling`
  public static let stalling = Rule(
    .record, "stalling",
    "A peer must not go on sending what moves nothing forward: warnings, empty records, requests for a handshake.",
    .rfc(5246, "6.2.1"), fix: "Repair the peer, or cut it off: it wants to keep this side busy.")

  /// Every rule about the secrets of a recording.
  public static let recording: [Rule] = [.foreignKey, .recordedSecret]

  /// `handshake.foreign-key`
  public static let foreignKey = Rule(
    .handshake, "foreign-key",
    "A private key that is to open a recording should belong to the certificate that the server showed.",
    .rfc(5246, "7.4.7.1"), fix: "Give the private key of the certificate in the recording.", decides: false)
  /// `handshake.recorded-secret`
  public static let recordedSecret = Rule(
    .handshake, "recorded-secret",
    "The secret that a recording comes with must be that of its session.", .rfc(5246, "8.1"),
    fix: "Give the secret of this session: its line in the key log has this session's client_random.")
}

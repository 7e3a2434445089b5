import Explanation

extension Rule {
  /// Every rule about what a recording comes with.
  public static let recording: [Rule] = [.foreignKey, .recordedSecret]

  /// `handshake.foreign-key`
  public static let foreignKey = Rule(
    .handshake, "foreign-key",
    "A private key that is to open a recording should belong to the certificate that the server showed.",
    .rfc(5246, "7.4.7.1"), fix: "Give the private key of the certificate in the recording.", decides: false)
  /// `handshake.recorded-secret`
  public static let recordedSecret = Rule(
    .handshake, "recorded-secret",
    "The master secret that a recording comes with must be the one that follows from its premaster secret.",
    .rfc(5246, "8.1"), fix: "The secret belongs to another session, or someone altered the recording.")
}

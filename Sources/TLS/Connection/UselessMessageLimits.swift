import Explanation

/// What a peer has sent in a row that moves nothing forward, and how much of it is taken.
///
/// RFC 5246 bounds none of it: warnings (section 7.2.2), empty records of application data (section 6.2.1) and requests
/// for another handshake (section 7.4.1.1) may come as often as the peer likes, which costs it less than us. The numbers
/// are those of BoringSSL's record layer, `kMaxWarningAlerts` and `kMaxEmptyRecords`, and so is the alert; for requests,
/// which BoringSSL refuses at once and rustls after the second, the number of warnings stands too.
struct UselessMessageLimits: Sendable {
  /// The most warnings in a row.
  static let maximumWarnings = 4
  /// The most empty records in a row.
  static let maximumEmptyRecords = 32
  /// The most requests for another handshake in a row.
  static let maximumRequests = 4

  private var warnings = 0
  private var emptyRecords = 0
  private var requests = 0

  /// Counts what came; whatever moves something forward sets the counts back, application data all of them.
  mutating func count(
    _ content: RecordReceiver.Received.Content, isConnected: Bool, _ log: inout EffectLog
  ) throws(HandshakeFailure) {
    switch content {
    case .event(.alert(let alert)) where alert.level == .warning && alert.description != .closeNotify:
      warnings += 1
      try check(warnings, Self.maximumWarnings, "warnings", &log)
    case .applicationData(let bytes, _) where bytes.isEmpty:
      emptyRecords += 1
      try check(emptyRecords, Self.maximumEmptyRecords, "empty records", &log)
    case .event(.handshake(.clientHello, _)) where isConnected, .event(.handshake(.helloRequest, _)):
      requests += 1
      try check(requests, Self.maximumRequests, "requests for another handshake", &log)
    case .applicationData: (warnings, emptyRecords, requests) = (0, 0, 0)
    // A whole handshake moves nothing forward either, where one follows another (CVE-2011-1473).
    case .event, .sealed, .failed: (warnings, emptyRecords) = (0, 0)
    }
  }

  private func check(
    _ count: Int, _ limit: Int, _ what: String, _ log: inout EffectLog
  ) throws(HandshakeFailure) {
    guard count > limit else { return }
    try log.refuse(
      .stalling, .unexpectedMessage, required: .word("at most \(limit) \(what) in a row"), found: .number(count))
  }
}

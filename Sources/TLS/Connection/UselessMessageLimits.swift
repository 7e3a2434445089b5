import Explanation

/// Limits on the number of consecutive messages from a peer that make no progress.
///
/// RFC 5246 allows any number of warnings (section 7.2.2), empty records of application data (section 6.2.1) and
/// renegotiation requests (section 7.4.1.1). RFC 8446 allows any number of ChangeCipherSpec messages without effect
/// during the handshake (section 5), and of KeyUpdate messages after it (section 4.6.3). These messages cost the peer less than this side. The limits and the alert
/// are those of BoringSSL, `kMaxWarningAlerts`, `kMaxEmptyRecords` and `kMaxKeyUpdates`. BoringSSL refuses renegotiation
/// requests at once, and rustls after the second; TrustLab applies the limit of warnings.
struct UselessMessageLimits: Sendable {
  /// The maximum number of consecutive warnings.
  static let maximumWarnings = 4
  /// The maximum number of consecutive records without content or effect.
  static let maximumEmptyRecords = 32
  /// The maximum number of consecutive renegotiation requests.
  static let maximumRequests = 4
  /// The maximum number of consecutive changes of the peer's keys.
  static let maximumKeyUpdates = 32

  private var warnings = 0
  private var emptyRecords = 0
  private var requests = 0
  private var keyUpdates = 0

  /// Counts a message. A message that makes progress resets the counts; application data resets all of them.
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
    case .event(.changeCipherSpec):
      emptyRecords += 1
      try check(emptyRecords, Self.maximumEmptyRecords, "records without effect", &log)
    case .event(.handshake(.keyUpdate, _)):
      keyUpdates += 1
      try check(keyUpdates, Self.maximumKeyUpdates, "changes of the keys", &log)
    case .event(.handshake(.clientHello, _)) where isConnected, .event(.handshake(.helloRequest, _)):
      requests += 1
      try check(requests, Self.maximumRequests, "requests for another handshake", &log)
    case .applicationData: (warnings, emptyRecords, requests, keyUpdates) = (0, 0, 0, 0)
    // A complete handshake makes no progress if another follows (CVE-2011-1473).
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

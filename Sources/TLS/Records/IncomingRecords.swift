import Explanation

/// The receiving direction of an endpoint, in the version that the hello messages select.
struct IncomingRecords: Sendable {
  /// The receiver of TLS 1.2 and earlier versions, and of the first message.
  private var first: RecordReceiver
  /// The receiver of TLS 1.3; nil before the hello messages select that version.
  private var tls13: RecordReceiver13?

  init(_ side: Side, _ context: ConnectionContext) { first = RecordReceiver(side, context) }

  /// Whether the hello messages selected TLS 1.3.
  var isTLS13: Bool { tls13 != nil }
  /// Whether received data is encrypted.
  var isEncrypted: Bool { tls13?.isEncrypted ?? first.isEncrypted }
  /// The number of unread bytes.
  var unreadCount: Int { tls13?.unreadCount ?? first.unreadCount }
  /// Whether a handshake message is incomplete, so that the keys of TLS 1.3 must not change.
  var hasPartialMessage: Bool { tls13?.hasPartialMessage ?? false }

  /// Continues in TLS 1.3.
  mutating func continueInTLS13() { if tls13 == nil { tls13 = first.successor13 } }

  mutating func append(_ bytes: [UInt8]) { if tls13?.append(bytes) == nil { first.append(bytes) } }

  mutating func limitFragments(_ count: Int) {
    first.fragmentLimit = count
    tls13?.fragmentLimit = count
  }

  /// Opens all further records with these keys, and names their values in this scope.
  mutating func protect(with keys: RecordKeys, _ names: ValueScope) {
    if tls13?.protect(with: keys) != nil { return }
    first.rename(names)
    first.protect(with: keys)
  }

  mutating func skipEarlyData(_ count: Int) { tls13?.skipEarlyData(count) }
  mutating func limitEarlyData(_ count: Int) { tls13?.limitEarlyData(count) }

  /// The next message; nil while it is incomplete.
  mutating func next(_ status: HandshakeStatus, _ log: inout EffectLog) -> RecordReceiver.Received? {
    guard tls13 != nil else { return first.next(status.negotiated, takesData: status.takesData, &log) }
    let conditions = RecordReceiver13.Conditions(
      takesData: status.takesData, takesChangeCipherSpec: status.takesChangeCipherSpec)
    return tls13?.next(status.negotiated, conditions, &log)
  }

  /// Checks that no incomplete alert remains at the end of the transport. In TLS 1.3, an alert is never split.
  mutating func endAlerts(_ log: inout EffectLog) throws(HandshakeFailure) {
    if tls13 == nil { try first.endAlerts(&log) }
  }

  /// Removes the protection of `record`, the next record that the peer sends in TLS 1.2 or an earlier version.
  mutating func unwrap(_ record: Record) -> Record { first.unwrap(record) }
}

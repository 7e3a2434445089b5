import Explanation

/// Why a connection ended: alert and reason are one value, they cannot disagree.
public struct HandshakeFailure: Error, Sendable, Hashable {
  /// What travels, or travelled: RFC 5246 section 7.2.2.
  public let alert: AlertDescription
  /// The violated rule and what was found.
  public let finding: Finding
  /// Whether this side found the reason and tells the other (`true`), or learns of it by an alert (`false`).
  public let isOwn: Bool

  /// A failure with its reason.
  public init(alert: AlertDescription, finding: Finding, isOwn: Bool = true) {
    self.alert = alert
    self.finding = finding
    self.isOwn = isOwn
  }
}

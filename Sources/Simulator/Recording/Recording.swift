import Explanation
import TLS

/// What somebody recorded of one session, and the secrets that were given to open it.
public struct Recording: Sendable {
  /// Bytes that one side sent.
  public struct Portion: Sendable, Hashable {
    /// Who sent them.
    public let side: Side
    /// What was sent: records, or any part of them.
    public let bytes: [UInt8]
    /// When; nil where the recording does not say.
    public let at: Instant?

    /// `side` sent `bytes`.
    public init(_ side: Side, _ bytes: [UInt8], at: Instant? = nil) {
      self.side = side
      self.bytes = bytes
      self.at = at
    }
  }

  /// Its name among several.
  public let id: String
  /// What travelled, in order.
  public let portions: [Portion]
  /// What opens it.
  public var secrets: SessionSecrets

  /// A recording of these bytes.
  public init(id: String, portions: [Portion], secrets: SessionSecrets = SessionSecrets()) {
    self.id = id
    self.portions = portions
    self.secrets = secrets
  }
}

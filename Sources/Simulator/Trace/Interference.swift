import Explanation
import URLLoading

/// An attacker's action on a message in transit.
public struct Interference: Sendable {
  /// The kind of the action.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The attacker read the message and passed it on unchanged.
    case read
    /// The attacker dropped the message.
    case dropped
    /// The attacker dropped the message and everything after it. The receiver saw the connection end.
    case cut
    /// The attacker delivered the message a second time.
    case replayed
    /// The attacker changed the message.
    case altered
    /// The attacker sent a forged message after or before the message.
    case injected
    /// An interceptor with connections to both endpoints sent on a different message.
    case rewritten
    /// The message contained nothing to change, and was passed on unchanged.
    case unaltered
  }

  /// The kind of the action.
  public let kind: Kind
  /// The name of the resulting message, or of the forged message.
  public let message: MessageName
  /// The bytes as they were sent.
  public let bytes: [UInt8]
  /// The fields of `bytes`.
  public let fields: [Field]

  /// Creates an action of `kind` on a message with these bytes and fields. The resulting message is called `message`.
  public init(_ kind: Kind, message: MessageName, bytes: [UInt8], fields: [Field]) {
    self.kind = kind
    self.message = message
    self.bytes = bytes
    self.fields = fields
  }

  /// Whether the message did not arrive in its original form.
  public var stops: Bool { [.dropped, .cut, .altered].contains(kind) }
  /// Whether a message arrived that its sender did not send, or sent only once.
  public var adds: Bool { [.altered, .replayed, .injected].contains(kind) }
}

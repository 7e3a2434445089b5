import Explanation
import URLLoading

/// An attacker's action on a message in transit.
public struct Interference: Sendable {
  /// The kind of the action.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The message was read and passed on unchanged.
    case read
    /// The message was dropped.
    case dropped
    /// The message and everything after it was dropped: the receiver saw the connection end.
    case cut
    /// The message arrived a second time.
    case replayed
    /// The message was changed.
    case altered
    /// A made-up message arrived after the message.
    case injected
    /// An interceptor with connections to both endpoints passed on a different message.
    case rewritten
    /// The message had nothing to change and was passed on unchanged.
    case unaltered
  }

  /// The kind of the action.
  public let kind: Kind
  /// The name of the resulting message, or of the made-up message.
  public let message: MessageName
  /// The bytes as they were sent.
  public let bytes: [UInt8]
  /// The fields of `bytes`.
  public let fields: [Field]

  /// Creates an action of `kind` on a message with these bytes and fields; the resulting message is called `message`.
  public init(_ kind: Kind, message: MessageName, bytes: [UInt8], fields: [Field]) {
    self.kind = kind
    self.message = message
    self.bytes = bytes
    self.fields = fields
  }

  /// Whether the message never arrived in the form in which it was sent.
  public var stops: Bool { [.dropped, .cut, .altered].contains(kind) }
  /// Whether a message arrived that its sender did not send, or sent only once.
  public var adds: Bool { [.altered, .replayed, .injected].contains(kind) }
}

import Explanation
import URLLoading

/// What an attacker did to a message on its way.
public struct Interference: Sendable {
  /// What kind of thing was done.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// It was read, and went on as it was.
    case read
    /// It never arrived.
    case dropped
    /// It never arrived, nor anything after it: its receiver saw the connection end.
    case cut
    /// It arrived a second time.
    case replayed
    /// It arrived changed.
    case altered
    /// After it arrived something made up.
    case injected
    /// An interceptor with both ends in its hands passed on something else.
    case rewritten
    /// There was nothing in it to change: it went on as it was.
    case unaltered
  }

  /// What was done.
  public let kind: Kind
  /// The name of what arrives of it, or after it.
  public let message: MessageName
  /// The bytes as they were sent.
  public let bytes: [UInt8]
  /// The fields of `bytes`.
  public let fields: [Field]

  /// `kind` was done to a message with these bytes and fields; what arrives of it is called `message`.
  public init(_ kind: Kind, message: MessageName, bytes: [UInt8], fields: [Field]) {
    self.kind = kind
    self.message = message
    self.bytes = bytes
    self.fields = fields
  }

  /// Whether the message as it was sent never arrived.
  public var stops: Bool { [.dropped, .cut, .altered].contains(kind) }
  /// Whether something arrived that its sender did not send, or not again.
  public var adds: Bool { [.altered, .replayed, .injected].contains(kind) }
}

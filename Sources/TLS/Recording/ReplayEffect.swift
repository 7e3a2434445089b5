import Explanation

/// What a replay has to tell.
public enum ReplayEffect: Sendable, Hashable {
  /// This message was sent.
  case message(ProtocolMessage, from: Side)
  /// A rule was held against what came to this side.
  case found(Finding, by: Side)
  /// This side made the value, or came to know it.
  case derived(Value, by: Side)
  /// The handshake is complete.
  case connected(ConnectionParameters)
  /// This side would have given up here, with its alert; or has learnt of it by the peer's.
  case failed(HandshakeFailure, at: Side)
}

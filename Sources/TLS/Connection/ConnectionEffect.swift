import Explanation

/// What a connection wants done, or has to tell.
public enum ConnectionEffect: Sendable, Hashable {
  /// Put the message's bytes on the wire.
  case send(ProtocolMessage)
  /// This message has come; what follows from it follows.
  case received(ProtocolMessage)
  /// Do I trust this certificate? Answer with `certificateEvaluated(_:)`; until then nothing more is read.
  case evaluateCertificate(PeerCredentials)
  /// A rule was held against something.
  case found(Finding)
  /// A value came to be, or to be known here.
  case derived(Value)
  /// A session was established that later connections may go on with.
  case established(Session12)
  /// The handshake is complete; application data may be sent.
  case connected(ConnectionParameters)
  /// Application data has come.
  case applicationData([UInt8])
  /// The connection is over, with its reason. The alert, if one is due, has already been sent.
  case failed(HandshakeFailure)
  /// The connection has ended properly, by close_notify.
  case closed
}

import Cryptography
import Wire

/// What happens to a handshake machine.
public enum Event: Sendable, Hashable {
  /// The client begins.
  case start
  /// A message has come; `body` is `message.body` (see `received(_:)`).
  case handshake(HandshakeMessage.Body, message: HandshakeMessage)
  /// A handshake message has come that cannot be decoded.
  case malformed(HandshakeType, WireError)
  /// ChangeCipherSpec has come.
  case changeCipherSpec
  /// An alert has come.
  case alert(Alert)
  /// The record layer cannot go on.
  case recordFailed(HandshakeFailure)
  /// The answer to `Effect.evaluateCertificate`.
  case certificateEvaluated(CertificateAnswer)

  /// A message has come.
  public static func received(_ message: HandshakeMessage) -> Event { .handshake(message.body, message: message) }

  /// The message's or event's name in the RFC.
  public var name: String {
    switch self {
    case .start: "start"
    case .handshake(_, let message): message.type.description
    case .malformed(let type, _): type.description
    case .changeCipherSpec: "ChangeCipherSpec"
    case .alert(let alert): "Alert (\(alert.description))"
    case .recordFailed: "record failure"
    case .certificateEvaluated: "certificate evaluation"
    }
  }
}

/// The answer to "do I trust this certificate?".
public enum CertificateAnswer: Sendable, Hashable {
  /// It is trusted, and this is the key in it.
  case accepted(PublicKey)
  /// It is not; the alert says why.
  case refused(AlertDescription)
}

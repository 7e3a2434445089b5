import Explanation

extension ProtocolMessage {
  /// The name of a message, from the registry of its content type.
  public enum Name: Sendable, Hashable, CustomStringConvertible {
    case handshake(HandshakeType)
    case changeCipherSpec
    case alert
    case applicationData
    /// A protected record of this type that cannot be opened.
    case encrypted(ContentType)

    /// All messages that can be read.
    public static let known = HandshakeType.known.map(Name.handshake) + [.changeCipherSpec, .alert, .applicationData]

    /// The name in the RFC: `ClientHello`, `Alert`.
    public var description: String {
      switch self {
      case .handshake(let type): type.description
      case .changeCipherSpec: "ChangeCipherSpec"
      case .alert: "Alert"
      case .applicationData: "ApplicationData"
      case .encrypted(let type): "encrypted \(type)"
      }
    }

    /// The message with this name in the RFC; nil for any other text.
    public init?(_ text: String) {
      guard let name = (Self.known + ContentType.known.map(Name.encrypted)).first(where: { $0.description == text })
      else { return nil }
      self = name
    }
  }
}

extension Event {
  /// The name of an event: of the message that has come, or of what this side decided.
  public enum Name: Sendable, Hashable, CustomStringConvertible {
    case message(ProtocolMessage.Name)
    case start
    case renegotiation
    case recordFailure
    case certificateEvaluation
    case identityChoice

    /// A handshake message of this type.
    static func handshake(_ type: HandshakeType) -> Name { .message(.handshake(type)) }

    /// The message's name in the RFC, or the event in a few words.
    public var description: String {
      switch self {
      case .message(let name): name.description
      case .start: "start"
      case .renegotiation: "renegotiation"
      case .recordFailure: "record failure"
      case .certificateEvaluation: "certificate evaluation"
      case .identityChoice: "choice of an identity"
      }
    }
  }

  /// The event's name.
  public var name: Name {
    switch self {
    case .start: .start
    case .renegotiate: .renegotiation
    case .handshake(_, let message): .handshake(message.type)
    case .malformed(let type, _): .handshake(type)
    case .changeCipherSpec, .malformedChangeCipherSpec: .message(.changeCipherSpec)
    case .alert: .message(.alert)
    case .recordFailed: .recordFailure
    case .certificateEvaluated: .certificateEvaluation
    case .identityChosen: .identityChoice
    }
  }
}

extension Finding.Subject {
  /// A message of TLS.
  public static func message(_ name: ProtocolMessage.Name) -> Finding.Subject { .message(name.description) }

  /// A handshake message.
  public static func handshake(_ type: HandshakeType) -> Finding.Subject { .message(type.description) }
}

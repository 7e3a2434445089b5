import Explanation

extension ProtocolMessage {
  /// The name of a message, from the registry of its content type.
  public enum Name: Sendable, Hashable, CustomStringConvertible {
    case handshake(HandshakeType)
    case changeCipherSpec
    case alert
    case applicationData
    /// A protected record of this content type that cannot be decrypted.
    case encrypted(ContentType)

    /// The names of all messages that TrustLab can decode.
    public static let known = HandshakeType.known.map(Name.handshake) + [.changeCipherSpec, .alert, .applicationData]

    /// The name in the RFC, such as `ClientHello` or `Alert`.
    public var description: String {
      switch self {
      case .handshake(let type): type.description
      case .changeCipherSpec: "ChangeCipherSpec"
      case .alert: "Alert"
      case .applicationData: "ApplicationData"
      case .encrypted(let type): "encrypted \(type)"
      }
    }

    /// The message with this name in the RFC; nil if there is none.
    public init?(_ text: String) {
      guard let name = (Self.known + ContentType.known.map(Name.encrypted)).first(where: { $0.description == text })
      else { return nil }
      self = name
    }
  }
}

extension Finding.Subject {
  /// A message of TLS.
  public static func message(_ name: ProtocolMessage.Name) -> Finding.Subject { .message(name.description) }

  /// An event of the handshake.
  static func event(_ kind: Event.Kind) -> Finding.Subject { .message(kind.description) }

  /// A handshake message.
  public static func handshake(_ type: HandshakeType) -> Finding.Subject { .message(type.description) }
}

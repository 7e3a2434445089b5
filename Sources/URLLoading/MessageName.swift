import Explanation
import TLS

/// The name of a message on the network, which belongs to TLS, or to HTTP without TLS.
public enum MessageName: Sendable, Hashable, CustomStringConvertible {
  case tls(ProtocolMessage.Name)
  case httpRequest
  case httpResponse
  /// A request for a tunnel through a proxy (RFC 9110 section 9.3.6).
  case connectRequest
  case connectResponse
  /// A WebSocket frame without TLS (RFC 6455 section 5.2).
  case webSocketFrame

  /// The messages of HTTP, and of the protocols that start with an HTTP request.
  public static let http: [MessageName] = [
    .httpRequest, .httpResponse, .connectRequest, .connectResponse, .webSocketFrame,
  ]

  /// Returns the name of a handshake message with the given type.
  public static func handshake(_ type: HandshakeType) -> MessageName { .tls(.handshake(type)) }

  /// The name in the standards, such as `ClientHello` or `HTTP request`.
  public var description: String {
    switch self {
    case .tls(let name): name.description
    case .httpRequest: "HTTP request"
    case .httpResponse: "HTTP response"
    case .connectRequest: "CONNECT request"
    case .connectResponse: "CONNECT response"
    case .webSocketFrame: "WebSocket frame"
    }
  }

  /// Creates the message name from its spelling in scenario files; nil for any other text.
  public init?(_ text: String) {
    if let name = ProtocolMessage.Name(text) {
      self = .tls(name)
    } else if let name = Self.http.first(where: { $0.description == text }) {
      self = name
    } else {
      return nil
    }
  }

  /// Whether the name is that of a TLS message.
  public var isTLS: Bool { if case .tls = self { true } else { false } }
  /// Whether the message opens a tunnel through a proxy.
  public var isAboutTunnel: Bool { self == .connectRequest || self == .connectResponse }
}

extension Finding.Subject {
  /// Returns the finding's subject for a message on the network.
  public static func message(_ name: MessageName) -> Finding.Subject { .message(name.description) }
}

import Explanation
import TLS

/// An endpoint of a connection, or of the two connections that replace it if an interceptor splits it.
///
/// ``` client ⇄ server        client ⇄ front · back ⇄ server        client ⇄ proxy · relay ⇄ server ```
enum End: Sendable, Hashable {
  case client
  case server
  /// The interceptor's server, which the client connects to.
  case front
  /// The interceptor's client, which connects to the server.
  case back
  /// The side of a proxy that the client connects to.
  case proxy
  /// The side of a proxy that connects to the server, if the proxy reads the messages.
  case relay

  /// The role of the endpoint in the protocol.
  var side: Side {
    switch self {
    case .client, .back, .relay: .client
    case .server, .front, .proxy: .server
    }
  }
}

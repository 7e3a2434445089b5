import Explanation
import TLS

/// One end of a connection, or of the two connections that an interceptor makes of it.
///
/// ```
/// client ⇄ server        client ⇄ front · back ⇄ server        client ⇄ proxy · relay ⇄ server
/// ```
enum End: Sendable, Hashable {
  case client
  case server
  /// The interceptor's server, which the client meets.
  case front
  /// The interceptor's client, which asks the server.
  case back
  /// A proxy's side that the client meets.
  case proxy
  /// A proxy's side that meets the server, where it reads what it passes on.
  case relay

  /// Which part of the protocol it plays.
  var side: Side {
    switch self {
    case .client, .back, .relay: .client
    case .server, .front, .proxy: .server
    }
  }
}

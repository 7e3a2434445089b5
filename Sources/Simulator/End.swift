import TLS

/// One end of a connection, or of the two connections that an interceptor makes of it.
///
/// ```
/// client ⇄ server        client ⇄ front · back ⇄ server
/// ```
enum End: Sendable, Hashable {
  case client
  case server
  /// The interceptor's server, which the client meets.
  case front
  /// The interceptor's client, which asks the server.
  case back

  /// Which part of the protocol it plays.
  var side: Side {
    switch self {
    case .client, .back: .client
    case .server, .front: .server
    }
  }
}

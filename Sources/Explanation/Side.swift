/// The two sides of a connection. The names of their values begin with the side.
public enum Side: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  case client
  case server

  /// The other side of the connection.
  public var peer: Side { self == .client ? .server : .client }
  /// `client` or `server`.
  public var description: String { rawValue }
}

/// The two ends of a connection, whose names begin those of their values.
public enum Side: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  case client
  case server

  /// The other end.
  public var peer: Side { self == .client ? .server : .client }
  /// `client` or `server`.
  public var description: String { rawValue }
}

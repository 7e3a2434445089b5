/// A participant in a connection, or an observer of it, that can know values.
public struct Party: Sendable, Hashable, CustomStringConvertible {
  /// The name in the scenario language: `client`, `server`, `eavesdropper`, or the name of a CA.
  public let name: String

  /// Creates the party with this name.
  public init(_ name: String) { self.name = name }

  /// The app whose verdict a scenario predicts.
  public static let client = Party("client")
  /// The server that the client wants to reach.
  public static let server = Party("server")
  /// A passive third party that observes every byte on the network.
  public static let eavesdropper = Party("eavesdropper")
  /// An active third party between client and server.
  public static let interceptor = Party("interceptor")

  /// The name of the party.
  public var description: String { name }
}

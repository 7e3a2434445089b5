/// A participant in a connection, or an observer of it: a party can know values.
public struct Party: Sendable, Hashable, CustomStringConvertible {
  /// The word of the scenario language: `client`, `server`, `eavesdropper`, or a CA's name.
  public let name: String

  /// The party called `name`.
  public init(_ name: String) { self.name = name }

  /// The app: the subject whose verdict a scenario is about.
  public static let client = Party("client")
  /// The server that the client means to reach.
  public static let server = Party("server")
  /// A passive third party that sees every byte on the network.
  public static let eavesdropper = Party("eavesdropper")
  /// An active third party between client and server.
  public static let interceptor = Party("interceptor")

  /// The party's name.
  public var description: String { name }
}

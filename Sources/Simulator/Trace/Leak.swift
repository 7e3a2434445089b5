import Endpoint
import Explanation

/// A secret that third parties learn on a date, or a quantum computer that they then have.
public struct Leak: Sendable, Hashable {
  /// A secret or an ability.
  public enum Content: Sendable, Hashable, CustomStringConvertible {
    /// The secret with this name.
    case secret(Value.ID)
    /// A quantum computer that breaks RSA and discrete logarithms with Shor's algorithm.
    case quantumComputer

    /// The name of the secret, or the scenario language's word `quantum`.
    public var description: String {
      switch self {
      case .secret(let name): "\(name)"
      case .quantumComputer: "quantum"
      }
    }

    /// The name of the secret; nil for a quantum computer.
    public var secret: Value.ID? { if case .secret(let name) = self { name } else { nil } }
  }

  /// The secret or ability that third parties obtain.
  public let content: Content
  /// The time from which third parties have it.
  public let at: Instant

  /// Creates a leak of `content` at this time.
  public init(_ content: Content, at: Instant) {
    self.content = content
    self.at = at
  }

  /// The name of the secret; nil for a quantum computer.
  public var secret: Value.ID? { content.secret }

  /// Returns whether third parties can use the leak during a connection at this time.
  ///
  /// A secret leaks after the connections of the same moment. A quantum computer is available from the moment on.
  func precedes(_ connection: Instant) -> Bool {
    content == .quantumComputer ? at <= connection : at < connection
  }
}

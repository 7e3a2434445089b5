import Endpoint
import Explanation
import PKIX
import URLLoading

/// Everything a run begins with: who is there, what they hold, what will be loaded and what will leak.
public struct World: Sendable {
  /// One connection that will be made.
  public struct Plan: Sendable {
    /// Its name among several; nil when it is the only one.
    public let name: String?
    /// The client that loads.
    public let client: ClientEndpoint.Configuration
    /// The server that answers.
    public let server: ServerEndpoint.Configuration

    /// A connection between these two.
    public init(name: String?, client: ClientEndpoint.Configuration, server: ServerEndpoint.Configuration) {
      self.name = name
      self.client = client
      self.server = server
    }

    /// What is loaded.
    public var url: LoadURL { client.decision.load.url }
    /// Begins the names of its values.
    public var prefix: String { client.tls.valuePrefix }
  }

  /// A secret that becomes known to the eavesdropper.
  public struct Leak: Sendable, Hashable {
    /// The secret's name.
    public let secret: Value.ID
    /// How many seconds after the last connection.
    public let after: Int64

    /// The secret `secret` leaks `after` seconds after the last connection.
    public init(secret: Value.ID, after: Int64) {
      self.secret = secret
      self.after = after
    }
  }

  /// When the first connection happens.
  public let clock: Instant
  /// The connections in order.
  public let plans: [Plan]
  /// What leaks, in order of time.
  public let leaks: [Leak]
  /// What parties hold before anything happens: private keys.
  public let held: [Value]
  /// The names by which certificates are known.
  public let names: CertificateNames

  /// A world with these connections.
  public init(clock: Instant, plans: [Plan], leaks: [Leak], held: [Value], names: CertificateNames) {
    self.clock = clock
    self.plans = plans
    self.leaks = leaks.enumerated().sorted { ($0.element.after, $0.offset) < ($1.element.after, $1.offset) }
      .map(\.element)
    self.held = held
    self.names = names
  }
}

import Endpoint
import Explanation
import TLS

/// An attack that was tried: what attackers did to reach a goal, and what stopped them.
public struct Attempt: Sendable {
  /// What they did.
  public enum Means: Sendable, Hashable {
    /// They stand in for the server, as the scenario orders.
    case ordered
    /// They show a certificate under a root of their own making.
    case ownRoot
    /// They show an honest certificate of this authority for a name of their own.
    case honest(authority: String)
    /// They show an honest certificate of this authority for a name of their own that begins with the host and a byte 00.
    case honestPrefix(authority: String)
    /// They sign a certificate for the host with the key of that honest certificate.
    case signedByHonest(authority: String)
    /// They show this certificate, whose key they have.
    case shown(certificate: String, key: Value.ID)
    /// They sign a certificate for the host with this key, under this certificate.
    case forged(under: String, key: Value.ID)
    /// They show the server's own certificate without its key.
    case withoutKey(CipherSuite.KeyExchange)
    /// They do, and go on with a premaster secret that they come by without the key.
    case knownPremaster(Value.ID)
    /// They go on with a session whose master secret they have.
    case resumed(Value.ID)
    /// They send once more what the server has signed for the same random number of the client, and go on with this
    /// ephemeral key.
    case repeatedKeyExchange(Value.ID)
    /// They pass on the server's messages up to ServerHelloDone, and finish in its place with this ephemeral key.
    case takenOver(Value.ID)
    /// They let the server decrypt what the client sends to them.
    case oracle
    /// They change a bit of what the server says under protection.
    case altered
    /// They add a record of their own.
    case added
    /// They cut the connection before all of the server's answer has come.
    case cutOff
    /// They send the client's messages to the server once more.
    case replayed
    /// They begin a request on a connection of their own, and make the client's handshake the second one on it.
    case spliced
    /// They make one session with each end, have the ends resume them, and send a request for which the client shows its
    /// certificate.
    case tripleHandshake

    /// What it takes of them.
    public var capability: Method.Capability { [.oracle, .replayed].contains(self) ? .asksServer : .onPath }
  }

  /// What attackers on the path do to the client's questions about revocation.
  public enum Suppression: Sendable, Hashable {
    /// They let nothing through.
    case blocked
    /// They hand out what was said so many seconds before, as long as it still counts.
    case outdated(by: Int64)
    /// They respond in the place of this delegate of the CA, whose key they have.
    case signed(by: String)
  }

  /// How it ended.
  public enum Result: Sendable, Hashable {
    /// The client, or the server, took it for the other end's.
    case succeeded
    /// These rules stopped it.
    case stopped([Rule])
    /// Nothing refused it, and nothing came of it.
    case unanswered
    /// It would go through: what it takes was counted, and not carried out.
    case counted(Obstacle)
    /// It takes more than these attackers can do.
    case beyond(Method.Capability)

    /// Whether it goes through.
    public var isSuccess: Bool {
      switch self {
      case .succeeded, .counted: true
      case .stopped, .unanswered, .beyond: false
      }
    }
  }

  /// What they were after.
  public let goal: Goal
  /// What they did.
  public let means: Means
  /// When.
  public let at: Instant
  /// The leak without which it could not have been tried; nil where none was needed after the connection.
  public let leak: Trace.Leak?
  /// How it ended.
  public internal(set) var result: Result
  /// The world in which it was tried, to be played step by step; nil where it is one of this run's own steps.
  public let world: World?
  /// What they do to the client's questions about revocation; nil where they let it ask.
  public internal(set) var suppression: Suppression?
  /// The CA certificate through which their chain leads, where it is another than the server's or the usual one.
  public internal(set) var through: String?
}

extension Method.Capability: Comparable {
  /// Whoever can do more can do all that is less.
  public static func < (left: Self, right: Self) -> Bool {
    let order = allCases
    return order.firstIndex(of: left) ?? 0 < order.firstIndex(of: right) ?? 0
  }
}

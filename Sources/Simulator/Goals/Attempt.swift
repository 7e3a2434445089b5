import Endpoint
import Explanation
import TLS

/// An attack that was tried: the attackers' means to reach a goal, and the result.
public struct Attempt: Sendable {
  /// The means of the attackers.
  public enum Means: Sendable, Hashable {
    /// They impersonate the server, as the scenario configures.
    case ordered
    /// They present a certificate under a root of their own.
    case ownRoot
    /// They present a certificate for their own name that this CA properly issued.
    case honest(authority: String)
    /// They present a certificate of this CA for their own name, which begins with the host and a byte 00.
    case honestPrefix(authority: String)
    /// They sign a certificate for the host with the key of such a properly issued certificate.
    case signedByHonest(authority: String)
    /// They present this certificate and have its key.
    case shown(certificate: String, key: Value.ID)
    /// They sign a certificate for the host with this key, under this certificate.
    case forged(under: String, key: Value.ID)
    /// They present the server's own certificate without its key.
    case withoutKey(CipherSuite.KeyExchange)
    /// They present the server's certificate, and continue with a premaster secret that they learn without the key.
    case knownPremaster(Value.ID)
    /// They resume a session whose master secret they have.
    case resumed(Value.ID)
    /// They resend a ServerKeyExchange that the server signed for the same client random. They have this ephemeral key.
    case repeatedKeyExchange(Value.ID)
    /// They relay the server's messages up to ServerHelloDone, and finish the handshake with this ephemeral key.
    case takenOver(Value.ID)
    /// They make the server decrypt the secret that the client sends to them.
    case oracle
    /// They flip a bit of the server's protected data.
    case altered
    /// They add a record of their own.
    case added
    /// They cut the connection before the whole response has arrived.
    case cutOff
    /// They replay the client's messages to the server.
    case replayed
    /// They begin a request on their own connection, and make the client's handshake a renegotiation of it.
    case spliced
    /// They make a session with each endpoint and relay the resumption. Then they send a request for which the client
    /// presents its certificate.
    case tripleHandshake

    /// The capability that the means require.
    public var capability: Method.Capability { [.oracle, .replayed].contains(self) ? .asksServer : .onPath }
  }

  /// The attackers' actions on the client's revocation requests.
  public enum Suppression: Sendable, Hashable {
    /// They block every request.
    case blocked
    /// They return the response of this many seconds ago, while it is still valid.
    case outdated(by: Int64)
    /// They sign responses with the key of this delegate of the CA.
    case signed(by: String)
  }

  /// The result of an attempt.
  public enum Result: Sendable, Hashable {
    /// The client or the server accepted the attackers as its peer.
    case succeeded
    /// These rules stopped it.
    case stopped([Rule])
    /// No rule stopped it, and it had no effect.
    case unanswered
    /// It would succeed: the work that it needs was counted, not carried out.
    case counted(Obstacle)
    /// It requires a capability that these attackers lack.
    case beyond(Method.Capability)

    /// Whether the attempt reaches its goal.
    public var isSuccess: Bool {
      switch self {
      case .succeeded, .counted: true
      case .stopped, .unanswered, .beyond: false
      }
    }
  }

  /// The goal of the attackers.
  public let goal: Goal
  /// The means of the attackers.
  public let means: Means
  /// The time of the attempt.
  public let at: Instant
  /// The leak that made the attempt possible; nil if it needed no leak after the connection.
  public let leak: Trace.Leak?
  /// The result of the attempt.
  public internal(set) var result: Result
  /// The world in which the attempt can be played step by step; nil if it is part of this run.
  public let world: World?
  /// The attackers' action on the client's revocation requests; nil if they leave them alone.
  public internal(set) var suppression: Suppression?
  /// The CA certificate of the attackers' chain, if it is neither the server's nor the usual one.
  public internal(set) var through: String?
}

extension Method.Capability: Comparable {
  /// Orders the capabilities: each includes all lesser ones.
  public static func < (left: Self, right: Self) -> Bool {
    let order = allCases
    return order.firstIndex(of: left) ?? 0 < order.firstIndex(of: right) ?? 0
  }
}

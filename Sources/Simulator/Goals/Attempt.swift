import Endpoint
import Explanation
import TLS

/// An attack that TrustLab tried: the attackers' means to reach a goal, and the result.
public struct Attempt: Sendable {
  /// The means of the attackers.
  public enum Means: Sendable, Hashable {
    /// The attackers impersonate the server as the scenario configures.
    case ordered
    /// The attackers present a certificate under their own root.
    case ownRoot
    /// The attackers present a certificate for their own name, properly issued by this CA.
    case honest(authority: String)
    /// The attackers present a certificate of this CA for their own name: the host, a zero byte, and more.
    case honestPrefix(authority: String)
    /// The attackers sign a certificate for the host with the key of a certificate that this CA issued to them.
    case signedByHonest(authority: String)
    /// The attackers present this certificate and have its key.
    case shown(certificate: String, key: Value.ID)
    /// The attackers sign a certificate for the host with this key, issued under this certificate.
    case forged(under: String, key: Value.ID)
    /// The attackers present the server's own certificate without its key.
    case withoutKey(CipherSuite.KeyExchange)
    /// The attackers present the server's certificate, and continue with a premaster secret that they learn without its
    /// key.
    case knownPremaster(Value.ID)
    /// The attackers resume a session whose master secret they have.
    case resumed(Value.ID)
    /// The attackers resend a ServerKeyExchange that the server signed for the same client random. They have its
    /// ephemeral key.
    case repeatedKeyExchange(Value.ID)
    /// The attackers relay the server's signed messages, and finish the handshake with this ephemeral
    /// key.
    case takenOver(Value.ID)
    /// The attackers make the server decrypt the secret that the client sends to them.
    case oracle
    /// The attackers route the client to the server of another host, which has the same external key (Selfie).
    case rerouted(host: String)
    /// The attackers flip a bit of the server's protected data.
    case altered
    /// The attackers add a record of their own.
    case added
    /// The attackers cut the connection before the whole response has arrived.
    case cutOff
    /// The attackers replay the client's messages to the server.
    case replayed
    /// The attackers begin a request on their own connection, and make the client's handshake a renegotiation of it.
    case spliced
    /// The attackers set up a session with each endpoint and relay the resumption. Then they send a request for which
    /// the client presents its certificate.
    case tripleHandshake

    /// The capability that the attack requires.
    public var capability: Method.Capability { [.oracle, .replayed].contains(self) ? .asksServer : .onPath }
  }

  /// The attackers' actions on the client's revocation requests.
  public enum Suppression: Sendable, Hashable {
    /// The attackers block every request.
    case blocked
    /// The attackers return a response that is this many seconds old but still valid.
    case outdated(by: Int64)
    /// The attackers sign responses with the key of this delegate of the CA.
    case signed(by: String)
  }

  /// The result of an attempt.
  public enum Result: Sendable, Hashable {
    /// The client or the server accepted the attackers as its peer.
    case succeeded
    /// These rules stopped the attempt.
    case stopped([Rule])
    /// No rule stopped the attempt, but it had no effect.
    case unanswered
    /// The attempt would succeed, but a part of its work was only estimated and not carried out.
    case counted(Obstacle)
    /// The attempt requires a capability that these attackers lack.
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
  /// The method that the attackers use.
  public let means: Means
  /// The time of the attempt.
  public let at: Instant
  /// The leak that made the attempt possible; nil if it needed no leak after the connection.
  public let leak: Leak?
  /// The result of the attempt.
  public internal(set) var result: Result
  /// The world in which the attempt can be run step by step; nil if it is part of this run.
  public let world: World?
  /// The attackers' action on the client's revocation requests; nil if the requests are unaffected.
  public internal(set) var suppression: Suppression?
  /// The name of the CA certificate in the attackers' chain, if it is neither the server's nor the usual one.
  public internal(set) var through: String?
}

extension Attempt {
  /// The computation on a quantum computer that the attempt only counts; nil if it needs none.
  var quantumObstacle: Obstacle? {
    if case .counted(let obstacle) = result, case .quantum = obstacle { obstacle } else { nil }
  }
}

extension Method.Capability: Comparable {
  /// Orders the capabilities. Each capability includes all lesser ones.
  public static func < (left: Self, right: Self) -> Bool {
    let order = allCases
    return order.firstIndex(of: left) ?? 0 < order.firstIndex(of: right) ?? 0
  }
}

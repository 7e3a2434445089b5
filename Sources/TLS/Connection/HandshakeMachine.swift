import Explanation

/// One side's handshake, as a connection drives it: a pure step from events to effects.
public protocol HandshakeMachine: Sendable {
  /// One step.
  mutating func handle(_ event: Event) -> [Effect]
  /// Which end of the connection this is.
  static var side: Side { get }
  /// How the premaster secret comes about, once that is settled.
  var keyExchange: CipherSuite.KeyExchange? { get }
  /// Whether nothing can be read before an answer about the peer's certificate.
  var awaitsEvaluation: Bool { get }
  /// What was agreed on, once the handshake is complete.
  var parameters: ConnectionParameters? { get }
  /// Whether the connection is over.
  var isClosed: Bool { get }
  /// What the record layer needs to know of this side's configuration.
  var surroundings: Surroundings { get }
}

/// What a side brings along besides its preferences.
public struct Surroundings: Sendable {
  /// The rules in force.
  public let enforcement: Enforcement
  /// Where random values come from.
  public let random: RandomStreams
  /// Who this side is.
  public let party: Party
  /// What the names of all values begin with.
  public let valuePrefix: String
}

extension ClientHandshake12: HandshakeMachine {
  /// The client.
  public static let side = Side.client
  /// Whether the machine waits for an answer about the server's certificate.
  public var awaitsEvaluation: Bool { state.awaitsEvaluation }
  /// What was agreed on, once the handshake is complete.
  public var parameters: ConnectionParameters? { state.parameters }
  /// Whether the connection is over.
  public var isClosed: Bool { if case .closed = state { true } else { false } }
  /// From the configuration.
  public var surroundings: Surroundings {
    Surroundings(
      enforcement: configuration.enforcement, random: configuration.random, party: configuration.party,
      valuePrefix: configuration.valuePrefix)
  }
}

extension ServerHandshake12: HandshakeMachine {
  /// The server.
  public static let side = Side.server
  /// Whether the machine waits for an answer about the client's certificate.
  public var awaitsEvaluation: Bool { state.awaitsEvaluation }
  /// What was agreed on, once the handshake is complete.
  public var parameters: ConnectionParameters? { state.parameters }
  /// Whether the connection is over.
  public var isClosed: Bool { if case .closed = state { true } else { false } }
  /// From the configuration.
  public var surroundings: Surroundings {
    Surroundings(
      enforcement: configuration.enforcement, random: configuration.random, party: configuration.party,
      valuePrefix: configuration.valuePrefix)
  }
}

import Explanation

/// One side's handshake: before there is a version, or by the rules of one. A value with a pure step: events in, effects
/// out.
protocol HandshakeMachine: Sendable {
  associatedtype State: HandshakeState
  associatedtype Configuration: SideConfiguration

  /// The side of the connection.
  static var side: Side { get }
  var state: State { get set }
  var configuration: Configuration { get }
  var log: EffectLog { get set }
  /// Version and suite, once the hellos have settled them.
  var negotiated: Negotiated? { get }
  /// The events that have their place now.
  var expected: [Event.Kind] { get }
  /// Whether the peer may send application data, under the keys that it has now.
  var takesData: Bool { get }
  /// The machine of the version that was settled, for which the message that settled it is still to come.
  var successor: (any HandshakeMachine)? { get }

  /// The state after an event.
  mutating func transition(_ event: Event) throws(HandshakeFailure) -> State
}

extension HandshakeMachine {
  var negotiated: Negotiated? { nil }
  var takesData: Bool { false }
  var successor: (any HandshakeMachine)? { nil }

  /// One step. After a fatal alert, sent or received, nothing is read any more.
  mutating func handle(_ event: Event) -> [Effect] {
    if case .closed = state.phase { return [] }
    do throws(HandshakeFailure) {
      state = try transition(event)
    } catch {
      state = .closed
      log.add(.failed(error))
    }
    return log.drainEffects()
  }

  /// The part of the state that the connection follows.
  var status: HandshakeStatus {
    HandshakeStatus(
      phase: state.phase, negotiated: negotiated, takesData: takesData, valueScope: configuration.valueScope)
  }
}

/// The state of a handshake machine, which names what is known there.
protocol HandshakeState: Sendable {
  static var closed: Self { get }
  var phase: HandshakePhase { get }
}

/// The kinds of state that every machine has.
enum HandshakePhase: Sendable {
  case negotiating
  /// Nothing can be read before an answer about a certificate, the peer's or the side's own.
  case awaitingEvaluation
  case connected(ConnectionParameters)
  case closed

  /// The parameters of the connection, once the handshake is complete.
  var parameters: ConnectionParameters? { if case .connected(let parameters) = self { parameters } else { nil } }
}

/// The part of a handshake's state that the connection follows.
struct HandshakeStatus: Sendable {
  let phase: HandshakePhase
  let negotiated: Negotiated?
  /// Whether the peer may send application data, under the keys that it has now.
  let takesData: Bool
  /// The scope of this side's values.
  let valueScope: ValueScope

  var isConnected: Bool { phase.parameters != nil }
  var awaitsEvaluation: Bool { if case .awaitingEvaluation = phase { true } else { false } }
}

/// The settings that client and server have in common.
protocol SideConfiguration: Sendable {
  var enforcement: Enforcement { get }
  var decisions: TLSDecisions { get }
  var random: RandomStreams { get }
  var party: Party { get }
  var valueScope: ValueScope { get }
  var narrates: Bool { get }
  var splitsRecords: Bool { get }
  var renegotiation: Renegotiation { get }
  /// The version of the first record, before there is one of the connection.
  var firstRecordVersion: ProtocolVersion { get }
}

extension SideConfiguration {
  var firstRecordVersion: ProtocolVersion { .tls10 }

  var context: ConnectionContext {
    ConnectionContext(
      enforcement: enforcement, decisions: decisions, random: random, party: party, valueScope: valueScope,
      narrates: narrates, splitsRecords: splitsRecords, firstRecordVersion: firstRecordVersion)
  }
}

/// The settings of one side that its record layer needs.
struct ConnectionContext: Sendable {
  /// The rules in force.
  let enforcement: Enforcement
  /// The decisions that a historical bug may make differently.
  let decisions: TLSDecisions
  /// The source of random values.
  let random: RandomStreams
  /// The party that this side is.
  let party: Party
  /// The scope of all values.
  let valueScope: ValueScope
  /// Whether the trace records values, and rules that hold.
  var narrates = true
  /// Whether application data of a CBC cipher in TLS 1.0 begins with a record of one byte.
  var splitsRecords = false
  /// The version of a client's first record.
  var firstRecordVersion = ProtocolVersion.tls10
}

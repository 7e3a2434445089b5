import Explanation

/// The handshake of one side, before a version is selected or in one version. It is a value with a pure step: events
/// in, effects out.
protocol HandshakeMachine: Sendable {
  associatedtype State: HandshakeState
  associatedtype Configuration: SideConfiguration

  /// The side of the connection.
  static var side: Side { get }
  var state: State { get set }
  var configuration: Configuration { get }
  var log: EffectLog { get set }
  /// Version and suite, after the hello messages.
  var negotiated: Negotiated? { get }
  /// The kinds of events that are expected now.
  var expected: [Event.Kind] { get }
  /// Whether the peer may send application data under its current keys.
  var takesData: Bool { get }
  /// The machine of the selected version, which has yet to handle the message that selected it.
  var successor: (any HandshakeMachine)? { get }

  /// Returns the state after an event.
  mutating func transition(_ event: Event) throws(HandshakeFailure) -> State
}

extension HandshakeMachine {
  var negotiated: Negotiated? { nil }
  var takesData: Bool { false }
  var successor: (any HandshakeMachine)? { nil }

  /// Handles one event. After a fatal alert, sent or received, nothing is read.
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

  /// The part of the state that the connection uses.
  var status: HandshakeStatus {
    HandshakeStatus(
      phase: state.phase, negotiated: negotiated, takesData: takesData, valueScope: configuration.valueScope)
  }
}

/// The state of a handshake machine, with the data known in it.
protocol HandshakeState: Sendable {
  static var closed: Self { get }
  var phase: HandshakePhase { get }
}

/// The kinds of states that every machine has.
enum HandshakePhase: Sendable {
  case negotiating
  /// Nothing is read until a certificate is evaluated or an identity is chosen.
  case awaitingEvaluation
  case connected(ConnectionParameters)
  case closed

  /// The parameters of the connection, after the handshake.
  var parameters: ConnectionParameters? { if case .connected(let parameters) = self { parameters } else { nil } }
}

/// The part of a handshake's state that the connection uses.
struct HandshakeStatus: Sendable {
  let phase: HandshakePhase
  let negotiated: Negotiated?
  /// Whether the peer may send application data under its current keys.
  let takesData: Bool
  /// The scope of this side's values.
  let valueScope: ValueScope

  var isConnected: Bool { phase.parameters != nil }
  var awaitsEvaluation: Bool { if case .awaitingEvaluation = phase { true } else { false } }
}

/// The common settings of client and server.
protocol SideConfiguration: Sendable {
  var enforcement: Enforcement { get }
  var decisions: TLSDecisions { get }
  var random: RandomStreams { get }
  var party: Party { get }
  var valueScope: ValueScope { get }
  var recordsTrace: Bool { get }
  var splitsRecords: Bool { get }
  var renegotiation: Renegotiation { get }
  /// The version of the first record, before a version is selected.
  var firstRecordVersion: ProtocolVersion { get }
}

extension SideConfiguration {
  var firstRecordVersion: ProtocolVersion { .tls10 }

  var context: ConnectionContext {
    ConnectionContext(
      enforcement: enforcement, decisions: decisions, random: random, party: party, valueScope: valueScope,
      recordsTrace: recordsTrace, splitsRecords: splitsRecords, firstRecordVersion: firstRecordVersion)
  }
}

/// The settings of one side for its record layer.
struct ConnectionContext: Sendable {
  /// The rules in force.
  let enforcement: Enforcement
  /// The decisions that a historical bug may change.
  let decisions: TLSDecisions
  /// The source of random values.
  let random: RandomStreams
  /// The party that this side is.
  let party: Party
  /// The scope of all values.
  let valueScope: ValueScope
  /// Whether values and satisfied rules are recorded.
  var recordsTrace = true
  /// Whether application data of a CBC cipher in TLS 1.0 begins with a record of one byte.
  var splitsRecords = false
  /// The version of a client's first record.
  var firstRecordVersion = ProtocolVersion.tls10
}

import Explanation

/// The handshake of one side, either before a version is selected or in one version. The machine is a value: it turns
/// events into effects without side effects.
protocol HandshakeMachine: Sendable {
  associatedtype State: HandshakeState
  associatedtype Configuration: SideConfiguration

  /// The side of the connection.
  static var side: Side { get }
  var state: State { get set }
  var configuration: Configuration { get }
  var log: EffectLog { get set }
  /// The version and suite; nil until the hello messages select them.
  var negotiated: Negotiated? { get }
  /// The kinds of events that are expected now.
  var expected: [Event.Kind] { get }
  /// Whether the peer may send application data under its current keys.
  var takesData: Bool { get }
  /// Whether this side may send application data.
  var maySend: Bool { get }
  /// Whether the peer may send a ChangeCipherSpec that has no effect (RFC 8446 section 5).
  var takesChangeCipherSpec: Bool { get }
  /// Whether this side may start another authentication on the connection.
  var mayRenegotiate: Bool { get }
  /// The machine of the selected version, which must still handle the message that selected it.
  var successor: (any HandshakeMachine)? { get }

  /// Returns the state that follows the event.
  mutating func transition(_ event: Event) throws(HandshakeFailure) -> State
}

extension HandshakeMachine {
  var negotiated: Negotiated? { nil }
  var takesData: Bool { false }
  var maySend: Bool { state.phase.parameters != nil }
  var takesChangeCipherSpec: Bool { false }
  var mayRenegotiate: Bool {
    state.phase.parameters.map { configuration.renegotiation.takesPart(isSecure: $0.hasSecureRenegotiation) } ?? false
  }
  var successor: (any HandshakeMachine)? { nil }

  /// Handles one event. After a fatal alert in either direction, all further events are ignored.
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

  /// The part of the machine's state that `Connection` uses.
  var status: HandshakeStatus {
    HandshakeStatus(
      phase: state.phase, negotiated: negotiated, takesData: takesData, maySend: maySend,
      takesChangeCipherSpec: takesChangeCipherSpec, valueScope: configuration.valueScope)
  }
}

/// The state of a handshake machine, with the data that is known in that state.
protocol HandshakeState: Sendable {
  static var closed: Self { get }
  var phase: HandshakePhase { get }
}

/// The phases that the states of every machine belong to.
enum HandshakePhase: Sendable {
  case negotiating
  /// The machine reads nothing until a certificate is evaluated or an identity is chosen.
  case awaitingEvaluation
  case connected(ConnectionParameters)
  case closed

  /// The parameters of the connection; nil until the handshake is complete.
  var parameters: ConnectionParameters? { if case .connected(let parameters) = self { parameters } else { nil } }
}

/// The part of a machine's state that `Connection` uses.
struct HandshakeStatus: Sendable {
  let phase: HandshakePhase
  let negotiated: Negotiated?
  /// Whether the peer may send application data under its current keys.
  let takesData: Bool
  /// Whether this side may send application data.
  let maySend: Bool
  /// Whether the peer may send a ChangeCipherSpec that has no effect (RFC 8446 section 5).
  let takesChangeCipherSpec: Bool
  /// The prefix of the names of this side's values.
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
  var recordsTrace: Bool { get }
  var splitsRecords: Bool { get }
  var recordPadding: Int { get }
  var renegotiation: Renegotiation { get }
  /// The version of the first record, before a version is selected.
  var firstRecordVersion: ProtocolVersion { get }
}

extension SideConfiguration {
  var firstRecordVersion: ProtocolVersion { .tls10 }

  var context: ConnectionContext {
    ConnectionContext(
      enforcement: enforcement, decisions: decisions, random: random, party: party, valueScope: valueScope,
      recordsTrace: recordsTrace, splitsRecords: splitsRecords, recordPadding: recordPadding,
      firstRecordVersion: firstRecordVersion)
  }
}

/// The settings that one side passes to its record layer.
struct ConnectionContext: Sendable {
  /// The rules that this side enforces.
  let enforcement: Enforcement
  /// The protocol decisions, which a simulated historical bug may replace.
  let decisions: TLSDecisions
  /// The source of random values.
  let random: RandomStreams
  /// The party that this side represents.
  let party: Party
  /// The prefix of the names of all values.
  let valueScope: ValueScope
  /// Whether values and satisfied rules are recorded.
  var recordsTrace = true
  /// Whether application data of a CBC cipher in TLS 1.0 begins with a record of one byte.
  var splitsRecords = false
  /// The number of zeros after the content of each protected record in TLS 1.3.
  var recordPadding = 0
  /// The version in the header of a client's first record.
  var firstRecordVersion = ProtocolVersion.tls10
}

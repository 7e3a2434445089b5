import Explanation

/// One side's handshake, whatever its version: a pure step from events to effects.
///
/// It begins before there is a version. The ClientHello and its answer settle one; then the machine of that version
/// takes over, and goes on with the very message that settled it.
public enum Handshake: Sendable {
  /// A client before the server's answer.
  case clientNegotiation(ClientNegotiation)
  /// A server before the client's offer.
  case serverNegotiation(ServerNegotiation)
  /// A client of TLS 1.2.
  case client12(ClientHandshake12)
  /// A server of TLS 1.2.
  case server12(ServerHandshake12)

  /// A client that has not begun.
  public init(_ configuration: ClientConfiguration) { self = .clientNegotiation(ClientNegotiation(configuration)) }

  /// A server that waits for a client.
  public init(_ configuration: ServerConfiguration) { self = .serverNegotiation(ServerNegotiation(configuration)) }

  /// One step. After a fatal alert, sent or received, nothing is read any more.
  public mutating func handle(_ event: Event) -> [Effect] {
    let effects: [Effect]
    let successor: Handshake?
    // The machine is moved out and back: a copy of all that it has would cost as much as some of its steps.
    switch consume self {
    case .clientNegotiation(var machine):
      effects = machine.handle(event)
      successor = machine.successor
      self = .clientNegotiation(machine)
    case .serverNegotiation(var machine):
      effects = machine.handle(event)
      successor = machine.successor
      self = .serverNegotiation(machine)
    case .client12(var machine):
      effects = machine.handle(event)
      successor = nil
      self = .client12(machine)
    case .server12(var machine):
      effects = machine.handle(event)
      successor = nil
      self = .server12(machine)
    }
    guard let successor else { return effects }
    self = successor
    return effects + handle(event)
  }

  /// Which end of the connection this is.
  public var side: Side {
    switch self {
    case .clientNegotiation, .client12: .client
    case .serverNegotiation, .server12: .server
    }
  }

  /// Version and suite, once the hellos have settled them.
  public var negotiated: Negotiated? {
    switch self {
    case .clientNegotiation, .serverNegotiation: nil
    case .client12(let machine): machine.negotiated
    case .server12(let machine): machine.negotiated
    }
  }

  /// The names of the events that have their place now.
  public var expected: [Event.Name] {
    switch self {
    case .clientNegotiation(let machine): machine.state.expected
    case .serverNegotiation(let machine): machine.state.expected
    case .client12(let machine): machine.state.expected
    case .server12(let machine): machine.state.expected
    }
  }

  /// Whether nothing can be read before an answer about the peer's certificate.
  public var awaitsEvaluation: Bool {
    switch self {
    case .clientNegotiation, .serverNegotiation: false
    case .client12(let machine): machine.state.awaitsEvaluation
    case .server12(let machine): machine.state.awaitsEvaluation
    }
  }

  /// What was agreed on, once the handshake is complete.
  public var parameters: ConnectionParameters? {
    switch self {
    case .clientNegotiation, .serverNegotiation: nil
    case .client12(let machine): machine.state.parameters
    case .server12(let machine): machine.state.parameters
    }
  }

  /// Whether the handshake is complete.
  public var isConnected: Bool { parameters != nil }

  /// What this side does about another handshake on the connection.
  var renegotiation: Renegotiation {
    switch self {
    case .clientNegotiation(let machine): machine.configuration.renegotiation
    case .serverNegotiation(let machine): machine.configuration.renegotiation
    case .client12(let machine): machine.configuration.renegotiation
    case .server12(let machine): machine.configuration.renegotiation
    }
  }

  /// What the records of the connection follow of a handshake.
  struct Standing: Sendable {
    var negotiated: Negotiated?
    var isConnected = false
    /// Whether the peer may send application data, under the keys that it has now.
    var takesData = false
    var awaitsEvaluation = false
    /// What the names of this side's values begin with.
    let valueScope: ValueScope
  }

  /// Where the handshake stands, for the records.
  var standing: Standing {
    switch self {
    case .clientNegotiation(let machine): Standing(valueScope: machine.configuration.valueScope)
    case .serverNegotiation(let machine): Standing(valueScope: machine.configuration.valueScope)
    case .client12(let machine):
      Standing(
        negotiated: machine.negotiated, isConnected: machine.state.isConnected, takesData: machine.takesData,
        awaitsEvaluation: machine.state.awaitsEvaluation, valueScope: machine.configuration.valueScope)
    case .server12(let machine):
      Standing(
        negotiated: machine.negotiated, isConnected: machine.state.isConnected, takesData: machine.takesData,
        awaitsEvaluation: machine.state.awaitsEvaluation, valueScope: machine.configuration.valueScope)
    }
  }

  /// What the record layer needs to know of this side's configuration.
  var surroundings: Surroundings {
    switch self {
    case .clientNegotiation(let machine): machine.configuration.surroundings
    case .serverNegotiation(let machine): machine.configuration.surroundings
    case .client12(let machine): machine.configuration.surroundings
    case .server12(let machine): machine.configuration.surroundings
    }
  }
}

/// What a side brings along besides its preferences.
struct Surroundings: Sendable {
  /// The rules in force.
  let enforcement: Enforcement
  /// The decisions that a historical bug may make differently.
  let decisions: TLSDecisions
  /// Where random values come from.
  let random: RandomStreams
  /// Who this side is.
  let party: Party
  /// What the names of all values begin with.
  let valueScope: ValueScope
  /// Whether it is told how the connection comes about.
  var narrates = true
  /// Whether application data of a CBC cipher in TLS 1.0 begins with a record of one byte.
  var splitsRecords = false
  /// The version of a client's first record.
  var firstRecordVersion = ProtocolVersion.tls10
}

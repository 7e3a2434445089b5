import Explanation

/// The handshake of one side, in any version: a state machine that turns events into effects.
///
/// At first the version is unknown. ClientHello and ServerHello select one. The machine of that version then handles
/// the message that selected it, and all later messages.
public struct Handshake: Sendable {
  /// The state machine that handles the next event.
  private(set) var machine: any HandshakeMachine

  /// Creates a client that has not started.
  public init(_ configuration: ClientConfiguration) { machine = ClientNegotiation(configuration) }

  /// Creates a server that waits for a client.
  public init(_ configuration: ServerConfiguration) { machine = ServerNegotiation(configuration) }

  /// Handles one event. After a fatal alert in either direction, all further events are ignored.
  public mutating func handle(_ event: Event) -> [Effect] {
    let effects = machine.handle(event)
    guard let successor = machine.successor else { return effects }
    machine = successor
    return effects + machine.handle(event)
  }

  /// The side of the connection.
  public var side: Side { type(of: machine).side }

  /// The version and suite; nil until the hello messages select them.
  public var negotiated: Negotiated? { machine.negotiated }

  /// The kinds of events that are expected now.
  public var expected: [Event.Kind] { machine.expected }

  /// The parameters of the connection; nil until the handshake is complete.
  public var parameters: ConnectionParameters? { machine.state.phase.parameters }

  /// Whether the handshake is complete.
  public var isConnected: Bool { parameters != nil }

  /// Whether this side may start another authentication: a renegotiation, or in TLS 1.3 a request after the handshake.
  var mayRenegotiate: Bool { machine.mayRenegotiate }

  /// The part of the machine's state that `Connection` uses.
  var status: HandshakeStatus { machine.status }

  /// The settings that the record layer needs.
  var context: ConnectionContext { machine.configuration.context }
}

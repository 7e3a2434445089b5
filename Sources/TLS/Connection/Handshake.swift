import Explanation

/// The handshake of one side in any version: a pure step from events to effects.
///
/// It begins without a version. ClientHello and ServerHello select one; the machine of that version then handles the
/// message that selected it, and all later ones.
public struct Handshake: Sendable {
  /// The machine that handles the next event.
  private(set) var machine: any HandshakeMachine

  /// Creates a client that has not started.
  public init(_ configuration: ClientConfiguration) { machine = ClientNegotiation(configuration) }

  /// Creates a server that waits for a client.
  public init(_ configuration: ServerConfiguration) { machine = ServerNegotiation(configuration) }

  /// Handles one event. After a fatal alert, sent or received, nothing is read.
  public mutating func handle(_ event: Event) -> [Effect] {
    let effects = machine.handle(event)
    guard let successor = machine.successor else { return effects }
    machine = successor
    return effects + machine.handle(event)
  }

  /// The side of the connection.
  public var side: Side { type(of: machine).side }

  /// Version and suite, after the hello messages.
  public var negotiated: Negotiated? { machine.negotiated }

  /// The kinds of events that are expected now.
  public var expected: [Event.Kind] { machine.expected }

  /// The parameters of the connection, after the handshake.
  public var parameters: ConnectionParameters? { machine.state.phase.parameters }

  /// Whether the handshake is complete.
  public var isConnected: Bool { parameters != nil }

  /// This side's reaction to a renegotiation.
  var renegotiation: Renegotiation { machine.configuration.renegotiation }

  /// The part of the state that the connection uses.
  var status: HandshakeStatus { machine.status }

  /// The settings that the record layer needs.
  var context: ConnectionContext { machine.configuration.context }
}

import Explanation

/// One side's handshake, whatever its version: a pure step from events to effects.
///
/// It begins before there is a version. The ClientHello and its answer settle one; then the machine of that version
/// takes over, and goes on with the very message that settled it.
public struct Handshake: Sendable {
  /// The machine that handles the next event.
  private(set) var machine: any HandshakeMachine

  /// A client that has not begun.
  public init(_ configuration: ClientConfiguration) { machine = ClientNegotiation(configuration) }

  /// A server that waits for a client.
  public init(_ configuration: ServerConfiguration) { machine = ServerNegotiation(configuration) }

  /// One step. After a fatal alert, sent or received, nothing is read any more.
  public mutating func handle(_ event: Event) -> [Effect] {
    let effects = machine.handle(event)
    guard let successor = machine.successor else { return effects }
    machine = successor
    return effects + machine.handle(event)
  }

  /// The side of the connection.
  public var side: Side { type(of: machine).side }

  /// Version and suite, once the hellos have settled them.
  public var negotiated: Negotiated? { machine.negotiated }

  /// The events that have their place now.
  public var expected: [Event.Kind] { machine.expected }

  /// The parameters of the connection, once the handshake is complete.
  public var parameters: ConnectionParameters? { machine.state.phase.parameters }

  /// Whether the handshake is complete.
  public var isConnected: Bool { parameters != nil }

  /// What this side does about another handshake on the connection.
  var renegotiation: Renegotiation { machine.configuration.renegotiation }

  /// The part of the state that the connection follows.
  var status: HandshakeStatus { machine.status }

  /// The settings that the record layer needs.
  var context: ConnectionContext { machine.configuration.context }
}

import Captures
import Endpoint
import Explanation
import TLS

/// The result of one connection of a client to a real server.
public struct LiveConversation: Sendable {
  /// The client's response to an event, with its time.
  public struct Moment: Sendable {
    /// The time of the event.
    public let at: Instant
    /// The client's messages, findings and decisions.
    public let effects: [EndpointEffect]
  }

  /// The way in which a conversation ended.
  public enum Ending: Sendable, Hashable {
    /// The protocol ended the conversation, or the server closed the connection.
    case over
    /// The server was idle for too long.
    case timedOut
    /// The server sent data, but did not finish within this number of seconds, the limit for a connection.
    case outOfTime(seconds: Int64)
    /// The server's first bytes, which the value contains, are not TLS.
    case notTLS([UInt8])
    /// The server does not start TLS. The value is the reason.
    case notStarted(String)
  }

  /// The final state of the client.
  public internal(set) var client: ClientEndpoint
  /// The client's responses to events, in order.
  public internal(set) var moments: [Moment] = []
  /// The way in which the conversation ended.
  public internal(set) var ending = Ending.over
  /// The addresses of both endpoints, if both are known.
  public internal(set) var ends: Flow.Ends?
  /// The received and sent bytes, if they are kept.
  public internal(set) var portions: [Flow.Chunk] = []
  /// The side that ended the connection first; nil while it is open.
  public internal(set) var finisher: Side?
  /// The number of received bytes.
  public internal(set) var receivedCount = 0

  /// The number of bytes that are kept.
  var keptCount = 0

  init(_ client: ClientEndpoint) { self.client = client }

  /// Whether a timeout ended the conversation, either because the server was idle or because it took too long.
  public var hasTimedOut: Bool {
    switch ending {
    case .timedOut, .outOfTime: true
    case .over, .notTLS, .notStarted: false
    }
  }

  /// A finding that the rule for a connection's end does not apply, because the server has not ended it.
  public var notEnded: Finding {
    client.configuration.tls.enforcement.note(.truncatedConnection, on: .connection, .notApplicable)
  }

  /// The decision about a server that used all of its time, with the received messages; nil for any other ending.
  public var exhaustion: Decision? {
    guard case .outOfTime(let seconds) = ending else { return nil }
    let names = moments.lazy.flatMap(\.effects).compactMap { effect -> ProtocolMessage.Name? in
      if case .received(let message) = effect { message.name } else { nil }
    }
    return Decision(
      .probe(
        .outOfTime(
          seconds: seconds, byteCount: receivedCount, messages: names.map(\.description), awaited: client.awaited)),
      [notEnded])
  }

  /// The connection as a flow for a capture.
  public var flow: Flow {
    let flow = Flow(id: "1", ends: ends, portions: portions)
    return finisher.map { flow.ended(by: $0) } ?? flow
  }
}

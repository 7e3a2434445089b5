import Captures
import Endpoint
import Explanation
import TLS

/// What became of one connection that a client has made to a real server.
public struct LiveConversation: Sendable {
  /// What followed from one thing that happened, and when that was.
  public struct Moment: Sendable {
    /// When it happened.
    public let at: Instant
    /// What the client did, found and decided.
    public let effects: [EndpointEffect]
  }

  /// How a conversation ended.
  public enum Ending: Sendable, Hashable {
    /// By what was said, or by the server's going away.
    case over
    /// Nothing came for too long.
    case timedOut
    /// Something came again and again, and no end within so many seconds, which is all the time there is.
    case outOfTime(seconds: Int64)
    /// What the server said first is not TLS, and begins so.
    case notTLS([UInt8])
    /// The server does not go on in TLS, for this reason.
    case notStarted(String)
  }

  /// The client as it stands.
  public internal(set) var client: ClientEndpoint
  /// Everything that it did, in order.
  public internal(set) var moments: [Moment] = []
  /// How it ended.
  public internal(set) var ending = Ending.over
  /// The two ends of it, where both are known by address.
  public internal(set) var ends: Flow.Ends?
  /// What travelled, where that is kept.
  public internal(set) var portions: [Flow.Portion] = []
  /// Who was the first to end it; nil while nobody has.
  public internal(set) var finisher: Side?
  /// How many bytes have come.
  public internal(set) var receivedCount = 0

  /// How many bytes are kept.
  var keptCount = 0

  init(_ client: ClientEndpoint) { self.client = client }

  /// Whether the client has waited for as long as it would: for anything, or for an end.
  public var hasTimedOut: Bool {
    switch ending {
    case .timedOut, .outOfTime: true
    case .over, .notTLS, .notStarted: false
    }
  }

  /// That the server has not ended the connection: the rule for its end does not apply.
  public var notEnded: Finding {
    client.configuration.tls.enforcement.note(.truncatedConnection, on: .connection, .notApplicable)
  }

  /// That the server took more than all of its time, and what had come of what by then; nil where it did not.
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

  /// What travelled, for a capture.
  public var flow: Flow {
    let flow = Flow(id: "1", ends: ends, portions: portions)
    return finisher.map { flow.ended(by: $0) } ?? flow
  }
}

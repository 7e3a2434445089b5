import Endpoint
import Explanation

/// A man in the middle: a server towards the client and, if it asks on, a client towards the server. Two ordinary
/// endpoints back to back.
public struct Interceptor: Sendable {
  /// What meets the client in the server's place.
  public var front: ServerEndpoint.Configuration { ends.front.value }
  /// What asks the real server; nil for one that answers by itself.
  public var back: ClientEndpoint.Configuration? { ends.back.value }
  private let ends: (front: Boxed<ServerEndpoint.Configuration>, back: Boxed<ClientEndpoint.Configuration?>)
  /// What is rewritten in answers that pass through.
  public let replacements: [String: String]
  /// The secrets it has from the start, such as a stolen key.
  public let holds: Set<Value.ID>

  /// An interceptor made of these two endpoints.
  public init(
    front: ServerEndpoint.Configuration, back: ClientEndpoint.Configuration?, replacements: [String: String],
    holds: Set<Value.ID>
  ) {
    ends = (Boxed(front), Boxed(back))
    self.replacements = replacements
    self.holds = holds
  }
}

/// What an attacker recorded of a client's half of a connection, to be played to a server again.
struct RecordedFlights: Sendable {
  /// The client's messages, by flight.
  private var flights: [[Transmission]] = []
  private var isOpen = false

  /// The client has sent a message.
  mutating func record(_ transmission: Transmission) {
    if isOpen, let last = flights.indices.last {
      flights[last].append(transmission)
    } else {
      flights.append([transmission])
    }
    isOpen = true
  }

  /// The server has answered: what the client sends next is another flight.
  mutating func turn() { isOpen = false }

  /// The flight after `count` flights were played; empty when there is none.
  func flight(_ count: Int) -> [Transmission] { flights.indices.contains(count) ? flights[count] : [] }
}

import Endpoint
import Explanation

/// A man in the middle: a server for the client and, if it forwards requests, a client of the server.
///
/// Both sides are ordinary endpoints.
public struct Interceptor: Sendable {
  /// The server that the client connects to.
  public var front: ServerEndpoint.Configuration { ends.front.value }
  /// The client that connects to the real server; nil for an interceptor that responds without it.
  public var back: ClientEndpoint.Configuration? { ends.back.value }
  private let ends: (front: Boxed<ServerEndpoint.Configuration>, back: Boxed<ClientEndpoint.Configuration?>)
  /// The texts that are replaced in forwarded responses, with their replacements.
  public let replacements: [String: String]
  /// The secrets that the interceptor has from the start, such as a stolen key.
  public let holds: Set<Value.ID>

  /// Creates an interceptor with these two endpoints.
  public init(
    front: ServerEndpoint.Configuration, back: ClientEndpoint.Configuration?, replacements: [String: String],
    holds: Set<Value.ID>
  ) {
    ends = (Boxed(front), Boxed(back))
    self.replacements = replacements
    self.holds = holds
  }
}

/// The client's messages of a connection. An attacker recorded them to replay them to a server.
struct RecordedFlights: Sendable {
  /// The client's messages, grouped by flight.
  private var flights: [[Transmission]] = []
  private var isOpen = false

  /// Records a message of the client.
  mutating func record(_ transmission: Transmission) {
    if isOpen, let last = flights.indices.last {
      flights[last].append(transmission)
    } else {
      flights.append([transmission])
    }
    isOpen = true
  }

  /// Ends the current flight, because the server has responded. The client's next message begins another flight.
  mutating func turn() { isOpen = false }

  /// Returns the flight after `count` flights; empty if there is none.
  func flight(_ count: Int) -> [Transmission] { flights.indices.contains(count) ? flights[count] : [] }
}

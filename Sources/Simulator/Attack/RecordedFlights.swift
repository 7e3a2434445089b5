import Endpoint
import Explanation

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

import Captures
import Endpoint
import Explanation
import TLS

/// The report on one connection to a live server.
public struct ConnectionReport: Sendable {
  /// The end of a connection.
  public enum Ending: String, Sendable, Hashable {
    /// Requests received a response, and neither side objected.
    case served
    /// The server refused the connection.
    case refusedByServer = "refused-by-server"
    /// The client sent a fatal alert.
    case refusedByClient = "refused-by-client"
    /// The client left before a request was complete.
    case abandoned
    /// The client was silent for too long.
    case timedOut = "timed-out"
    /// The client sent data, but no complete handshake, request or frame in the available time.
    case outOfTime = "out-of-time"
    /// The server was stopped before a request was complete.
    case stopped
  }

  /// The connection's number, from 1.
  public let number: Int
  /// The time when it was opened.
  public let opened: Instant
  /// The client's address and port.
  public var peer = ""
  /// The host that responded, with its scenario; nil if no host was chosen.
  public var host: (name: String, origin: String)?
  /// The name that the client requested; nil without one.
  public var serverName: String?
  /// Whether the client used TLS.
  public var isSecure = false
  /// The negotiated parameters, after the handshake.
  public var parameters: ConnectionParameters?
  /// The lines of the requests with a response, and the status of each response.
  public var exchanges: [(request: String, status: String)] = []
  /// All violations of rules, in order.
  public var findings: [Finding] = []
  /// The end of the connection.
  public var ending = Ending.abandoned
  /// The numbers of received and sent bytes.
  public var byteCounts = (received: 0, sent: 0)
  /// The secrets that decrypt the connection, if they are kept.
  public var keyLog = KeyLog()
  /// The received and sent bytes, if they are kept.
  public var portions: [Flow.Chunk] = []
  /// The addresses of both endpoints, if both are known.
  public var ends: Flow.Ends?
  /// The side that ended the connection first.
  public var finisher = Side.client

  /// The connection as a flow for a capture.
  public var flow: Flow { Flow(id: "\(number)", ends: ends, portions: portions).ended(by: finisher) }

  /// Creates the report on the connection of this number.
  init(number: Int, opened: Instant) {
    self.number = number
    self.opened = opened
  }

  /// The reasons for the end: violations that refuse the connection, or the client's alert; empty if it was served.
  public var reasons: [Finding] {
    switch ending {
    case .served: []
    case .refusedByServer: findings.filter(\.refuses)
    case .refusedByClient, .abandoned, .timedOut, .outOfTime, .stopped: findings
    }
  }
}

import Captures
import Endpoint
import Explanation
import TLS

/// The report about one connection to a live server.
public struct ConnectionReport: Sendable {
  /// The way in which a connection ended.
  public enum Ending: String, Sendable, Hashable {
    /// The server responded to requests, and neither side refused the connection.
    case served
    /// The server refused the connection.
    case refusedByServer = "refused-by-server"
    /// The client sent a fatal alert.
    case refusedByClient = "refused-by-client"
    /// The client closed the connection before a request was complete.
    case abandoned
    /// The client was idle for too long.
    case timedOut = "timed-out"
    /// The client sent data, but did not complete a handshake, request or frame in time.
    case outOfTime = "out-of-time"
    /// The server was stopped before a request was complete.
    case stopped
  }

  /// The number of the connection, starting at 1.
  public let number: Int
  /// The time at which the connection was opened.
  public let opened: Instant
  /// The client's address and port.
  public var peer = ""
  /// The host that was selected and its scenario; nil if no host was selected.
  public var host: (name: String, origin: String)?
  /// The host name that the client requested; nil if there was none.
  public var serverName: String?
  /// Whether the client used TLS.
  public var isSecure = false
  /// The negotiated parameters; nil until the handshake is complete.
  public var parameters: ConnectionParameters?
  /// The request lines that received a response, and the status of each response.
  public var exchanges: [(request: String, status: String)] = []
  /// All rule violations in the connection, in order.
  public var findings: [Finding] = []
  /// The way in which the connection ended.
  public var ending = Ending.abandoned
  /// The number of bytes received and sent.
  public var byteCounts = (received: 0, sent: 0)
  /// The secrets that decrypt the connection, if the options keep them.
  public var keyLog = KeyLog()
  /// The received and sent bytes, if the options keep them.
  public var portions: [Flow.Chunk] = []
  /// The addresses of both endpoints, if both are known.
  public var ends: Flow.Ends?
  /// The side that ended the connection first.
  public var finisher = Side.client

  /// The connection as a flow for a capture.
  public var flow: Flow { Flow(id: "\(number)", ends: ends, portions: portions).ended(by: finisher) }

  /// Creates the report about the connection with this number.
  init(number: Int, opened: Instant) {
    self.number = number
    self.opened = opened
  }

  /// The violations that refused the connection, or the client's alert; empty if the server served the client.
  public var reasons: [Finding] {
    switch ending {
    case .served: []
    case .refusedByServer: findings.filter(\.refuses)
    case .refusedByClient, .abandoned, .timedOut, .outOfTime, .stopped: findings
    }
  }
}

import Captures
import Endpoint
import Explanation
import TLS

/// What became of one connection to a live server.
public struct ConnectionReport: Sendable {
  /// How a connection ended.
  public enum Ending: String, Sendable, Hashable {
    /// Requests were answered, and nobody complained.
    case served
    /// The server found a reason to end it.
    case refusedByServer = "refused-by-server"
    /// The client sent a fatal alert.
    case refusedByClient = "refused-by-client"
    /// The client went before a request was whole.
    case abandoned
    /// Nothing came for too long.
    case timedOut = "timed-out"
    /// Something came again and again, and no end of a handshake, a request or a frame in all the time there is for it.
    case outOfTime = "out-of-time"
    /// The server was ended before a request was whole.
    case stopped
  }

  /// Its number, from 1.
  public let number: Int
  /// When it was opened.
  public let opened: Instant
  /// The client's address and port.
  public var peer = ""
  /// The host that answered, with the scenario that it comes from; nil where none was asked for.
  public var host: (name: String, origin: String)?
  /// The name that the client asked for; nil where it named none.
  public var serverName: String?
  /// Whether the client spoke TLS.
  public var isSecure = false
  /// What was agreed on, once it was.
  public var parameters: ConnectionParameters?
  /// The lines of the requests that were answered, and the status of each answer.
  public var exchanges: [(request: String, status: String)] = []
  /// Every rule that was broken on the way, in order.
  public var findings: [Finding] = []
  /// How it ended.
  public var ending = Ending.abandoned
  /// How many bytes came, and how many were sent.
  public var byteCounts = (received: 0, sent: 0)
  /// What opens it, where secrets are kept.
  public var keyLog = KeyLog()
  /// What travelled, where that is kept.
  public var portions: [Flow.Portion] = []
  /// The two ends of it, where both are known by address.
  public var ends: Flow.Ends?
  /// Who was the first to end it.
  public var finisher = Side.client

  /// What travelled, for a capture.
  public var flow: Flow { Flow(id: "\(number)", ends: ends, portions: portions).ended(by: finisher) }

  /// The connection of this number.
  init(number: Int, opened: Instant) {
    self.number = number
    self.opened = opened
  }

  /// Why it ended as it did: what refuses, or what the client's alert says; empty where it was served.
  public var reasons: [Finding] {
    switch ending {
    case .served: []
    case .refusedByServer: findings.filter(\.refuses)
    case .refusedByClient, .abandoned, .timedOut, .outOfTime, .stopped: findings
    }
  }
}

import Captures
import Explanation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Numbers the connections of all ports that share the counter.
public final class ConnectionCounter: Sendable {
  private let count = NIOLockedValueBox(0)

  /// Creates a counter that starts with 1.
  public init() {}

  func next() -> Int {
    count.withLockedValue { count in
      count += 1
      return count
    }
  }
}

/// Serves scenarios on one port. The ClientHello selects the host; the first host is the default.
public final class LiveServer: Sendable {
  /// The options for timeouts and for the data that is kept.
  public struct Options: Sendable {
    /// The number of seconds that a connection may be idle. A handshake, a request or a frame may take six times as
    /// long.
    public var timeout: Int64 = 30
    /// Whether the server reports the secrets of connections for a key log.
    public var keepsSecrets = false
    /// Whether received and sent bytes are kept for a capture.
    public var keepsTraffic = false

    /// Creates the default options.
    public init() {}
  }

  /// The reason why the server cannot start.
  public struct StartError: Error, Sendable {
    /// The address and port on which the server was to listen.
    public let place: String
    /// The error message.
    public let reason: String
    /// A suggestion for fixing the error.
    public let hint: String

    package init(_ error: any Error, at address: String, port: Int) {
      place = "\(address.contains(":") ? "[\(address)]" : address):\(port)"
      (reason, hint) = Self.obstacle(error, at: address)
    }

    private static let otherAddress =
      "use an address of this machine with --listen: 127.0.0.1, ::1, or 0.0.0.0 for all IPv4 addresses"

    private static func obstacle(_ error: any Error, at address: String) -> (reason: String, hint: String) {
      let otherPort = "let --port 0 select a free port, or name another port with --port N"
      if error is SocketAddressError.UnknownHost {
        return ("the host name '\(address)' does not resolve to an address", otherAddress)
      }
      guard let error = error as? IOError else { return ("\(error)", otherAddress) }
      switch error.errnoCode {
      case EADDRINUSE: return ("the port is in use", otherPort)
      case EACCES, EPERM: return ("the port requires administrator rights", otherPort)
      case EADDRNOTAVAIL: return ("this machine has no such address", otherAddress)
      default: return (String(cString: strerror(error.errnoCode)), otherAddress)
      }
    }
  }

  /// An event that makes a connection close because the server stops.
  struct Stop: Sendable {}

  private let channel: any Channel
  /// The open connections.
  private let open = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])

  /// The number of milliseconds that a stopping server waits for connections to end.
  private static let farewell = 500

  /// The port on which the server listens.
  public var port: Int { channel.localAddress?.port ?? 0 }

  /// The literal IP address that clients on this machine use.
  public var address: String {
    let address = channel.localAddress?.ipAddress ?? ""
    return ["0.0.0.0": "127.0.0.1", "::": "::1"][address, default: address]
  }

  /// Starts a server on `port` of `address` and returns when the port is open. Port 0 selects a free port.
  ///
  /// The server calls `report` for every closed connection, with times from `clock`.
  ///
  /// - Throws: `StartError` if the server cannot listen on the port.
  public init(
    _ hosts: [LiveHost], on address: String = "127.0.0.1", port: Int, _ options: Options = Options(),
    counter: ConnectionCounter = ConnectionCounter(),
    clock: @escaping @Sendable () -> Instant, report: @escaping @Sendable (ConnectionReport) -> Void
  ) throws(StartError) {
    let open = open
    let hosts = LiveHosts(hosts)
    // One event loop accepts and serves the connections. A switch to another thread would take as long as the
    // cryptography of a resumed handshake. Servers on different ports have separate loops.
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let bootstrap = ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 1024)
      // A second accept call is seldom useful: the loop returns immediately.
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // An accepted socket inherits the options of the listening socket.
      .serverChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        let number = counter.next()
        let id = ObjectIdentifier(channel)
        open.withLockedValue { $0[id] = channel }
        channel.closeFuture.whenComplete { _ in open.withLockedValue { $0[id] = nil } }
        let connection = ServerConnection(number: number, hosts: hosts, options, clock: clock, report: report)
        do { try channel.pipeline.syncOperations.addHandler(connection) } catch {
          return channel.eventLoop.makeFailedFuture(error)
        }
        return channel.eventLoop.makeSucceededVoidFuture()
      }
    do { channel = try bootstrap.bind(host: address, port: port).wait() } catch {
      throw StartError(error, at: address, port: port)
    }
  }

  /// Stops accepting connections, waits briefly for the open ones, and closes them. Returns when each was reported.
  public func stop() {
    try? channel.close().wait()
    waitForConnections()
    for channel in open.withLockedValue({ $0.values }) { channel.pipeline.fireUserInboundEventTriggered(Stop()) }
    waitForConnections()
  }

  private func waitForConnections() {
    for _ in 0..<Self.farewell where !open.withLockedValue({ $0.isEmpty }) { usleep(1000) }
  }
}

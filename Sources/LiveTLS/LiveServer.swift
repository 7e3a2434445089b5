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

/// Numbers connections, on as many ports as share it.
public final class ConnectionCounter: Sendable {
  private let count = NIOLockedValueBox(0)

  /// Counts from 1.
  public init() {}

  func next() -> Int {
    count.withLockedValue { count in
      count += 1
      return count
    }
  }
}

/// Servers of scenarios on one port: whoever connects gets the host that the ClientHello asks for, else the first.
public final class LiveServer: Sendable {
  /// How long connections may be silent, and what is kept of them.
  public struct Options: Sendable {
    /// For how many seconds a connection may say nothing; a handshake, a request or a frame may take six times as long.
    public var timeout: Int64 = 30
    /// Whether the secrets of connections are told, for a key log.
    public var keepsSecrets = false
    /// Whether what travels is kept, for a capture.
    public var keepsTraffic = false

    /// The usual ones.
    public init() {}
  }

  /// Why a server does not begin.
  public struct StartError: Error, Sendable {
    /// The address and the port that were asked for.
    public let place: String
    /// What is wrong.
    public let reason: String
    /// What to do about it.
    public let hint: String

    init(_ error: any Error, at address: String, port: Int) {
      place = "\(address.contains(":") ? "[\(address)]" : address):\(port)"
      (reason, hint) = Self.obstacle(error, at: address)
    }

    private static let otherAddress =
      "--listen takes an address of this machine: 127.0.0.1, ::1, or 0.0.0.0 for all that it has"

    private static func obstacle(_ error: any Error, at address: String) -> (reason: String, hint: String) {
      let otherPort = "--port 0 takes a free one, --port N another"
      if error is SocketAddressError.UnknownHost { return ("the name '\(address)' does not resolve", otherAddress) }
      guard let error = error as? IOError else { return ("\(error)", otherAddress) }
      switch error.errnoCode {
      case EADDRINUSE: return ("the port is in use", otherPort)
      case EACCES, EPERM: return ("the port needs an administrator", otherPort)
      case EADDRNOTAVAIL: return ("this machine has no such address", otherAddress)
      default: return (String(cString: strerror(error.errnoCode)), otherAddress)
      }
    }
  }

  /// What a connection hears when the server ends: it says so to its client, and closes.
  struct Stop: Sendable {}

  private let channel: any Channel
  /// The connections that are open.
  private let open = NIOLockedValueBox<[ObjectIdentifier: any Channel]>([:])

  /// For how many milliseconds connections may come to their end by themselves when the server ends.
  private static let farewell = 500

  /// The port it listens on.
  public var port: Int { channel.localAddress?.port ?? 0 }

  /// Where a client of this machine finds it: a literal address.
  public var address: String {
    let address = channel.localAddress?.ipAddress ?? ""
    return ["0.0.0.0": "127.0.0.1", "::": "::1"][address, default: address]
  }

  /// Listens on `port` of `address`, a free one for 0, and tells `report` of every connection that has ended. The clock
  /// says how late it is; blocks until the port is open.
  ///
  /// - Throws: `StartError` where nobody can listen there.
  public init(
    _ hosts: [LiveHost], on address: String = "127.0.0.1", port: Int, _ options: Options = Options(),
    counter: ConnectionCounter = ConnectionCounter(),
    clock: @escaping @Sendable () -> Instant, report: @escaping @Sendable (ConnectionReport) -> Void
  ) throws(StartError) {
    let open = open
    let hosts = LiveHosts(hosts)
    // One loop takes connections and carries them on: to hand each to another thread and wake that takes as long as the
    // cryptography of a resumed handshake. Servers on several ports have a loop each.
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let bootstrap = ServerBootstrap(group: loop)
      .serverChannelOption(.backlog, value: 1024)
      // A second look for who waits costs a call of the system, and is seldom worth it: the loop comes back at once.
      .serverChannelOption(.maxMessagesPerRead, value: 1)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      // What is set of the socket that listens holds for those that it takes.
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

  /// Takes no more connections, gives those that are open a moment, and ends them; each is told of before it returns.
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

import Endpoint
import Explanation
import NIOCore
import NIOPosix
import TLS
import Trust
import URLLoading

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Connects TrustLab's own client to real servers.
public struct LiveClient: Sendable {
  /// The server to connect to.
  public struct Destination: Sendable {
    /// The name or address of the host, which the system resolves.
    public let host: String
    /// The port.
    public let port: Int
    /// The protocol before TLS; nil if the connection starts with TLS.
    public let startTLS: StartTLS?

    /// Creates a destination at `port` of `host`. TLS starts at once, or after the `startTLS` exchange.
    public init(host: String, port: Int, startTLS: StartTLS? = nil) {
      self.host = host
      self.port = port
      self.startTLS = startTLS
    }
  }

  /// The reason why the client could not connect.
  public struct ConnectError: Error, Sendable, Equatable {
    /// The kinds of connection errors.
    public enum Kind: Sendable, Hashable {
      /// The host's name has no address.
      case noAddress
      /// The host refused the connection, or there is no route to the host.
      case noConnection
      /// The host did not respond before the timeout.
      case silence
    }

    /// The kind of the error.
    public let kind: Kind
    /// The host and the port of the destination.
    public let place: String
    /// The error message.
    public let reason: String
    /// A suggestion for fixing the error.
    public let hint: String
  }

  /// The server to connect to.
  public let destination: Destination
  /// The number of seconds that a server may be idle. The whole connection may take six times as long.
  public var timeout: Int64 = 10
  /// Whether received and sent bytes are kept for a capture.
  public var keepsTraffic = false

  /// Creates a client that connects to `destination`.
  public init(_ destination: Destination) { self.destination = destination }

  /// Connects the client to the server and runs the connection to its end, with random numbers from the system.
  ///
  /// - Throws: `ConnectError` if the client cannot connect.
  public func converse(
    _ client: ClientEndpoint.Configuration, clock: @escaping @Sendable () -> Instant
  ) throws(ConnectError) -> LiveConversation {
    var client = client
    client.speaksHTTP2 = !client.followsRedirects
    client.tls.random = client.tls.random.fresh()
    client.tls.now = clock()
    if let refusal = Self.refusal(of: client, at: clock()) { return refusal }
    do {
      return try conversation(ClientEndpoint(client), on: MultiThreadedEventLoopGroup.singleton.next(), clock: clock)
        .wait()
    } catch { throw Self.connectError(error, at: destination) }
  }

  /// The result of a load that the client refuses before it connects.
  private static func refusal(of client: ClientEndpoint.Configuration, at now: Instant) -> LiveConversation? {
    var endpoint = ClientEndpoint(client)
    let effects = endpoint.start()
    guard !effects.contains(where: { if case .send = $0 { true } else { false } }) else { return nil }
    var conversation = LiveConversation(endpoint)
    conversation.moments = [.init(at: now, effects: effects)]
    return conversation
  }

  func conversation(
    _ client: ClientEndpoint, on loop: any EventLoop, clock: @escaping @Sendable () -> Instant
  ) -> EventLoopFuture<LiveConversation> {
    let result = loop.makePromise(of: LiveConversation.self)
    let copy = self
    ClientBootstrap(group: loop)
      .connectTimeout(.seconds(timeout))
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            ClientConnection(client, copy, clock: clock, result: result))
        }
      }
      .connect(host: destination.host, port: destination.port)
      .whenFailure { error in
        guard Self.isReset(error) else { return result.fail(error) }
        result.succeed(copy.reset(client, at: clock()))
      }
    return result.futureResult
  }

  /// Whether the server accepted the connection and reset it before sending data. A closed port refuses the connection
  /// instead.
  private static func isReset(_ error: any Error) -> Bool {
    let errors = (error as? NIOConnectionError)?.connectionErrors.map(\.error) ?? [error]
    return errors.contains { ($0 as? IOError)?.errnoCode == ECONNRESET }
  }

  /// The result of an early reset.
  ///
  /// The result equals that of a later reset, because the system may report either.
  private func reset(_ client: ClientEndpoint, at now: Instant) -> LiveConversation {
    var conversation = LiveConversation(client)
    conversation.finisher = .server
    guard destination.startTLS == nil else {
      conversation.ending = .notStarted("it closes the connection")
      return conversation
    }
    conversation.moments.append(.init(at: now, effects: conversation.client.start()))
    conversation.moments.append(.init(at: now, effects: conversation.client.transportClosed()))
    return conversation
  }

  private static func connectError(_ error: any Error, at destination: Destination) -> ConnectError {
    let place = "\(destination.host.contains(":") ? "[\(destination.host)]" : destination.host):\(destination.port)"
    if let error = error as? NIOConnectionError {
      guard let first = error.connectionErrors.first?.error else {
        return ConnectError(
          kind: .noAddress, place: place, reason: "the host name '\(destination.host)' does not resolve to an address",
          hint: "check the spelling of the name, and the network connection")
      }
      return connectError(first, at: destination)
    }
    if case .connectTimeout? = error as? ChannelError {
      return ConnectError(
        kind: .silence, place: place, reason: "the server did not respond",
        hint: "check for a firewall, or increase --timeout")
    }
    if let error = error as? IOError {
      let isClosed = error.errnoCode == ECONNREFUSED
      return ConnectError(
        kind: error.errnoCode == ETIMEDOUT ? .silence : .noConnection, place: place,
        reason: isClosed ? "the port is closed" : String(cString: strerror(error.errnoCode)),
        hint: isClosed ? "check whether the server listens on this port" : "check the route to the host")
    }
    return ConnectError(kind: .noConnection, place: place, reason: "\(error)", hint: "check the host and the port")
  }
}

extension LiveClient {
  /// Fetches an issuer's certificate for a client with this configuration; nil if the fetch fails.
  public static func fetch(
    _ address: String, for client: ClientEndpoint.Configuration, clock: @escaping @Sendable () -> Instant
  ) -> [UInt8]? {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    return try? fetch(address, for: ClientEndpoint(client), on: loop, clock: clock).wait()
  }

  /// Fetches an issuer's certificate over plain HTTP, as a client does during its connection.
  ///
  /// The result is nil if the fetch fails (RFC 5280 section 4.2.2.1).
  static func fetch(
    _ address: String, for client: ClientEndpoint, on loop: any EventLoop, clock: @escaping @Sendable () -> Instant
  ) -> EventLoopFuture<[UInt8]?> {
    guard let url = try? LoadURL(address), url.scheme == "http" else { return loop.makeSucceededFuture(nil) }
    // The system makes the request, not the app, so that App Transport Security does not apply.
    let load = AppTransportSecurity.Load(url, os: OSVersion(.iOS, 8))
    var tls = client.configuration.tls
    tls.host = url.host
    let asking = ClientEndpoint(.init(load, tls: tls, trust: client.configuration.trust))
    return LiveClient(Destination(host: url.host, port: Int(url.port ?? 80)))
      .conversation(asking, on: loop, clock: clock).map { $0.client.content }
      .flatMapErrorThrowing { _ in nil }
  }
}

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

/// Makes connections of our own client to real servers.
public struct LiveClient: Sendable {
  /// Whom to connect to.
  public struct Destination: Sendable {
    /// The name or the address, as it is resolved.
    public let host: String
    /// The port.
    public let port: Int
    /// What is spoken before TLS; nil where that begins at once.
    public let startTLS: StartTLS?

    /// `port` of `host`, where TLS begins at once or after what `startTLS` says.
    public init(host: String, port: Int, startTLS: StartTLS? = nil) {
      self.host = host
      self.port = port
      self.startTLS = startTLS
    }
  }

  /// Why there is no connection.
  public struct ConnectError: Error, Sendable, Equatable {
    /// What kinds of obstacle there are.
    public enum Kind: Sendable, Hashable {
      /// The host's name has no address.
      case noAddress
      /// The connection is refused, or there is no way to the host.
      case noConnection
      /// Nobody answers for as long as anybody waited.
      case silence
    }

    /// What kind of obstacle it is.
    public let kind: Kind
    /// The place that was asked for.
    public let place: String
    /// What is wrong.
    public let reason: String
    /// What to do about it.
    public let hint: String
  }

  /// Whom to connect to.
  public let destination: Destination
  /// For how many seconds a server may say nothing; for all that it says it has six times as long.
  public var timeout: Int64 = 10
  /// Whether what travels is kept, for a capture.
  public var keepsTraffic = false

  /// A client of `destination`.
  public init(_ destination: Destination) { self.destination = destination }

  /// Lets such a client speak with the server until one of the two has said all; the clock says how late it is. Its
  /// randomness is the system's.
  ///
  /// - Throws: `ConnectError` where nobody is there.
  public func converse(
    _ client: ClientEndpoint.Configuration, clock: @escaping @Sendable () -> Instant
  ) throws(ConnectError) -> LiveConversation {
    var client = client
    client.tls.random = client.tls.random.fresh()
    client.tls.now = clock()
    if let refusal = Self.refusal(of: client, at: clock()) { return refusal }
    do {
      return try conversation(ClientEndpoint(client), on: MultiThreadedEventLoopGroup.singleton.next(), clock: clock)
        .wait()
    } catch { throw Self.connectError(error, at: destination) }
  }

  /// What such a client decides before it would send anything, of one that must not send what it would: nobody is
  /// connected to.
  public static func unsent(_ client: ClientEndpoint.Configuration, at now: Instant) -> LiveConversation {
    var starting = ClientEndpoint(client)
    var conversation = LiveConversation(ClientEndpoint(client))
    let decided = starting.start().filter { if case .decided = $0 { true } else { false } }
    conversation.moments = [.init(at: now, effects: decided)]
    return conversation
  }

  /// What becomes of a load that is refused before anything is sent: nobody is connected to.
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

  /// Whether the server took the connection and reset it before anything could be said on it: one that takes none
  /// answers that with a refusal.
  private static func isReset(_ error: any Error) -> Bool {
    let errors = (error as? NIOConnectionError)?.connectionErrors.map(\.error) ?? [error]
    return errors.contains { ($0 as? IOError)?.errnoCode == ECONNRESET }
  }

  /// The same as where the reset comes a moment later: which of the two the system tells of first is chance.
  private func reset(_ client: ClientEndpoint, at now: Instant) -> LiveConversation {
    var conversation = LiveConversation(client)
    conversation.finisher = .server
    guard destination.startTLS == nil else {
      conversation.ending = .notStarted("it goes away")
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
          kind: .noAddress, place: place, reason: "the name '\(destination.host)' does not resolve",
          hint: "is it spelt right, and is there a network?")
      }
      return connectError(first, at: destination)
    }
    if case .connectTimeout? = error as? ChannelError {
      return ConnectError(
        kind: .silence, place: place, reason: "nobody answers", hint: "a firewall? --timeout waits longer")
    }
    if let error = error as? IOError {
      let isClosed = error.errnoCode == ECONNREFUSED
      return ConnectError(
        kind: error.errnoCode == ETIMEDOUT ? .silence : .noConnection, place: place,
        reason: isClosed ? "the port is closed" : String(cString: strerror(error.errnoCode)),
        hint: isClosed ? "does the server run there?" : "is there a way to that host?")
    }
    return ConnectError(kind: .noConnection, place: place, reason: "\(error)", hint: "is it a host and a port?")
  }
}

extension LiveClient {
  /// What comes of fetching the certificate of an issuer for such a client; nil where nothing does.
  public static func fetch(
    _ address: String, for client: ClientEndpoint.Configuration, clock: @escaping @Sendable () -> Instant
  ) -> [UInt8]? {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    return try? fetch(address, for: ClientEndpoint(client), on: loop, clock: clock).wait()
  }

  /// Fetches the certificate of an issuer over plain HTTP, as a client does beside its connection; nothing where that
  /// does not come: RFC 5280 section 4.2.2.1.
  static func fetch(
    _ address: String, for client: ClientEndpoint, on loop: any EventLoop, clock: @escaping @Sendable () -> Instant
  ) -> EventLoopFuture<[UInt8]?> {
    guard let url = try? LoadURL(address), url.scheme == "http" else { return loop.makeSucceededFuture(nil) }
    // The system asks, not the app: no App Transport Security has a say.
    let load = AppTransportSecurity.Load(url, os: OSVersion(.iOS, 8))
    var tls = client.configuration.tls
    tls.host = url.host
    let asking = ClientEndpoint(.init(load, tls: tls, trust: client.configuration.trust))
    return LiveClient(Destination(host: url.host, port: Int(url.port ?? 80)))
      .conversation(asking, on: loop, clock: clock).map { $0.client.content }
      .flatMapErrorThrowing { _ in nil }
  }
}

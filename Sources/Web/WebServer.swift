import LiveTLS
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NIOPosix

/// A server of HTTP/1.1 for pages and their requests, with limits for size, time and number.
public final class WebServer: Sendable {
  private let channel: any Channel

  /// The port on which the server listens.
  public var port: Int { channel.localAddress?.port ?? 0 }

  /// The address for browsers on this machine, as in a URL.
  public var address: String {
    let address = channel.localAddress?.ipAddress ?? ""
    let own = ["0.0.0.0": "127.0.0.1", "::": "::1"][address, default: address]
    return own.contains(":") ? "[\(own)]" : own
  }

  /// Starts a server on `port` of `address`; port 0 selects a free one. It returns when the port is open.
  ///
  /// The server calls `respond` on its own threads, for each request that passes `gate`.
  ///
  /// - Throws: `LiveServer.StartError` if the server cannot listen there.
  public init(
    on address: String = "127.0.0.1", port: Int, gate: WebGate, _ limits: WebLimits = WebLimits(),
    respond: @escaping @Sendable (WebRequest) -> WebResponse
  ) throws(LiveServer.StartError) {
    let load = WebLoad(limits)
    let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.backlog, value: 256)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
      .childChannelInitializer { channel in
        guard load.opens() else { return channel.close() }
        channel.closeFuture.whenComplete { _ in load.closes() }
        return channel.eventLoop.makeCompletedFuture {
          let pipeline = channel.pipeline.syncOperations
          let clock = RequestClock(limits)
          try pipeline.addHandler(IdleStateHandler(readTimeout: .seconds(limits.idleSeconds)))
          try pipeline.addHandler(clock)
          try pipeline.configureHTTPServerPipeline(withPipeliningAssistance: true, withErrorHandling: true)
          try pipeline.addHandler(WebHandler(gate, limits, load, clock, respond))
        }
      }
    do { channel = try bootstrap.bind(host: address, port: port).wait() } catch {
      throw LiveServer.StartError(error, at: address, port: port)
    }
  }

  /// Stops accepting connections.
  public func stop() { channel.close(promise: nil) }
}

/// The connections, requests and bytes of a server at this moment.
private final class WebLoad: Sendable {
  private struct Counts {
    var connections = 0
    var requests = 0
    var bytes = 0
  }

  private let limits: WebLimits
  private let counts = NIOLockedValueBox(Counts())

  init(_ limits: WebLimits) { self.limits = limits }

  func opens() -> Bool {
    counts.withLockedValue { counts in
      counts.connections += 1
      return counts.connections <= limits.connections
    }
  }

  func closes() { counts.withLockedValue { $0.connections -= 1 } }

  /// Whether a request may begin. A request that began must end.
  func begins() -> Bool {
    counts.withLockedValue { counts in
      guard counts.requests < limits.requests else { return false }
      counts.requests += 1
      return true
    }
  }

  func ends() { counts.withLockedValue { $0.requests -= 1 } }

  /// Whether so many more bytes may be kept. Kept bytes must be released.
  func keeps(_ count: Int) -> Bool {
    counts.withLockedValue { counts in
      guard counts.bytes + count <= limits.bodies else { return false }
      counts.bytes += count
      return true
    }
  }

  func releases(_ count: Int) { counts.withLockedValue { $0.bytes -= count } }
}

/// Ends a connection whose request takes too long to arrive, or whose header section is too large.
///
/// It is in front of the parser, because a parser reports a header section only when it is complete.
private final class RequestClock: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private let limits: WebLimits
  private var timer: Scheduled<Void>?
  private var isInHeader = true
  private var bytes = 0

  init(_ limits: WebLimits) { self.limits = limits }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if isInHeader {
      if timer == nil {
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: .seconds(limits.seconds)) { channel.close(promise: nil) }
      }
      bytes += unwrapInboundIn(data).readableBytes
    }
    context.fireChannelRead(data)
    // The parser has reported the header section by now if it is complete.
    if isInHeader, bytes > limits.header { context.close(promise: nil) }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is IdleStateHandler.IdleStateEvent { return context.close(promise: nil) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.cancel()
    context.fireChannelInactive()
  }

  /// The header section is complete.
  func headerEnds() { isInHeader = false }

  /// The request is complete.
  func requestEnds() {
    timer?.cancel()
    timer = nil
    (isInHeader, bytes) = (true, 0)
  }
}

/// Collects a request, checks it and sends the response.
private final class WebHandler: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private let gate: WebGate
  private let limits: WebLimits
  private let load: WebLoad
  private let clock: RequestClock
  private let respond: @Sendable (WebRequest) -> WebResponse
  /// The request that is being received; nil between requests, and after a refusal.
  private var request: (head: HTTPRequestHead, path: String)?
  private var body: [UInt8] = []

  init(
    _ gate: WebGate, _ limits: WebLimits, _ load: WebLoad, _ clock: RequestClock,
    _ respond: @escaping @Sendable (WebRequest) -> WebResponse
  ) { (self.gate, self.limits, self.load, self.clock, self.respond) = (gate, limits, load, clock, respond) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch unwrapInboundIn(data) {
    case .head(let head):
      clock.headerEnds()
      begin(head, context)
    case .body(let part): receive(part, context)
    case .end:
      clock.requestEnds()
      finish(context)
    }
  }

  func channelInactive(context: ChannelHandlerContext) {
    discard()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let fields = WebGate.Head(
      method: head.method.rawValue, target: head.uri, host: head.headers["Host"], origin: head.headers["Origin"],
      cookies: head.headers["Cookie"], authorization: head.headers["Authorization"])
    switch gate.check(fields, port: context.channel.localAddress?.port ?? 0) {
    case .respond(let response): send(response, to: head, context)
    case .pass(let path):
      if let length = head.headers.first(name: "Content-Length"), (Int(length) ?? .max) > limits.body {
        return send(tooLarge, to: head, context)
      }
      request = (head, path)
    }
  }

  private var tooLarge: WebResponse {
    .refusal(413, "The request is larger than \(limits.body >> 20) MiB.")
  }

  private func receive(_ part: ByteBuffer, _ context: ChannelHandlerContext) {
    guard let (head, _) = request else { return }
    guard body.count + part.readableBytes <= limits.body else {
      discard()
      return send(tooLarge, to: head, context)
    }
    guard load.keeps(part.readableBytes) else {
      discard()
      return send(busy, to: head, context)
    }
    body += part.readableBytesView
  }

  private var busy: WebResponse { .refusal(503, "The server is busy. Try again in a few seconds.") }

  /// Forgets the request that is being received.
  private func discard() {
    load.releases(body.count)
    (request, body) = (nil, [])
  }

  private func finish(_ context: ChannelHandlerContext) {
    guard let (head, path) = request else { return }
    guard load.begins() else {
      discard()
      return send(busy, to: head, context)
    }
    let request = WebRequest(head.method.rawValue, path: path, body: body)
    (self.request, body) = (nil, [])
    let (load, respond) = (load, respond)
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    NIOThreadPool.singleton.runIfActive(eventLoop: context.eventLoop) { respond(request) }
      .whenComplete { result in
        load.ends()
        load.releases(request.body.count)
        let (handler, context) = bound.value
        guard context.channel.isActive else { return }
        handler.send((try? result.get()) ?? handler.busy, to: head, context)
      }
  }

  private func send(_ response: WebResponse, to request: HTTPRequestHead, _ context: ChannelHandlerContext) {
    let isKept = request.isKeepAlive && !response.closes
    var head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: response.status))
    head.headers.add(name: "Content-Type", value: response.type)
    head.headers.add(name: "Content-Length", value: "\(response.body.count)")
    head.headers.add(name: "Cache-Control", value: "no-store")
    head.headers.add(name: "X-Content-Type-Options", value: "nosniff")
    head.headers.add(name: "Referrer-Policy", value: "no-referrer")
    head.headers.add(name: "Cross-Origin-Opener-Policy", value: "same-origin")
    head.headers.add(name: "Cross-Origin-Resource-Policy", value: "same-origin")
    head.headers.add(name: "Content-Security-Policy", value: "frame-ancestors 'self'")
    if !isKept { head.headers.add(name: "Connection", value: "close") }
    for field in response.fields { head.headers.add(name: field.name, value: field.value) }
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    if request.method != .HEAD {
      context.write(wrapOutboundOut(.body(.byteBuffer(.init(bytes: response.body)))), promise: nil)
    }
    let sent = context.eventLoop.makePromise(of: Void.self)
    let channel = context.channel
    if !isKept { sent.futureResult.whenComplete { _ in channel.close(promise: nil) } }
    context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: sent)
  }
}

import Captures
import Endpoint
import Explanation
import NIOCore
import PKIX
import TLS

/// One connection of a client. It passes received bytes to the endpoint, and sends the endpoint's messages.
///
/// If the server selects h2, the handlers of HTTP/2 follow in the pipeline: their frames pass through the endpoint.
final class ClientConnection: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = IOData
  typealias OutboundOut = ByteBuffer

  private let client: LiveClient
  private let clock: @Sendable () -> Instant
  private let result: EventLoopPromise<LiveConversation>
  private var conversation: LiveConversation
  private var startTLS: StartTLS?
  private var hasBegun = false
  private var speaksHTTP2 = false
  /// The frames that are sent with the next flush.
  private var frames: [UInt8] = []
  private var isEnding = false
  private var isReported = false
  private var timeout: Scheduled<Void>?
  private var deadline: Scheduled<Void>?

  /// The number of seconds that the client waits for the server to close the connection.
  private static let farewell: Int64 = 1
  /// The factor between the timeout and the time for the whole connection. It limits a server that repeatedly sends a
  /// little data.
  private static let wholeTime: Int64 = 6
  /// The maximum number of bytes that are kept for a capture.
  private static let mostTraffic = 1 << 26

  init(
    _ endpoint: ClientEndpoint, _ client: LiveClient, clock: @escaping @Sendable () -> Instant,
    result: EventLoopPromise<LiveConversation>
  ) {
    (self.client, self.clock, self.result) = (client, clock, result)
    conversation = LiveConversation(endpoint)
    startTLS = client.destination.startTLS
  }

  func channelActive(context: ChannelHandlerContext) {
    if let own = context.localAddress?.captured, let peer = context.remoteAddress?.captured {
      conversation.ends = Flow.Ends(client: own, server: peer)
    }
    let seconds = client.timeout * Self.wholeTime
    deadline = schedule(seconds, context) { connection in
      if !connection.isEnding { connection.conversation.ending = .outOfTime(seconds: seconds) }
    }
    wait(client.timeout, context)
    if startTLS == nil { begin(context) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    guard let bytes = buffer.readBytes(length: buffer.readableBytes) else { return }
    conversation.receivedCount += bytes.count
    keep(bytes, of: .server)
    if !isEnding { wait(client.timeout, context) }
    guard hasBegun else { return speakFirst(bytes, context) }
    let isTLS = conversation.client.configuration.decision.load.url.isSecure
    if isTLS, conversation.receivedCount == bytes.count, let first = bytes.first, !(20...24).contains(first) {
      return stop(.notTLS(Array(bytes.prefix(64))), context)
    }
    take(conversation.client.receive(bytes), context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    conversation.finisher = conversation.finisher ?? .server
    if hasBegun, conversation.ending == .over, !conversation.client.isOver {
      take(conversation.client.transportClosed(), context)
    }
    if !hasBegun, conversation.ending == .over { conversation.ending = .notStarted("it closes the connection") }
    finish()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The result of a reset connection is reported when the channel closes.
    conversation.finisher = conversation.finisher ?? .server
    close(context)
  }

  /// Sends and receives the lines of the protocol before TLS.
  private func speakFirst(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    for answer in startTLS?.receive(bytes) ?? [] {
      switch answer {
      case .none: break
      case .send(let line):
        send(Array(line.utf8), context)
        context.flush()
      case .begins:
        // The bytes before TLS do not count as part of the session.
        conversation.receivedCount = 0
        begin(context)
      case .refused(let reason): stop(.notStarted(reason), context)
      }
    }
  }

  private func begin(_ context: ChannelHandlerContext) {
    hasBegun = true
    take(conversation.client.start(), context)
  }

  private func take(_ effects: [EndpointEffect], _ context: ChannelHandlerContext) {
    conversation.moments.append(.init(at: clock(), effects: effects))
    for effect in effects {
      switch effect {
      case .send(let transmission): send(transmission.bytes, context)
      case .fetch(let fetch): go(and: fetch.url, context)
      case .decided, .derived, .found, .received, .requested: break
      }
    }
    context.flush()
    exchangeFrames(context)
    if conversation.client.isOver {
      close(context)
    } else if conversation.client.hasEnded, !isEnding {
      isEnding = true
      wait(Self.farewell, context)
    }
  }

  /// Passes received frames to the handlers of HTTP/2, which are added when the server has selected h2.
  private func exchangeFrames(_ context: ChannelHandlerContext) {
    guard conversation.client.usesHTTP2 else { return }
    if !speaksHTTP2 {
      addHTTP2(context)
      speaksHTTP2 = true
      flush(context: context)
    }
    let frames = conversation.client.drainFrames()
    guard !frames.isEmpty else { return }
    context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: frames)))
    context.fireChannelReadComplete()
    take(conversation.client.framesEnded(), context)
  }

  private func addHTTP2(_ context: ChannelHandlerContext) {
    let load = HTTP2Load(conversation.client.requestFields) { [self] outcome in
      switch outcome {
      case .success(let response): take(conversation.client.receive(response), context)
      case .failure(let fault): take(conversation.client.reject(fault), context)
      }
    }
    do { try load.join(context.pipeline.syncOperations, after: self) } catch { close(context) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    if case .byteBuffer(let buffer) = unwrapOutboundIn(data) { frames += buffer.readableBytesView }
    promise?.succeed()
  }

  func flush(context: ChannelHandlerContext) {
    // The preface and the request are sent together. After the end, nothing is sent, but received frames are still read.
    guard speaksHTTP2, !frames.isEmpty, !conversation.client.isOver else { return }
    let sent = frames
    frames = []
    take(conversation.client.send(frames: sent), context)
  }

  /// Fetches the certificate of an issuer. The server's messages wait until then.
  private func go(and address: String, _ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    LiveClient.fetch(address, for: conversation.client, on: context.eventLoop, clock: clock).whenSuccess { content in
      let (connection, context) = bound.value
      connection.take(connection.conversation.client.fetched(content), context)
    }
  }

  private func send(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    keep(bytes, of: .client)
    var buffer = context.channel.allocator.buffer(capacity: bytes.count)
    buffer.writeBytes(bytes)
    context.write(wrapOutboundOut(buffer), promise: nil)
  }

  private func stop(_ ending: LiveConversation.Ending, _ context: ChannelHandlerContext) {
    conversation.ending = ending
    close(context)
  }

  private func close(_ context: ChannelHandlerContext) {
    conversation.finisher = conversation.finisher ?? .client
    context.close(promise: nil)
  }

  /// Closes the connection if it is idle for this many seconds.
  private func wait(_ seconds: Int64, _ context: ChannelHandlerContext) {
    timeout?.cancel()
    timeout = schedule(seconds, context) { connection in
      if !connection.isEnding { connection.conversation.ending = .timedOut }
    }
  }

  private func schedule(
    _ seconds: Int64, _ context: ChannelHandlerContext, _ then: @escaping (ClientConnection) -> Void
  ) -> Scheduled<Void> {
    let bound = NIOLoopBound((self, context, then), eventLoop: context.eventLoop)
    return context.eventLoop.scheduleTask(in: .seconds(seconds)) {
      let (connection, context, then) = bound.value
      then(connection)
      connection.close(context)
    }
  }

  private func finish() {
    timeout?.cancel()
    deadline?.cancel()
    guard !isReported else { return }
    isReported = true
    result.succeed(conversation)
  }

  private func keep(_ bytes: [UInt8], of side: Side) {
    guard client.keepsTraffic, conversation.keptCount <= Self.mostTraffic else { return }
    conversation.keptCount += bytes.count
    conversation.portions.append(Flow.Chunk(side, bytes, at: clock(), number: conversation.portions.count))
  }
}

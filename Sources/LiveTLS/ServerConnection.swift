import Captures
import Endpoint
import Explanation
import NIOCore
import TLS

/// One connection to a live server. It passes received bytes to the endpoint, and sends the endpoint's messages.
final class ServerConnection: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let hosts: LiveHosts
  private let options: LiveServer.Options
  private let clock: @Sendable () -> Instant
  private let onEnd: @Sendable (ConnectionReport) -> Void
  private var report: ConnectionReport
  /// The bytes that arrived before a host was selected.
  private var peek = ClientHelloPeek()
  private var host: LiveHost?
  private var endpoint: ServerEndpoint?
  /// The addresses of both endpoints. They are converted to text only when needed, because clients wait.
  private var ends: (client: NIOCore.SocketAddress?, server: NIOCore.SocketAddress?)
  /// The values that a key log needs, by name.
  private var secrets: [Value.ID: [UInt8]] = [:]
  /// The time at which an incomplete handshake, request or frame began; nil if there is none.
  private var begun: NIODeadline?
  /// The time at which the connection times out, which a timer checks.
  private var awaitedUntil = NIODeadline.distantFuture
  private var timer: (task: Scheduled<Void>, at: NIODeadline)?
  private var isEnding = false
  private var isReported = false

  /// The number of seconds that the server waits for the client to close the connection.
  private static let farewell: Int64 = 3
  /// The factor between the timeout and the time for each item. It limits a client that repeatedly sends a little data.
  private static let wholeTime: Int64 = 6
  /// The maximum number of responses on a connection, including 401, and of bytes that are kept.
  private static let mostExchanges = 1001
  private static let mostTraffic = 1 << 26

  init(
    number: Int, hosts: LiveHosts, _ options: LiveServer.Options, clock: @escaping @Sendable () -> Instant,
    report: @escaping @Sendable (ConnectionReport) -> Void
  ) {
    (self.hosts, self.options, self.clock, onEnd) = (hosts, options, clock, report)
    self.report = ConnectionReport(number: number, opened: clock())
  }

  func channelActive(context: ChannelHandlerContext) {
    // The channel caches its addresses; the context would need a system call.
    ends = (context.channel.remoteAddress, context.channel.localAddress)
    if let client = ends.client?.captured, let server = ends.server?.captured {
      report.ends = Flow.Ends(client: client, server: server)
    }
    wait(options.timeout, context)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    guard let bytes = buffer.readBytes(length: buffer.readableBytes), !isEnding else { return }
    report.byteCounts.received += bytes.count
    keep(bytes, of: .client)
    let received = endpoint?.receivedCount ?? 0
    begun = begun ?? context.eventLoop.now
    read(bytes, context)
    if let count = endpoint?.receivedCount, count > received { begun = nil }
    if !isEnding { wait(options.timeout, context) }
  }

  private func read(_ bytes: [UInt8], _ context: ChannelHandlerContext) {
    guard endpoint == nil else { return take(endpoint?.receive(bytes) ?? [], context) }
    switch peek.append(bytes) {
    case .unfinished: return
    case .plain: begin(isSecure: false, serverName: nil)
    case .hello(let name): begin(isSecure: true, serverName: name)
    }
    let first = peek.bytes
    peek = ClientHelloPeek()
    take(endpoint?.receive(first) ?? [], context)
  }

  func channelInactive(context: ChannelHandlerContext) {
    timer?.task.cancel()
    if !isEnding {
      isEnding = true
      take(endpoint?.transportClosed() ?? [], context)
    }
    finish()
    context.fireChannelInactive()
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    guard event is LiveServer.Stop else { return context.fireUserInboundEventTriggered(event) }
    goAway(.stopped, context)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The end of the connection is reported when the channel closes.
    context.close(promise: nil)
  }

  /// Selects the host that the client requested, and creates its endpoint.
  private func begin(isSecure: Bool, serverName: String?) {
    guard let host = hosts[serverName] else { return }
    self.host = host
    report.host = (host.name, host.origin)
    (report.serverName, report.isSecure) = (serverName, isSecure)
    endpoint = host.endpoint(
      isSecure: isSecure, at: ends.server?.host, now: clock(), tellsSecrets: options.keepsSecrets)
  }

  private func take(_ effects: [EndpointEffect], _ context: ChannelHandlerContext) {
    var flight = ByteBuffer()
    for effect in effects {
      switch effect {
      case .send(let transmission): add(transmission.bytes, to: &flight)
      case .derived(let value): note(value)
      case .found(let findings): note(findings)
      case .decided(let decision): note(decision.findings)
      case .fetch, .received, .requested: break
      }
    }
    // One buffer holds a whole flight, because each write would cost as much as the encryption of a record.
    if flight.readableBytes > 0 { context.writeAndFlush(wrapOutboundOut(flight), promise: nil) }
    report.parameters = endpoint?.parameters
    host?.apply(endpoint?.drainSessionChanges() ?? [])
    let isExhausted = (endpoint?.exchanges.count ?? 0) >= Self.mostExchanges
    // A response to early data may end before the handshake does.
    let isComplete = endpoint?.hasEnded == true && (!report.isSecure || report.parameters != nil)
    if endpoint?.isOver == true || isComplete || isExhausted { end(context) }
  }

  private func add(_ bytes: [UInt8], to flight: inout ByteBuffer) {
    report.byteCounts.sent += bytes.count
    keep(bytes, of: .server)
    flight.writeBytes(bytes)
  }

  /// Ends the connection after the client had a moment to read the last response.
  private func end(_ context: ChannelHandlerContext) {
    guard !isEnding else { return }
    isEnding = true
    report.finisher = .server
    take(endpoint?.close() ?? [], context)
    context.close(mode: .output, promise: nil)
    wait(Self.farewell, context)
  }

  /// The time at which the current handshake, request or frame must be complete.
  private var limit: NIODeadline {
    begun.map { $0 + .seconds(Self.wholeTime * options.timeout) } ?? .distantFuture
  }

  /// Closes the connection if it is idle for this many seconds, or at the limit.
  ///
  /// The method only stores the new time, which costs less than a new timer for every read. A timer that fires too
  /// early is restarted.
  private func wait(_ seconds: Int64, _ context: ChannelHandlerContext) {
    awaitedUntil = min(context.eventLoop.now + .seconds(seconds), limit)
    if let timer, timer.at <= awaitedUntil { return }
    timer?.task.cancel()
    setTimer(context)
  }

  private func setTimer(_ context: ChannelHandlerContext) {
    let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
    let task = context.eventLoop.scheduleTask(deadline: awaitedUntil) {
      let (connection, context) = bound.value
      let now = context.eventLoop.now
      if now < connection.awaitedUntil { return connection.setTimer(context) }
      connection.goAway(now < connection.limit ? .timedOut : .outOfTime, context)
    }
    timer = (task, awaitedUntil)
  }

  /// Ends the connection from the server's side, with close_notify if possible (RFC 5246 section 7.2.1).
  private func goAway(_ ending: ConnectionReport.Ending, _ context: ChannelHandlerContext) {
    if !isEnding {
      isEnding = true
      report.ending = ending
      report.finisher = .server
      take(endpoint?.close() ?? [], context)
    }
    context.close(promise: nil)
  }

  private func finish() {
    guard !isReported else { return }
    isReported = true
    report.peer = ends.client?.text ?? "?"
    if let endpoint = endpoint.take() {
      host?.keep(endpoint.authenticator)
      report.keyLog.add(secretsOf: endpoint.configuration.tls.valueScope) { secrets[$0] }
      report.exchanges = endpoint.exchanges
      report.ending = ending(endpoint)
    }
    onEnd(report)
  }

  private func ending(_ endpoint: ServerEndpoint) -> ConnectionReport.Ending {
    if report.findings.contains(where: { $0.rule == .fatalAlert }) { return .refusedByClient }
    let departures: [Rule] = [.truncatedConnection, .closedEarly]
    if report.findings.contains(where: { $0.refuses && !departures.contains($0.rule) }) { return .refusedByServer }
    if !endpoint.exchanges.isEmpty, report.ending != .outOfTime { return .served }
    return report.ending
  }

  private func keep(_ bytes: [UInt8], of side: Side) {
    guard options.keepsTraffic, report.byteCounts.received + report.byteCounts.sent <= Self.mostTraffic else { return }
    report.portions.append(Flow.Chunk(side, bytes, at: clock(), number: report.portions.count))
  }

  /// Adds violations to the report. Satisfied rules are not reported.
  private func note(_ findings: [Finding]) {
    report.findings += findings.lazy.filter { $0.outcome == .violated }
  }

  /// Stores a value for the key log.
  private func note(_ value: Value) {
    if options.keepsSecrets, KeyLog.needs(value.id) { secrets[value.id] = value.bytes }
  }
}

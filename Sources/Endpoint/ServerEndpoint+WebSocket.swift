import Explanation
import TLS
import URLLoading

/// A server that opens WebSockets, and takes no data on them: RFC 6455.
extension ServerEndpoint {
  /// The response that opens the WebSocket of `request`; nil where none is asked for, or the answer leads elsewhere: RFC
  /// 6455 section 4.2.2.
  func opening(_ request: HTTPRequest, _ content: [String: HTTPAnswer]) -> [UInt8]? {
    guard configuration.opensWebSockets, let key = request.webSocketKey else { return nil }
    if case .redirect? = request.answer(in: content) { return nil }
    return WebSocket.response(to: key)
  }

  /// The most Pings that are taken on a connection: each may cost a Pong that nobody reads.
  private static let mostPings = 1000

  /// Frames of the client. To Close and to data the answer is Close, to the last of several Pings it is Pong: RFC 6455
  /// sections 5.5.1, 5.5.3 and 7.4.1.
  mutating func answerFrames(_ bytes: [UInt8]) -> [EndpointEffect] {
    guard !hasEnded, let read = webSocket?.append(bytes) else { return [] }
    receivedCount += read.frames.count
    var (ping, close): (WebSocketFrame?, WebSocketFrame?) = (nil, nil)
    for frame in read.frames where close == nil {
      switch frame.opcode {
      case .close: close = WebSocketFrame(opcode: .close, payload: Array(frame.payload.prefix(2)))
      case .ping:
        ping = frame
        pings += 1
        if pings > Self.mostPings { close = WebSocketFrame.close(.policyViolation) }
      case .pong: break
      case .continuation, .text, .binary: close = WebSocketFrame.close(.unsupportedData)
      }
    }
    var effects: [EndpointEffect] = []
    if let ping { effects += say(WebSocketFrame(opcode: .pong, payload: ping.payload)) }
    if pings > Self.mostPings { effects.append(.decided(Self.tooManyPings)) }
    if let close { return effects + closeWebSocket(close) }
    guard let fault = read.fault else { return effects }
    return effects + refuseFrame(fault)
  }

  private static var tooManyPings: Decision {
    Decision(.server(.tooManyPings(limit: mostPings)))
  }

  /// What is no frame is answered with a Close that says so.
  private mutating func refuseFrame(_ fault: HTTPFault) -> [EndpointEffect] {
    let finding = configuration.tls.enforcement.check(
      fault.rule, on: .message(.webSocketFrame), false, found: .word(fault.found))
    let decision = Decision(.server(.frameRejected(fault)), [finding])
    return [.decided(decision)] + closeWebSocket(.close(.protocolError))
  }

  /// Says Close, and closes the connection, which is the server's to do: RFC 6455 section 7.1.1.
  private mutating func closeWebSocket(_ frame: WebSocketFrame) -> [EndpointEffect] {
    hasEnded = true
    return say(frame) + effects(of: connection?.close() ?? [])
  }

  private mutating func say(_ frame: WebSocketFrame) -> [EndpointEffect] {
    guard connection == nil else { return effects(of: connection?.send(frame.bytes()) ?? []) }
    responses += 1
    let bytes = frame.bytes()
    return unprotected(Transmission(frame, bytes))
  }
}

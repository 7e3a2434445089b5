import Explanation
import TLS
import URLLoading

/// Opens WebSockets and accepts no data on them (RFC 6455).
extension ServerEndpoint {
  /// The response that opens the WebSocket of `request` (RFC 6455 section 4.2.2).
  ///
  /// Nil if the request is not for a WebSocket, or if the response is a redirect.
  func opening(_ request: HTTPRequest, _ content: [String: HTTPAnswer]) -> [UInt8]? {
    guard configuration.opensWebSockets, let key = request.webSocketKey else { return nil }
    if case .redirect? = request.answer(in: content) { return nil }
    return WebSocket.response(to: key)
  }

  /// The maximum number of Pings on a connection. Each may require a Pong that the client never reads.
  private static let mostPings = 1000

  /// Handles frames from the client (RFC 6455 sections 5.5.1, 5.5.3 and 7.4.1).
  ///
  /// The server responds to Close and to data with Close. It responds to several Pings with one Pong, for the last of
  /// them.
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

  /// Responds to a malformed frame with a Close frame that states the reason.
  private mutating func refuseFrame(_ fault: HTTPFault) -> [EndpointEffect] {
    let finding = configuration.tls.enforcement.check(
      fault.rule, on: .message(.webSocketFrame), false, found: .word(fault.found))
    let decision = Decision(.server(.frameRejected(fault)), [finding])
    return [.decided(decision)] + closeWebSocket(.close(.protocolError))
  }

  /// Sends a Close frame and closes the connection, as RFC 6455 section 7.1.1 requires of the server.
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

import Cryptography
import Explanation
import TLS
import URLLoading

/// Loads of ws and wss URLs: the client opens a WebSocket, and closes it once it is open (RFC 6455).
extension ClientEndpoint {
  /// The key of the opening handshake: 16 random bytes (RFC 6455 section 4.1), or the key of a forwarded request.
  ///
  /// Nil if the URL is not a WebSocket URL.
  var webSocketKey: String? {
    guard url.isWebSocket else { return nil }
    if let passedOn = configuration.request.webSocketKey { return passedOn }
    var random = configuration.tls.random.stream("sec_websocket_key")
    return Base64.encode(random.bytes(WebSocket.keyCount))
  }

  /// Handles the server's response to the opening handshake; nil if the client did not request a WebSocket.
  ///
  /// The client does not follow redirects here, which RFC 6455 section 4.1 permits.
  mutating func openWebSocket(_ message: HTTPMessage) -> [EndpointEffect]? {
    guard let key = webSocketKey else { return nil }
    // A client that forwards responses leaves the decision to its own client.
    guard configuration.followsRedirects else {
      content = message.content
      return message.status == 101 ? closeWebSocket() : endAnswered()
    }
    let obstacle = message.obstacle(toOpening: key)
    let finding = configuration.tls.enforcement.check(
      .webSocketNotOpened, on: .message(.httpResponse), obstacle == nil,
      required: .word(obstacle?.required ?? "101 Switching Protocols"),
      found: obstacle?.found ?? .word("101 Switching Protocols"))
    guard !finding.refuses else {
      let decision = Decision(.load(.webSocketRefused(finding.rule)), [finding])
      return [.decided(decision)] + endAnswered()
    }
    content = []
    conversation.recordSuccess()
    let decision = Decision(.load(.webSocketOpened), [finding])
    return [.decided(decision)] + closeWebSocket()
  }

  /// Sends a Close frame, and reads until the server sends one (RFC 6455 section 7.1.2).
  private mutating func closeWebSocket() -> [EndpointEffect] {
    webSocket = WebSocketReader(framesOf: .server)
    let frame = WebSocketFrame.close(.normal)
    var random = configuration.tls.random.stream("masking_key")
    let sent = send(frame.bytes(masking: random.bytes(4)), as: frame)
    let rest = reader.rest
    return sent + (rest.isEmpty ? [] : readFrames(rest))
  }

  /// Reads frames from the server. Frames before its Close frame are ignored.
  mutating func readFrames(_ bytes: [UInt8]) -> [EndpointEffect] {
    guard let read = webSocket?.append(bytes) else { return [] }
    if let fault = read.fault { return refuse(fault) }
    return read.frames.contains { $0.opcode == .close } ? endAnswered() : []
  }

  /// Ends the load and stops reading.
  private mutating func endAnswered() -> [EndpointEffect] {
    isAnswered = true
    return effects(of: connection?.close() ?? [])
  }
}

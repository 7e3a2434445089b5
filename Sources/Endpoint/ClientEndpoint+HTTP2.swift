// A load over HTTP/2 (RFC 9113). The caller reads and writes frames, and the endpoint protects them.
extension ClientEndpoint {
  /// Whether the client loads over HTTP/2.
  public var usesHTTP2: Bool {
    configuration.speaksHTTP2 && configuration.asksForContent && parameters?.applicationProtocol == .http2
  }

  /// The pseudo-header fields and fields of the request (RFC 9113 section 8.3.1).
  public var requestFields: [(name: String, value: String)] {
    let request = configuration.request
    let own = [("cookie", request.cookie), ("authorization", request.authorization ?? "")].filter { !$0.1.isEmpty }
    return [
      (":method", request.method), (":scheme", url.scheme), (":authority", url.authority), (":path", request.path),
    ]
      + own
  }

  /// Sends these frames.
  public mutating func send(frames: [UInt8]) -> [EndpointEffect] {
    effects(of: connection?.send(frames) ?? [])
  }

  /// Returns the received frames that were not returned before.
  public mutating func drainFrames() -> [UInt8] {
    defer { frames = [] }
    return frames
  }

  /// Handles the end of the connection after the frames that arrived with it were read.
  public mutating func framesEnded() -> [EndpointEffect] { connection?.peerHasClosed == true ? ended() : [] }

  /// Processes the complete response.
  public mutating func receive(_ response: HTTP2Response) -> [EndpointEffect] {
    if isAnswered { return [] }
    http2Response = response.bytes
    return take(response.message)
  }

  /// Ends the load because of the server's frames.
  public mutating func reject(_ fault: HTTPFault) -> [EndpointEffect] { isAnswered ? [] : refuse(fault) }
}

import Endpoint
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One request over HTTP/2, and its response (RFC 9113).
///
/// The handler is behind an `NIOHTTP2Handler`, which checks the server's frames and answers SETTINGS and PING.
final class HTTP2Load: ChannelInboundHandler {
  typealias InboundIn = HTTP2Frame
  typealias OutboundOut = HTTP2Frame
  typealias Outcome = Result<HTTP2Response, HTTPFault>

  /// The only stream of the connection.
  private static let stream = HTTP2StreamID(1)

  private let request: [(name: String, value: String)]
  private let done: (Outcome) -> Void
  private var response = HTTP2Response()
  private var isDone = false

  /// Creates a load of `request`, which are the fields of a request without content. It calls `done` once.
  init(_ request: [(name: String, value: String)], done: @escaping (Outcome) -> Void) {
    (self.request, self.done) = (request, done)
  }

  /// Adds this load to a pipeline, behind `handler` and an `NIOHTTP2Handler`. The load starts at once.
  func join(_ pipeline: ChannelPipeline.SynchronousOperations, after handler: any ChannelHandler) throws {
    let frames = Self.frames
    try pipeline.addHandler(frames, position: .after(handler))
    try pipeline.addHandler(self, position: .after(frames))
  }

  /// The handler of frames. The windows have their largest size, because the length of a response is limited elsewhere.
  private static var frames: NIOHTTP2Handler {
    var configuration = NIOHTTP2Handler.ConnectionConfiguration()
    configuration.initialSettings = [
      HTTP2Setting(parameter: .enablePush, value: 0),
      HTTP2Setting(parameter: .initialWindowSize, value: largestWindow),
      HTTP2Setting(parameter: .maxHeaderListSize, value: largestHeader),
    ]
    // A frame has at most 2^14 bytes.
    configuration.maximumSequentialContinuationFrames = largestHeader >> 14
    return NIOHTTP2Handler(mode: .client, connectionConfiguration: configuration)
  }

  private static let largestWindow = Int(Int32.max)
  /// The window of a new connection (RFC 9113 section 6.9.2).
  private static let firstWindow = 65_535
  private static let largestHeader = 1 << 20

  func handlerAdded(context: ChannelHandlerContext) {
    write(.windowUpdate(windowSizeIncrement: Self.largestWindow - Self.firstWindow), on: .rootStream, context)
    write(.headers(.init(headers: HPACKHeaders(request), endStream: true)), on: Self.stream, context)
    context.flush()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    if isDone { return }
    do throws(HTTPFault) {
      if try read(frame) { finish(.success(response), .noError, context) }
    } catch {
      finish(.failure(error), error.isTooMuch ? .enhanceYourCalm : .noError, context)
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // The handler of the frames has already sent GOAWAY or RST_STREAM.
    let found = "\(type(of: error))".words
    finish(.failure(error.isAboutLength ? .tooLongHTTP2(found) : .malformedHTTP2(found)), nil, context)
  }

  /// Reads a frame. Returns whether the response is complete.
  private func read(_ frame: HTTP2Frame) throws(HTTPFault) -> Bool {
    switch frame.payload {
    case .headers(let block) where frame.streamID == Self.stream:
      try response.append(block.headers.map { ($0.name, $0.value) })
      return block.endStream
    case .data(let data) where frame.streamID == Self.stream:
      if case .byteBuffer(let buffer) = data.data { try response.append(Array(buffer.readableBytesView)) }
      return data.endStream
    case .rstStream(let code): throw .incompleteHTTP2("RST_STREAM with \(code.name)")
    case .goAway(let last, let code, _) where last < Self.stream || code != .noError:
      throw .incompleteHTTP2("GOAWAY with \(code.name)")
    default: return false
    }
  }

  private func finish(_ outcome: Outcome, _ code: HTTP2ErrorCode?, _ context: ChannelHandlerContext) {
    guard !isDone else { return }
    isDone = true
    if let code {
      write(.goAway(lastStreamID: .rootStream, errorCode: code, opaqueData: nil), on: .rootStream, context)
      context.flush()
    }
    done(outcome)
  }

  private func write(_ payload: HTTP2Frame.FramePayload, on stream: HTTP2StreamID, _ context: ChannelHandlerContext) {
    context.write(wrapOutboundOut(HTTP2Frame(streamID: stream, payload: payload)), promise: nil)
  }
}

extension Error {
  /// Whether the server's header is longer than this client accepts.
  fileprivate var isAboutLength: Bool {
    self is NIOHTTP2Errors.ExcessivelyLargeHeaderBlock || self is NIOHTTP2Errors.ExcessiveContinuationFrames
  }
}

extension String {
  /// The words of an error's type, such as `unable to parse frame`.
  fileprivate var words: String {
    replacing("HTTP2", with: "").reduce(into: "") {
      $0 += $1.isUppercase ? ($0.isEmpty ? "" : " ") + $1.lowercased() : String($1)
    }
  }
}

extension HTTP2ErrorCode {
  /// The names of RFC 9113 section 7, by number.
  private static let names = [
    "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
    "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
  ]

  /// The name of the code, or its number.
  fileprivate var name: String {
    Self.names.indices.contains(networkCode) ? Self.names[networkCode] : "the code \(networkCode)"
  }
}

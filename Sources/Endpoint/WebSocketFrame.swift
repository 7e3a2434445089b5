import Explanation
import TLS
import URLLoading

/// A WebSocket frame (RFC 6455 section 5.2). The content of data frames is not kept, because TrustLab does not simulate
/// data.
struct WebSocketFrame: Sendable, Hashable {
  /// The type of a frame (RFC 6455 section 11.8).
  enum Opcode: UInt8, Sendable, Hashable, CaseIterable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    /// Whether the frame is a control frame, whose payload is short (RFC 6455 section 5.5).
    var isControl: Bool { rawValue >= 8 }

    /// The name in RFC 6455, such as `Close`.
    var name: String {
      switch self {
      case .continuation: "Continuation"
      case .text: "Text"
      case .binary: "Binary"
      case .close: "Close"
      case .ping: "Ping"
      case .pong: "Pong"
      }
    }
  }

  /// The status code of a Close frame (RFC 6455 section 7.4.1).
  enum CloseCode: UInt16, Sendable {
    case normal = 1000
    case protocolError = 1002
    case unsupportedData = 1003
    case policyViolation = 1008
  }

  /// The maximum number of bytes in a control frame's payload (RFC 6455 section 5.5).
  static let longestControl = 125

  let opcode: Opcode
  /// The payload of a control frame, unmasked.
  var payload: [UInt8] = []

  /// Creates a Close frame with this status code (RFC 6455 section 5.5.1).
  static func close(_ code: CloseCode) -> WebSocketFrame {
    WebSocketFrame(opcode: .close, payload: [UInt8(code.rawValue >> 8), UInt8(code.rawValue & 0xff)])
  }

  /// Encodes a control frame (RFC 6455 sections 5.2 and 5.3). A client passes a masking key.
  func bytes(masking key: [UInt8] = []) -> [UInt8] {
    let content = payload.prefix(Self.longestControl)
    let isMasked = key.count == 4
    let head = [0x80 | opcode.rawValue, (isMasked ? 0x80 : 0) | UInt8(content.count)]
    guard isMasked else { return head + content }
    return head + key + content.enumerated().map { $1 ^ key[$0 % key.count] }
  }

  /// The fields of an encoded control frame, with their names in RFC 6455 section 5.2.
  func fields(of bytes: [UInt8]) -> [Field] {
    let start = bytes.count - payload.count
    let closing = statusCode.map { "status code \($0)" } ?? ""
    var parts = [
      Field("opcode", 0..<1, meaning: "FIN, \(opcode.name) (\(opcode.rawValue))"),
      Field("Payload-len", 1..<2, meaning: start > 2 ? "MASK, \(payload.count)" : "\(payload.count)"),
    ]
    if start > 2 { parts.append(Field("Masking-key", 2..<start)) }
    if !payload.isEmpty { parts.append(Field("Payload-Data", start..<bytes.count, meaning: closing)) }
    return [Field("WebSocket-frame", 0..<bytes.count, meaning: opcode.name, children: parts)]
  }

  /// The status code of a Close frame (RFC 6455 section 5.5.1).
  var statusCode: Int? {
    guard opcode == .close, payload.count >= 2 else { return nil }
    return Int(payload[0]) << 8 | Int(payload[1])
  }

  /// Whether no Close frame may contain this status code, because it is reserved (RFC 6455 section 7.4.1) or not used
  /// (section 7.4.2).
  static func isNeverSent(_ code: Int) -> Bool { code < 1000 || [1005, 1006, 1015].contains(code) }
}

extension Transmission {
  /// Creates the transmission of a frame without TLS.
  init(_ frame: WebSocketFrame, _ bytes: [UInt8]) {
    self.init(name: .webSocketFrame, bytes: bytes, fields: frame.fields(of: bytes))
  }
}

/// Parses frames from the bytes of an open WebSocket, in chunks of any size (RFC 6455 section 5.2).
///
/// Only incomplete headers and control frames are buffered. Data is discarded.
struct WebSocketReader: Sendable {
  /// The side that sends the frames.
  let sender: Side
  private var bytes: [UInt8] = []
  private var position = 0
  /// The number of data bytes that remain to be skipped.
  private var unwanted = 0
  /// Whether a Close frame or a malformed frame has arrived.
  private var hasEnded = false

  init(framesOf sender: Side) { self.sender = sender }

  /// Appends received bytes; returns the complete frames, and the fault in a malformed frame.
  ///
  /// Nothing is parsed after a Close frame (RFC 6455 section 1.4) or a fault (section 7.1.7).
  mutating func append(_ more: [UInt8]) -> (frames: [WebSocketFrame], fault: HTTPFault?) {
    guard !hasEnded else { return ([], nil) }
    bytes += more
    var frames: [WebSocketFrame] = []
    var fault: HTTPFault?
    do throws(HTTPFault) {
      while !hasEnded, let frame = try next() {
        frames.append(frame)
        hasEnded = frame.opcode == .close
      }
    } catch {
      fault = error
      hasEnded = true
    }
    bytes.removeFirst(hasEnded ? bytes.count : position)
    position = 0
    return (frames, fault)
  }

  private mutating func next() throws(HTTPFault) -> WebSocketFrame? {
    let passed = min(unwanted, bytes.count - position)
    unwanted -= passed
    position += passed
    let rest = bytes[position...]
    guard unwanted == 0, rest.count >= 2, let first = rest.first, let second = rest.dropFirst().first else {
      return nil
    }
    let opcode = try opcode(first, second)
    let short = Int(second & 0x7f)
    let lengthCount = short == 126 ? 2 : short == 127 ? 8 : 0
    let maskCount = sender == .client ? 4 : 0
    let head = 2 + lengthCount + maskCount
    guard rest.count >= head else { return nil }
    let length = rest.dropFirst(2).prefix(lengthCount).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    // The first bit of a 64-bit length must be zero, so that the length fits into `Int`.
    guard let count = lengthCount == 0 ? short : Int(exactly: length) else {
      throw HTTPFault(.malformedFrame, "a length whose first bit is set")
    }
    guard opcode.isControl else {
      position += head
      unwanted = count
      return WebSocketFrame(opcode: opcode)
    }
    guard rest.count - head >= count else { return nil }
    let mask = Array(rest.dropFirst(head - maskCount).prefix(maskCount))
    let masked = rest.dropFirst(head).prefix(count)
    position += head + count
    let payload = mask.isEmpty ? Array(masked) : masked.enumerated().map { $1 ^ mask[$0 % mask.count] }
    let frame = WebSocketFrame(opcode: opcode, payload: payload)
    guard opcode != .close || payload.count != 1 else {
      throw HTTPFault(.malformedFrame, "a Close frame with only half of a status code")
    }
    if let code = frame.statusCode, WebSocketFrame.isNeverSent(code) {
      throw HTTPFault(.malformedFrame, "a Close frame with the status code \(code), which must not be sent")
    }
    return frame
  }

  /// Parses the type of a frame from its first two bytes.
  private func opcode(_ first: UInt8, _ second: UInt8) throws(HTTPFault) -> WebSocketFrame.Opcode {
    guard first & 0x70 == 0, let opcode = WebSocketFrame.Opcode(rawValue: first & 0x0f) else {
      throw HTTPFault(.malformedFrame, "a reserved bit or opcode")
    }
    let isMasked = second & 0x80 != 0
    guard isMasked == (sender == .client) else {
      throw HTTPFault(.malformedFrame, isMasked ? "a masked frame from a server" : "an unmasked frame from a client")
    }
    guard !opcode.isControl || first & 0x80 != 0 && Int(second & 0x7f) <= WebSocketFrame.longestControl else {
      throw HTTPFault(.malformedFrame, "a control frame that is fragmented or too long")
    }
    return opcode
  }
}

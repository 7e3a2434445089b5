import Explanation

/// Parses one HTTP/1.1 message from the bytes of a connection, in chunks of any size (RFC 9112 sections 2 to 7).
///
/// No part is parsed twice. Every part has a size limit, because the peer chooses the size.
struct HTTPReader: Sendable {
  /// The kind of message. The end of a response depends on the method of its request.
  enum Kind: Sendable, Equatable {
    case request
    case response(method: String)
  }

  /// The size limits of a message.
  struct Bounds: Sendable, Equatable {
    /// The maximum number of bytes in a line. RFC 9112 section 3 recommends at least 8000 for a request line.
    let line: Int
    /// The maximum number of bytes in the start line and header fields together.
    let head: Int
    /// The maximum number of bytes of content.
    let content: Int

    /// The limits of a request. A server can report that it is too large (RFC 9110 sections 15.5.14 and 15.5.15, RFC
    /// 6585 section 5).
    static let request = Bounds(line: 8192, head: 32_768, content: 1 << 24)
    /// The limits of a response. They are higher, because a client cannot report that a response is too large.
    static let response = Bounds(line: 1 << 20, head: 1 << 20, content: 1 << 26)
  }

  let kind: Kind
  /// The size limits that TrustLab sets. HTTP itself has none.
  let bounds: Bounds
  /// The received bytes, starting with the first byte of the message.
  private(set) var bytes: [UInt8] = []
  private var position = 0
  /// The offset up to which no end of the line at `position` was found.
  private var searched = 0
  /// Whether the client waits for a 100 response before it sends the content.
  private var expectsContinue = false
  private var place = Place.startLine
  private var message = HTTPMessage(startLine: "", fields: [], content: [])

  /// The part of the message that follows.
  private enum Place: Sendable, Equatable {
    case startLine
    case fields
    case content(Count)
    case chunkSize
    case chunk(Count)
    case chunkEnd
    case trailers
    /// Content that ends with the connection.
    case untilClose
    case whole
  }

  /// The number of announced bytes that have not arrived. It may exceed every integer type (RFC 9110 section 8.6).
  private struct Count: Sendable, Equatable, CustomStringConvertible {
    let value: Int

    /// Parses valid digits. A number that exceeds `Int` becomes `Int.max`.
    init(_ digits: Substring, radix: Int) {
      let significant = digits.drop { $0 == "0" }
      value = significant.isEmpty ? 0 : Int(significant, radix: radix) ?? .max
    }

    private init(_ value: Int) { self.value = value }

    /// The number that remains after `part` more bytes.
    func after(_ part: Int) -> Count { value == .max ? self : Count(value - part) }

    var description: String { value == .max ? "too many bytes of content" : "\(value) more bytes of content" }
  }

  init(_ kind: Kind) {
    self.kind = kind
    bounds = kind == .request ? .request : .response
  }

  /// Appends received bytes.
  ///
  /// - Returns: the message if it is complete. Nothing after the message is parsed.
  mutating func append(_ more: [UInt8]) throws(HTTPFault) -> HTTPMessage? {
    guard place != .whole else { return nil }
    bytes += more
    while try step() {}
    return place == .whole ? message : nil
  }

  /// Handles the end of the connection (RFC 9112 section 8). Throws if the message is incomplete.
  ///
  /// - Returns: the message that ends with the connection. It is nil if no request has started, or if the message was
  /// already returned.
  mutating func end() throws(HTTPFault) -> HTTPMessage? {
    switch place {
    case .whole: return nil
    case .startLine where bytes.isEmpty:
      if kind == .request { return nil }
      throw HTTPFault(.incompleteMessage, "a response")
    case .untilClose:
      place = .whole
      return message
    case .startLine, .fields, .chunkSize, .chunkEnd, .trailers: throw HTTPFault(.incompleteMessage, "the end of a line")
    case .content(let count), .chunk(let count):
      throw HTTPFault(.incompleteMessage, count.description)
    }
  }

  /// The header of a request whose content waits for a 100 (Continue) response, returned once; nil for any other
  /// request.
  ///
  /// See RFC 9110 section 10.1.1.
  mutating func expectation() -> HTTPMessage? {
    guard expectsContinue else { return nil }
    expectsContinue = false
    return message
  }

  /// The bytes after the message.
  var rest: [UInt8] { Array(bytes[position...]) }

  /// Parses the next part; returns false if more bytes are needed.
  private mutating func step() throws(HTTPFault) -> Bool {
    switch place {
    case .startLine:
      guard let line = try line() else { return false }
      // An empty line before the start line is ignored: RFC 9112 section 2.2.
      if line.isEmpty { return true }
      message.startLine = line
      place = .fields
    case .fields:
      guard let line = try line() else { return false }
      if !line.isEmpty {
        try take(field: line)
      } else {
        place = try framing()
        expectsContinue = awaitsContinue
      }
    case .content(let count):
      guard let part = try take(count.value) else { return false }
      place = part == count.value ? .whole : .content(count.after(part))
    case .chunkSize:
      guard let line = try line() else { return false }
      let size = try chunkSize(line)
      place = size.value == 0 ? .trailers : .chunk(size)
    case .chunk(let count):
      guard let part = try take(count.value) else { return false }
      place = part == count.value ? .chunkEnd : .chunk(count.after(part))
    case .chunkEnd:
      guard let line = try line() else { return false }
      guard line.isEmpty else { throw HTTPFault(.malformedMessage, "a chunk that is longer than its chunk-size") }
      place = .chunkSize
    case .trailers:
      guard let line = try line() else { return false }
      if line.isEmpty { place = .whole } else if !isFold(line) { _ = try HTTPField(line) }
    case .untilClose:
      guard try take(bytes.count - position) != nil else { return false }
    case .whole: return false
    }
    return true
  }

  /// Consumes at most `count` bytes of content; nil if there are none.
  private mutating func take(_ count: Int) throws(HTTPFault) -> Int? {
    let part = min(count, bytes.count - position)
    guard part > 0 else { return nil }
    guard part <= bounds.content - message.content.count else { throw .tooMuchContent(bounds) }
    expectsContinue = false
    message.content += bytes[position..<(position + part)]
    position += part
    return part
  }

  /// Parses a field line, or the continuation of the previous field.
  private mutating func take(field line: String) throws(HTTPFault) {
    guard isFold(line), let last = message.fields.indices.last else {
      return message.fields.append(try HTTPField(line))
    }
    message.fields[last].append(fold: line)
  }

  /// Whether a line continues the previous one.
  ///
  /// A recipient treats the line break as white space in a response, and refuses it in a request (RFC 9112 section
  /// 5.2).
  private func isFold(_ line: String) -> Bool { kind != .request && (line.hasPrefix(" ") || line.hasPrefix("\t")) }

  /// Whether the client waits for a 100 response: content is announced, but none has arrived.
  ///
  /// An HTTP/1.0 client does not wait (RFC 9110 section 10.1.1).
  private var awaitsContinue: Bool {
    switch place {
    case .content, .chunkSize: kind == .request && position == bytes.count && message.expectsContinue
    default: false
    }
  }

  /// The next line without its end, which is CRLF or a single LF (section 2.2); nil while the line is incomplete.
  private mutating func line() throws(HTTPFault) -> String? {
    let isHead = place == .startLine || place == .fields
    let last = min(bytes.count, position + bounds.line + 2)
    guard let end = bytes[max(position, min(searched, last))..<last].firstIndex(of: 10) else {
      guard bytes.count - position <= bounds.line + 1 else {
        throw .tooLong(line: place == .startLine, bounds)
      }
      searched = bytes.count
      return nil
    }
    let line = bytes[position..<end]
    position = end + 1
    if isHead, position > bounds.head { throw .tooLong(line: false, bounds) }
    let content = line.last == 13 ? line.dropLast() : line
    guard !content.contains(13), !content.contains(0) else {
      throw HTTPFault(.malformedMessage, "a carriage return or a zero byte within a line")
    }
    return String(decoding: content, as: UTF8.self)
  }

  /// Parses a chunk-size. Chunk extensions are ignored (section 7.1).
  private func chunkSize(_ line: String) throws(HTTPFault) -> Count {
    let digits = line.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
      throw HTTPFault(.malformedMessage, "a chunk-size that is not a number")
    }
    let size = Count(digits, radix: 16)
    try check(size)
    return size
  }

  /// Checks the announced size of a request. A response may end early, so only its received bytes are limited.
  private func check(_ count: Count) throws(HTTPFault) {
    guard kind != .request || count.value <= bounds.content - message.content.count else {
      throw .tooMuchContent(bounds)
    }
  }

  /// Determines the framing of the content from the header (section 6.3).
  private mutating func framing() throws(HTTPFault) -> Place {
    switch kind {
    case .request: try message.checkRequest()
    case .response(let method):
      guard message.startLine.hasPrefix("HTTP/1."), let status = message.status else {
        throw HTTPFault(.malformedMessage, "a status line without a status code")
      }
      // An interim response precedes the final one: RFC 9110 section 15.2.
      if (100..<200).contains(status), status != 101 {
        bytes.removeFirst(position)
        (position, searched) = (0, 0)
        message = HTTPMessage(startLine: "", fields: [], content: [])
        return .startLine
      }
      // After a successful CONNECT, the tunnel follows instead of content: RFC 9112 section 6.3, item 2.
      let isTunnel = method == "CONNECT" && (200..<300).contains(status)
      if method == "HEAD" || isTunnel || [101, 204, 304].contains(status) { return .whole }
    }
    let codings = message.values(of: "transfer-encoding")
    if !codings.isEmpty {
      // Both fields together may indicate request smuggling: RFC 9112 section 6.3.
      guard message.values(of: "content-length").isEmpty else {
        throw HTTPFault(.malformedMessage, "Transfer-Encoding together with Content-Length")
      }
      guard codings.map({ $0.lowercased() }) == ["chunked"] else {
        throw HTTPFault(.malformedMessage, "a transfer coding other than chunked", status: "501 Not Implemented")
      }
      return .chunkSize
    }
    guard let digits = try message.contentLength() else { return kind == .request ? .whole : .untilClose }
    let length = Count(digits[...], radix: 10)
    try check(length)
    return length.value == 0 ? .whole : .content(length)
  }
}

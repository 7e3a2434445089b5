import Explanation

/// Cuts one HTTP/1.1 message out of the bytes of a connection, which come in any portions: RFC 9112 sections 2 to 7.
///
/// What is begun is never read twice, and everything has a bound: how much comes is up to the peer.
struct HTTPReader: Sendable {
  /// What is being read; how a response ends depends on what was asked.
  enum Kind: Sendable, Equatable {
    case request
    case response(method: String)
  }

  /// How much of a message is read.
  struct Bounds: Sendable, Equatable {
    /// The most bytes of a line: of a request RFC 9112 section 3 asks for 8000 at least.
    let line: Int
    /// The most bytes of start line and fields together.
    let head: Int
    /// The most bytes of content.
    let content: Int

    /// A server says at once what is too much for it: RFC 9110 sections 15.5.14 and 15.5.15, RFC 6585 section 5.
    static let request = Bounds(line: 8192, head: 32_768, content: 1 << 24)
    /// A client has no way to say so, and takes as much as there may well be.
    static let response = Bounds(line: 1 << 20, head: 1 << 20, content: 1 << 26)
  }

  let kind: Kind
  /// How much is read: bounds of this program, which HTTP does not have.
  let bounds: Bounds
  /// The message as it came, from its first byte.
  private(set) var bytes: [UInt8] = []
  private var position = 0
  /// Up to where no line that began at `position` has an end.
  private var searched = 0
  /// Whether the client waits with the content until it hears that it is wanted.
  private var expectsContinue = false
  private var place = Place.startLine
  private var message = HTTPMessage(startLine: "", fields: [], content: [])

  /// What comes next.
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

  /// How many bytes are announced and have not come. A numeral may be longer than a number here: RFC 9110 section 8.6.
  private struct Count: Sendable, Equatable, CustomStringConvertible {
    let value: Int

    /// The number of these digits, whose form is known to be right; one that nothing can count is the greatest there is.
    init(_ digits: Substring, radix: Int) {
      let significant = digits.drop { $0 == "0" }
      value = significant.isEmpty ? 0 : Int(significant, radix: radix) ?? .max
    }

    private init(_ value: Int) { self.value = value }

    /// What is left after so many of them.
    func after(_ part: Int) -> Count { value == .max ? self : Count(value - part) }

    var description: String { value == .max ? "more bytes of content than can come" : "\(value) more bytes of content" }
  }

  init(_ kind: Kind) {
    self.kind = kind
    bounds = kind == .request ? .request : .response
  }

  /// More bytes have come. The message, once all of it is there; nothing is read after it.
  mutating func append(_ more: [UInt8]) throws(HTTPFault) -> HTTPMessage? {
    guard place != .whole else { return nil }
    bytes += more
    while try step() {}
    return place == .whole ? message : nil
  }

  /// The connection has ended: RFC 9112 section 8. A message of which something is missing is none; nil where no request
  /// has begun, or all has been given.
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

  /// The head of a request whose content waits for 100 (Continue), RFC 9110 section 10.1.1; nil where none does, or what
  /// it waits for was asked for before.
  mutating func expectation() -> HTTPMessage? {
    guard expectsContinue else { return nil }
    expectsContinue = false
    return message
  }

  /// What came behind the message.
  var rest: [UInt8] { Array(bytes[position...]) }

  /// Whether there was something to go on with.
  private mutating func step() throws(HTTPFault) -> Bool {
    switch place {
    case .startLine:
      guard let line = try line() else { return false }
      // An empty line before the start line is passed over: section 2.2.
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
      guard line.isEmpty else { throw HTTPFault(.malformedMessage, "a chunk that is longer than it says") }
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

  /// Up to so many bytes of content, which are taken; nil where there are none.
  private mutating func take(_ count: Int) throws(HTTPFault) -> Int? {
    let part = min(count, bytes.count - position)
    guard part > 0 else { return nil }
    guard part <= bounds.content - message.content.count else { throw .tooMuchContent(bounds) }
    expectsContinue = false
    message.content += bytes[position..<(position + part)]
    position += part
    return part
  }

  /// A field line, or one that goes on with the one before.
  private mutating func take(field line: String) throws(HTTPFault) {
    guard isFold(line), let last = message.fields.indices.last else {
      return message.fields.append(try HTTPField(line))
    }
    message.fields[last].append(fold: line)
  }

  /// Whether a line goes on with the one before: who gets that in a response reads it as white space, in a request as a
  /// fault (RFC 9112 section 5.2).
  private func isFold(_ line: String) -> Bool { kind != .request && (line.hasPrefix(" ") || line.hasPrefix("\t")) }

  /// Whether content is to follow, none has come, and the client says that it waits; one of HTTP/1.0 does not (RFC 9110
  /// section 10.1.1).
  private var awaitsContinue: Bool {
    switch place {
    case .content, .chunkSize: kind == .request && position == bytes.count && message.expectsContinue
    default: false
    }
  }

  /// The next line without its end, which is CRLF or a single LF (section 2.2); nil while it is incomplete.
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
      throw HTTPFault(.malformedMessage, "a carriage return or a zero within a line")
    }
    return String(decoding: content, as: UTF8.self)
  }

  /// chunk-size with its extensions, which mean nothing here: section 7.1.
  private func chunkSize(_ line: String) throws(HTTPFault) -> Count {
    let digits = line.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
    guard !digits.isEmpty, digits.utf8.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else {
      throw HTTPFault(.malformedMessage, "a chunk-size that is no number")
    }
    let size = Count(digits, radix: 16)
    try check(size)
    return size
  }

  /// A server refuses at once what it would not take. What a response announces may never come: only what has is counted.
  private func check(_ count: Count) throws(HTTPFault) {
    guard kind != .request || count.value <= bounds.content - message.content.count else {
      throw .tooMuchContent(bounds)
    }
  }

  /// How the content ends, which the head says: section 6.3.
  private mutating func framing() throws(HTTPFault) -> Place {
    switch kind {
    case .request: try message.checkRequest()
    case .response(let method):
      guard let status = message.status else {
        throw HTTPFault(.malformedMessage, "a status line without a status code")
      }
      // An interim response goes before the one that counts: RFC 9110 section 15.2.
      if (100..<200).contains(status), status != 101 {
        bytes.removeFirst(position)
        (position, searched) = (0, 0)
        message = HTTPMessage(startLine: "", fields: [], content: [])
        return .startLine
      }
      // What follows an agreed CONNECT is no content, but the tunnel: section 6.3, item 2.
      let isTunnel = method == "CONNECT" && (200..<300).contains(status)
      if method == "HEAD" || isTunnel || [101, 204, 304].contains(status) { return .whole }
    }
    let codings = message.values(of: "transfer-encoding")
    if !codings.isEmpty {
      // A length beside it may be somebody's way to smuggle a request in: section 6.3.
      guard message.values(of: "content-length").isEmpty else {
        throw HTTPFault(.malformedMessage, "Transfer-Encoding beside Content-Length")
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

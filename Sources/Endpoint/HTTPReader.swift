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

  /// The most bytes of a line: RFC 9112 section 3 asks for 8000 at least.
  static let maximumLine = 8192
  /// The most bytes of start line and fields together.
  static let maximumHead = 32_768
  /// The most bytes of content.
  static let maximumContent = 1 << 24

  let kind: Kind
  /// The message as it came, from its first byte.
  private(set) var bytes: [UInt8] = []
  private var position = 0
  private var place = Place.startLine
  private var message = HTTPMessage(startLine: "", fields: [], content: [])

  /// What comes next.
  private enum Place: Sendable, Equatable {
    case startLine
    case fields
    case content(Int)
    case chunkSize
    case chunk(Int)
    case chunkEnd
    case trailers
    /// Content that ends with the connection.
    case untilClose
    case whole
  }

  init(_ kind: Kind) { self.kind = kind }

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
      throw HTTPFault(.incompleteMessage, "\(count) more bytes of content")
    }
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
      if line.isEmpty { place = try framing() } else { message.fields.append(try HTTPField(line)) }
    case .content(let count):
      guard let part = take(count) else { return false }
      place = part == count ? .whole : .content(count - part)
    case .chunkSize:
      guard let line = try line() else { return false }
      let size = try chunkSize(line)
      place = size == 0 ? .trailers : .chunk(size)
    case .chunk(let count):
      guard let part = take(count) else { return false }
      place = part == count ? .chunkEnd : .chunk(count - part)
    case .chunkEnd:
      guard let line = try line() else { return false }
      guard line.isEmpty else { throw HTTPFault(.malformedMessage, "a chunk that is longer than it says") }
      place = .chunkSize
    case .trailers:
      guard let line = try line() else { return false }
      if line.isEmpty { place = .whole } else { _ = try HTTPField(line) }
    case .untilClose:
      guard take(bytes.count - position) != nil else { return false }
      guard message.content.count <= Self.maximumContent else { throw HTTPFault.tooMuchContent }
    case .whole: return false
    }
    return true
  }

  /// Up to so many bytes of content, which are taken; nil where there are none.
  private mutating func take(_ count: Int) -> Int? {
    let part = min(count, bytes.count - position)
    guard part > 0 else { return nil }
    message.content += bytes[position..<(position + part)]
    position += part
    return part
  }

  /// The next line without its end, which is CRLF or a single LF (section 2.2); nil while it is incomplete.
  private mutating func line() throws(HTTPFault) -> String? {
    let isHead = place == .startLine || place == .fields
    guard let end = bytes[position...].prefix(Self.maximumLine + 2).firstIndex(of: 10) else {
      guard bytes.count - position <= Self.maximumLine + 1 else { throw HTTPFault.tooLong(line: place == .startLine) }
      return nil
    }
    let line = bytes[position..<end]
    position = end + 1
    if isHead, position > Self.maximumHead { throw HTTPFault.tooLong(line: false) }
    let content = line.last == 13 ? line.dropLast() : line
    guard !content.contains(13), !content.contains(0) else {
      throw HTTPFault(.malformedMessage, "a carriage return or a zero within a line")
    }
    return String(decoding: content, as: UTF8.self)
  }

  /// chunk-size with its extensions, which mean nothing here: section 7.1.
  private func chunkSize(_ line: String) throws(HTTPFault) -> Int {
    let digits = line.prefix { $0 != ";" && $0 != " " && $0 != "\t" }
    guard (1...8).contains(digits.utf8.count), digits.allSatisfy(\.isHexDigit), let size = Int(digits, radix: 16) else {
      throw HTTPFault(.malformedMessage, "a chunk-size that is no number")
    }
    guard message.content.count + size <= Self.maximumContent else { throw HTTPFault.tooMuchContent }
    return size
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
        position = 0
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
    guard let length = try message.contentLength() else { return kind == .request ? .whole : .untilClose }
    guard length <= Self.maximumContent else { throw HTTPFault.tooMuchContent }
    return length == 0 ? .whole : .content(length)
  }
}

/// A whole HTTP/1.1 message: RFC 9112 section 2.1.
struct HTTPMessage: Sendable, Equatable {
  /// The request line or the status line.
  var startLine: String
  /// The header fields, in order.
  var fields: [HTTPField]
  /// The content, without transfer coding.
  var content: [UInt8]

  /// What the fields of this name say, where a list counts as its items: RFC 9110 section 5.6.1.
  func values(of name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name }.flatMap { field in
      field.value.split(separator: ",").map { $0.trimmed }
    }
  }

  /// What the first field of this name says.
  func value(of name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }

  /// The status code of a response: RFC 9112 section 4.
  var status: Int? {
    let parts = startLine.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/1."), parts[1].utf8.count == 3 else { return nil }
    return Int(parts[1])
  }

  /// The value of Authorization, or of a proxy's: several fields are joined, and are then none that a server takes.
  func credentials(in field: String = "authorization") -> String? {
    let values = fields.filter { $0.name.lowercased() == field }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// Method and target of a request: RFC 9112 section 3.
  var request: HTTPRequest? {
    let parts = startLine.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), ["HTTP/1.1", "HTTP/1.0"].contains(parts[2]) else {
      return nil
    }
    var request = HTTPRequest(
      method: String(parts[0]), path: String(parts[1]), body: String(decoding: content, as: UTF8.self))
    request.authorization = credentials()
    return request
  }

  /// Whether the sender keeps the connection for another request: RFC 9112 section 9.3. Of HTTP/1.0, whose clients would
  /// have to be told, none is kept.
  var persists: Bool {
    startLine.hasSuffix("HTTP/1.1") && !values(of: "connection").contains { $0.lowercased() == "close" }
  }

  /// Content-Length, where several must be the same: RFC 9112 section 6.3.
  func contentLength() throws(HTTPFault) -> Int? {
    let lengths = Set(values(of: "content-length"))
    if lengths.isEmpty, value(of: "content-length") == nil { return nil }
    guard lengths.count == 1, let text = lengths.first, (1...18).contains(text.utf8.count),
      text.utf8.allSatisfy({ (48...57).contains($0) }), let length = Int(text)
    else { throw HTTPFault(.malformedMessage, "a Content-Length that is no number, or several") }
    return length
  }

  /// A request has a request line, and one of HTTP/1.1 names its host once: RFC 9112 section 3.2.
  func checkRequest() throws(HTTPFault) {
    guard request != nil else { throw HTTPFault(.malformedMessage, "no request line of HTTP/1.1 or 1.0") }
    let hosts = fields.filter { $0.name.lowercased() == "host" }.count
    guard hosts == 1 || (hosts == 0 && startLine.hasSuffix("HTTP/1.0")) else {
      throw HTTPFault(.malformedMessage, "\(hosts) Host fields")
    }
  }
}

/// A header field: RFC 9112 section 5.
struct HTTPField: Sendable, Equatable {
  /// The name as it was written; case does not count.
  let name: String
  /// What it says, without the white space around it.
  let value: String

  /// A field line. White space before the colon, and a line that goes on with the one before, are refused: sections 5.1
  /// and 5.2.
  init(_ line: String) throws(HTTPFault) {
    guard let colon = line.firstIndex(of: ":"), line.startIndex < colon,
      line[..<colon].utf8.allSatisfy({ $0 > 32 && $0 < 127 })
    else { throw HTTPFault(.malformedMessage, "a field line without a name and a colon") }
    name = String(line[..<colon])
    value = line[line.index(after: colon)...].trimmed
  }
}

/// Why bytes are no message, and what a server answers them with: RFC 9110 section 15.5.
struct HTTPFault: Error, Sendable, Equatable {
  let rule: Rule
  let found: String
  let status: String

  init(_ rule: Rule, _ found: String, status: String = "400 Bad Request") {
    self.rule = rule
    self.found = found
    self.status = status
  }

  static let tooMuchContent = HTTPFault(
    .malformedMessage, "content of more than \(HTTPReader.maximumContent) bytes", status: "413 Content Too Large")

  /// A request line that is too long (RFC 9110 section 15.5.15), or fields (RFC 6585 section 5).
  static func tooLong(line isStartLine: Bool) -> HTTPFault {
    HTTPFault(
      .malformedMessage, isStartLine ? "a start line without end" : "too many or too long fields",
      status: isStartLine ? "414 URI Too Long" : "431 Request Header Fields Too Large")
  }
}

extension Substring {
  /// Without white space at its ends.
  fileprivate var trimmed: String {
    var rest = drop { $0 == " " || $0 == "\t" }
    while rest.last == " " || rest.last == "\t" { rest = rest.dropLast() }
    return String(rest)
  }
}

extension Rule {
  /// `application.malformed-message`
  public static let malformedMessage = Rule(
    .application, "malformed-message", "An HTTP message must have the form that HTTP/1.1 gives it.",
    .rfc(9112, "2.2"), fix: "Look whether the peer speaks HTTP/1.1 at all, and repair it.")

  /// `application.incomplete-message`
  public static let incompleteMessage = Rule(
    .application, "incomplete-message", "An HTTP message must have all of the content that it announces.",
    .rfc(9112, "8"), fix: "Look for someone who cuts the connection, or for a wrong Content-Length.")

  /// The rules of HTTP messages.
  static let messages: [Rule] = [.malformedMessage, .incompleteMessage]
}

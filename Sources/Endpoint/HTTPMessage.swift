import Explanation
import URLLoading

/// A complete HTTP message (RFC 9110 section 6), in the form of HTTP/1.1 (RFC 9112 section 2.1).
struct HTTPMessage: Sendable, Equatable {
  /// The request line or the status line.
  var startLine: String
  /// The header fields, in order.
  var fields: [HTTPField]
  /// The content, without transfer coding.
  var content: [UInt8]

  /// The values of all fields with this name. Lists are split into their items (RFC 9110 section 5.6.1).
  func values(of name: String) -> [String] {
    fields.filter { $0.name.lowercased() == name }.flatMap { field in
      field.value.split(separator: ",").map { $0.trimmed }
    }
  }

  /// The value of the first field with this name.
  func value(of name: String) -> String? { fields.first { $0.name.lowercased() == name }?.value }

  /// The status code of a response (RFC 9112 section 4), also of one over HTTP/2.
  var status: Int? {
    let parts = startLine.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, parts[0].hasPrefix("HTTP/1.") || parts[0] == "HTTP/2", parts[1].utf8.count == 3
    else { return nil }
    return Int(parts[1])
  }

  /// The value of Authorization or Proxy-Authorization. Several fields are joined, so that no server accepts the
  /// result.
  func credentials(in field: String = "authorization") -> String? {
    let values = fields.filter { $0.name.lowercased() == field }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The method and target of a request (RFC 9112 section 3).
  var request: HTTPRequest? {
    let parts = startLine.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), parts[2].utf8.count == 8, minorVersion != nil
    else { return nil }
    var request = HTTPRequest(
      method: String(parts[0]), path: String(parts[1]), body: String(decoding: content, as: UTF8.self))
    request.authorization = credentials()
    request.webSocketKey = webSocketKey
    return request
  }

  /// The URL of a target in absolute-form (RFC 9112 section 3.2.2); nil for other targets and schemes.
  var target: LoadURL? {
    guard let request, let url = try? LoadURL(request.path), ["http", "https"].contains(url.scheme) else { return nil }
    return url
  }

  /// The request with the path in place of an absolute-form target (RFC 9112 section 3.2.2).
  var ownRequest: HTTPRequest? {
    guard let request else { return nil }
    guard let url = target else { return request }
    var own = HTTPRequest(method: request.method, path: url.path, body: request.body)
    own.authorization = request.authorization
    own.webSocketKey = request.webSocketKey
    return own
  }

  /// The digit after `HTTP/1.` in a request line; nil for another major version.
  ///
  /// A minor version above 1 is treated as 1 (RFC 9110 section 2.5).
  private var minorVersion: Character? {
    let version = startLine.suffix(8)
    guard version.hasPrefix("HTTP/1."), let minor = version.last, minor.isASCII, minor.isNumber else { return nil }
    return minor
  }

  /// Whether the client waits for a 100 response before it sends its content (RFC 9110 section 10.1.1).
  var expectsContinue: Bool {
    minorVersion != "0" && values(of: "expect").contains { $0.lowercased() == "100-continue" }
  }

  /// Whether the sender of a request supports transfer codings, which HTTP/1.0 lacks (RFC 9112 section 6.1).
  var takesTransferCodings: Bool { minorVersion != "0" }

  /// Whether the sender keeps the connection open for another request (RFC 9112 section 9.3).
  ///
  /// An HTTP/1.0 connection always closes, because its client would need a keep-alive field.
  var persists: Bool {
    minorVersion.map { $0 != "0" } == true && !values(of: "connection").contains { $0.lowercased() == "close" }
  }

  /// The digits of Content-Length. If there are several values, they must be equal (RFC 9112 section 6.3).
  ///
  /// The number may exceed every integer type (RFC 9110 section 8.6).
  func contentLength() throws(HTTPFault) -> String? {
    let lengths = Set(values(of: "content-length"))
    if lengths.isEmpty, value(of: "content-length") == nil { return nil }
    guard lengths.count == 1, let digits = lengths.first, !digits.isEmpty,
      digits.utf8.allSatisfy({ (48...57).contains($0) })
    else {
      throw HTTPFault(.malformedMessage, "a Content-Length that is not a number, or several different values")
    }
    return digits
  }

  /// Checks that a request has a request line and, for HTTP/1.1, exactly one Host field (RFC 9112 section 3.2).
  func checkRequest() throws(HTTPFault) {
    guard request != nil else {
      // The server does not support requests of another major version: RFC 9110 sections 2.5 and 15.6.6.
      let isOther = startLine.contains(#/ HTTP/[02-9]\.[0-9]$/#)
      throw HTTPFault(
        .malformedMessage, "no request line of HTTP/1.1 or HTTP/1.0",
        status: isOther ? "505 HTTP Version Not Supported" : "400 Bad Request")
    }
    try RequestLine.check(startLine)
    let hosts = fields.filter { $0.name.lowercased() == "host" }.map(\.value)
    guard hosts.count == 1 || (hosts.isEmpty && minorVersion == "0") else {
      throw HTTPFault(.malformedMessage, "\(hosts.count) Host fields")
    }
    guard hosts.allSatisfy(HostField.isValid) else { throw HTTPFault(.malformedMessage, "an invalid Host") }
  }
}

/// Checks the method and target in a request line (RFC 9112 section 3).
private enum RequestLine {
  /// Checks the method and the target of a request line.
  ///
  /// The target must have one of the four forms of section 3.2. It may contain ASCII characters that RFC 3986 excludes,
  /// such as `|`, because clients send them in queries.
  static func check(_ line: String) throws(HTTPFault) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3 else {
      throw HTTPFault(.malformedMessage, "a request line that does not consist of three words")
    }
    let (method, target) = (words[0], words[1])
    guard !method.isEmpty, method.utf8.allSatisfy(isTokenByte) else {
      throw HTTPFault(.malformedMessage, "a method that is not a token")
    }
    guard target.utf8.allSatisfy({ (33...126).contains($0) && $0 != UInt8(ascii: "#") }) else {
      throw HTTPFault(.malformedMessage, "a target with a fragment, or with characters that are not visible ASCII")
    }
    guard isTarget(target, of: method) else {
      throw HTTPFault(.malformedMessage, "a target that is neither a path nor a URL")
    }
  }

  /// Whether the target has an allowed form: a path, a URL, `host:port` for CONNECT, or `*` for OPTIONS.
  private static func isTarget(_ target: Substring, of method: Substring) -> Bool {
    switch method {
    case "CONNECT":
      let endsWithDigit = target.utf8.last.map { (48...57).contains($0) } ?? false
      return endsWithDigit && target.contains(":") && HostField.isValid(String(target))
    case "OPTIONS" where target == "*": return true
    default: return target.hasPrefix("/") || (try? LoadURL(String(target))) != nil
    }
  }

  /// Whether the byte is allowed in a token: tchar in RFC 9110 section 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 48...57: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

/// A header field (RFC 9112 section 5).
struct HTTPField: Sendable, Equatable {
  /// The name as received. Names are case-insensitive.
  let name: String
  /// The value without surrounding white space.
  private(set) var value: String

  /// Parses a field line; refuses white space before the colon (section 5.1).
  init(_ line: String) throws(HTTPFault) {
    guard let colon = line.firstIndex(of: ":"), line.startIndex < colon,
      line[..<colon].utf8.allSatisfy({ $0 > 32 && $0 < 127 })
    else { throw HTTPFault(.malformedMessage, "a field line without a name and a colon") }
    name = String(line[..<colon])
    value = line[line.index(after: colon)...].trimmed
  }

  init(name: String, value: String) { (self.name, self.value) = (name, value) }

  /// The field that announces the end of the connection (RFC 9112 section 9.6).
  static let close = HTTPField(name: "Connection", value: "close")

  /// Appends a folded line to the value. A space replaces the fold (section 5.2).
  mutating func append(fold line: String) {
    let more = line[...].trimmed
    if !more.isEmpty { value += value.isEmpty ? more : " " + more }
  }
}

/// The value of Host: a host and an optional port (RFC 9110 section 7.2, RFC 3986 sections 3.2.2 and 3.2.3).
enum HostField {
  /// The host in a valid field, without brackets, port and zone.
  ///
  /// The zone of an address is meaningful only to its sender (RFC 6874 section 4).
  static func host(of value: String) -> String {
    let bytes = value.utf8
    guard bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) else {
      return String(Substring(bytes.prefix { $0 != UInt8(ascii: ":") }))
    }
    return String(value[value.index(after: value.startIndex)..<end].prefix { $0 != "%" })
  }

  /// Whether the value is valid. An empty host is valid.
  static func isValid(_ value: String) -> Bool {
    let bytes = value.utf8
    guard bytes.first == UInt8(ascii: "[") else {
      let name = bytes.prefix { $0 != UInt8(ascii: ":") }
      return isName(name) && isPort(bytes[name.endIndex...])
    }
    guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
    return isLiteral(value[value.index(after: value.startIndex)..<end]) && isPort(bytes[bytes.index(after: end)...])
  }

  /// Whether the text is an IPv6 address, with or without a zone, or an address of a future version.
  private static func isLiteral(_ text: Substring) -> Bool {
    if let first = text.utf8.first, first | 0x20 == UInt8(ascii: "v") {
      let digits = text.utf8.dropFirst().prefix(while: isHexDigit)
      let rest = text.utf8[digits.endIndex...]
      return !digits.isEmpty && rest.first == UInt8(ascii: ".") && rest.count > 1
        && rest.dropFirst().allSatisfy { isNameByte($0) || $0 == UInt8(ascii: ":") }
    }
    return IPAddress(String(text.prefix { $0 != "%" }))?.isVersion6 == true
  }

  private static func isPort(_ rest: Substring.UTF8View) -> Bool {
    rest.isEmpty || (rest.first == UInt8(ascii: ":") && rest.dropFirst().allSatisfy { (48...57).contains($0) })
  }

  /// Whether the text is a reg-name, including IPv4 addresses: unreserved, sub-delims, and `%` with two digits.
  private static func isName(_ name: Substring.UTF8View) -> Bool {
    var rest = name
    while let byte = rest.popFirst() {
      if isNameByte(byte) { continue }
      guard byte == UInt8(ascii: "%"), let high = rest.popFirst(), let low = rest.popFirst(), isHexDigit(high),
        isHexDigit(low)
      else { return false }
    }
    return true
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 48...57: true
    default: "-._~!$&'()*+,;=".utf8.contains(byte)
    }
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool { Character(UnicodeScalar(byte)).isHexDigit }
}

/// The reason why bytes are not a valid message, and the server's response to them (RFC 9110 section 15.5).
public struct HTTPFault: Error, Sendable, Equatable {
  /// The rule that the bytes violate.
  public let rule: Rule
  let found: String
  /// The status line of the response, without the HTTP version.
  public let status: String
  /// Whether the message exceeds a limit of TrustLab, but may otherwise be valid.
  public private(set) var isTooMuch = false

  init(_ rule: Rule, _ found: String, status: String = "400 Bad Request") {
    self.rule = rule
    self.found = found
    self.status = status
  }

  /// Creates the fault of a message that exceeds a limit of TrustLab. HTTP itself has no such limit.
  init(tooMuch found: String, status: String, _ rule: Rule = .malformedMessage) {
    self.init(rule, "\(found), which is a limit of TrustLab and not of HTTP", status: status)
    isTooMuch = true
  }

  /// The fault of content that is too large (RFC 9110 section 15.5.14).
  static func tooMuchContent(_ bounds: HTTPReader.Bounds) -> HTTPFault {
    HTTPFault(tooMuch: "content of more than \(bounds.content) bytes", status: "413 Content Too Large")
  }

  /// The fault of a request line (RFC 9110 section 15.5.15) or header (RFC 6585 section 5) that is too long.
  static func tooLong(line isStartLine: Bool, _ bounds: HTTPReader.Bounds) -> HTTPFault {
    isStartLine
      ? HTTPFault(tooMuch: "a start line of more than \(bounds.line) bytes", status: "414 URI Too Long")
      : HTTPFault(
        tooMuch: "a line of more than \(bounds.line) bytes, or fields of more than \(bounds.head)",
        status: "431 Request Header Fields Too Large")
  }
}

extension Substring {
  /// The text without white space at its ends.
  fileprivate var trimmed: String {
    var rest = drop { $0 == " " || $0 == "\t" }
    while rest.last == " " || rest.last == "\t" { rest = rest.dropLast() }
    return String(rest)
  }
}

extension Rule {
  /// `application.malformed-message`
  public static let malformedMessage = Rule(
    .application, "malformed-message", "An HTTP message has the syntax of HTTP/1.1.",
    .rfc(9112, "2.2"),
    fix: "Find and remove the device or the attacker that changes the messages. If there is none, repair the peer: its "
      + "messages must follow HTTP/1.1.")

  /// `application.incomplete-message`
  public static let incompleteMessage = Rule(
    .application, "incomplete-message", "An HTTP message contains all of the content that it announces.",
    .rfc(9112, "8"),
    fix: "Find and remove the device or the attacker that cuts the connection. If there is none, correct the peer's "
      + "Content-Length.")

  /// All rules about HTTP messages.
  static let messages: [Rule] = [.malformedMessage, .incompleteMessage]
}

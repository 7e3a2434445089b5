import Explanation
import URLLoading

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
    guard parts.count == 3, parts.allSatisfy({ !$0.isEmpty }), parts[2].utf8.count == 8, minorVersion != nil
    else { return nil }
    var request = HTTPRequest(
      method: String(parts[0]), path: String(parts[1]), body: String(decoding: content, as: UTF8.self))
    request.authorization = credentials()
    request.webSocketKey = webSocketKey
    return request
  }

  /// The URL of a target in absolute-form, RFC 9112 section 3.2.2; nil of any other, and of one that is not HTTP's.
  var target: LoadURL? {
    guard let request, let url = try? LoadURL(request.path), ["http", "https"].contains(url.scheme) else { return nil }
    return url
  }

  /// The request as the server of its target takes it: of a target in absolute-form (RFC 9112 section 3.2.2) the path.
  var ownRequest: HTTPRequest? {
    guard let request else { return nil }
    guard let url = target else { return request }
    var own = HTTPRequest(method: request.method, path: url.path, body: request.body)
    own.authorization = request.authorization
    own.webSocketKey = request.webSocketKey
    return own
  }

  /// What stands behind `HTTP/1.` in a request line. A higher one than is known here is read as 1.1: RFC 9110 section
  /// 2.5. Nil for another version.
  private var minorVersion: Character? {
    let version = startLine.suffix(8)
    guard version.hasPrefix("HTTP/1."), let minor = version.last, minor.isASCII, minor.isNumber else { return nil }
    return minor
  }

  /// Whether the client waits with its content until it hears that it is wanted: RFC 9110 section 10.1.1.
  var expectsContinue: Bool {
    minorVersion != "0" && values(of: "expect").contains { $0.lowercased() == "100-continue" }
  }

  /// Whether the sender of a request knows transfer codings, which nobody of HTTP/1.0 does: RFC 9112 section 6.1.
  var takesTransferCodings: Bool { minorVersion != "0" }

  /// Whether the sender keeps the connection for another request: RFC 9112 section 9.3. Of HTTP/1.0, whose clients would
  /// have to be told, none is kept.
  var persists: Bool {
    minorVersion.map { $0 != "0" } == true && !values(of: "connection").contains { $0.lowercased() == "close" }
  }

  /// The digits of Content-Length, where several must be the same: RFC 9112 section 6.3. There may be more of them than
  /// any number here has: RFC 9110 section 8.6.
  func contentLength() throws(HTTPFault) -> String? {
    let lengths = Set(values(of: "content-length"))
    if lengths.isEmpty, value(of: "content-length") == nil { return nil }
    guard lengths.count == 1, let digits = lengths.first, !digits.isEmpty,
      digits.utf8.allSatisfy({ (48...57).contains($0) })
    else {
      throw HTTPFault(.malformedMessage, "a Content-Length that is no number, or several")
    }
    return digits
  }

  /// A request has a request line, and one of HTTP/1.1 names its host once: RFC 9112 section 3.2.
  func checkRequest() throws(HTTPFault) {
    guard request != nil else {
      // Another major version is a request that this server does not answer: RFC 9110 sections 2.5 and 15.6.6.
      let isOther = startLine.contains(#/ HTTP/[02-9]\.[0-9]$/#)
      throw HTTPFault(
        .malformedMessage, "no request line of HTTP/1.1 or 1.0",
        status: isOther ? "505 HTTP Version Not Supported" : "400 Bad Request")
    }
    try RequestLine.check(startLine)
    let hosts = fields.filter { $0.name.lowercased() == "host" }.map(\.value)
    guard hosts.count == 1 || (hosts.isEmpty && minorVersion == "0") else {
      throw HTTPFault(.malformedMessage, "\(hosts.count) Host fields")
    }
    guard hosts.allSatisfy(HostField.isValid) else { throw HTTPFault(.malformedMessage, "a Host that is none") }
  }
}

/// Method and target of a request line: RFC 9112 section 3.
private enum RequestLine {
  /// Whether a line of three words has a method and a target, in one of the four forms of section 3.2. What RFC 3986 leaves
  /// out of ASCII, as `|`, is let pass within it: clients send that in queries.
  static func check(_ line: String) throws(HTTPFault) {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3 else { throw HTTPFault(.malformedMessage, "a request line that is not three words") }
    let (method, target) = (words[0], words[1])
    guard !method.isEmpty, method.utf8.allSatisfy(isTokenByte) else {
      throw HTTPFault(.malformedMessage, "a method that is no token")
    }
    guard target.utf8.allSatisfy({ (33...126).contains($0) && $0 != UInt8(ascii: "#") }) else {
      throw HTTPFault(.malformedMessage, "a target with a fragment, or with what is not visible ASCII")
    }
    guard isTarget(target, of: method) else {
      throw HTTPFault(.malformedMessage, "a target that is neither a path nor a URL")
    }
  }

  /// The forms: a path, a URL, `host:port` of CONNECT and `*` of OPTIONS.
  private static func isTarget(_ target: Substring, of method: Substring) -> Bool {
    switch method {
    case "CONNECT":
      let endsWithDigit = target.utf8.last.map { (48...57).contains($0) } ?? false
      return endsWithDigit && target.contains(":") && HostField.isValid(String(target))
    case "OPTIONS" where target == "*": return true
    default: return target.hasPrefix("/") || (try? LoadURL(String(target))) != nil
    }
  }

  /// tchar: RFC 9110 section 5.6.2.
  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 48...57: true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

/// A header field: RFC 9112 section 5.
struct HTTPField: Sendable, Equatable {
  /// The name as it was written; case does not count.
  let name: String
  /// What it says, without the white space around it.
  private(set) var value: String

  /// A field line. White space before the colon is refused: section 5.1.
  init(_ line: String) throws(HTTPFault) {
    guard let colon = line.firstIndex(of: ":"), line.startIndex < colon,
      line[..<colon].utf8.allSatisfy({ $0 > 32 && $0 < 127 })
    else { throw HTTPFault(.malformedMessage, "a field line without a name and a colon") }
    name = String(line[..<colon])
    value = line[line.index(after: colon)...].trimmed
  }

  private init(name: String, value: String) { (self.name, self.value) = (name, value) }

  /// What says that the connection is to be closed: RFC 9112 section 9.6.
  static let close = HTTPField(name: "Connection", value: "close")

  /// What it says goes on in `line`: the fold is read as a space (section 5.2).
  mutating func append(fold line: String) {
    let more = line[...].trimmed
    if !more.isEmpty { value += value.isEmpty ? more : " " + more }
  }
}

/// The value of Host, uri-host and perhaps a port: RFC 9110 section 7.2, RFC 3986 sections 3.2.2 and 3.2.3.
enum HostField {
  /// The host in a field that is valid, without brackets and port, and without the zone of an address, which matters to
  /// its sender alone: RFC 6874 section 4.
  static func host(of value: String) -> String {
    let bytes = value.utf8
    guard bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) else {
      return String(Substring(bytes.prefix { $0 != UInt8(ascii: ":") }))
    }
    return String(value[value.index(after: value.startIndex)..<end].prefix { $0 != "%" })
  }

  /// Whether it is one; an empty host is.
  static func isValid(_ value: String) -> Bool {
    let bytes = value.utf8
    guard bytes.first == UInt8(ascii: "[") else {
      let name = bytes.prefix { $0 != UInt8(ascii: ":") }
      return isName(name) && isPort(bytes[name.endIndex...])
    }
    guard let end = bytes.firstIndex(of: UInt8(ascii: "]")) else { return false }
    return isLiteral(value[value.index(after: value.startIndex)..<end]) && isPort(bytes[bytes.index(after: end)...])
  }

  /// An address of IPv6, with or without the zone that matters to its sender alone, or of a version to come.
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

  /// reg-name, of which an address of IPv4 is one: unreserved, sub-delims, and `%` with two digits.
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

/// Why bytes are no message, and what a server answers them with: RFC 9110 section 15.5.
public struct HTTPFault: Error, Sendable, Equatable {
  /// The rule that the bytes violate.
  public let rule: Rule
  let found: String
  /// The status line of the response, without its version.
  public let status: String
  /// Whether the message may be good, and more than is read here.
  public private(set) var isTooMuch = false

  init(_ rule: Rule, _ found: String, status: String = "400 Bad Request") {
    self.rule = rule
    self.found = found
    self.status = status
  }

  /// More than is read here: `found` says that HTTP has no such bound.
  private init(tooMuch found: String, status: String) {
    self.init(.malformedMessage, "\(found), a bound of this program and not of HTTP", status: status)
    isTooMuch = true
  }

  /// Content that is too large: RFC 9110 section 15.5.14.
  static func tooMuchContent(_ bounds: HTTPReader.Bounds) -> HTTPFault {
    HTTPFault(tooMuch: "content of more than \(bounds.content) bytes", status: "413 Content Too Large")
  }

  /// A request line that is too long (RFC 9110 section 15.5.15), or fields (RFC 6585 section 5).
  static func tooLong(line isStartLine: Bool, _ bounds: HTTPReader.Bounds) -> HTTPFault {
    isStartLine
      ? HTTPFault(tooMuch: "a start line of more than \(bounds.line) bytes", status: "414 URI Too Long")
      : HTTPFault(
        tooMuch: "a line of more than \(bounds.line) bytes, or fields of more than \(bounds.head)",
        status: "431 Request Header Fields Too Large")
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

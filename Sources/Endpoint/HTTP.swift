import Explanation
import URLLoading

/// The subset of HTTP/1.1 (RFC 9112) that a simple request and its response need.
public enum HTTP {
  /// Encodes `request` to `host`.
  ///
  /// The connection closes after the response, unless `keepsAlive` is true (RFC 9112 section 9.3). A request to a proxy
  /// contains the complete URL (section 3.2.2) and the credentials for the proxy.
  public static func bytes(
    of request: HTTPRequest, host: String, authorization: String? = nil, keepsAlive: Bool = false,
    throughProxy: Bool = false, proxyAuthorization: String? = nil
  ) -> [UInt8] {
    let line = throughProxy ? "\(request.method) http://\(host)\(request.path)" : request.line
    let close = keepsAlive ? "" : "Connection: close\r\n"
    let connection = request.webSocketKey.map(WebSocket.fields(asking:)) ?? close
    let fields =
      (proxyAuthorization.map { "Proxy-Authorization: \($0)\r\n" } ?? "")
      + (request.cookie.isEmpty ? "" : "Cookie: \(request.cookie)\r\n")
      + (request.body.isEmpty ? "" : "Content-Length: \(request.body.utf8.count)\r\n")
      + ((authorization ?? request.authorization).map { "Authorization: \($0)\r\n" } ?? "")
      + connection
    return Array(("\(line) HTTP/1.1\r\nHost: \(host)\r\n\(fields)\r\n" + request.body).utf8)
  }

  /// The request for a tunnel to `authority`, which is a host and a port (RFC 9110 section 9.3.6).
  static func connect(to authority: String, proxyAuthorization: String?) -> [UInt8] {
    let field = proxyAuthorization.map { "Proxy-Authorization: \($0)\r\n" } ?? ""
    return Array("CONNECT \(authority) HTTP/1.1\r\nHost: \(authority)\r\n\(field)\r\n".utf8)
  }

  /// The interim response to a client that waits before it sends its content (RFC 9110 section 15.2.1).
  static let goOn = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)

  /// The response that opens a tunnel.
  static let tunnel = Array("HTTP/1.1 200 Connection Established\r\n\r\n".utf8)

  /// The request that a proxy forwards in place of `bytes`; nil unless they request an http URL.
  ///
  /// The forwarded request contains only the path, and no credentials for the proxy (RFC 9110 section 11.7.2).
  static func passedOn(_ bytes: [UInt8]) -> [UInt8]? {
    guard let (lines, content) = split(bytes), let first = lines.first else { return nil }
    let words = String(decoding: bytes[first], as: UTF8.self).split(separator: " ").map(String.init)
    guard words.count == 3, let url = try? LoadURL(words[1]), url.scheme == "http" else { return nil }
    let fields = lines.dropFirst().map { String(decoding: bytes[$0], as: UTF8.self) }
      .filter { !$0.lowercased().hasPrefix("proxy-authorization:") }
    let head = (["\(words[0]) \(url.path) \(words[2])"] + fields).joined(separator: "\r\n")
    return Array((head + "\r\n\r\n").utf8) + bytes[content...]
  }

  /// The response that requires authentication, with one field for each challenge (RFC 9110 sections 15.5.2 and
  /// 15.5.8).
  static func unauthorized(
    _ challenges: [String], _ body: String, closes: Bool, by asker: HTTPAsker = .server
  ) -> [UInt8] {
    let fields = challenges.map { "\(asker.challengeField): \($0)\r\n" }.joined()
    let close = closes ? "Connection: close\r\n" : ""
    return Array(
      ("HTTP/1.1 \(asker.status)\r\n\(fields)Content-Type: text/plain; charset=utf-8\r\n"
        + "Content-Length: \(body.utf8.count)\r\n\(close)\r\n\(body)").utf8)
  }

  /// The response to an authenticated client that has no access (RFC 9110 section 15.5.4).
  static let forbidden = Array(
    ("HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 9\r\n"
      + "Connection: close\r\n\r\nforbidden").utf8)

  /// A response with `body`; a 404 response if it is nil.
  public static func response(body: String?) -> [UInt8] {
    let status = body == nil ? "404 Not Found" : "200 OK"
    let content = body ?? "not found"
    return Array(
      ("HTTP/1.1 \(status)\r\nContent-Type: text/plain; charset=utf-8\r\n"
        + "Content-Length: \(content.utf8.count)\r\nConnection: close\r\n\r\n\(content)").utf8)
  }

  /// A response whose content has this type.
  public static func response(_ content: [UInt8], type: String) -> [UInt8] {
    let head =
      "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: \(content.count)\r\nConnection: close\r\n\r\n"
    return Array(head.utf8) + content
  }

  /// A POST request whose content has this type.
  public static func post(_ content: [UInt8], type: String, to path: String, host: String) -> [UInt8] {
    let head =
      "POST \(path) HTTP/1.1\r\nHost: \(host)\r\nContent-Type: \(type)\r\nContent-Length: \(content.count)\r\n"
      + "Connection: close\r\n\r\n"
    return Array(head.utf8) + content
  }

  /// Replaces every key of `replacements` with its value in a message, and corrects Content-Length.
  public static func replacing(_ replacements: [String: String], in bytes: [UInt8]) -> [UInt8] {
    guard let (lines, content) = split(bytes) else { return bytes }
    func replaced(_ text: String) -> String {
      replacements.sorted { $0.key < $1.key }.reduce(text) { text, pair in
        pair.key.isEmpty
          ? text : text.split(separator: pair.key, omittingEmptySubsequences: false).joined(separator: pair.value)
      }
    }
    let body = replaced(String(decoding: bytes[content...], as: UTF8.self))
    let fields = lines.map { range -> String in
      let line = String(decoding: bytes[range], as: UTF8.self)
      return line.lowercased().hasPrefix("content-length:") ? "Content-Length: \(body.utf8.count)" : replaced(line)
    }
    return Array((fields.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
  }

  /// The start line, header fields and content of a message, with their byte ranges.
  public static func fields(of bytes: [UInt8]) -> [Field] {
    guard let (lines, content) = split(bytes) else {
      return [Field("HTTP message", 0..<bytes.count, meaning: "\(bytes.count) bytes")]
    }
    var children = lines.enumerated().map { index, line in
      Field(index == 0 ? "start-line" : "field-line", line, meaning: String(decoding: bytes[line], as: UTF8.self))
    }
    let body = content..<bytes.count
    if !body.isEmpty {
      children.append(Field("content", body, meaning: String(decoding: bytes[body].prefix(60), as: UTF8.self)))
    }
    return [Field("HTTP-message", 0..<bytes.count, meaning: "HTTP/1.1", children: children)]
  }

  /// The ranges of the header lines, and the offset of the content; nil while the header is incomplete.
  private static func split(_ bytes: [UInt8]) -> (lines: [Range<Int>], content: Int)? {
    var lines: [Range<Int>] = []
    var start = 0
    while let end = bytes[start...].firstIndex(of: 10) {
      let line = start..<(end > start && bytes[end - 1] == 13 ? end - 1 : end)
      start = end + 1
      if line.isEmpty { return (lines, start) }
      lines.append(line)
    }
    return nil
  }
}

/// An HTTP/1.1 request (RFC 9110 section 9).
public struct HTTPRequest: Sendable, Hashable, CustomStringConvertible {
  /// The request method, such as `GET`.
  public let method: String
  /// The request target, such as `/pay`.
  public let path: String
  /// The content of the request, which is usually empty.
  public let body: String
  /// The name and value of the cookie (RFC 6265 section 4.2), such as `id=k7`; empty if there is none.
  public var cookie = ""
  /// The value of the Authorization field in a received request. A party that forwards the request also forwards the
  /// field.
  public var authorization: String?
  /// The key of a WebSocket's opening handshake (RFC 6455 section 4.1); nil for any other request.
  public var webSocketKey: String?

  /// The methods that a scenario may use.
  public static let methods = ["GET", "HEAD", "POST", "PUT", "DELETE"]

  /// Whether the method is safe, so that the request changes nothing on the server (RFC 9110 section 9.2.1).
  public var isSafe: Bool { ["GET", "HEAD"].contains(method) }

  /// Creates a request from a method, a path and a body.
  public init(method: String = "GET", path: String, body: String = "") {
    self.method = method
    self.path = Self.escaped(path)
    self.body = body
  }

  /// Percent-encodes every non-ASCII character as UTF-8 (RFC 3987 section 3.1, RFC 3986 section 2.1).
  private static func escaped(_ path: String) -> String {
    guard path.utf8.contains(where: { $0 >= 0x80 }) else { return path }
    return path.utf8.reduce(into: "") { text, byte in
      text += byte < 0x80 ? String(UnicodeScalar(byte)) : "%" + String(byte, radix: 16, uppercase: true)
    }
  }

  /// The method and target, with which a server finds its response, such as `POST /pay`.
  public var line: String { "\(method) \(path)" }
  /// The method, target and body, such as `POST /pay: pay 100`.
  public var description: String { body.isEmpty ? line : "\(line): \(body)" }

  /// The response to this request in `answers`, whose keys are request lines.
  ///
  /// HEAD has the same response as GET, without its content (RFC 9110 sections 9.1 and 9.3.2).
  func answer(in answers: [String: HTTPAnswer]) -> HTTPAnswer? {
    answers[line] ?? (method == "HEAD" ? answers["GET \(path)"] : nil)
  }

  /// The methods that the target supports, in order; empty if `answers` has no such target.
  func methods(in answers: [String: HTTPAnswer]) -> [String] {
    // The asterisk refers to the server as a whole, which supports every method of its targets: RFC 9110 section 9.3.7.
    let lines = answers.keys.filter { path == "*" || $0.hasSuffix(" \(path)") }
    let known = Set(lines.map { String($0.prefix { $0 != " " }) })
    return known.union(known.contains("GET") ? ["HEAD"] : []).sorted()
  }
}

/// A server's response to a request.
public enum HTTPAnswer: Sendable, Hashable {
  /// The response `200 OK` with this body.
  case content(String)
  /// The response `200 OK` with a body in parts, each sent separately, with this framing.
  case parts([String], Framing)
  /// The response `200 OK` with an identity for the client in a JSON object.
  case identity(IssuedIdentity)
  /// A redirect with one of the `statuses` to a URL, or to a path on the same server.
  case redirect(to: String, status: Int)

  /// The framing, which determines where a body ends (RFC 9112 section 6.3).
  public enum Framing: String, Sendable, Hashable, CaseIterable {
    /// The body has a Content-Length field.
    case length = "content-length"
    /// The body uses the chunked transfer coding, in which the last chunk is empty.
    case chunked
    /// The body ends with the connection.
    case close
  }

  /// The same response with a Content-Length, for an HTTP/1.0 client.
  ///
  /// A server must not send Transfer-Encoding to such a client (RFC 9112 section 6.1).
  var withoutTransferCoding: HTTPAnswer {
    if case .parts(let parts, .chunked) = self { .parts(parts, .length) } else { self }
  }

  /// The status codes of redirects with their reason phrases (RFC 9110 sections 15.4.2 to 15.4.9).
  public static let statuses: [(code: Int, phrase: String)] = [
    (301, "Moved Permanently"), (302, "Found"), (303, "See Other"), (307, "Temporary Redirect"),
    (308, "Permanent Redirect"),
  ]
}

extension HTTP {
  /// The methods of RFC 9110 section 9.3 and RFC 5789, except CONNECT, because servers here open no tunnels.
  private static let knownMethods = [
    "GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "PATCH",
  ]

  /// The response to a request that `answers` does not contain.
  ///
  /// If the target supports other methods, the response lists them. The response to an unknown method is 501 (RFC 9110
  /// section 9.1).
  static func refusal(of request: HTTPRequest, in answers: [String: HTTPAnswer]) -> [UInt8] {
    if !knownMethods.contains(request.method) {
      return response(to: HTTPFault(.malformedMessage, request.method, status: "501 Not Implemented"))
    }
    let methods = request.methods(in: answers)
    return methods.isEmpty ? response(body: nil) : notAllowed(methods)
  }

  /// The bytes of a response, in the parts in which they are sent.
  static func portions(_ answer: HTTPAnswer) -> [[UInt8]] {
    guard case .parts(let parts, let framing) = answer else { return [response(answer)] }
    let length = parts.reduce(0) { $0 + $1.utf8.count }
    let field =
      switch framing {
      case .length: "Content-Length: \(length)\r\n"
      case .chunked: "Transfer-Encoding: chunked\r\n"
      case .close: ""
      }
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n\(field)Connection: close\r\n\r\n"
    return parts.indices.map { index in
      var text = parts[index]
      if framing == .chunked {
        // An empty chunk would end the content: RFC 9112 section 7.1.
        text = text.isEmpty ? "" : "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n"
        if index == parts.count - 1 { text += "0\r\n\r\n" }
      }
      return Array(((index == 0 ? head : "") + text).utf8)
    }
  }

  /// A response that is sent in one part.
  private static func response(_ answer: HTTPAnswer) -> [UInt8] {
    guard case .redirect(let target, let status) = answer else {
      if case .content(let body) = answer { return response(body: body) }
      if case .identity(let identity) = answer { return identity.response }
      return response(body: nil)
    }
    let phrase = HTTPAnswer.statuses.first { $0.code == status }?.phrase ?? ""
    return Array(
      ("HTTP/1.1 \(status) \(phrase)\r\nLocation: \(target)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").utf8)
  }

  /// The response to a method that the target does not support, with the supported methods (RFC 9110 section 15.5.6).
  private static func notAllowed(_ methods: [String]) -> [UInt8] {
    let content = "method not allowed"
    return Array(
      ("HTTP/1.1 405 Method Not Allowed\r\nAllow: \(methods.joined(separator: ", "))\r\n"
        + "Content-Type: text/plain; charset=utf-8\r\nContent-Length: \(content.utf8.count)\r\n"
        + "Connection: close\r\n\r\n\(content)").utf8)
  }

  /// The response to a malformed request (RFC 9112 section 3).
  static func response(to fault: HTTPFault) -> [UInt8] {
    // The response names the supported version: RFC 9110 section 15.5.22, RFC 6455 section 4.4.
    let upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: \(WebSocket.version)\r\n"
    let fields = (fault.status.hasPrefix("426 ") ? upgrade : "") + "Content-Length: 0\r\nConnection: close\r\n"
    return Array("HTTP/1.1 \(fault.status)\r\n\(fields)\r\n".utf8)
  }

  /// Whether the connection ends with this message (RFC 9112 section 9.3).
  static func closes(_ message: [UInt8]) -> Bool {
    split(message)?.lines.contains { String(decoding: message[$0], as: UTF8.self).lowercased() == "connection: close" }
      ?? true
  }

  /// The same response for a connection that stays open, if the response states where it ends (RFC 9112 section 9.3).
  static func persisting(_ portions: [[UInt8]]) -> [[UInt8]] {
    guard let first = portions.first, let (lines, content) = split(first) else { return portions }
    let fields = lines.map { String(decoding: first[$0], as: UTF8.self) }
    let tellsEnd = fields.contains { field in
      ["content-length:", "transfer-encoding:"].contains(where: field.lowercased().hasPrefix)
    }
    guard tellsEnd else { return portions }
    let kept = fields.filter { $0.lowercased() != "connection: close" }.joined(separator: "\r\n")
    return [Array("\(kept)\r\n\r\n".utf8) + first[content...]] + portions.dropFirst()
  }

  /// The same response without its content, as for HEAD (RFC 9110 section 9.3.2).
  static func head(of response: [UInt8]) -> [UInt8] {
    split(response).map { Array(response[..<$0.content]) } ?? response
  }
}

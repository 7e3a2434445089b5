import Explanation
import Testing

@testable import Endpoint

@Suite("HTTP messages")
struct HTTPReaderTests {
  private func request(_ text: String, inPortionsOf count: Int = .max) throws -> HTTPRequest? {
    try message(text, .request, inPortionsOf: count)?.request
  }

  private func message(
    _ text: String, _ kind: HTTPReader.Kind, inPortionsOf count: Int = .max
  ) throws -> HTTPMessage? {
    var reader = HTTPReader(kind)
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      if let message = try reader.append(Array(rest.prefix(count))) { return message }
      rest = rest.dropFirst(count)
    }
    return try reader.end()
  }

  /// The fault of a message, or nil if it is valid.
  private func fault(_ text: String, _ kind: HTTPReader.Kind) -> HTTPFault? {
    do {
      _ = try message(text, kind)
      return nil
    } catch { return error as? HTTPFault }
  }

  @Test(
    "a line ends with CRLF or LF, and leading empty lines are ignored (RFC 9112 section 2.2)",
    arguments: [
      "GET / HTTP/1.0\n\n", "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "GET / HTTP/1.1\nHost: a\n\n",
      "\r\n\nGET / HTTP/1.1\r\nHost: a\n\r\n",
    ])
  func lineEndings(_ text: String) throws {
    for count in [1, 3, .max] {
      #expect(try request(text, inPortionsOf: count) == HTTPRequest(path: "/"))
    }
  }

  @Test("an incomplete message is awaited, and is truncated if the connection ends")
  func incomplete() throws {
    for text in [
      "GET / HT", "GET / HTTP/1.1\r\nHost: a\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n1",
    ] {
      var reader = HTTPReader(.request)
      #expect(try reader.append(Array(text.utf8)) == nil)
      #expect(fault(text, .request)?.rule == .incompleteMessage)
    }
    var silent = HTTPReader(.request)
    #expect(try silent.end() == nil)
  }

  @Test(
    "an invalid request gets the status for its fault",
    arguments: [
      ("GET /\r\n\r\n", "400"), ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
      ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", "505"), ("GET / HTTP/0.9\r\nHost: a\r\n\r\n", "505"),
      ("GET / HTTP/x.0\r\nHost: a\r\n\r\n", "400"), ("GET / HTTP/20\r\nHost: a\r\n\r\n", "400"),
      ("GET / HTTP/1.1\r\n\r\n", "400"), ("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "400"),
      ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", "400"), ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", "400"),
      ("GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", "400"),
      ("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n", "400"),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12", "400"),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "400"),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", "501"),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "400"),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n12\r\n", "400"),
      ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n\r\n", "413"),
      ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nffffffff\r\n", "413"),
      ("GET /" + String(repeating: "a", count: 9_000), "414"),
      ("GET / HTTP/1.1\r\nHost: " + String(repeating: "a", count: 9_000), "431"),
      ("GET / HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 9_000), "431"),
    ])
  func refused(_ text: String, _ status: String) {
    let fault = fault(text, .request)
    #expect(fault?.rule == .malformedMessage)
    #expect(fault?.status.hasPrefix(status) == true)
  }

  @Test(
    "a request line needs a token as method and one of four target forms (RFC 9112 section 3)",
    arguments: [
      ("G(T /", "method"), ("G\u{e9}T /", "method"),
      ("GET foo", "target"), ("GET *", "target"),
      ("GET http:///", "target"),
      ("CONNECT a.example", "target"),
      ("CONNECT /", "target"),
      ("CONNECT a.example:x", "target"),
      ("GET /#x", "target"),
      ("GET /\u{e9}", "target"),
      ("GET /\t", "target"),
    ])
  func requestLines(_ line: String, _ found: String) {
    let fault = fault("\(line) HTTP/1.1\r\nHost: a\r\n\r\n", .request)
    #expect(fault?.status == "400 Bad Request" && fault?.found.contains(found) == true)
  }

  @Test(
    "targets are a path, a URL, host:port for CONNECT and * for OPTIONS (RFC 9112 section 3.2)",
    arguments: [
      "GET /", "B-R_E.W!~ /", "GET //", "GET /a?b=c|d&%e9", "GET http://a.example/", "GET https://a.example",
      "CONNECT a.example:443", "CONNECT [::1]:443", "OPTIONS *", "OPTIONS /",
    ])
  func goodRequestLines(_ line: String) {
    #expect(fault("\(line) HTTP/1.1\r\nHost: a\r\n\r\n", .request) == nil)
  }

  @Test("non-ASCII characters in a path are percent-encoded (RFC 3987 section 3.1)")
  func escaped() throws {
    let request = HTTPRequest(path: "/\u{fc}?q=\u{20ac}")
    #expect(request.line == "GET /%C3%BC?q=%E2%82%AC")
    #expect(HTTPRequest(path: "/a%20b?c|d").path == "/a%20b?c|d")
    let sent = String(decoding: HTTP.bytes(of: request, host: "a.example"), as: UTF8.self)
    #expect(try self.request(sent) == request)
  }

  @Test("content ends by its length, by chunks or by the connection (RFC 9112 section 6.3)")
  func framing() throws {
    let ok = "HTTP/1.1 200 OK\r\n"
    let get = HTTPReader.Kind.response(method: "GET")
    for count in [1, 5, .max] {
      for text in [
        ok + "Content-Length: 5\r\n\r\nhello", ok + "content-length: 5, 5\n\nhello", ok + "\r\nhello",
        ok + "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;a=b\r\nllo\r\n0\r\nTrailer: x\r\n\r\n",
        "HTTP/1.1 100 Continue\r\n\r\n" + ok + "Content-Length: 5\r\n\r\nhello",
      ] {
        #expect(try message(text, get, inPortionsOf: count)?.content == Array("hello".utf8), "\(text)")
      }
      let empty = ok + "Content-Length: 5\r\n\r\n"
      #expect(try message(empty, .response(method: "HEAD"), inPortionsOf: count)?.content == [])
      #expect(try message("HTTP/1.1 204 No Content\r\n\r\n", get, inPortionsOf: count)?.content == [])
    }
    #expect(fault(ok + "Content-Length: 5\r\n\r\nhell", get)?.rule == .incompleteMessage)
    #expect(fault(ok + "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", get)?.rule == .incompleteMessage)
    #expect(fault("HTTP/1.1 twohundred OK\r\n\r\n", get)?.rule == .malformedMessage)
    #expect(fault("SSH-2.0-OpenSSH_9.2\r\n\r\n", get)?.rule == .malformedMessage)
  }

  @Test("in a response, a folded line is read as a space (RFC 9112 section 5.2)")
  func folded() throws {
    let get = HTTPReader.Kind.response(method: "GET")
    let fields = "X: a\r\n b\r\n\t c \r\n \r\nContent-Length:\r\n 5\r\n\r\n"
    for count in [1, 5, .max] {
      let message = try message("HTTP/1.1 200 OK\r\n\(fields)hello", get, inPortionsOf: count)
      #expect(message?.value(of: "x") == "a b c")
      #expect(message?.content == Array("hello".utf8))
    }
    // There is no preceding field that the first line could continue (section 2.2).
    let lost = fault("HTTP/1.1 200 OK\r\n b: c\r\nContent-Length: 5\r\n\r\nhello", get)
    #expect(lost?.rule == .malformedMessage && lost?.found.contains("field line") == true)
    // Section 5.2 has a server refuse such a request.
    let asked = fault("GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", .request)
    #expect(asked?.found.contains("field line") == true)
  }

  @Test(
    "a message with an impossible length is incomplete when the connection ends",
    arguments: [
      "Content-Length: 9223372036854775807\r\n\r\nhello", "Content-Length: 99999999999999999999999999\r\n\r\nhello",
      "Transfer-Encoding: chunked\r\n\r\n7FFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nhello\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n7FFFFFFFFFFFFFFF\r\nhello\r\n",
    ])
  func uncountable(_ rest: String) {
    let answer = fault("HTTP/1.1 200 OK\r\n\(rest)", .response(method: "GET"))
    #expect(answer?.rule == .incompleteMessage && answer?.found.contains("content") == true)
    // A server need not wait for content that it would not accept.
    let request = fault("POST / HTTP/1.1\r\nHost: a\r\n\(rest)", .request)
    #expect(request?.status == "413 Content Too Large" && request?.isTooMuch == true)
  }

  @Test("leading zeros of a length are ignored, and the number of missing bytes is reported")
  func zeros() throws {
    let ok = "HTTP/1.1 200 OK\r\n"
    let get = HTTPReader.Kind.response(method: "GET")
    for text in [
      "Content-Length: 00000000000000000000000005\r\n\r\nhello",
      "Transfer-Encoding: chunked\r\n\r\n00000000000000000005\r\nhello\r\n000\r\n\r\n",
    ] {
      #expect(try message(ok + text, get)?.content == Array("hello".utf8))
    }
    #expect(fault(ok + "Content-Length: 50\r\n\r\nhello", get)?.found.contains("45 ") == true)
    for text in ["Content-Length:\r\n", "Content-Length: ,\r\n", "Content-Length: +5\r\n"] {
      #expect(fault(ok + text + "\r\nhello", get)?.found.contains("Content-Length") == true)
    }
  }

  @Test("responses may be larger than requests, and exceeding the limit is this program's")
  func bounds() throws {
    let ok = Array("HTTP/1.1 200 OK\r\n".utf8)
    let megabyte = [UInt8](repeating: 0x61, count: 1 << 20)
    var reader = HTTPReader(.response(method: "GET"))
    #expect(try reader.append(ok + Array("Content-Length: 67108865\r\n\r\n".utf8)) == nil)
    for _ in 0..<64 { #expect(try reader.append(megabyte) == nil) }
    let fault = #expect(throws: HTTPFault.self) { try reader.append([0x61]) }
    #expect(fault?.isTooMuch == true)
    #expect(fault?.found.contains("67108864") == true)
    var whole = HTTPReader(.response(method: "GET"))
    #expect(try whole.append(ok + Array("Content-Length: 17825792\r\n\r\n".utf8)) == nil)
    for _ in 0..<16 { #expect(try whole.append(megabyte) == nil) }
    #expect(try whole.append(megabyte)?.content.count == 17_825_792)
  }

  @Test("fields of up to a megabyte are read in linear time")
  func longFields() throws {
    let get = HTTPReader.Kind.response(method: "GET")
    let long = String(repeating: "a", count: 200_000)
    let text = "HTTP/1.1 200 OK\r\nX: \(long)\r\nContent-Length: 5\r\n\r\nhello"
    #expect(try message(text, get, inPortionsOf: 200)?.value(of: "x")?.utf8.count == 200_000)
    let many = "HTTP/1.1 200 OK\r\n" + String(repeating: "a: b\r\n", count: 10_000) + "\r\nhello"
    #expect(try message(many, get)?.fields.count == 10_000)
    for text in ["HTTP/1.1 200 OK\r\nX: " + String(repeating: long, count: 6), String(repeating: long, count: 6)] {
      #expect(fault(text, get)?.isTooMuch == true)
    }
  }

  @Test(
    "Host is a name or an address, with an optional port (RFC 9112 section 3.2)",
    arguments: [
      ("a", true), ("", true), ("api.example:8443", true), ("a:", true), ("127.0.0.1", true), ("[::1]", true),
      ("[::1]:443", true), ("[v1.a:b]", true), ("a_b~c!", true), ("%41.example", true), ("xn--bcher-kva.example", true),
      ("a b", false), ("a/b", false), ("a@b", false), ("a:b", false), ("a:1:2", false), ("::1", false),
      ("[::1", false), ("[::1]x", false), ("[]", false), ("[127.0.0.1]", false), ("[v1]", false), ("%4", false),
      ("%4g", false), ("b\u{fc}cher.example", false), ("a,b c", false),
    ])
  func host(_ host: String, isOne: Bool) throws {
    let text = "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"
    if isOne {
      #expect(try request(text) == HTTPRequest(path: "/"))
    } else {
      let fault = fault(text, .request)
      #expect(fault?.found.contains("Host") == true && fault?.status == "400 Bad Request")
    }
  }

  @Test("a higher minor version is read as HTTP/1.1 (RFC 9110 section 2.5)")
  func versions() throws {
    for version in ["1.1", "1.2", "1.9"] {
      let message = try message("GET / HTTP/\(version)\r\nHost: a\r\n\r\n", .request)
      #expect(message?.request == HTTPRequest(path: "/") && message?.persists == true, "\(version)")
      #expect(fault("GET / HTTP/\(version)\r\n\r\n", .request)?.found.contains("Host") == true, "\(version)")
    }
    #expect(try message("GET / HTTP/1.0\r\n\r\n", .request)?.persists == false)
    for version in ["HTTP/2.1", "HTTP/1.12", "HTTP/1.", "HTTP/1.x", "http/1.1", "xHTTP/1.1"] {
      let fault = fault("GET / \(version)\r\nHost: a\r\n\r\n", .request)
      #expect(fault?.found.contains("request line") == true, "\(version)")
    }
  }

  @Test(
    "a server uses the path of a target in absolute-form (RFC 9112 section 3.2.2)",
    arguments: [
      ("https://api.example/x?y=1", "/x?y=1"), ("http://api.example", "/"), ("HTTP://API.example:80/", "/"),
      ("/x", "/x"), ("/https://api.example/", "/https://api.example/"),
      ("ftp://api.example/", "ftp://api.example/"),
    ])
  func absoluteForm(_ target: String, _ path: String) throws {
    let text = "GET \(target) HTTP/1.1\r\nHost: a\r\nAuthorization: Basic eA==\r\n\r\n"
    let message = try #require(try message(text, .request))
    // A proxy needs the whole target.
    #expect(message.request?.path == target)
    #expect(message.ownRequest?.line == "GET \(path)" && message.ownRequest?.authorization == "Basic eA==")
  }

  @Test("nothing is read after the end of a message")
  func end() throws {
    var reader = HTTPReader(.request)
    let text = "GET / HTTP/1.0\n\nGET /other HTTP/1.0\n\n"
    #expect(try reader.append(Array(text.utf8))?.request?.path == "/")
    #expect(try reader.append(Array("GET / HTTP/1.0\n\n".utf8)) == nil)
    #expect(try reader.end() == nil)
  }

  @Test("the fields of a message have its byte positions, for every line ending", arguments: ["\r\n", "\n"])
  func fields(_ end: String) throws {
    let bytes = Array("GET / HTTP/1.1\(end)Host: a\(end)\(end)body".utf8)
    let field = try #require(HTTP.fields(of: bytes).first)
    let texts = field.children.map { String(decoding: bytes[$0.range], as: UTF8.self) }
    #expect(texts == ["GET / HTTP/1.1", "Host: a", "body"])
    #expect(field.children.map(\.name) == ["start-line", "field-line", "content"])
  }
}

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

  /// The fault of a message, nil for a good one.
  private func fault(_ text: String, _ kind: HTTPReader.Kind) -> HTTPFault? {
    do {
      _ = try message(text, kind)
      return nil
    } catch { return error as? HTTPFault }
  }

  @Test(
    "a line ends with CRLF or with LF alone, and empty lines before the first do not count: RFC 9112 section 2.2",
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

  @Test("what is not over is waited for, and is cut short where the connection ends")
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
    "what is no request gets the status that says why",
    arguments: [
      ("GET /\r\n\r\n", "400"), ("GET  / HTTP/1.1\r\nHost: a\r\n\r\n", "400"),
      ("GET / HTTP/2.0\r\nHost: a\r\n\r\n", "400"),
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

  @Test("content ends by its length, by chunks, by the connection, or is none: RFC 9112 section 6.3")
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

  @Test("nothing is read after the end of a message")
  func end() throws {
    var reader = HTTPReader(.request)
    let text = "GET / HTTP/1.0\n\nGET /other HTTP/1.0\n\n"
    #expect(try reader.append(Array(text.utf8))?.request?.path == "/")
    #expect(try reader.append(Array("GET / HTTP/1.0\n\n".utf8)) == nil)
    #expect(try reader.end() == nil)
  }

  @Test("the fields of a message are where its bytes are, whatever ends its lines", arguments: ["\r\n", "\n"])
  func fields(_ end: String) throws {
    let bytes = Array("GET / HTTP/1.1\(end)Host: a\(end)\(end)body".utf8)
    let field = try #require(HTTP.fields(of: bytes).first)
    let texts = field.children.map { String(decoding: bytes[$0.range], as: UTF8.self) }
    #expect(texts == ["GET / HTTP/1.1", "Host: a", "body"])
    #expect(field.children.map(\.name) == ["start-line", "field-line", "content"])
  }
}

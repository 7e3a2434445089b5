import Testing

@testable import Endpoint

/// RFC 9113 section 8.1.
@Suite("Responses over HTTP/2")
struct HTTP2ResponseTests {
  @Test("interim responses precede a response, and trailers follow it")
  func parts() throws {
    var response = HTTP2Response()
    try response.append([(":status", "103"), ("link", "x")])
    try response.append([(":status", "404"), ("a", "b"), ("c", "d")])
    try response.append(Array("hel".utf8))
    try response.append(Array("lo".utf8))
    try response.append([("trailer", "t")])
    #expect(response.bytes == Array("HTTP/2 404\r\na: b\r\nc: d\r\n\r\nhello".utf8))
    #expect(response.message.status == 404 && response.message.value(of: "c") == "d")
  }

  @Test(
    "a header without a status code is malformed",
    arguments: [
      [], [("a", "b")], [(":status", "")], [(":status", "2x0")], [(":status", "2000")],
      [("a", ""), (":status", "200")],
    ])
  func statuses(_ fields: [(name: String, value: String)]) {
    var response = HTTP2Response()
    let fault = #expect(throws: HTTPFault.self) { try response.append(fields) }
    #expect(fault?.rule == .malformedMessage && fault?.isHTTP2 == true)
  }

  @Test("content needs a header, and has the limit of HTTP/1.1")
  func content() throws {
    var response = HTTP2Response()
    #expect(throws: HTTPFault.self) { try response.append([1]) }
    try response.append([(":status", "200")])
    try response.append([UInt8](repeating: 0, count: HTTPReader.Bounds.response.content))
    let fault = #expect(throws: HTTPFault.self) { try response.append([1]) }
    #expect(fault?.isTooMuch == true)
  }

  @Test("a status line of HTTP/2 is no response of HTTP/1.1")
  func versions() {
    var reader = HTTPReader(.response(method: "GET"))
    #expect(throws: HTTPFault.self) { try reader.append(Array("HTTP/2 200 OK\r\n\r\n".utf8)) }
  }

  @Test("frames in a record are named, and text is not mistaken for frames")
  func frames() {
    let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    let data: [UInt8] = [0, 0, 2, 0, 1, 0, 0, 0, 1, 104, 105]
    #expect(HTTP2Frames.types(in: Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + settings) == ["SETTINGS"])
    #expect(HTTP2Frames.types(in: settings + data + [0, 0]) == ["SETTINGS", "DATA"])
    // The rest of the last frame is in the next record.
    #expect(HTTP2Frames.types(in: settings + data.dropLast()) == ["SETTINGS", "DATA"])
    for text in ["", "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", "a\tb\tc\td\te\t", "\0\0\0\u{ff}\0\0\0\0\0"] {
      #expect(HTTP2Frames.types(in: Array(text.utf8)) == nil)
    }
  }
}

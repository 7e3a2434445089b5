import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import Testing

@testable import Web

@Suite("The web server") struct WebServerTests {
  private static let token = "0123456789abcdef"

  /// A server that repeats the path and the size of the body.
  private static func server(
    _ limits: WebLimits = WebLimits(), respond: (@Sendable (WebRequest) -> WebResponse)? = nil
  ) throws -> WebServer {
    try WebServer(port: 0, gate: WebGate(token: token), limits) { request in
      respond?(request) ?? WebResponse(200, "\(request.method) \(request.path) \(request.body.count)")
    }
  }

  /// Everything that the server sends until it closes the connection.
  private static func exchange(_ server: WebServer, _ parts: [String], pause: TimeAmount = .zero) throws -> String {
    let client = try Client(port: server.port)
    for part in parts {
      try client.send(part)
      if pause > .zero { Thread.sleep(forTimeInterval: Double(pause.nanoseconds) / 1e9) }
    }
    return try client.received()
  }

  private static func request(
    _ server: WebServer, _ line: String = "GET / HTTP/1.1", fields: [String] = [], body: String = ""
  ) -> String {
    let all = ["Host: 127.0.0.1:\(server.port)", "Authorization: Bearer \(token)", "Connection: close"] + fields
    let length = body.isEmpty ? [] : ["Content-Length: \(body.utf8.count)"]
    return ([line] + all + length).joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  private static func status(_ response: String) -> String {
    String(response.split(separator: " ").dropFirst().first ?? "")
  }

  @Test("a request gets its response, and the security headers")
  func response() throws {
    let server = try Self.server()
    defer { server.stop() }
    let response = try Self.exchange(server, [Self.request(server, "POST /engine/run HTTP/1.1", body: "12345")])
    #expect(Self.status(response) == "200")
    #expect(response.hasSuffix("POST /engine/run 5\n"))
    for field in ["nosniff", "no-referrer", "frame-ancestors 'self'", "no-store"] { #expect(response.contains(field)) }
    let head = try Self.exchange(server, [Self.request(server, "HEAD /a HTTP/1.1")])
    #expect(Self.status(head) == "200" && head.hasSuffix("\r\n\r\n"))
  }

  @Test("a request in small parts, and several in one, get their responses in order")
  func parts() throws {
    let server = try Self.server()
    defer { server.stop() }
    let one = Self.request(server, "GET /1 HTTP/1.1").replacing("Connection: close\r\n", with: "")
    let last = Self.request(server, "GET /2 HTTP/1.1")
    #expect(try Self.exchange(server, last.map(String.init)).hasSuffix("GET /2 0\n"))
    let both = try Self.exchange(server, [one + last])
    #expect(both.firstRange(of: "GET /1 0").map { both[$0.upperBound...].contains("GET /2 0") } == true)
  }

  @Test(
    "bytes other than HTTP are refused, and the server still runs",
    arguments: [
      "\u{16}\u{3}\u{1}\u{0}\u{5}hello\r\n\r\n", "GET / HTTP/1.1\r\nHost", "GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
      "POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
    ])
  func malformed(_ text: String) throws {
    var limits = WebLimits()
    limits.seconds = 1
    let server = try Self.server(limits)
    defer { server.stop() }
    #expect(["", "400", "421", "505"].contains(Self.status(try Self.exchange(server, [text]))))
    #expect(Self.status(try Self.exchange(server, [Self.request(server)])) == "200")
  }

  @Test("a body above the limit is refused, whether its length is announced or not")
  func oversized() throws {
    var limits = WebLimits()
    limits.body = 1000
    let server = try Self.server(limits)
    defer { server.stop() }
    let large = String(repeating: "x", count: 1001)
    #expect(Self.status(try Self.exchange(server, [Self.request(server, "POST / HTTP/1.1", body: large)])) == "413")
    let chunked = Self.request(server, "POST / HTTP/1.1", fields: ["Transfer-Encoding: chunked"])
    #expect(Self.status(try Self.exchange(server, [chunked + "3e9\r\n" + large + "\r\n0\r\n\r\n"])) == "413")
    let fitting = String(repeating: "x", count: 1000)
    #expect(try Self.exchange(server, [Self.request(server, "POST / HTTP/1.1", body: fitting)]).hasSuffix(" 1000\n"))
  }

  @Test("a header section above the limit ends the connection")
  func longHeader() throws {
    var limits = WebLimits()
    limits.header = 4000
    let server = try Self.server(limits)
    defer { server.stop() }
    let endless = (0..<200).map { "X-\($0): \(String(repeating: "y", count: 100))\r\n" }.joined()
    let start = "GET / HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n"
    #expect(!["200", "403"].contains(Self.status(try Self.exchange(server, [start + endless]))))
    #expect(Self.status(try Self.exchange(server, [Self.request(server)])) == "200")
  }

  @Test("a slow request and an idle connection end")
  func slow() throws {
    var limits = WebLimits()
    (limits.seconds, limits.idleSeconds) = (1, 1)
    let server = try Self.server(limits)
    defer { server.stop() }
    let start = ContinuousClock.now
    #expect(try Self.exchange(server, ["GET / HTTP/1.1\r\n"]).isEmpty)
    #expect(try Self.exchange(server, []).isEmpty)
    #expect(ContinuousClock.now - start < .seconds(20))
  }

  @Test("above the limit of all bodies or of all requests, the server says: try again")
  func busy() throws {
    var limits = WebLimits()
    (limits.bodies, limits.requests) = (10, 0)
    let server = try Self.server(limits)
    defer { server.stop() }
    #expect(Self.status(try Self.exchange(server, [Self.request(server)])) == "503")
    let body = String(repeating: "x", count: 11)
    #expect(Self.status(try Self.exchange(server, [Self.request(server, "POST / HTTP/1.1", body: body)])) == "503")
  }

  @Test("connections above the limit are closed, and later ones are served")
  func connections() throws {
    var limits = WebLimits()
    limits.connections = 2
    let server = try Self.server(limits)
    defer { server.stop() }
    let open = try (0..<2).map { _ in try Client(port: server.port) }
    try open.forEach { try $0.send("GET / HTTP/1.1\r\n") }
    #expect(Self.status((try? Self.exchange(server, [Self.request(server)])) ?? "") != "200")
    for client in open { try client.close() }
    let isServed = (0..<100).contains { _ in
      Thread.sleep(forTimeInterval: 0.02)
      return Self.status((try? Self.exchange(server, [Self.request(server)])) ?? "") == "200"
    }
    #expect(isServed)
  }

  @Test("without the token, the rest of a request is not read")
  func stranger() throws {
    let server = try Self.server()
    defer { server.stop() }
    let request = "POST /engine/run HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\nContent-Length: 1000000\r\n\r\n"
    #expect(Self.status(try Self.exchange(server, [request])) == "403")
  }
}

/// A TCP connection that collects the received bytes.
private final class Client: Sendable {
  private let channel: any Channel
  private let collector = Collector()

  private final class Collector: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    let bytes = NIOLockedValueBox<[UInt8]>([])

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let view = unwrapInboundIn(data).readableBytesView
      bytes.withLockedValue { $0 += view }
    }
  }

  init(port: Int) throws {
    let collector = collector
    channel = try ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in channel.pipeline.addHandler(collector) }
      .connect(host: "127.0.0.1", port: port).wait()
  }

  func send(_ text: String) throws {
    // The server may have closed the connection after an earlier part.
    try? channel.writeAndFlush(ByteBuffer(string: text)).wait()
  }

  func close() throws { try channel.close().wait() }

  /// Everything that arrived when the server has closed the connection.
  func received() throws -> String {
    try channel.closeFuture.wait()
    return String(decoding: collector.bytes.withLockedValue(\.self), as: UTF8.self)
  }
}

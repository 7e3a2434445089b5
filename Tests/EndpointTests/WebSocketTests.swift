import Cryptography
import Explanation
import Laboratory
import Oracles
import TLS
import Testing
import Trust
import URLLoading

@testable import Endpoint

@Suite("WebSockets: RFC 6455")
struct WebSocketTests {
  /// The key of RFC 6455 section 1.3, and its accept value.
  private static let key = "dGhlIHNhbXBsZSBub25jZQ=="
  private static let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="
  private static let opened =
    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    + "Sec-WebSocket-Accept: \(accept)\r\n\r\n"
  /// The mask of the examples in RFC 6455 section 5.7.
  private static let mask: [UInt8] = [0x37, 0xfa, 0x21, 0x3d]
  /// A Close of a client with the code 1000, 03e8, under that mask.
  private static let close: [UInt8] = [0x88, 0x82] + mask + [0x34, 0x12]

  private func server(opensWebSockets: Bool = true) -> ServerEndpoint {
    let key = PrivateKey.ec(KeyStore.ecKey(owner: "tests", curve: .p256))
    var configuration = ServerEndpoint.Configuration(
      tls: ServerConfiguration(
        certificates: [], privateKey: key, privateKeyName: "api.key",
        random: RandomStreams(seed: .number(1), party: "server")),
      certificates: [],
      answers: .own(["GET /chat": .content("hello"), "GET /moved": .redirect(to: "/chat", status: 302)]))
    configuration.opensWebSockets = opensWebSockets
    return ServerEndpoint(configuration, isSecure: false)
  }

  /// The response of `server` to these bytes, and the rules that it finds violated.
  private func answer(_ bytes: [UInt8], of server: inout ServerEndpoint) -> (sent: [UInt8], violated: [Rule]) {
    var (sent, violated): ([UInt8], [Rule]) = ([], [])
    for effect in server.receive(bytes) {
      switch effect {
      case .send(let transmission): sent += transmission.bytes
      case .decided(let decision): violated += decision.findings.filter { $0.outcome == .violated }.map(\.rule)
      default: break
      }
    }
    return (sent, violated)
  }

  private func asking(
    _ line: String = "GET /chat HTTP/1.1", upgrade: String = "websocket", key: String = WebSocketTests.key,
    version: String = "13"
  ) -> [UInt8] {
    let text =
      "\(line)\r\nHost: server.example.com\r\nUpgrade: \(upgrade)\r\nConnection: Upgrade\r\nSec-WebSocket-Key: \(key)\r\n"
      + "Origin: http://example.com\r\nSec-WebSocket-Protocol: chat, superchat\r\nSec-WebSocket-Version: \(version)\r\n\r\n"
    return Array(text.utf8)
  }

  @Test("the key of RFC 6455 section 1.3 has its accept value")
  func vector() { #expect(WebSocket.accept(Self.key) == Self.accept) }

  @Test("a server responds to an opening handshake with 101, and to Close with Close")
  func served() {
    for count in [1, 7, Int.max] {
      var server = server()
      var sent: [UInt8] = []
      var rest = (asking() + Self.close)[...]
      while !rest.isEmpty {
        sent += answer(Array(rest.prefix(count)), of: &server).sent
        rest = rest.dropFirst(count)
      }
      #expect(sent == Array(Self.opened.utf8) + [0x88, 0x02, 0x03, 0xe8], "\(count)")
      #expect(server.hasEnded && server.request?.line == "GET /chat")
      #expect(server.exchanges.map(\.status) == ["101"])
    }
  }

  @Test(
    "a request without Upgrade, or to a server without WebSockets, gets its usual response")
  func unasked() {
    let plain = Array("GET /chat HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
    for request in [plain, asking(upgrade: "h2c"), asking("GET /chat HTTP/1.0")] {
      var server = server()
      #expect(answer(request, of: &server).sent.starts(with: "HTTP/1.1 200 OK\r\n".utf8))
      #expect(server.hasEnded)
    }
    var (ignorant, open) = (server(opensWebSockets: false), server())
    #expect(answer(asking(), of: &ignorant).sent.starts(with: "HTTP/1.1 200 OK\r\n".utf8))
    #expect(answer(asking("GET /moved HTTP/1.1"), of: &open).sent.starts(with: "HTTP/1.1 302 ".utf8))
  }

  @Test("another version gets 426 with 13, an invalid key 400 (RFC 6455 sections 4.2.1, 4.4)")
  func malformed() {
    var (old, short) = (server(), server())
    let (version, findings) = answer(asking(version: "8"), of: &old)
    let text = String(decoding: version, as: UTF8.self)
    #expect(text.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n") && text.contains("\r\nSec-WebSocket-Version: 13\r\n"))
    #expect(findings == [.malformedOpening] && old.request == nil && old.hasEnded)
    let (refusal, violated) = answer(asking(key: "c2hvcnQ="), of: &short)
    #expect(refusal.starts(with: "HTTP/1.1 400 ".utf8) && violated == [.malformedOpening] && short.request == nil)
  }

  @Test("a Ping gets a Pong, data a Close with 1003, an unmasked frame 1002")
  func frames() {
    var server = server()
    _ = answer(asking(), of: &server)
    // "Hello", RFC 6455 section 5.7.
    let masked = Self.mask + [0x7f, 0x9f, 0x4d, 0x51, 0x58]
    let ping = answer([0x89, 0x85] + masked, of: &server)
    #expect(ping.sent == [0x8a, 0x05, 0x48, 0x65, 0x6c, 0x6c, 0x6f] && ping.violated.isEmpty && !server.hasEnded)
    var bare = server
    let text = answer([0x81, 0x85] + masked, of: &server)
    #expect(text.sent == [0x88, 0x02, 0x03, 0xeb] && text.violated.isEmpty && server.hasEnded)
    let refused = answer([0x88, 0x02, 0x03, 0xe8], of: &bare)
    #expect(refused.sent == [0x88, 0x02, 0x03, 0xea] && refused.violated == [.malformedFrame] && bare.hasEnded)
  }

  @Test("frames of every length are skipped, and forbidden ones are faults (RFC 6455 section 5.2)")
  func reading() throws {
    let data: [UInt8] = [0x82, 0x7e, 0x01, 0x00] + Array(repeating: 7, count: 256)
    let long: [UInt8] = [0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0] + Array(repeating: 7, count: 65_536)
    var reader = WebSocketReader(framesOf: .server)
    let (frames, fault) = reader.append(data + long + [0x88, 0x00])
    #expect(frames.map(\.opcode) == [.binary, .binary, .close] && fault == nil)
    let forbidden: [[UInt8]] = [
      [0xc8, 0x00], [0x83, 0x00], [0x08, 0x00], [0x88, 0x7e], [0x88, 0x01, 0x03], [0x88, 0x80],
      [0x82, 0x7f, 0x80, 0, 0, 0, 0, 0, 0, 0],
    ]
    for bytes in forbidden {
      var reader = WebSocketReader(framesOf: .server)
      let (frames, fault) = reader.append(bytes)
      #expect(frames.isEmpty && fault?.rule == .malformedFrame, "\(bytes)")
    }
  }

  @Test("a frame before a fault is read, one after Close is not (RFC 6455 sections 1.4, 7.1.7)")
  func ended() {
    var reader = WebSocketReader(framesOf: .server)
    let (frames, fault) = reader.append([0x88, 0x02, 0x03, 0xe8, 0xff, 0xff])
    #expect(frames == [.close(.normal)] && fault == nil)
    let (after, none) = reader.append([0xff, 0xff])
    #expect(after.isEmpty && none == nil)
    var broken = WebSocketReader(framesOf: .server)
    let (before, found) = broken.append([0x89, 0x00, 0xff, 0xff])
    #expect(before.map(\.opcode) == [.ping] && found?.found.contains("opcode") == true)
    let (late, again) = broken.append([0x88, 0x00])
    #expect(late.isEmpty && again == nil)
  }

  @Test("a server responds to a Close before data, and to a Ping before a fault")
  func followed() {
    var (closed, pinged) = (server(), server())
    _ = answer(asking(), of: &closed)
    let close = answer(Self.close + [0xff, 0xff], of: &closed)
    #expect(close.sent == [0x88, 0x02, 0x03, 0xe8] && close.violated.isEmpty && closed.hasEnded)
    let late = answer([0xff, 0xff], of: &closed)
    #expect(late.sent.isEmpty && late.violated.isEmpty)
    _ = answer(asking(), of: &pinged)
    let refused = answer([0x89, 0x80] + Self.mask + [0xff, 0xff], of: &pinged)
    #expect(refused.sent == [0x8a, 0x00, 0x88, 0x02, 0x03, 0xea] && refused.violated == [.malformedFrame])
  }

  @Test("the last of several Pings gets a Pong, before a Close (RFC 6455 section 5.5.3)")
  func lastPing() {
    var server = server()
    _ = answer(asking(), of: &server)
    // The payloads are "1" and "2", under the first byte of the mask.
    let one: [UInt8] = [0x89, 0x81] + Self.mask + [0x06]
    let two: [UInt8] = [0x89, 0x81] + Self.mask + [0x05]
    #expect(answer(one + two, of: &server).sent == [0x8a, 0x01, 0x32] && !server.hasEnded)
    #expect(answer(two + one, of: &server).sent == [0x8a, 0x01, 0x31] && !server.hasEnded)
    let closed = answer(one + Self.close + two, of: &server)
    #expect(closed.sent == [0x8a, 0x01, 0x31, 0x88, 0x02, 0x03, 0xe8] && closed.violated.isEmpty && server.hasEnded)
  }

  @Test("a connection accepts a thousand Pings, and closes with 1008 after that (RFC 6455 section 7.4.1)")
  func tooManyPings() {
    let ping: [UInt8] = [0x89, 0x80] + Self.mask
    var (apart, together) = (server(), server())
    _ = answer(asking(), of: &apart)
    for _ in 1...1000 { #expect(answer(ping, of: &apart).sent == [0x8a, 0x00]) }
    #expect(!apart.hasEnded)
    _ = answer(asking(), of: &together)
    let thousand = answer(Array(repeating: ping, count: 1000).flatMap(\.self), of: &together)
    #expect(thousand.sent == [0x8a, 0x00] && !together.hasEnded)
    for var server in [apart, together] {
      let last = answer(ping + ping + Self.close, of: &server)
      #expect(last.sent == [0x8a, 0x00, 0x88, 0x02, 0x03, 0xf0] && last.violated.isEmpty && server.hasEnded)
      #expect(answer(ping, of: &server).sent.isEmpty)
    }
  }

  @Test(
    "a Close with a reserved status code gets 1002 (RFC 6455 sections 7.4.1 and 7.4.2)",
    arguments: [0, 999, 1005, 1006, 1015])
  func neverSent(_ code: Int) {
    var server = server()
    _ = answer(asking(), of: &server)
    let refused = answer(Self.closing(code), of: &server)
    #expect(refused.sent == [0x88, 0x02, 0x03, 0xea] && refused.violated == [.malformedFrame] && server.hasEnded)
    var reader = WebSocketReader(framesOf: .client)
    let (frames, fault) = reader.append(Self.closing(code))
    #expect(frames.isEmpty && fault?.found.contains("\(code)") == true)
  }

  @Test(
    "a Close with any other status code gets the same code",
    arguments: [1000, 1001, 1004, 1007, 1014, 1016, 3000, 4999])
  func sent(_ code: Int) {
    var server = server()
    _ = answer(asking(), of: &server)
    let closed = answer(Self.closing(code), of: &server)
    #expect(closed.sent == [0x88, 0x02, UInt8(code >> 8), UInt8(code & 0xff)] && closed.violated.isEmpty)
  }

  /// A Close of a client with this status code.
  private static func closing(_ code: Int) -> [UInt8] {
    [0x88, 0x82] + mask + [UInt8(code >> 8) ^ 0x37, UInt8(code & 0xff) ^ 0xfa]
  }

  @Test("a client that receives a Close succeeds, and fails on an invalid frame before it")
  func heard() throws {
    let os = OSVersion(.iOS, 18)
    let load = AppTransportSecurity.Load(try LoadURL("ws://api.example/chat"), os: os)
    let tls = ClientConfiguration(host: "api.example", random: RandomStreams(seed: .number(1), party: "client"))
    let trust = TrustEvaluator(
      TrustRequirements(os: os, date: Instant(secondsSince1970: 0), store: TrustStore(system: [])))
    let endpoint = ClientEndpoint(
      .init(load, tls: tls, trust: trust))
    for (frames, faults) in [
      ([0x88, 0x02, 0x03, 0xe8, 0xff, 0xff], []), ([0xff, 0xff], [.malformedFrame]),
    ] as [([UInt8], [Rule])] {
      var client = endpoint
      client.webSocket = WebSocketReader(framesOf: .server)
      let decided = client.readFrames(frames).compactMap { effect -> Rule? in
        guard case .decided(let decision) = effect, case .load(.responseRejected(let fault)) = decision.event else {
          return nil
        }
        return fault.rule
      }
      #expect(decided == faults && client.hasEnded)
    }
  }

  /// The defect of a response that keeps it from opening the WebSocket of the key.
  private func required(_ response: String) throws -> String? {
    var reader = HTTPReader(.response(method: "GET"))
    let message = try #require(try reader.append(Array(response.utf8)))
    return message.obstacle(toOpening: Self.key)?.required
  }

  @Test("a client accepts only 101 with Upgrade, Connection and its accept value (RFC 6455 section 4.1)")
  func judged() throws {
    #expect(try required(Self.opened) == nil)
    #expect(try required(Self.opened.replacing("Upgrade: websocket", with: "upgrade: WebSocket")) == nil)
    let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
    #expect(try required(ok) == "101 Switching Protocols")
    #expect(try required(Self.opened.replacing("Upgrade: websocket", with: "Upgrade: h2c")) == "Upgrade: websocket")
    #expect(try required(Self.opened.replacing("Connection: Upgrade\r\n", with: "")) == "Connection: Upgrade")
    let accept = "Sec-WebSocket-Accept: \(Self.accept)"
    #expect(try required(Self.opened.replacing(Self.accept, with: Self.key)) == accept)
    #expect(try required(Self.opened.replacing("\(accept)\r\n", with: "")) == accept)
    let unasked = Self.opened.replacing("Connection:", with: "Sec-WebSocket-Protocol: chat\r\nConnection:")
    #expect(try required(unasked) == "no Sec-WebSocket-Protocol")
  }
}

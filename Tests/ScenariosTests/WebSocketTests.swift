import Captures
import Explanation
import Oracles
import Simulator
import Testing

@testable import Scenarios

@Suite("WebSockets in scenarios")
struct WebSocketTests {
  private static let rule = "application.websocket-not-opened"
  private static let excepted = "client: { os: iOS 15, infoPlist: { NSAllowsArbitraryLoads: true } }"

  private func play(
    _ url: String, _ more: String = "", client: String = "client: { os: iOS 15 }"
  ) throws -> CaseResult {
    try Lab.play("\(client)\nrequest: \"\(url)\"\n\(more)\n")
  }

  /// The data of both sides, in order, encrypted or not.
  private func said(_ result: CaseResult) -> [[UInt8]] {
    result.simulation.trace.steps.compactMap { step in
      guard step.kind == .message else { return nil }
      return step.message == .tls(.applicationData) ? step.plaintext : step.bytes
    }
  }

  @Test("wss is TLS, then GET and 101, and a Close from each side")
  func accepted() throws {
    let result = try play("wss://api.example/socket")
    let outcome = result.outcome
    #expect(outcome.verdict.word == .accepted && outcome.executed == ["GET /socket"] && outcome.trustResult != nil)
    let held = outcome.findings.first { $0.rule.id == Self.rule }
    #expect(held?.outcome == .satisfied)
    let messages = said(result)
    let request = try #require(messages.lazy.map { String(decoding: $0, as: UTF8.self) }.first { $0.hasPrefix("GET ") })
    #expect(request.contains("\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: "))
    #expect(request.contains("\r\nSec-WebSocket-Version: 13\r\n") && !request.contains("Connection: close"))
    #expect(messages.contains { $0.starts(with: "HTTP/1.1 101 Switching Protocols\r\n".utf8) })
    let frames = messages.filter { $0.first == 0x88 }
    #expect(frames.count == 2 && frames.first?.count == 8 && frames.last == [0x88, 0x02, 0x03, 0xe8])
    #expect(
      try play("wss://api.example/socket").simulation.trace.steps.map(\.bytes)
        == result.simulation.trace.steps.map(\.bytes))
  }

  @Test("TLS comes first: a certificate for another name prevents the opening handshake")
  func name() throws {
    let more = "certificates: { api: { issuer: Issuing, names: [other.example] } }"
    let outcome = try play("wss://api.example/socket", more).outcome
    #expect(outcome.verdict.word == .refused && outcome.verdict.because.map(\.id).contains("name.mismatch"))
    #expect(outcome.executed.isEmpty)
  }

  @Test(
    "a response other than 101 violates its own rule; no redirect is followed",
    arguments: [
      "server: { webSockets: false, content: { GET /socket: hello } }", "server: { webSockets: false }",
      "server: { content: { GET /socket: { redirect: /other }, GET /other: hello } }",
    ])
  func refused(_ server: String) throws {
    let result = try play("wss://api.example/socket", server)
    #expect(result.outcome.verdict.word == .refused && result.outcome.verdict.layer == .application)
    #expect(result.outcome.verdict.because.map(\.id) == [Self.rule] && result.outcome.errors.isEmpty)
    #expect(result.connections.count == 1)
  }

  @Test("an https load of a server that opens WebSockets gets its content")
  func plain() throws {
    let outcome = try play("https://api.example/").outcome
    #expect(outcome.verdict.word == .accepted && outcome.content == Array("hello".utf8))
  }

  @Test("App Transport Security blocks ws as http, and an exception allows it")
  func insecure() throws {
    let blocked = try play("ws://api.example/socket").outcome
    #expect(blocked.verdict.word == .refused && blocked.verdict.because.map(\.id) == ["ats.insecure-http"])
    #expect(blocked.errors.map(\.code) == [-1022] && blocked.executed.isEmpty)
    let result = try play("ws://api.example/socket", client: Self.excepted)
    #expect(result.outcome.verdict.word == .accepted && result.outcome.executed == ["GET /socket"])
    let titles = result.simulation.trace.steps.compactMap(\.message?.description)
    #expect(titles == ["HTTP request", "HTTP response", "WebSocket frame", "WebSocket frame"])
  }

  @Test("a capture of ws continues after 101, up to the server's Close")
  func captured() throws {
    let result = try play("ws://api.example/socket", client: Self.excepted)
    let close: [UInt8] = [0x88, 0x02, 0x03, 0xe8]
    #expect(try PacketCapture(result.simulation).bytes.firstRange(of: close) != nil)
  }

  @Test("an accept value of another key is refused, and the unchanged response is not")
  func accept() throws {
    let altered = """
      network: [{ alter: HTTP response, replace: { "Sec-WebSocket-Accept: ": "Sec-WebSocket-Accept: A" } }]
      """
    let outcome = try play("ws://api.example/socket", altered, client: Self.excepted).outcome
    #expect(outcome.verdict.word == .refused && outcome.verdict.because.map(\.id) == [Self.rule])
    let seen = try play("ws://api.example/socket", "network: [{ observe: HTTP response }]", client: Self.excepted)
    #expect(seen.outcome.verdict.word == .accepted)
  }

  @Test("an attacker that strips TLS requests the WebSocket over TLS, and forwards the 101")
  func stripped() throws {
    let result = try play("ws://api.example/socket", "network: [strip]", client: Self.excepted)
    #expect(result.outcome.verdict.word == .accepted && result.outcome.executed == ["GET /socket"])
    #expect(result.simulation.trace.steps.contains { $0.message == .handshake(.clientHello) })
  }

  @Test("an invalid or unsupported opening handshake is reported")
  func told() throws {
    let posted = try Lab.playing("request: { url: \"wss://api.example/\", method: POST }")
    #expect(posted.map(\.message).show(["WebSocket … POST /"]))
    let proxied = try Lab.playing("client: { proxy: { host: proxy.example } }\nrequest: ws://api.example/")
    #expect(proxied.map(\.message).show(["ws://"]))
    let other = try Lab.playing("request: ftp://api.example/")
    #expect(other.map(\.message).show(["'ftp'"]))
    #expect(
      try Lab.diagnostics("request: wss://other.example/").map(\.message).show(["'other.example'"]))
  }
}

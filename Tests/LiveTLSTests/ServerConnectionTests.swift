import Cryptography
import Endpoint
import Explanation
import Laboratory
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import Oracles
import TLS
import Testing

@testable import LiveTLS

@Suite("A connection to a live server")
struct ServerConnectionTests {
  /// The reports of ended connections.
  private let reports = NIOLockedValueBox<[ConnectionReport]>([])

  private let key = PrivateKey.ec(KeyStore.ecKey(owner: "tests", curve: .p256))

  private func host(_ name: String) -> LiveHost {
    let tls = ServerConfiguration(
      certificates: [[0x30, 0]], privateKey: key, privateKeyName: "api.key",
      random: RandomStreams(seed: .number(1), party: "server"))
    return LiveHost(
      name: name, origin: "tests", ServerEndpoint.Configuration(tls: tls, certificates: [], answers: .own([:])))
  }

  private func connection() -> ServerConnection {
    let reports = reports
    return ServerConnection(
      number: 1, hosts: LiveHosts([host("api.example")]), .init(), clock: { Instant(secondsSince1970: 0) },
      report: { report in reports.withLockedValue { $0.append(report) } })
  }

  /// Opens a connection on `loop`, sends a ClientHello and leaves. Returns the connection if it has not been released.
  private func visit(_ loop: EmbeddedEventLoop) throws -> ServerConnection? {
    let here = connection()
    weak let held = here
    let channel = EmbeddedChannel(handler: here, loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 4433)).wait()
    var client = Connection(
      ClientConfiguration(host: "api.example", random: RandomStreams(seed: .number(1), party: "client")))
    for case .send(let message) in client.start() { try channel.writeInbound(ByteBuffer(bytes: message.bytes)) }
    try channel.close().wait()
    loop.run()
    return held
  }

  @Test("a client that leaves during a handshake is reported at once, without a timer left")
  func gone() throws {
    let loop = EmbeddedEventLoop()
    weak let held = try visit(loop)
    #expect(held == nil, "a timer of the loop holds the connection")
    let told = reports.withLockedValue { $0 }
    let report = try #require(told.first)
    #expect(told.count == 1)
    #expect(report.host?.name == "api.example" && report.isSecure)
    // The client ended the connection; RFC 5246 section 7.2.1 treats one without close_notify as truncated.
    #expect(report.finisher == .client)
    #expect(report.findings.contains { $0.rule == .truncatedConnection && $0.outcome == .violated })
  }

  @Test("a silent client has the configured timeout")
  func silent() throws {
    let loop = EmbeddedEventLoop()
    let channel = EmbeddedChannel(handler: connection(), loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 4433)).wait()
    loop.advanceTime(by: .seconds(29))
    #expect(channel.isActive)
    loop.advanceTime(by: .seconds(2))
    #expect(!channel.isActive)
    let report = try #require(reports.withLockedValue { $0 }.first)
    #expect(report.ending == .timedOut && report.finisher == .server)
  }

  private static let request = Array("GET / HTTP/1.1\r\nHost: api.example\r\n\r\n".utf8)

  /// Writes nine bytes, one every 20 seconds of the 30-second timeout. The connection ends 180 seconds after the first.
  private func expectEnd(
    after bytes: [UInt8], on channel: EmbeddedChannel, _ loop: EmbeddedEventLoop
  ) throws -> ConnectionReport {
    for byte in bytes.prefix(9) {
      try channel.writeInbound(ByteBuffer(bytes: [byte]))
      loop.advanceTime(by: .seconds(19))
      try #require(channel.isActive)
      loop.advanceTime(by: .seconds(1))
    }
    #expect(!channel.isActive)
    return try #require(reports.withLockedValue { $0 }.first)
  }

  @Test("a client that sends its ClientHello byte by byte has six times the timeout")
  func drippedHello() throws {
    let loop = EmbeddedEventLoop()
    let channel = EmbeddedChannel(handler: connection(), loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 4433)).wait()
    // The header of a record with a ClientHello of 508 bytes (RFC 5246 sections 6.2.1 and 7.4).
    let report = try expectEnd(after: [22, 3, 1, 2, 0, 1, 0, 1, 252], on: channel, loop)
    #expect(report.ending == .outOfTime && report.finisher == .server && report.byteCounts.received == 9)
  }

  @Test("a client that sends requests byte by byte has six times the timeout for each")
  func drippedRequest() throws {
    let loop = EmbeddedEventLoop()
    let channel = EmbeddedChannel(handler: connection(), loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 4433)).wait()
    try channel.writeInbound(ByteBuffer(bytes: Self.request))
    loop.advanceTime(by: .seconds(29))
    let report = try expectEnd(after: Self.request, on: channel, loop)
    #expect(report.ending == .outOfTime && report.finisher == .server && report.exchanges.map(\.status) == ["404"])
  }

  @Test("three requests on a connection have the full time each, and silence its own limit")
  func keptConnection() throws {
    let loop = EmbeddedEventLoop()
    var visitor = try visitor(loop)
    for _ in 1...3 {
      for byte in Self.request.prefix(8) {
        try visitor.pass(visitor.client.send([byte]))
        loop.advanceTime(by: .seconds(20))
      }
      try visitor.pass(visitor.client.send(Array(Self.request.dropFirst(8))))
      // 189 seconds after the first byte of the request that has its response by now.
      loop.advanceTime(by: .seconds(29))
      try #require(visitor.channel.isActive)
    }
    loop.advanceTime(by: .seconds(2))
    #expect(!visitor.channel.isActive)
    let report = try #require(reports.withLockedValue { $0 }.first)
    #expect(report.ending == .served && report.exchanges.map(\.status) == ["404", "404", "404"])
  }

  /// A client and the channel to its server.
  private struct Visitor {
    var client = Connection(
      ClientConfiguration(host: "api.example", random: RandomStreams(seed: .number(1), party: "client")))
    let channel: EmbeddedChannel
    let key: PublicKey
    var isConnected = false
    /// The received alerts.
    var alerts: [Alert] = []

    /// Sends the client's output, and reads the server's.
    mutating func pass(_ effects: [ConnectionEffect]) throws {
      for effect in effects {
        switch effect {
        case .send(let message) where channel.isActive: try channel.writeInbound(ByteBuffer(bytes: message.bytes))
        case .evaluateCertificate: try pass(client.certificateEvaluated(.accepted(key)))
        case .connected: isConnected = true
        case .received(let message): if case .alert(let alert) = message.content { alerts.append(alert) }
        default: break
        }
      }
      try listen()
    }

    mutating func listen() throws {
      while let bytes = try channel.readOutbound(as: ByteBuffer.self) {
        try pass(client.receive(Array(bytes.readableBytesView)))
      }
    }
  }

  /// A client whose handshake is complete.
  private func visitor(_ loop: EmbeddedEventLoop) throws -> Visitor {
    let channel = EmbeddedChannel(handler: connection(), loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 4433)).wait()
    var visitor = Visitor(channel: channel, key: key.publicKey)
    try visitor.pass(visitor.client.start())
    try #require(visitor.isConnected)
    return visitor
  }

  @Test(
    "a server that stops sends close_notify, and the client gets no blame (RFC 5246 section 7.2.1)",
    arguments: [ConnectionReport.Ending.timedOut, .stopped, .served])
  func farewell(_ ending: ConnectionReport.Ending) throws {
    let loop = EmbeddedEventLoop()
    var visitor = try visitor(loop)
    if ending == .served {
      try visitor.pass(visitor.client.send(Array("GET / HTTP/1.1\r\nHost: api.example\r\n\r\n".utf8)))
      #expect(visitor.alerts.isEmpty && visitor.channel.isActive)
    }
    if ending == .stopped {
      visitor.channel.pipeline.fireUserInboundEventTriggered(LiveServer.Stop())
    } else {
      loop.advanceTime(by: .seconds(31))
    }
    #expect(!visitor.channel.isActive)
    try visitor.listen()
    #expect(visitor.alerts == [Alert(.warning, .closeNotify)])
    let report = try #require(reports.withLockedValue { $0 }.first)
    #expect(report.ending == ending && report.finisher == .server)
    #expect(report.exchanges.map(\.status) == (ending == .served ? ["404"] : []))
    #expect(!report.findings.contains { $0.rule == .truncatedConnection } && report.reasons.isEmpty)
  }

  @Test("the server closes a live WebSocket once the client has sent Close (RFC 6455 section 7.1.1)")
  func webSocket() throws {
    let loop = EmbeddedEventLoop()
    let channel = EmbeddedChannel(handler: connection(), loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 4433)).wait()
    let request =
      "GET /chat HTTP/1.1\r\nHost: api.example\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    try channel.writeInbound(ByteBuffer(string: request))
    let response = try #require(try channel.readOutbound(as: ByteBuffer.self))
    #expect(String(buffer: response).hasPrefix("HTTP/1.1 101 "))
    #expect(String(buffer: response).contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
    // Unsolicited Pongs (RFC 6455 section 5.5.3), each within the timeout: an open WebSocket has no total limit.
    for _ in 1...10 {
      try channel.writeInbound(ByteBuffer(bytes: [0x8a, 0x80, 0, 0, 0, 0]))
      loop.advanceTime(by: .seconds(20))
    }
    #expect(channel.isActive)
    try channel.writeInbound(ByteBuffer(bytes: [0x88, 0x82, 0x37, 0xfa, 0x21, 0x3d, 0x34, 0x12]))
    #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(bytes: [0x88, 0x02, 0x03, 0xe8]))
    loop.advanceTime(by: .seconds(4))
    #expect(!channel.isActive)
    let report = try #require(reports.withLockedValue { $0 }.first)
    #expect(report.ending == .served && report.finisher == .server && report.exchanges.map(\.status) == ["101"])
  }

  @Test("a client that leaves without close_notify after the handshake is reported as truncating")
  func cut() throws {
    let loop = EmbeddedEventLoop()
    let visitor = try visitor(loop)
    try visitor.channel.close().wait()
    let report = try #require(reports.withLockedValue { $0 }.first)
    #expect(report.ending == .abandoned && report.finisher == .client)
    #expect(report.reasons.map(\.rule) == [.truncatedConnection])
  }

  /// A server that has read a ClientHello, and whose response was read.
  private func halfway() throws -> (EmbeddedEventLoop, EmbeddedChannel) {
    let loop = EmbeddedEventLoop()
    let channel = EmbeddedChannel(handler: connection(), loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 4433)).wait()
    var client = Connection(
      ClientConfiguration(host: "api.example", random: RandomStreams(seed: .number(1), party: "client")))
    for case .send(let message) in client.start() { try channel.writeInbound(ByteBuffer(bytes: message.bytes)) }
    while try channel.readOutbound(as: ByteBuffer.self) != nil {}
    return (loop, channel)
  }

  @Test("a client that closes during a handshake receives close_notify (RFC 5246 section 7.2.1)")
  func closedEarly() throws {
    let (loop, channel) = try halfway()
    let closeNotify: [UInt8] = [21, 3, 3, 0, 2, 1, 0]
    try channel.writeInbound(ByteBuffer(bytes: closeNotify))
    #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(bytes: closeNotify))
    loop.advanceTime(by: .seconds(4))
    #expect(!channel.isActive)
    let report = try #require(reports.withLockedValue { $0 }.first)
    #expect(report.ending == .abandoned && report.reasons.map(\.rule) == [.closedEarly])
    #expect(report.reasons.map(\.required) == [.word("a complete handshake")])
  }

  @Test(
    "a server that times out during a handshake sends nothing protected, and reports itself")
  func unfinished() throws {
    let (loop, channel) = try halfway()
    loop.advanceTime(by: .seconds(31))
    #expect(!channel.isActive)
    #expect(try channel.readOutbound(as: ByteBuffer.self) == nil)
    let report = try #require(reports.withLockedValue { $0 }.first)
    #expect(report.ending == .timedOut && report.finisher == .server && report.reasons.isEmpty)
  }

  @Test("a TLS server is reachable under its own name and at the connection's address")
  func ownNames() {
    let now = Instant(secondsSince1970: 0)
    let here = host("api.example").endpoint(isSecure: true, at: "192.0.2.7", now: now, tellsSecrets: false)
    #expect(here.configuration.names == ["api.example", "192.0.2.7"])
    let nowhere = host("api.example").endpoint(isSecure: true, at: nil, now: now, tellsSecrets: false)
    #expect(nowhere.configuration.names == ["api.example"])
  }

  @Test(
    "an IPv6 address before a port is written in brackets (RFC 5952 section 6)",
    arguments: [
      ("::1", "[::1]:42152", "::1"), ("127.0.0.1", "127.0.0.1:42152", "127.0.0.1"),
      ("::ffff:192.0.2.7", "[::ffff:192.0.2.7]:42152", "192.0.2.7"),
    ])
  func written(_ address: String, _ text: String, _ host: String) throws {
    let place = try SocketAddress(ipAddress: address, port: 42152)
    #expect(place.text == text && place.host == host)
  }

  @Test("the server name selects the host, in any case; without one the first is used")
  func names() {
    let hosts = LiveHosts(["api.example", "Shop.example", "shop.EXAMPLE"].map(host))
    #expect(hosts["API.example"]?.name == "api.example")
    #expect(hosts["shop.example"]?.name == "Shop.example")
    #expect(hosts["nobody.example"]?.name == "api.example" && hosts[nil]?.name == "api.example")
    #expect(LiveHosts([])["api.example"] == nil)
  }
}

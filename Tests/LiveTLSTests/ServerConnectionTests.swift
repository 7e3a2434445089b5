import Cryptography
import Endpoint
import Explanation
import NIOConcurrencyHelpers
import NIOCore
import NIOEmbedded
import TLS
import Testing

@testable import LiveTLS

@Suite("One connection to a live server")
struct ServerConnectionTests {
  /// What was told of the connections that ended.
  private let reports = NIOLockedValueBox<[ConnectionReport]>([])

  private func host(_ name: String) -> LiveHost {
    let tls = ServerConfiguration(
      certificates: [[0x30, 0]], privateKey: .ec(KeyStore().ecKey(owner: "tests", curve: .p256)),
      privateKeyName: "api.key", random: RandomStreams(seed: .number(1), party: "server"))
    return LiveHost(
      name: name, origin: "tests", ServerEndpoint.Configuration(tls: tls, certificates: [], answers: .own([:])))
  }

  private func connection() -> ServerConnection {
    let reports = reports
    return ServerConnection(
      number: 1, hosts: LiveHosts([host("api.example")]), .init(), clock: { Instant(secondsSince1970: 0) },
      report: { report in reports.withLockedValue { $0.append(report) } })
  }

  /// Opens a connection on `loop`, says a ClientHello and goes. The connection, where anything still holds it.
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

  @Test("a client that goes in the middle of a handshake is told of at once, and nothing waits for it")
  func gone() throws {
    let loop = EmbeddedEventLoop()
    weak let held = try visit(loop)
    #expect(held == nil, "a timer of the loop holds the connection")
    let told = reports.withLockedValue { $0 }
    let report = try #require(told.first)
    #expect(told.count == 1)
    #expect(report.host?.name == "api.example" && report.isSecure)
    // The client was the first to end it: RFC 5246 section 7.2.1 calls a connection cut that ends without close_notify.
    #expect(report.finisher == .client)
    #expect(report.findings.contains { $0.rule == .truncatedConnection && $0.outcome == .violated })
  }

  @Test("a client that says nothing is waited for as long as was said")
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

  @Test("the name that is asked for chooses the host, in any case; who asks for none gets the first")
  func names() {
    let hosts = LiveHosts(["api.example", "Shop.example", "shop.EXAMPLE"].map(host))
    #expect(hosts["API.example"]?.name == "api.example")
    #expect(hosts["shop.example"]?.name == "Shop.example")
    #expect(hosts["nobody.example"]?.name == "api.example" && hosts[nil]?.name == "api.example")
    #expect(LiveHosts([])["api.example"] == nil)
  }
}

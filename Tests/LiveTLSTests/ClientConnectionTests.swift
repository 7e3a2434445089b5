import Endpoint
import Explanation
import NIOCore
import NIOEmbedded
import TLS
import Testing
import Trust
import URLLoading

@testable import LiveTLS

@Suite("A connection to a real server")
struct ClientConnectionTests {
  private let loop = EmbeddedEventLoop()

  /// A client with a timeout of two seconds that has sent its hello, and its result.
  private func connection() throws -> (channel: EmbeddedChannel, result: EventLoopFuture<LiveConversation>) {
    let os = OSVersion(.iOS, 18)
    let load = AppTransportSecurity.Load(try LoadURL("https://api.example/"), os: os)
    let tls = ClientConfiguration(host: "api.example", random: RandomStreams(seed: .number(1), party: "client"))
    let trust = TrustEvaluator(
      TrustRequirements(os: os, date: Instant(secondsSince1970: 0), store: TrustStore(system: [])))
    let endpoint = ClientEndpoint(
      .init(load, tls: tls, trust: trust))
    var client = LiveClient(.init(host: "api.example", port: 443))
    client.timeout = 2
    let result = loop.makePromise(of: LiveConversation.self)
    let here = ClientConnection(endpoint, client, clock: { Instant(secondsSince1970: 0) }, result: result)
    let channel = EmbeddedChannel(handler: here, loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
    return (channel, result.futureResult)
  }

  @Test("a server that sends slowly has six times the timeout, and its bytes are reported")
  func dripping() throws {
    let (channel, result) = try connection()
    // The beginning of a record with a ServerHello (RFC 5246 sections 6.2.1 and 7.4.1.3).
    for byte: UInt8 in [22, 3, 3, 0, 100, 2, 0, 0, 96, 3, 3] {
      loop.advanceTime(by: .seconds(1))
      try channel.writeInbound(ByteBuffer(bytes: [byte]))
    }
    #expect(channel.isActive)
    loop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
    let conversation = try result.wait()
    #expect(conversation.ending == .outOfTime(seconds: 12) && conversation.hasTimedOut)
    let decision = try #require(conversation.exhaustion)
    guard case .probe(.outOfTime(let seconds, let byteCount, let messages, let awaited)) = decision.event else {
      Issue.record("\(decision)")
      return
    }
    #expect(seconds == 12 && byteCount == 11 && messages.isEmpty && awaited == ["ServerHello"])
    #expect(decision.findings.map(\.outcome) == [.notApplicable])
  }

  @Test("the timeout applies to each silence, and not to the complete exchange")
  func silent() throws {
    let (channel, result) = try connection()
    loop.advanceTime(by: .seconds(1))
    try channel.writeInbound(ByteBuffer(bytes: [22]))
    loop.advanceTime(by: .seconds(1))
    #expect(channel.isActive)
    loop.advanceTime(by: .seconds(1))
    #expect(!channel.isActive)
    let conversation = try result.wait()
    #expect(conversation.ending == .timedOut && conversation.hasTimedOut && conversation.exhaustion == nil)
  }
}

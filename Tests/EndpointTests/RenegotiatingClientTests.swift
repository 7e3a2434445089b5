import Cryptography
import Explanation
import Laboratory
import Oracles
import Testing
import Trust
import URLLoading

@testable import Endpoint
@testable import TLS

@Suite("A response during renegotiation")
struct RenegotiatingClientTests {
  /// A complete TLS client and server without certificates, so that none has to be evaluated.
  private struct Meeting {
    var client: ClientEndpoint
    var server: Connection
    /// The names of the messages that the client has sent.
    var said: [String] = []
    /// Whether the server's connection is closed.
    private(set) var isClosed = false
    private(set) var failures: [Rule] = []

    init() throws {
      let os = OSVersion(.iOS, 18)
      let load = AppTransportSecurity.Load(try LoadURL("https://api.example/"), os: os)
      let trust = TrustEvaluator(
        TrustRequirements(os: os, date: Instant(secondsSince1970: 0), store: TrustStore(system: [])))
      let suites = [CipherSuite(name: "TLS_DH_anon_WITH_AES_128_CBC_SHA")].compactMap(\.self)
      var tls = ClientConfiguration(host: "api.example", random: RandomStreams(seed: .number(1), party: "client"))
      (tls.cipherSuites, tls.renegotiation) = (suites, .secure)
      var other = ServerConfiguration(
        certificates: [], privateKey: .ec(KeyStore.ecKey(owner: "tests", curve: .p256)), privateKeyName: "api.key",
        random: RandomStreams(seed: .number(1), party: "server"))
      (other.cipherSuites, other.renegotiation) = (suites, .secure)
      client = ClientEndpoint(
        .init(load, tls: tls, trust: trust))
      server = Connection(other)
      hear(client.startTLS())
      said = []
    }

    /// Applies the client's effects, and delivers all messages until both sides wait.
    mutating func hear(_ effects: [EndpointEffect]) {
      for case .send(let transmission) in effects {
        if let message = transmission.message { said.append(message.name.description) }
        take(server.receive(transmission.bytes))
      }
    }

    private mutating func take(_ effects: [ConnectionEffect]) {
      for effect in effects {
        switch effect {
        case .send(let message): hear(client.receive(message.bytes))
        case .closed: isClosed = true
        case .failed(let failure): failures.append(failure.finding.rule)
        default: break
        }
      }
    }
  }

  private static func bytes(_ effects: [ConnectionEffect]) -> [UInt8] {
    effects.flatMap { if case .send(let message) = $0 { message.bytes } else { [UInt8]() } }
  }

  private static let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)

  @Test(
    "a response before a server's renegotiation is read afterwards, and close_notify is last",
    arguments: [true, false])
  func pipelined(_ renegotiates: Bool) throws {
    var meeting = try Meeting()
    var bytes = Self.bytes(meeting.server.send(Self.response))
    if renegotiates { bytes += Self.bytes(meeting.server.renegotiate()) }
    let effects = meeting.client.receive(bytes)
    #expect((meeting.client.content == nil) == renegotiates)
    meeting.hear(effects)
    let handshake = ["ClientHello", "ClientKeyExchange", "ChangeCipherSpec", "Finished"]
    #expect(meeting.said == (renegotiates ? handshake : []) + ["Alert"])
    #expect(meeting.client.content == Array("hello".utf8) && meeting.client.hasEnded)
    #expect(meeting.isClosed && meeting.failures.isEmpty)
  }

  @Test("a repeated request due to such a response is sent after the renegotiation")
  func askedAgain() throws {
    var meeting = try Meeting()
    let opening = "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"a\"\r\nContent-Length: 0\r\n\r\n"
    let bytes =
      Self.bytes(meeting.server.send(Array(opening.utf8))) + Self.bytes(meeting.server.renegotiate())
    let effects = meeting.client.receive(bytes)
    #expect(!meeting.client.hasEnded)
    meeting.hear(effects)
    #expect(meeting.client.refusal == 401 && meeting.client.hasEnded && meeting.said.last == "Alert")
    #expect(meeting.isClosed && meeting.failures.isEmpty)
  }

  @Test("a response is complete even if the connection ends before the renegotiation does")
  func cut() throws {
    var meeting = try Meeting()
    let bytes =
      Self.bytes(meeting.server.send(Self.response)) + Self.bytes(meeting.server.renegotiate())
      + Self.bytes(meeting.server.close())
    _ = meeting.client.receive(bytes)
    #expect(meeting.client.content == Array("hello".utf8) && meeting.client.isOver)
  }

  @Test("data beyond a limit is read at once, not after the renegotiation")
  func bound() throws {
    let most = ClientEndpoint.mostUnread
    for (count, isRead) in [(most, false), (most + 1, true)] {
      var meeting = try Meeting()
      _ = meeting.client.receive(Self.bytes(meeting.server.renegotiate()))
      let head = Array("HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n".utf8)
      _ = meeting.client.effects(
        of: [.applicationData(head + [UInt8](repeating: 32, count: count - head.count))])
      #expect(meeting.client.isReading == isRead)
    }
  }
}

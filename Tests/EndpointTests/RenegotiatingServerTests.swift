import Cryptography
import Explanation
import Laboratory
import Oracles
import Testing

@testable import Endpoint
@testable import TLS

@Suite("Requests during renegotiation")
struct RenegotiatingServerTests {
  /// A TLS client and a complete server, which responds to `/a` and `/b`.
  private struct Meeting {
    var client: Connection
    var server: ServerEndpoint
    let key: PublicKey
    /// The data that the client sends right after the ClientHello of a renegotiation, under the previous keys.
    var interleaved: [UInt8] = []
    /// The text that the client has read.
    private(set) var text = ""
    private(set) var failures: [Rule] = []
    private var hasStood = false

    init(_ occasion: RenegotiationOccasion) {
      let own = PrivateKey.ec(KeyStore.ecKey(owner: "tests", curve: .p256))
      var tls = ServerConfiguration(
        certificates: [[0x30, 0]], privateKey: own, privateKeyName: "api.key",
        random: RandomStreams(seed: .number(1), party: "server"))
      tls.renegotiation = .secure
      var configuration = ServerEndpoint.Configuration(
        tls: tls, certificates: [], answers: .own(["GET /a": .content("first"), "GET /b": .content("second")]))
      (configuration.keepsAlive, configuration.renegotiates) = (true, occasion)
      server = ServerEndpoint(configuration, isSecure: true)
      var settings = ClientConfiguration(
        host: "api.example", random: RandomStreams(seed: .number(1), party: "client"))
      settings.renegotiation = .secure
      client = Connection(settings)
      key = own.publicKey
      pass(client.start())
    }

    /// Applies the client's effects, and delivers all messages until both sides wait.
    mutating func pass(_ effects: [ConnectionEffect]) {
      for effect in effects {
        switch effect {
        case .send(let message):
          let bytes = message.bytes + dataBehind(message)
          hear(server.receive(bytes))
        case .evaluateCertificate: pass(client.certificateEvaluated(.accepted(key)))
        case .connected: hasStood = true
        case .applicationData(let bytes): text += String(decoding: bytes, as: UTF8.self)
        case .failed(let failure): failures.append(failure.finding.rule)
        default: break
        }
      }
    }

    mutating func hear(_ effects: [EndpointEffect]) {
      for case .send(let transmission) in effects { pass(client.receive(transmission.bytes)) }
    }

    private mutating func dataBehind(_ message: ProtocolMessage) -> [UInt8] {
      guard hasStood, message.name == .handshake(.clientHello), !interleaved.isEmpty else { return [] }
      defer { interleaved = [] }
      return Self.bytes(client.outgoing.applicationData(interleaved).effects)
    }

    static func bytes(_ effects: [ConnectionEffect]) -> [UInt8] {
      effects.flatMap { if case .send(let message) = $0 { message.bytes } else { [UInt8]() } }
    }

    /// The contents of the responses, in order.
    var contents: [String] {
      text.components(between: "HTTP/1.1 200 OK\r\n").map { $0.hasSuffix("first") ? "first" : "second" }
    }
  }

  private static func request(_ path: String, _ more: String = "") -> [UInt8] {
    Array("GET \(path) HTTP/1.1\r\nHost: api.example\r\n\(more)\r\n".utf8)
  }

  private static let last = "Connection: close\r\n"

  @Test(
    "requests in one chunk get responses in order, with or without renegotiation (RFC 9112 section 9.3.2)",
    arguments: [RenegotiationOccasion.everyRequest, .paths(["/b"]), .never])
  func pipelined(_ occasion: RenegotiationOccasion) {
    var meeting = Meeting(occasion)
    meeting.pass(meeting.client.send(Self.request("/a") + Self.request("/b", Self.last)))
    #expect(meeting.contents == ["first", "second"] && meeting.failures.isEmpty, "\(meeting.text)")
    #expect(meeting.server.exchanges.map(\.request) == ["GET /a", "GET /b"] && meeting.server.hasEnded)
    #expect(meeting.server.hasRenegotiated == (occasion != .never))
  }

  @Test("a request after a renegotiation's ClientHello gets its response afterwards (RFC 5246 section 6.2.1)")
  func interleaved() {
    for occasion in [RenegotiationOccasion.everyRequest, .never] {
      var meeting = Meeting(occasion)
      meeting.interleaved = Self.request("/b", Self.last)
      if occasion == .never { meeting.pass(meeting.client.renegotiate()) }
      meeting.pass(occasion == .never ? [] : meeting.client.send(Self.request("/a")))
      #expect(meeting.contents == (occasion == .never ? ["second"] : ["first", "second"]), "\(meeting.text)")
      #expect(meeting.failures.isEmpty && meeting.server.hasEnded)
    }
  }

  @Test("a request before a renegotiation's ClientHello gets a response under keys that the client has")
  func before() {
    var meeting = Meeting(.never)
    let request = Meeting.bytes(meeting.client.send(Self.request("/a")))
    meeting.hear(meeting.server.receive(request + Meeting.bytes(meeting.client.renegotiate())))
    #expect(meeting.contents == ["first"] && meeting.failures.isEmpty && meeting.client.isConnected)
    meeting.pass(meeting.client.send(Self.request("/b", Self.last)))
    #expect(meeting.contents == ["first", "second"] && meeting.server.hasEnded)
  }

  @Test("the data that waits for a renegotiation has a limit")
  func bound() {
    let most = ServerEndpoint.mostUnread
    for (count, isHeard) in [(most, true), (most + 1, false)] {
      var meeting = Meeting(.never)
      let hello = Meeting.bytes(meeting.client.renegotiate())
      _ = meeting.server.receive(hello)
      meeting.server.unread = [UInt8](repeating: 32, count: count)
      let effects = meeting.server.boundUnread()
      #expect(meeting.server.hasEnded == !isHeard && meeting.server.unread.isEmpty == !isHeard)
      #expect(effects.isEmpty == isHeard)
    }
  }
}

extension String {
  /// The text after each occurrence of `mark`.
  fileprivate func components(between mark: String) -> [String] {
    var found: [[UInt8]] = []
    var rest = Array(utf8)[...]
    let mark = Array(mark.utf8)
    while !rest.isEmpty {
      if rest.starts(with: mark) {
        found.append([])
        rest = rest.dropFirst(mark.count)
      } else if let byte = rest.popFirst(), !found.isEmpty {
        found[found.count - 1].append(byte)
      }
    }
    return found.map { String(decoding: $0, as: UTF8.self) }
  }
}

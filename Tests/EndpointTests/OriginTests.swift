import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX
import TLS
import Testing

@testable import Endpoint

@Suite("A request for another origin (RFC 9110 section 7.4)")
struct OriginTests {
  /// A TLS client and its server.
  private struct Talk {
    var client = Connection(
      ClientConfiguration(host: "api.example", random: RandomStreams(seed: .number(1), party: "client")))
    var server: ServerEndpoint
    let key: PublicKey
    /// The text that the server has sent inside the connection, and its decisions.
    var said = ""
    var decisions: [Decision] = []

    mutating func pass(_ effects: [ConnectionEffect]) {
      for effect in effects {
        switch effect {
        case .send(let message): take(server.receive(message.bytes))
        case .evaluateCertificate: pass(client.certificateEvaluated(.accepted(key)))
        case .applicationData(let bytes): said += String(decoding: bytes, as: UTF8.self)
        default: break
        }
      }
    }

    private mutating func take(_ effects: [EndpointEffect]) {
      for effect in effects {
        switch effect {
        case .send(let transmission): pass(client.receive(transmission.bytes))
        case .decided(let decision): decisions.append(decision)
        default: break
        }
      }
    }

    /// Sends a request and returns the response.
    mutating func ask(_ text: String) -> String {
      said = ""
      pass(client.send(Array(text.utf8)))
      return said
    }
  }

  /// A connection to a server with these names, whose certificate is for api.example and *.shop.example.
  private func talk(_ names: [String]? = ["own.example", "192.0.2.7", "fe80::1"]) throws -> Talk {
    let key = PrivateKey.ec(KeyStore.ecKey(owner: "tests", curve: .p256))
    var template = CertificateTemplate.server(
      DistinguishedName(commonName: "api.example"),
      names: [.dnsName("api.example"), .dnsName("*.shop.example"), .ipAddress([192, 0, 2, 1])],
      notBefore: Instant(secondsSince1970: 0), notAfter: Instant(secondsSince1970: 1_000_000_000))
    template.signatureScheme = .ecdsaSHA256
    var random = DeterministicRandom(seed: .number(1), label: "serial numbers")
    let leaf = try CertificateAuthority(root: template, key: key, random: &random).certificate
    var configuration = ServerEndpoint.Configuration(
      tls: ServerConfiguration(
        certificates: [leaf.der], privateKey: key, privateKeyName: "api.key",
        random: RandomStreams(seed: .number(1), party: "server")),
      certificates: [], answers: .own(["GET /": .content("hello")]))
    configuration.keepsAlive = true
    configuration.names = names
    var talk = Talk(server: ServerEndpoint(configuration, isSecure: true), key: key.publicKey)
    talk.pass(talk.client.start())
    try #require(talk.server.parameters != nil)
    return talk
  }

  private func request(_ target: String, host: String) -> String { "GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n" }

  @Test(
    "a request for a foreign host gets 421, and the next one its usual response",
    arguments: [
      ("/", "ren.example"), ("/", "ren.example:4433"), ("https://ren.example/", "api.example"),
      ("/", "a.b.shop.example"), ("/", "shop.example"), ("/", "192.0.2.9"), ("/", "[2001:db8::1]:4433"),
      ("/", "[fe80::2%25eth0]:8443"), ("https://[fe80::2%25eth0]:8443/", "api.example"),
    ])
  func misdirected(_ target: String, _ host: String) throws {
    var talk = try talk()
    #expect(talk.ask(request(target, host: host)).hasPrefix("HTTP/1.1 421 Misdirected Request\r\n"))
    guard case .server(.misdirected(request: _, .host))? = talk.decisions.last?.event else {
      Issue.record("\(talk.decisions)")
      return
    }
    #expect(talk.server.request == nil && !talk.server.hasEnded)
    #expect(talk.ask(request("/", host: "api.example")).hasSuffix("\r\n\r\nhello"))
    #expect(talk.server.exchanges.map(\.status) == ["421", "200"])
  }

  @Test(
    "a request for the certificate's, the server's or the machine's own name gets a response",
    arguments: [
      ("/", "api.example"), ("/", "API.example.:4433"), ("https://api.example/", "ren.example"),
      ("/", "a.shop.example"), ("/", "192.0.2.1:1"), ("/", "own.example"), ("/", "192.0.2.7"), ("/", "localhost:4433"),
      ("/", "127.0.0.1:4433"), ("/", "[::1]:4433"), ("/", ""),
      ("/", "[fe80::1]:8443"), ("/", "[fe80::1%25eth0]:8443"), ("https://[fe80::1%25eth0]:8443/", "api.example"),
    ])
  func own(_ target: String, _ host: String) throws {
    var talk = try talk()
    let said = talk.ask(request(target, host: host))
    #expect(said.hasPrefix("HTTP/1.1 200 OK\r\n") && said.hasSuffix("hello"), "\(said)")
  }

  @Test(
    "over TLS an http URL gets 421, and HTTP/1.0 without a host 200")
  func scheme() throws {
    var talk = try talk()
    #expect(talk.ask(request("http://api.example/", host: "api.example")).hasPrefix("HTTP/1.1 421 "))
    guard case .server(.misdirected(request: _, let origin))? = talk.decisions.last?.event else {
      Issue.record("\(talk.decisions)")
      return
    }
    #expect(origin == .scheme("http"))
    #expect(talk.ask("GET / HTTP/1.0\r\n\r\n").hasSuffix("\r\n\r\nhello"))
  }

  @Test("a connection with only such requests is eventually closed")
  func endless() throws {
    var talk = try talk()
    let asked = request("/", host: "ren.example")
    for _ in 0..<ServerEndpoint.mostExchanges { _ = talk.ask(asked) }
    #expect(!talk.server.hasEnded)
    #expect(talk.ask(asked).contains("\r\nConnection: close\r\n"))
    #expect(talk.server.hasEnded && talk.ask(asked).isEmpty)
  }

  @Test("a client that withholds its content gets 421 at once; content is no request")
  func expectation() throws {
    var talk = try talk()
    let head = "POST / HTTP/1.1\r\nHost: ren.example\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
    #expect(talk.ask(head).hasPrefix("HTTP/1.1 421 Misdirected Request\r\n") && talk.server.hasEnded)
    #expect(talk.ask("pay").isEmpty && talk.server.exchanges.map(\.status) == ["421"])
  }

  @Test("a simulated server responds for every host, and so does one of plain HTTP")
  func unasked() throws {
    var talk = try talk(nil)
    #expect(talk.ask(request("/", host: "ren.example")).hasSuffix("\r\n\r\nhello"))
    var configuration = talk.server.configuration
    configuration.names = ["api.example"]
    var plain = ServerEndpoint(configuration, isSecure: false)
    var said = ""
    for case .send(let sent) in plain.receive(Array(request("/", host: "ren.example").utf8)) {
      said += String(decoding: sent.bytes, as: UTF8.self)
    }
    #expect(said.hasSuffix("\r\n\r\nhello"))
  }
}

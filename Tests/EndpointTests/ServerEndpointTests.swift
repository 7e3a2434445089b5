import Cryptography
import Explanation
import TLS
import Testing

@testable import Endpoint

@Suite("A server of plain HTTP")
struct ServerEndpointTests {
  /// What a server answers to these bytes, and what it decides.
  private func answer(_ text: String) -> (sent: String, decisions: [Decision], server: ServerEndpoint) {
    let key = PrivateKey.ec(KeyStore().ecKey(owner: "tests", curve: .p256))
    var server = ServerEndpoint(
      .init(
        tls: ServerConfiguration(
          certificates: [], privateKey: key, privateKeyName: "api.key",
          random: RandomStreams(seed: .number(1), party: "server")),
        certificates: [], answers: .own(["GET /": .content("hello")])),
      isSecure: false)
    var (sent, decisions): (String, [Decision]) = ("", [])
    for byte in text.utf8 {
      for effect in server.receive([byte]) {
        switch effect {
        case .send(let transmission): sent += String(decoding: transmission.bytes, as: UTF8.self)
        case .decided(let decision): decisions.append(decision)
        default: break
        }
      }
    }
    return (sent, decisions, server)
  }

  @Test("a request of HTTP/1.0 whose lines end with LF alone is answered")
  func lineFeeds() {
    let (sent, decisions, server) = answer("GET / HTTP/1.0\n\n")
    #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\n") && sent.hasSuffix("\r\n\r\nhello"))
    #expect(decisions.isEmpty && server.request == HTTPRequest(path: "/"))
  }

  @Test("HEAD gets what GET would get, the fields without the content, and 404 where GET would get that")
  func head() {
    let sent = answer("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").sent
    #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(sent.contains("Content-Length: 5") && sent.hasSuffix("\r\n\r\n"))
    for request in ["HEAD /other", "GET /?q=1", "POST /"] {
      #expect(answer("\(request) HTTP/1.1\r\nHost: a\r\n\r\n").sent.hasPrefix("HTTP/1.1 404 "), "\(request)")
    }
  }

  @Test("what is no request gets a status that says why, once, and is not carried out")
  func malformed() {
    let (sent, decisions, server) = answer("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.0\r\n\r\n")
    #expect(sent.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && !sent.contains("200 OK"))
    #expect(decisions.flatMap(\.findings).map(\.rule) == [.malformedMessage])
    #expect(server.request == nil)
  }
}

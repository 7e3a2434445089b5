import Cryptography
import Explanation
import Laboratory
import Oracles
import TLS
import Testing

@testable import Endpoint

@Suite("A server of plain HTTP")
struct ServerEndpointTests {
  private func server(_ answers: [String: HTTPAnswer] = ["GET /": .content("hello")]) -> ServerEndpoint {
    let key = PrivateKey.ec(KeyStore.ecKey(owner: "tests", curve: .p256))
    return ServerEndpoint(
      .init(
        tls: ServerConfiguration(
          certificates: [], privateKey: key, privateKeyName: "api.key",
          random: RandomStreams(seed: .number(1), party: "server")),
        certificates: [], answers: .own(answers)),
      isSecure: false)
  }

  /// The output of `server` for these bytes.
  private func said(_ text: String, to server: inout ServerEndpoint) -> String {
    server.receive(Array(text.utf8)).reduce(into: "") { said, effect in
      if case .send(let transmission) = effect { said += String(decoding: transmission.bytes, as: UTF8.self) }
    }
  }

  /// A server's response to these bytes, and its decisions.
  private func answer(_ text: String) -> (sent: String, decisions: [Decision], server: ServerEndpoint) {
    var server = server()
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

  @Test("a request of HTTP/1.0 whose lines end with LF gets a response")
  func lineFeeds() {
    let (sent, decisions, server) = answer("GET / HTTP/1.0\n\n")
    #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\n") && sent.hasSuffix("\r\n\r\nhello"))
    #expect(decisions.isEmpty && server.request == HTTPRequest(path: "/"))
  }

  @Test("HEAD gets the fields of GET without the content, and 404 if GET would")
  func head() {
    let sent = answer("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").sent
    #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\n"))
    #expect(sent.contains("Content-Length: 5") && sent.hasSuffix("\r\n\r\n"))
    for request in ["HEAD /other", "GET /?q=1", "POST /other"] {
      #expect(answer("\(request) HTTP/1.1\r\nHost: a\r\n\r\n").sent.hasPrefix("HTTP/1.1 404 "), "\(request)")
    }
  }

  @Test("an unsupported method gets 405 with the supported ones (RFC 9110 section 15.5.6)")
  func method() {
    let sent = answer("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n").sent
    #expect(sent.hasPrefix("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\n"), "\(sent)")
    #expect(answer("GET / HTTP/1.1\r\nHost: a\r\n\r\n").sent.hasPrefix("HTTP/1.1 200 OK\r\n"))
    // OPTIONS * is about the server as a whole (RFC 9110 section 9.3.7).
    #expect(
      answer("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").sent.hasPrefix("HTTP/1.1 405 Method Not Allowed\r\nAllow: "))
    // Unknown methods, and a tunnel (RFC 9110 section 9.1).
    for line in ["FOO /", "get /", "CONNECT a:443"] {
      #expect(answer("\(line) HTTP/1.1\r\nHost: a\r\n\r\n").sent.hasPrefix("HTTP/1.1 501 "), "\(line)")
    }
  }

  @Test("an invalid request gets one status for its fault, and is not executed")
  func malformed() {
    let (sent, decisions, server) = answer("GET / HTTP/1.1\r\n\r\nGET / HTTP/1.0\r\n\r\n")
    #expect(sent.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && !sent.contains("200 OK"))
    #expect(decisions.flatMap(\.findings).map(\.rule) == [.malformedMessage])
    #expect(server.request == nil)
  }

  @Test("absolute-form and a higher minor version are accepted, an invalid Host is not")
  func targets() {
    for line in ["GET http://a/ HTTP/1.1", "GET https://a HTTP/1.1", "GET / HTTP/1.2"] {
      let (sent, decisions, server) = answer("\(line)\r\nHost: a\r\n\r\n")
      #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\n") && sent.hasSuffix("\r\n\r\nhello"), "\(line)")
      #expect(decisions.isEmpty && server.request == HTTPRequest(path: "/"), "\(line)")
    }
    #expect(answer("GET http://a/other HTTP/1.1\r\nHost: a\r\n\r\n").sent.hasPrefix("HTTP/1.1 404 "))
    let (sent, decisions, server) = answer("GET / HTTP/1.1\r\nHost: a b\r\n\r\n")
    #expect(sent.hasPrefix("HTTP/1.1 400 Bad Request\r\n") && server.request == nil)
    #expect(decisions.flatMap(\.findings).map(\.rule) == [.malformedMessage])
  }

  @Test("Transfer-Encoding is sent to HTTP/1.1 clients, never to HTTP/1.0 (RFC 9112 section 6.1)")
  func transferCoding() {
    let content = ["GET /": HTTPAnswer.parts(["he", "llo"], .chunked)]
    for method in ["GET", "HEAD"] {
      var old = server(content)
      let sent = said("\(method) / HTTP/1.0\r\n\r\n", to: &old)
      #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\n") && sent.contains("\r\nContent-Length: 5\r\n"), "\(sent)")
      #expect(!sent.lowercased().contains("transfer-encoding"), "\(sent)")
      #expect(sent.hasSuffix(method == "GET" ? "\r\n\r\nhello" : "\r\n\r\n"), "\(sent)")
      var new = server(content)
      let chunked = said("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n", to: &new)
      #expect(chunked.contains("\r\nTransfer-Encoding: chunked\r\n") && !chunked.contains("Content-Length"))
      #expect(chunked.hasSuffix(method == "GET" ? "\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n" : "\r\n\r\n"))
    }
  }

  private func head(_ line: String, _ fields: String...) -> String {
    "\(line)\r\nHost: a\r\nExpect: 100-Continue\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  @Test(
    "a client that waits with its content gets 100 at once (RFC 9110 section 10.1.1)",
    arguments: [("Content-Length: 3", "pay"), ("Transfer-Encoding: chunked", "3\r\npay\r\n0\r\n\r\n")])
  func expectation(_ field: String, _ content: String) {
    var server = server(["POST /": .content("paid")])
    #expect(said(head("POST / HTTP/1.1", field), to: &server) == "HTTP/1.1 100 Continue\r\n\r\n")
    #expect(server.request == nil && server.exchanges.isEmpty)
    let middle = content.utf8.count / 2
    #expect(said(String(content.prefix(middle)), to: &server).isEmpty)
    let sent = said(String(content.dropFirst(middle)), to: &server)
    #expect(sent.hasPrefix("HTTP/1.1 200 OK\r\n") && sent.hasSuffix("\r\n\r\npaid"))
    #expect(server.request == HTTPRequest(method: "POST", path: "/", body: "pay"))
    #expect(server.exchanges.map(\.request) == ["POST /"])
  }

  @Test("no 100 (Continue) is sent if no content waits for it (RFC 9110 section 10.1.1)")
  func noExpectation() {
    let requests = [
      head("GET / HTTP/1.1"), head("GET / HTTP/1.1", "Content-Length: 0"),
      head("GET / HTTP/1.1", "Content-Length: 3") + "pay", head("GET / HTTP/1.1", "Content-Length: 3") + "p",
      head("GET / HTTP/1.0", "Content-Length: 3"),
    ]
    for request in requests {
      var server = server()
      #expect(!said(request, to: &server).contains("100 Continue"), "\(request)")
    }
  }

  @Test("a client whose waiting content would be refused gets only the final status")
  func refusedExpectation() {
    var server = server()
    let sent = said(head("POST /pay HTTP/1.1", "Content-Length: 18"), to: &server)
    #expect(sent.hasPrefix("HTTP/1.1 404 Not Found\r\n") && sent.contains("\r\nConnection: close\r\n"))
    #expect(server.hasEnded && server.exchanges.map(\.status) == ["404"])
    #expect(server.exchanges.map(\.request) == ["POST /pay"])
    #expect(said("GET / HTTP/1.0\r\n\r\n", to: &server).isEmpty)
    // RFC 9110 section 15.5.6: the target exists, and has other methods.
    var other = self.server(["GET /": .content("hello")])
    let refused = said(head("POST / HTTP/1.1", "Content-Length: 18"), to: &other)
    #expect(refused.hasPrefix("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\n"), "\(refused)")
    #expect(other.hasEnded && other.exchanges.map(\.status) == ["405"])
  }
}

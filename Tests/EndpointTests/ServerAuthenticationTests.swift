import Cryptography
import Explanation
import Laboratory
import Oracles
import PKIX
import TLS
import Testing
import Trust
import URLLoading

@testable import Endpoint

@Suite("HTTP authentication by a server")
struct ServerAuthenticationTests {
  private func server(
    _ schemes: [HTTPAuthenticationScheme], after earlier: ServerEndpoint? = nil, lockAfter: Int? = nil
  ) -> ServerEndpoint {
    let key = PrivateKey.ec(KeyStore.ecKey(owner: "tests", curve: .p256))
    var configuration = ServerEndpoint.Configuration(
      tls: ServerConfiguration(
        certificates: [], privateKey: key, privateKeyName: "api.key",
        random: RandomStreams(seed: .number(1), party: "server")),
      certificates: [], answers: .own(["GET /": .content("hello")]))
    configuration.authenticator =
      earlier?.authenticator
      ?? HTTPAuthenticator(
        .init(schemes: schemes, realm: "mobile", users: ["alice": "secret"], lockAfter: lockAfter),
        random: DeterministicRandom(seed: .number(1), label: "nonce"))
    return ServerEndpoint(configuration, isSecure: false)
  }

  @Test("rules about client certificates mention clients, and cite RFC 5246 for them")
  func clientRules() throws {
    let rules = Dictionary(uniqueKeysWithValues: Rule.endpoint.map { ($0.id, $0) })
    for name in ["no-issuer", "leaf-not-first", "issuer-fetched"] {
      let rule = try #require(rules["client-auth.\(name)"])
      #expect(rule.clause == .rfc(5246, "7.4.6") && rule.statement.contains("client"), "\(name)")
    }
    for rule in Rule.clientChain {
      #expect(!rule.statement.contains("TLS servers") && !rule.statement.contains("A server "), "\(rule.id)")
      #expect(!rule.statement.contains("The server"), "\(rule.id)")
    }
    // The rules for server certificates are unchanged.
    #expect(Rule.leafNotFirst.clause == .rfc(5246, "7.4.2") && Rule.noIssuer.clause == .rfc(5246, "7.4.2"))
  }

  private func send(_ text: String, to server: inout ServerEndpoint) -> (sent: String, rules: [Rule]) {
    var (sent, rules): (String, [Rule]) = ("", [])
    for effect in server.receive(Array(text.utf8)) {
      switch effect {
      case .send(let transmission): sent += String(decoding: transmission.bytes, as: UTF8.self)
      case .decided(let decision): rules += decision.findings.filter { $0.outcome == .violated }.map(\.rule)
      default: break
      }
    }
    return (sent, rules)
  }

  private func request(_ fields: String...) -> String {
    "GET / HTTP/1.1\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  private let right = "Authorization: Basic YWxpY2U6c2VjcmV0"
  private let wrong = "authorization: basic YWxpY2U6d3Jvbmc="

  @Test("401 keeps the connection, and the same request succeeds with a credential")
  func again() {
    var server = server([.basic])
    let first = send(request(), to: &server)
    #expect(first.sent.hasPrefix("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=\"mobile\"\r\n"))
    #expect(!first.sent.contains("Connection: close") && first.rules == [.unauthorized] && server.request == nil)
    let second = send(request(wrong), to: &server)
    #expect(second.sent.hasPrefix("HTTP/1.1 401") && server.authenticator?.failures == ["alice": 1])
    let third = send(request(right), to: &server)
    #expect(third.sent.hasPrefix("HTTP/1.1 200 OK") && third.rules.isEmpty && server.request?.line == "GET /")
  }

  @Test("a client that closes the connection gets the 401, and repeats on another one")
  func closes() {
    var first = server([.basic], lockAfter: 2)
    let refused = send(request(wrong, "Connection: close"), to: &first)
    #expect(refused.sent.contains("\r\nConnection: close\r\n"))
    #expect(send(request(right), to: &first).sent.isEmpty && first.request == nil)
    var second = server([.basic], after: first)
    #expect(send(request(wrong), to: &second).sent.hasPrefix("HTTP/1.1 403 Forbidden"))
    var third = server([.basic], after: second)
    let locked = send(request(right), to: &third)
    #expect(locked.sent.hasPrefix("HTTP/1.1 403 Forbidden") && locked.rules == [.accountLocked])
    #expect(third.request == nil)
  }

  @Test("each scheme has its own field, in the server's order")
  func fields() {
    var server = server([.negotiate, .ntlm, .digest, .basic])
    let sent = send(request(), to: &server).sent
    let schemes = sent.split(separator: "\r\n").filter { $0.hasPrefix("WWW-Authenticate: ") }
      .map { $0.split(separator: " ")[1] }
    #expect(schemes == ["Negotiate", "NTLM", "Digest", "Basic"])
  }

  @Test("several Authorization fields are invalid", arguments: ["", ", "])
  func several(separator: String) {
    var server = server([.basic])
    let fields = separator.isEmpty ? "\(right)\r\n\(right)" : "\(right), Basic YWxpY2U6c2VjcmV0"
    #expect(send(request(fields), to: &server).rules == [.malformedCredentials])
  }

  @Test("a client with Expect gets 401 before its content, and 100 once authenticated")
  func expectation() {
    let fields = ["Expect: 100-continue", "Content-Length: 3"]
    var server = server([.basic])
    let refused = send(request(fields[0], fields[1]), to: &server)
    #expect(refused.sent.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
    #expect(refused.sent.contains("\r\nConnection: close\r\n") && refused.rules == [.unauthorized])
    // alice:secret
    var next = self.server([.basic], after: server)
    let asked = send(request(fields[0], fields[1], "Authorization: Basic YWxpY2U6c2VjcmV0"), to: &next)
    #expect(asked.sent == "HTTP/1.1 100 Continue\r\n\r\n" && asked.rules.isEmpty)
    #expect(send("abc", to: &next).sent.hasPrefix("HTTP/1.1 200 OK\r\n"))
  }
}

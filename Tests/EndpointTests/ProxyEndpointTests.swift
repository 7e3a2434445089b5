import Cryptography
import Explanation
import Testing
import URLLoading

@testable import Endpoint

@Suite("A proxy")
struct ProxyEndpointTests {
  private func proxy(asks: Bool = true) -> ProxyEndpoint {
    var policy = HTTPAuthenticator.Policy(realm: "office", users: ["alice": "lunch"], lockAfter: 2)
    policy.isProxy = true
    let random = DeterministicRandom(seed: .number(1), label: "nonce")
    return ProxyEndpoint(
      .init(host: "proxy.example", port: 8080, authenticator: asks ? HTTPAuthenticator(policy, random: random) : nil))
  }

  private func text(_ effects: [EndpointEffect]) -> String {
    effects.map { effect in
      if case .send(let transmission) = effect { String(decoding: transmission.bytes, as: UTF8.self) } else { "" }
    }.joined()
  }

  private func rules(_ effects: [EndpointEffect]) -> [Rule] {
    effects.flatMap { effect -> [Rule] in
      guard case .decided(let decision) = effect else { return [] }
      return decision.findings.filter { $0.outcome == .violated }.map(\.rule)
    }
  }

  private let connect = "CONNECT api.example:443 HTTP/1.1\r\nHost: api.example:443\r\n"
  /// `alice:lunch` and `alice:dinner` in Base64, made with python3's base64.
  private let right = "Proxy-Authorization: Basic YWxpY2U6bHVuY2g=\r\n"
  private let wrong = "Proxy-Authorization: Basic YWxpY2U6ZGlubmVy\r\n"

  @Test("a proxy sends 407 with Proxy-Authenticate until the client authenticates, then opens the tunnel")
  func tunnel() {
    var proxy = proxy()
    let first = proxy.receive(Array((connect + "\r\n").utf8))
    #expect(
      text(first).hasPrefix(
        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"office\"\r\n"))
    #expect(rules(first) == [.proxyUnauthorized] && !proxy.isTunnel)
    // The proxy ignores the Authorization header, which is for the server.
    let other = proxy.receive(Array((connect + right.dropFirst("Proxy-".count) + "\r\n").utf8))
    #expect(text(other).hasPrefix("HTTP/1.1 407") && !proxy.isTunnel)
    let second = proxy.receive(Array((connect + right + "\r\n").utf8))
    #expect(text(second) == "HTTP/1.1 200 Connection Established\r\n\r\n" && rules(second).isEmpty && proxy.isTunnel)
  }

  @Test("wrong passwords lock an account of the proxy, even for the right one")
  func locked() {
    var proxy = proxy()
    for status in ["407", "403"] {
      #expect(text(proxy.receive(Array((connect + wrong + "\r\n").utf8))).hasPrefix("HTTP/1.1 \(status)"))
    }
    let last = proxy.receive(Array((connect + right + "\r\n").utf8))
    #expect(rules(last) == [.accountLocked] && !proxy.isTunnel)
  }

  @Test("a request for an http URL is forwarded without Proxy-Authorization, and the response returned")
  func passedOn() {
    var proxy = proxy()
    let request = "POST http://api.example/a?b HTTP/1.1\r\nHost: api.example\r\n\(right)Content-Length: 2\r\n\r\nhi"
    #expect(text(proxy.receive(Array(request.utf8))).isEmpty && !proxy.isTunnel)
    #expect(
      text(proxy.forward() ?? []) == "POST /a?b HTTP/1.1\r\nHost: api.example\r\nContent-Length: 2\r\n\r\nhi")
    #expect(proxy.forward() == nil && proxy.handBack() == nil)
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    proxy.receive(fromServer: Array(answer.utf8))
    #expect(text(proxy.handBack() ?? []) == answer)
  }

  @Test("an invalid proxy request gets 400, and an open proxy opens tunnels to every client")
  func others() {
    var open = proxy(asks: false)
    #expect(text(open.receive(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))).hasPrefix("HTTP/1.1 400"))
    #expect(text(open.receive(Array("nonsense\r\n\r\n".utf8))).hasPrefix("HTTP/1.1 400"))
    open = proxy(asks: false)
    #expect(text(open.receive(Array((connect + "\r\n").utf8))).hasPrefix("HTTP/1.1 200") && open.isTunnel)
  }

  @Test("after CONNECT, a 2xx response has no content, and a refusal has")
  func framing() throws {
    var reader = HTTPReader(.response(method: "CONNECT"))
    let agreed = try reader.append(Array("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n".utf8))
    #expect(agreed?.status == 200 && agreed?.content.isEmpty == true)
    reader = HTTPReader(.response(method: "CONNECT"))
    let head = try reader.append(Array("HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\n".utf8))
    #expect(head == nil)
    #expect(try reader.append(Array("no".utf8))?.content == Array("no".utf8))
  }
}

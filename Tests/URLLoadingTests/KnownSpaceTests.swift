import Cryptography
import Explanation
import Testing

@testable import URLLoading

@Suite("Known protection spaces")
struct KnownSpaceTests {
  private func client(_ challenge: String) -> HTTPAuthorization {
    var client = HTTPAuthorization(
      date: Instant(secondsSince1970: 0), random: DeterministicRandom(seed: .number(5), label: "cnonce"))
    _ = client.receive([challenge])
    client.use(UserPassword(user: "alice", password: "secret"))
    return client
  }

  @Test(
    "Basic is sent unasked to the requested directory and below it; Digest to the origin",
    arguments: [
      ("/mail/inbox", "/mail/outbox", true), ("/mail/inbox", "/mail/a/b", true), ("/mail/inbox", "/mailbox", false),
      ("/mail/inbox", "/news", false), ("/mail/", "/mail/a", true), ("/", "/news", true),
      ("/mail?a=/b/c", "/news", true), ("", "/news", true),
    ])
  func scope(learnt: String, asked: String, isCovered: Bool) {
    let basic = client("Basic realm=\"mobile\"")
    #expect(basic.covers(asked, learntAt: learnt) == isCovered)
    let digest = client("Digest realm=\"mobile\", nonce=\"n\", qop=\"auth\"")
    #expect(digest.covers(asked, learntAt: learnt))
  }

  @Test("the next load begins without failures, Digest with the next count, NTLM without state")
  func again() throws {
    var digest = client("Digest realm=\"mobile\", nonce=\"n\", qop=\"auth\"")
    #expect(digest.authorization(method: "GET", uri: "/")?.contains("nc=00000001") == true)
    var next = try #require(digest.again)
    #expect(next.failures == 0 && next.authorization(method: "GET", uri: "/b")?.contains("nc=00000002") == true)
    var basic = client("Basic realm=\"mobile\"")
    _ = basic.receive(["Basic realm=\"mobile\""])
    #expect(basic.failures == 1 && basic.again == nil)
    basic.use(UserPassword(user: "alice", password: "other"))
    #expect(basic.again?.failures == 0)
    #expect(client("NTLM").again == nil)
  }

  @Test("a proxy's space differs from a server's at the same address, and has no protocol")
  func proxies() {
    let server = ProtectionSpace(host: "proxy.example", port: 8080, protocol: nil, realm: "office", method: .httpBasic)
    var proxy = server
    proxy.proxyType = .https
    var other = proxy
    other.proxyType = .http
    #expect(proxy != server && proxy.differences(to: server) == ["isProxy"] && proxy.isProxy && !server.isProxy)
    #expect(proxy.differences(to: other) == ["proxyType"] && !proxy.receivesCredentialSecurely)
    #expect(
      ProtectionSpace.ProxyType.allCases.map(\.constant) == [
        "NSURLProtectionSpaceHTTPProxy", "NSURLProtectionSpaceHTTPSProxy", "NSURLProtectionSpaceFTPProxy",
        "NSURLProtectionSpaceSOCKSProxy",
      ])
  }
}

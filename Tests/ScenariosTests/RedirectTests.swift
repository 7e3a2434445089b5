import Oracles
import Scenarios
import Simulator
import Testing

@Suite("Redirects") struct RedirectTests {
  private static func world(_ content: String, _ more: String = "") -> String {
    """
    certificates: { both: { issuer: Issuing, names: [api.example, other.example] } }
    server: { presents: [both, Issuing] }
    servers:
      api.example: { content: { \(content) } }
      other.example: { content: { GET /: other, GET /new/page: page } }
    \(more)
    """
  }

  @Test("every hop is a named connection, and the load is judged by all of them")
  func hops() throws {
    let result = try Lab.play(
      Self.world("GET /: { redirect: 'https://other.example/' }", "expect: { verdict: accepted, content: other }"))
    #expect(result.judgement.mismatches.isEmpty)
    #expect(result.connections.map(\.name) == [nil, "hop2"])
    #expect(result.connections.map(\.url) == ["https://api.example/", "https://other.example/"])
    #expect(result.simulation.trace.values["hop2.master_secret"] != nil)
  }

  @Test("a redirect to an unplayable server is reported as that, not as a missing server")
  func unplayable() throws {
    let text = Self.world("GET /: { redirect: 'https://other.example/' }")
      .replacing("other.example: { content", with: "other.example: { alpn: [h2], content")
    #expect(try Lab.playing(text).map(\.message).show(["h2"]))
  }

  @Test("the response is one of HTTP, with its status and Location")
  func bytes() throws {
    let text = Self.world("GET /: { redirect: 'http://other.example/', status: 301 }", "client: { os: iOS 8 }")
    let trace = try Lab.play(text + "\nrequest: http://api.example/").simulation.trace
    let response = try #require(trace.steps.first { $0.message == .httpResponse })
    #expect(
      String(decoding: response.bytes, as: UTF8.self)
        == "HTTP/1.1 301 Moved Permanently\r\nLocation: http://other.example/\r\nContent-Length: 0\r\n"
        + "Connection: close\r\n\r\n")
  }

  @Test(
    "only 307 and 308 post the body again",
    arguments: [(301, "GET /new"), (302, "GET /new"), (303, "GET /new"), (307, "POST /new: 1"), (308, "POST /new: 1")])
  func methods(status: Int, second: String) throws {
    let text = """
      server: { content: { POST /old: { redirect: /new, status: \(status) }, GET /new: read, POST /new: posted } }
      requests: [{ url: "https://api.example/old", method: POST, body: "1" }]
      """
    let result = try Lab.play(text)
    #expect(result.outcome.executed == ["POST /old: 1", second])
    #expect(result.connections.map(\.name) == ["first", "first.hop2"])
  }

  @Test("a POST, then a GET of the same page, is no loop; a self-redirect is")
  func circles() throws {
    let again = """
      server: { content: { POST /page: { redirect: /page, status: 303 }, GET /page: read } }
      request: { url: "https://api.example/page", method: POST }
      """
    #expect(try Lab.play(again).outcome.verdict.word == .accepted)
    let circle = try Lab.play("server: { content: { GET /: { redirect: / } } }")
    #expect(circle.outcome.verdict.because.map(\.id) == ["application.redirect-loop"])
    #expect(circle.outcome.errors.map(\.code) == [-1007])
  }

  // Apple's documentation of URLError.httpTooManyRedirects: "currently 16".
  @Test("a load follows sixteen redirects, and not seventeen", arguments: [(16, true), (17, false)])
  func limit(count: Int, passes: Bool) throws {
    let ways = (1..<count).map { "GET /\($0): { redirect: /\($0 + 1) }" }.joined(separator: ", ")
    let result = try Lab.play(
      "server: { content: { GET /: { redirect: /1 }, \(ways), GET /\(count): last } }")
    #expect(result.outcome.verdict.because.map(\.id) == (passes ? [] : ["application.redirect-loop"]))
    #expect(result.connections.count == 17)
  }

  @Test("later loads follow the redirects of earlier ones, each judged by its own expectation")
  func several() throws {
    let text = Self.world(
      "GET /: { redirect: 'https://other.example/new/page' }, GET /a/b: { redirect: /a/c }, GET /a/c: last",
      """
      requests:
        - { url: "https://api.example/", expect: { verdict: accepted, content: page } }
        - { url: "https://api.example/a/b", expect: { verdict: accepted, content: last } }
      """)
    let result = try Lab.play(text)
    #expect(result.judgement.mismatches.isEmpty)
    #expect(result.connections.map(\.name) == ["first", "first.hop2", "second", "second.hop2"])
  }

  @Test("an attacker's redirect over plain HTTP leads to any host, even a missing one")
  func injected() throws {
    let text = { (host: String) in
      Self.world(
        "GET /: hello",
        """
        client: { os: iOS 8 }
        network: [{ alter: HTTP response, replace: { "200 OK": "302 Found\\r\\nLocation: http://\(host)/" } }]
        request: http://api.example/
        """)
    }
    let led = try Lab.play(text("other.example")).outcome
    // An attacker that changes the first response changes the second as well.
    #expect(led.verdict.because.map(\.id) == ["application.redirect-loop"])
    let lost = try Lab.play(text("nowhere.example")).outcome
    #expect(lost.verdict.because.map(\.id) == ["application.host-not-found"] && lost.errors.map(\.code) == [-1003])
  }
}

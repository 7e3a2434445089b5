import Scenarios
import Testing

@Suite("Attempts and hops have expectations")
struct PartExpectationTests {
  private static let fallback = """
    server: { versions: [TLSv1.0, TLSv1.1, TLSv1.2] }
    client: { os: iOS 8 }
    network: [eavesdrop, { drop: ClientHello, above: TLSv1.0 }]
    expect:
      verdict: refused
      layer: handshake
      because: [handshake.inappropriate-fallback]
      connections:
        attempt1: { verdict: hangs }
        attempt2: { verdict: refused, layer: handshake, because: [handshake.inappropriate-fallback] }
    """
  private static let redirect = """
    certificates: { all: { issuer: Issuing, names: [api.example, other.example] } }
    server: { presents: [all, Issuing] }
    servers:
      api.example: { content: { GET /: { redirect: "http://other.example/page" } } }
      other.example: { content: { GET /page: "the page" } }
    expect:
      verdict: refused
      layer: ats
      because: [ats.insecure-http]
      connections:
        hop1: { verdict: accepted, path: [all, Issuing, Root A] }
        hop2: { verdict: refused, layer: ats, because: [ats.insecure-http], path: [] }
    """

  @Test("each attempt of a fallback and each hop of a redirect is compared", arguments: [fallback, redirect])
  func passed(text: String) throws {
    #expect(try Lab.play(text).judgement.mismatches == [])
  }

  @Test("a mismatch names its part")
  func failed() throws {
    let attempt = Self.fallback.replacing("attempt1: { verdict: hangs }", with: "attempt1: { verdict: accepted }")
    #expect(try Lab.play(attempt).judgement.mismatches.map(\.path) == ["attempt1.verdict"])
    let hop = Self.redirect.replacing("path: []", with: "path: [all]")
    #expect(try Lab.play(hop).judgement.mismatches.map(\.path) == ["hop2.path"])
  }

  @Test("a part that does not happen fails")
  func missing() throws {
    let text = Self.fallback.replacing(
      "network: [eavesdrop, { drop: ClientHello, above: TLSv1.0 }]", with: "network: []")
    let mismatches = try Lab.play(text).judgement.mismatches
    #expect(mismatches.contains { $0.path == "attempt2" })
  }

  @Test("a part that cannot exist is an error")
  func unknown() throws {
    try BadText(
      "attempt", "client: { os: iOS 8 }\nexpect: { connections: { atempt1: {} } }", 2, 35,
      "'atempt1'", "'attempt1'"
    ).isTold()
    try BadText("hop", "expect: { connections: { hop2: {} } }", 1, 32, "'hop2'").isTold()
  }
}

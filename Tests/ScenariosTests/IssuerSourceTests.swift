import Advice
import Scenarios
import Simulator
import Testing
import Trust
import URLLoading

@Suite("Sources of issuers")
struct IssuerSourceTests {
  private static func play(_ changes: String) throws -> CaseResult {
    try Lab.play(
      """
      authorities:
        Root A:  { trust: system }
        Issuing: { issuer: Root A, pathLength: 0, caIssuers: "http://ca.example/issuing.cer" }
      certificates: { api: { issuer: Issuing, names: [api.example] } }
      server: { presents: [api] }
      client: { infoPlist: { NSAllowsArbitraryLoads: true } }
      expect: { verdict: accepted }
      cases: [{ name: changed, with: { \(changes) } }]
      """, "changed")
  }

  static let alone: [(String, [IssuerSource])] = [
    ("server.presents: [api, Issuing]", [.caller, .system]),
    ("server.presents: [api, Issuing, Root A]", [.caller, .caller]),
    ("client.serverTrust: { adds: [Issuing] }, client.fetchesIssuers: false", [.caller, .system]),
    ("client.serverTrust: { anchors: [Issuing] }, client.fetchesIssuers: false", [.anchors]),
    ("authorities.Issuing.trust: system, client.fetchesIssuers: false", [.system]),
    ("client.fetchesIssuers: true", [.network, .system]),
  ]

  @Test("each source alone leads to an anchor, in this order", arguments: alone)
  func leads(changes: String, sources: [IssuerSource]) throws {
    let outcome = try Self.play(changes).outcome
    #expect(outcome.verdict.word == .accepted)
    #expect(outcome.issuerSources == sources)
  }

  @Test("without any source there is no path", arguments: ["client.fetchesIssuers: false", "network: [block-issuers]"])
  func none(changes: String) throws {
    let outcome = try Self.play(changes).outcome
    #expect(outcome.verdict.because.map(\.id) == ["chain.no-issuer"])
    #expect(outcome.issuerSources == [])
  }

  @Test("only an issuer that no other source has is fetched, unencrypted, during the handshake")
  func fetch() throws {
    let steps = try Self.play("seed: 2").simulation.trace.steps
    let fetch = steps.filter(\.isFetch)
    #expect(fetch.map(\.message) == [.httpRequest, .httpResponse])
    #expect(fetch.map { $0.to?.name } == ["Issuing", "client"])
    #expect(
      String(decoding: fetch[0].bytes, as: UTF8.self).hasPrefix("GET /issuing.cer HTTP/1.1\r\nHost: ca.example\r\n"))
    let next = try #require(steps.first { $0.number == fetch[1].number + 1 })
    #expect(next.findings.contains { $0.rule.id == "chain.issuer-fetched" && !$0.refuses })
    #expect(try Self.play("server.presents: [api, Issuing]").simulation.trace.steps.filter(\.isFetch).isEmpty)
    let blocked = try Self.play("network: [block-issuers]").simulation.trace.steps.filter(\.isFetch)
    #expect(blocked.map(\.kind) == [.message, .decision])
  }

  @Test("a fetched issuer may need another fetch, and one with the wrong key is rejected")
  func further() throws {
    func outcome(_ fault: String) throws -> Outcome {
      try Lab.play(
        """
        authorities:
          Root A:  { trust: system }
          Middle:  { issuer: Root A, caIssuers: "http://ca.example/middle.cer" }
          Issuing: { issuer: Middle, caIssuers: "http://ca.example/issuing.cer"\(fault) }
        certificates: { api: { issuer: Issuing, names: [api.example] } }
        server: { presents: [api] }
        """
      ).outcome
    }
    #expect(try outcome("").issuerSources == [.network, .network, .system])
    #expect(try outcome(", break: issuer-key").verdict.because.map(\.id) == ["chain.signature-invalid"])
  }

  @Test("diagnostics of a server fetch the certificates that it does not send")
  func diagnostics() throws {
    func passes(_ location: String) throws -> Bool {
      let text = """
        authorities:
          Root A:  { trust: system }
          Issuing: { issuer: Root A\(location) }
        certificates: { api: { issuer: Issuing, names: [api.example] } }
        server: { presents: [api] }
        """
      let site = try Lab.player.site(of: try #require(try Lab.read(text).cases.first))
      let url = try LoadURL("https://api.example/")
      return AppTransportSecurity.Diagnostics(url, on: OSVersion(.macOS, 15, 4), site: site).passes
    }
    #expect(try passes(", caIssuers: \"http://ca.example/issuing.cer\""))
    #expect(try !passes(""))
  }

  static let texts = [
    BadText(
      "no place", "authorities: { Root A: { trust: system, caIssuers: \"https://ca.example/a\" } }", 1, 52,
      "", "http://"),
    BadText(
      "one place for two",
      "authorities: { Root A: { caIssuers: \"http://a/b\" }, Issuing: { issuer: Root A, caIssuers: \"http://a/b\" } }",
      1, 91, ""),
  ]

  @Test("bad input is an error with its place and a hint", arguments: texts)
  func strict(bad: BadText) throws { try bad.isTold() }
}

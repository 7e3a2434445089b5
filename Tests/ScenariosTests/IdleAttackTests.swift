import Testing

@testable import Scenarios

@Suite("Attacks that never apply")
struct IdleAttackTests {
  private static let plain = "request: http://api.example/\nclient: { os: iOS 8 }\n"
  private static let rsa = "client: { os: iOS 8 }\nserver: { cipherSuites: [TLS_RSA_WITH_AES_128_CBC_SHA256] }\n"
  private static let published = """
    authorities:
      Root A:  { trust: system }
      Issuing: { issuer: Root A, pathLength: 0, caIssuers: "http://ca.example/issuing.cer" }
    certificates: { api: { issuer: Issuing, names: [api.example] } }

    """

  static let idle = [
    BadText("strip", "network: [strip]", 1, 11, "'strip' … no effect", "request: http://api.example/"),
    BadText("strip in one", "network: [{ strip: true }]", 1, 13, "'strip' … no effect", "http://api.example/"),
    BadText(
      "intercept", "network: [{ intercept: { asks: https } }]", 1, 11, "'intercept' … no effect",
      "http://api.example/"),
    BadText(
      "refuse-tls", plain + "network: [refuse-tls]", 3, 11, "'refuse-tls' … no effect",
      "request: https://api.example/"),
    BadText(
      "reroute", "network: [{ reroute: api.example }]", 1, 13, "'reroute: api.example' … no effect",
      "https://other.example/"),
    BadText(
      "block-revocation", "network: [block-revocation]", 1, 11, "'block-revocation' … no effect",
      "revocation: soft-fail"),
    BadText("block-issuers", "network: [block-issuers]", 1, 11, "'block-issuers' … no effect", "caIssuers"),
    BadText(
      "block-issuers with a client that fetches none",
      published + "client: { fetchesIssuers: false }\nnetwork: [block-issuers]", 6,
      11, "'block-issuers' … no effect", "'fetchesIssuers: false'"),
    BadText(
      "query", "network: [{ query: padding-oracle }]", 1, 13, "'query: padding-oracle' … no effect",
      "TLS_RSA_WITH_AES_128_CBC_SHA256"),
  ]

  @Test("an attack that never applies is reported at its place, with a fix", arguments: idle)
  func told(_ text: BadText) throws { try text.isTold() }

  @Test(
    "an attack that applies, is prevented, or applies in another case is not reported",
    arguments: [
      plain + "network: [strip]",
      "request: http://api.example/\nnetwork: [strip]\nexpect: { verdict: refused, because: [ats.insecure-http] }",
      "request: http://api.example/\nclient: { os: iOS 8, hsts: [api.example] }\nnetwork: [strip, refuse-tls]",
      plain + "network: [strip]\ncases: [{ name: https, with: { request: \"https://api.example/\" } }]",
      "network: [refuse-tls]",
      plain + "server: { content: { GET /: { redirect: \"https://api.example/in\" } } }\nnetwork: [refuse-tls]",
      "request: https://other.example/\nnetwork: [{ reroute: api.example }]",
      "client: { revocation: soft-fail }\nnetwork: [block-revocation]",
      "network: [block-revocation]\ncases: [{ name: asks, with: { client.revocation: hard-fail } }]",
      published + "server: { presents: [api] }\nnetwork: [block-issuers]",
      rsa + "network: [{ query: padding-oracle }]",
    ])
  func met(_ text: String) throws {
    #expect(try Lab.diagnostics(text).filter { $0.severity == .error }.map(\.message) == [])
  }

  @Test("a case with the remedy passes, although the file's attack does not apply")
  func played() throws {
    let blocked =
      Self.published + "server: { presents: [api] }\nnetwork: [eavesdrop, block-issuers]\n"
      + "expect: { verdict: refused, because: [chain.no-issuer] }\n"
      + "cases: [{ name: remedy, with: { server.presents: [api, Issuing] }, expect: { verdict: accepted } }]"
    #expect(try Lab.play(blocked).judgement.mismatches == [])
    #expect(try Lab.play(blocked, "remedy").judgement.mismatches == [])
    let asked =
      Self.rsa.replacing("256] }", with: "256], mutant: robot }") + "network: [{ query: padding-oracle }]\n"
      + "cases: [{ name: remedy, with: { client.os: iOS 10 }, "
      + "expect: { verdict: refused, because: [ats.no-forward-secrecy] } }]"
    #expect(try Lab.play(asked, "remedy").judgement.mismatches == [])
  }
}

import Scenarios
import Testing

@Suite("Scenario words for servers")
struct ServerWordsTests {
  static let texts = [
    BadText(
      "unknown certificate in one of several chains", "server: { presents: [[api, Issuing], [api, Isuing]] }", 1, 44,
      "'Isuing'", "'Issuing'"),
    BadText(
      "a chain next to a certificate", "server: { presents: [api, [Issuing]] }", 1, 22, "", "[api]"),
    BadText(
      "an empty chain", "server: { presents: [[api, Issuing], []] }", 1, 21, ""),
    BadText(
      "unknown reaction to a name", "server: { unrecognizedName: fatel }", 1, 29, "'fatel'",
      "'fatal'"),
    BadText("unknown kind of session", "server: { sessions: ticket }", 1, 21, "'ticket'", "'tickets'"),
    BadText("a status that is not hexadecimal", "server: { certificateStatus: xyz }", 1, 30, ""),
    BadText(
      "an unknown occasion", "server: { renegotiates: sometimes }", 1, 25, "'sometimes'",
      "on-request"),
    BadText("no path", "server: { renegotiates: [] }", 1, 25, "", "[/account]"),
    BadText("an invalid path", "server: { renegotiates: [account] }", 1, 26, "'account'", "/account"),
    BadText(
      "a handshake that the server begins and declines",
      "server: { renegotiates: on-request, renegotiation: refused }", 1, 52, "",
      "renegotiation: secure"),
    BadText(
      "unknown way to renegotiate", "client: { renegotiation: always }", 1, 26, "'always'",
      "refused, secure, insecure"),
    BadText(
      "'100'", "client: { maxFragmentLength: 100 }", 1, 30, "'100'",
      "512, 1024, 2048, 4096"),
    BadText(
      "a secret of a missing handshake",
      "network: [eavesdrop, { leak: renegotiated.master_secret, after: 1 hour }]", 1, 30,
      "", "renegotiates: on-request"),
  ]

  @Test("an error in these words has its place and the nearest word", arguments: texts)
  func told(_ text: BadText) throws { try text.isTold() }

  @Test("a list of one chain equals that chain, and several chains are exported separately")
  func chains() throws {
    let one = try Lab.play("title: x\nserver: { presents: [[api, Issuing]] }\nexpect: { verdict: accepted }")
    #expect(one.judgement.mismatches.isEmpty)
    let export = try Lab.player.export(of: try Lab.scenario(named: "L1-17"), now: nil)
    let names = export.files.map(\.name)
    for name in ["api.chain.pem", "api-ec.chain.pem", "shop.chain.pem"] { #expect(names.contains(name)) }
    #expect(export.servers.map(\.chain) == ["api.chain.pem", "api-ec.chain.pem", "shop.chain.pem"])
  }

  @Test("a server has one ticket key for all its connections, and another server has another")
  func ticketKeys() throws {
    let text = """
      title: x
      servers:
        one.example: {}
        two.example: {}
      server: { sessions: tickets }
      client: { sessions: tickets }
      certificates: { api: { issuer: Issuing, names: [one.example, two.example] } }
      requests: ["https://one.example/", "https://one.example/", "https://two.example/"]
      expect:
        verdict: accepted
        equal: [[first.master_secret, second.master_secret]]
        different: [[one.example.session_ticket_key, two.example.session_ticket_key]]
      """
    #expect(try Lab.play(text).judgement.mismatches == [])
  }
}

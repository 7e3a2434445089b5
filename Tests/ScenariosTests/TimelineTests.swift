import Oracles
import Scenarios
import Simulator
import Testing

@Suite("Dates, revocation and pins")
struct TimelineTests {
  @Test("a client that checks revocation refuses the certificate from the day of its revocation")
  func revocation() throws {
    func because(_ client: String, _ network: String = "eavesdrop", clock: String = "2016-11-01") throws -> [String] {
      try Lab.play(
        """
        clock: \(clock)
        certificates: { api: { issuer: Issuing, names: [api.example], revoked: 2016-10-31, notBefore: 2016-01-01 } }
        client: { revocation: \(client) }
        network: [\(network)]
        """
      ).outcome.verdict.because.map(\.id)
    }
    #expect(try because("soft-fail") == ["chain.revoked"])
    #expect(try because("hard-fail") == ["chain.revoked"])
    #expect(try because("hard-fail", clock: "2016-10-30") == [])
    #expect(try because("none") == [])
    #expect(try because("soft-fail", "block-revocation") == [])
    #expect(try because("hard-fail", "block-revocation") == ["chain.revocation-unknown"])
  }

  @Test("any key of the path matches a pin; pins are ignored on untrusted paths")
  func pins() throws {
    func because(_ pins: String, _ more: String = "") throws -> [String] {
      try Lab.play(
        """
        certificates:
          api: { issuer: Issuing, names: [api.example] }
          spare: { issuer: Issuing, names: [api.example] }
        client: { serverTrust: { pins: [\(pins)] } }
        \(more)
        """
      ).outcome.verdict.because.map(\.id)
    }
    #expect(try because("spare, api") == [])
    #expect(try because("spare, Root A") == [])
    #expect(try because("spare") == ["pin.mismatch"])
    #expect(try because("spare", "server: { presents: [api] }").contains("pin.mismatch") == false)
  }

  @Test("a change by a date is shown at its first connection")
  func changes() throws {
    let plans = try Lab.play(
      "timeline: [{ date: 2016-12-01, changes: { authorities.\"Root A\".trust: distrusted } }]"
    ).simulation.plans
    #expect(plans.map(\.name) == ["2016-11-01", "2016-12-01"])
    #expect(plans.map(\.changes) == [[], ["authorities.\"Root A\".trust: distrusted"]])
  }

  static let texts = [
    BadText(
      "no date of revocation", "certificates: { api: { issuer: Issuing, names: [api.example], revoked: soon } }", 1, 72,
      "'soon'"),
    BadText(
      "unknown store", "certificates: { api: { issuer: Issuing, names: [api.example], trust: deny } }", 1, 70,
      "'deny'"),
    BadText("unknown check", "client: { revocation: always }", 1, 23, "'always'", "hard-fail"),
    BadText("no pins", "client: { serverTrust: { pins: [] } }", 1, 32, "pins", "[api]"),
    BadText("unknown pin", "client: { serverTrust: { pins: [apj] } }", 1, 33, "'apj'", "'api'"),
    BadText("unknown key next to pins", "client: { serverTrust: { pin: [api] } }", 1, 26, "'pin'", "'pins'"),
    BadText(
      "a typo on a later date", "timeline: [{ date: 2016-12-01, changes: { server.presents: [apj] } }]", 1, 61,
      "'apj'", "'api'"),
    BadText("unknown verb", "network: [block-revocations]", 1, 11, "unknown verb", "'block-revocation'"),
  ]

  @Test("bad input is an error with its place and a hint", arguments: texts)
  func strict(bad: BadText) throws {
    let found = try Lab.diagnostics(bad.text)
    let told = found.contains { diagnostic in
      diagnostic.mark?.line == bad.line && diagnostic.mark?.column == bad.column
        && diagnostic.shows(bad.message, bad.hint)
    }
    #expect(told, "\(found)")
  }
}

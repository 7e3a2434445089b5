import Testing
import TrustLabTesting
import URLLoading

@Suite("The app's connections")
struct ConnectionTests {
  @Test("match the scenarios", arguments: try ScenarioCase.all(in: "Scenarios"))
  func scenarios(_ scenario: ScenarioCase) throws { try scenario.check() }

  @Test("no release accepts the old gateway without the exception", arguments: ["iOS 10", "iOS 17", "iOS 26"])
  func gateway(os: String) throws {
    let gateway = try ScenarioCase(
      "the old gateway", ["server.cipherSuites": ["TLS_RSA_WITH_AES_128_GCM_SHA256"], "client.os": "\(os)"],
      expecting: .refused, because: [.atsNoForwardSecrecy])
    try gateway.check()
    let excepted = try gateway.changing(
      "with the app's own plist",
      ["client.infoPlist": "../../App/Info.plist"], expecting: .refused, because: [.atsNoForwardSecrecy])
    try excepted.check()
  }

  @Test("reach a good server, which returns the content")
  func content() throws {
    let outcome = try ScenarioCase("a good server").play().outcome
    #expect(outcome.verdict.word == .accepted && outcome.content == Array("hello".utf8))
  }
}

import Explanation
import Scenarios
import Simulator
import Testing

@Suite("Pins of a property list in web views")
struct WebViewPinTests {
  private static func scenario(_ loader: String, _ identity: String) -> String {
    """
    client:
      loader: \(loader)
      os: iOS 17
      infoPlist:
        NSPinnedDomains:
          api.example: { NSPinnedLeafIdentities: [{ SPKI-SHA256-BASE64: "\(identity)" }] }
    """
  }

  private static let foreign = "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="

  @Test("pins are uncertain in a web view, and certain in a session")
  func confidence() throws {
    for identity in [Self.foreign, "spki(api)"] {
      for (loader, isCertain) in [("WKWebView", false), ("URLSession", true)] {
        let outcome = try Lab.play(Self.scenario(loader, identity)).outcome
        let finding = try #require(outcome.findings.first { $0.rule == .pinMismatch })
        #expect((finding.confidence.note == nil) == isCertain, "\(loader)")
        #expect(outcome.verdict.word == (identity == Self.foreign ? .refused : .accepted))
      }
    }
  }
}

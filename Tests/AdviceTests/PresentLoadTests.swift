import Testing
import Trust

@testable import Advice
@testable import URLLoading

@Suite("Results of loads under an app's own settings, and their fixes")
struct PresentLoadTests {
  private func present(_ settings: PropertyList, _ url: String) throws -> ATS.PresentLoads {
    .init(
      of: .init(dictionary: try #require(settings.dictionary)), urls: [try LoadURL(url)],
      systems: [OSVersion(.iOS, 17)])
  }

  @Test("an allowed load needs no change")
  func passing() throws {
    let loads = try present(["NSAllowsArbitraryLoads": true], "http://a.example/")
    #expect(loads.failing.isEmpty && loads.remedy == nil)
  }

  // The presence of NSAllowsArbitraryLoadsInWebContent turns NSAllowsArbitraryLoads off since iOS 10 (documentation).
  @Test("a blocked load is allowed by an entry in addition to the app's settings")
  func adding() throws {
    let loads = try present(
      ["NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": true], "http://a.example/")
    #expect(loads.failing.map(\.result.because) == [[.atsInsecureHTTP]])
    guard case .adding(let keys) = loads.remedy else {
      Issue.record("\(String(describing: loads.remedy))")
      return
    }
    #expect(keys["NSExceptionDomains"]?.dictionary?.keys == ["a.example"])
  }

  @Test("an existing entry of the host is changed, and its other keys stay")
  func merging() throws {
    let own: PropertyList = ["NSExceptionDomains": ["a.example": ["NSIncludesSubdomains": true]]]
    let loads = try present(own, "http://a.example/")
    guard case .adding(let keys) = loads.remedy, let written = own.dictionary else {
      Issue.record("\(String(describing: loads.remedy))")
      return
    }
    let entry = written.merging(keys)["NSExceptionDomains"]?.dictionary?["a.example"]?.dictionary
    #expect(entry?["NSIncludesSubdomains"] == true && entry?["NSExceptionAllowsInsecureHTTPLoads"] == true)
  }
}

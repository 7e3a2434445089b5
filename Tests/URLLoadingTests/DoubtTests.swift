import Explanation
import Testing
import Trust

@testable import URLLoading

@Suite("Doubts that can change a result, and those that cannot")
struct DoubtTests {
  private func decision(
    _ url: String, _ settings: PropertyList, _ os: OSVersion, loader: Loader = .urlSession
  ) throws -> ATS.Decision {
    ATS.decide(
      .init(try LoadURL(url), os: os, loader: loader),
      by: .init(dictionary: try #require(settings.dictionary)))
  }

  // The iOS 17 release notes and Apple's page disagree about private addresses; NSAllowsArbitraryLoads allows them in
  // both.
  @Test("if everything is allowed, it does not matter whether a private address is local")
  func privateAddress() throws {
    let os = OSVersion(.iOS, 18, 4)
    let open = try decision("http://192.168.1.5/", ["NSAllowsArbitraryLoads": true], os)
    #expect(open.verdict == .allowed && open.confidence == .certain)
    let closed = try decision("http://192.168.1.5/", [:], os)
    #expect(closed.confidence != .certain)
    let local = try decision("http://192.168.1.5/", ["NSAllowsLocalNetworking": true], os)
    #expect(local.confidence.note?.contains("NSAllowsLocalNetworking") == true)
  }

  @Test("before iOS 15, HTTPS to a local name is disputed, unless a key settles it")
  func localName() throws {
    func isCertain(_ settings: PropertyList, _ os: OSVersion, _ url: String = "https://localhost:8443/") throws -> Bool
    {
      try decision(url, settings, os).confidence == .certain
    }
    #expect(try !isCertain([:], OSVersion(.iOS, 11)))
    #expect(try isCertain(["NSAllowsLocalNetworking": true], OSVersion(.iOS, 11)))
    #expect(try isCertain(["NSAllowsArbitraryLoads": true], OSVersion(.iOS, 11)))
    #expect(try isCertain([:], OSVersion(.iOS, 15)))
    #expect(try isCertain([:], OSVersion(.iOS, 11), "http://localhost/"))
  }

  @Test("HTTPS in a web view of iOS 10 is disputed if web content is excepted")
  func webContent() throws {
    let settings: PropertyList = ["NSAllowsArbitraryLoadsInWebContent": true]
    func confidence(_ url: String, _ os: OSVersion) throws -> Finding.Confidence {
      try decision(url, settings, os, loader: .wkWebView).confidence
    }
    guard case .conflicting = try confidence("https://a.example/", OSVersion(.iOS, 10)) else {
      Issue.record("not so")
      return
    }
    #expect(try confidence("http://a.example/", OSVersion(.iOS, 10)) == .certain)
    #expect(try confidence("https://a.example/", OSVersion(.iOS, 13)) == .certain)
  }

  private func twice(_ first: PropertyList, _ second: PropertyList) throws -> Finding.Confidence {
    let entries = [first, second].map { PropertyList.Dictionary.Entry(key: "NSAppTransportSecurity", value: $0) }
    let configuration = ATS.Configuration(infoPlist: .dictionary(.init(entries: entries)))
    return ATS.decide(.init(try LoadURL("http://www.example/"), os: OSVersion(.iOS, 9)), by: configuration).confidence
  }

  @Test("repeated settings are a doubt if they decide differently")
  func repeated() throws {
    let open: PropertyList = ["NSAllowsArbitraryLoads": true]
    guard case .unknown = try twice(open, ["NSExceptionDomains": [:]]) else {
      Issue.record("not so")
      return
    }
    #expect(try twice(open, open) == .certain)
    #expect(try twice([:], ["NSExceptionDomains": [:]]) == .certain)
  }
}

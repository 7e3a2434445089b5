import Advice
import Explanation
import Testing
import Trust
import URLLoading

@Suite("The smallest exception, before any connection")
struct ExceptionSearchTests {
  private func answer(
    _ urls: [String], _ systems: [String], _ loader: Loader = .urlSession, namesHosts: Bool = true
  ) throws -> AppTransportSecurity.ExceptionAnswer {
    AppTransportSecurity.ExceptionSearch(
      urls: try urls.map { try LoadURL($0) }, systems: try systems.map { try #require(OSVersion($0)) }, loader: loader,
      namesHosts: namesHosts
    ).answer()
  }

  private func exception(
    _ urls: [String], _ systems: [String], _ loader: Loader = .urlSession, namesHosts: Bool = true
  ) throws -> PropertyList {
    .dictionary(try answer(urls, systems, loader, namesHosts: namesHosts).dictionary)
  }

  private static func insecure(_ host: String) -> PropertyList {
    [
      "NSExceptionDomains": .dictionary(
        .init(entries: [
          .init(key: host, value: ["NSExceptionAllowsInsecureHTTPLoads": true])
        ]))
    ]
  }

  @Test(
    "HTTPS, a system without App Transport Security and a local name need no exception",
    arguments: [
      ("https://a.example/", "iOS 9"), ("http://a.example/", "iOS 8"), ("http://printer.local/", "iOS 10"),
      ("http://192.168.1.4/", "iOS 12"), ("http://localhost:8080/", "iOS 18.4"),
    ])
  func notNeeded(url: String, os: String) throws {
    let answer = try answer([url], [os])
    #expect(answer.outcome == .notNeeded)
    #expect(answer.dictionary.isEmpty)
    #expect(answer.reasons.isEmpty)
  }

  @Test(
    "plain HTTP needs an entry for the host with one key and its reason",
    arguments: [
      ("http://a.example/", "iOS 9"), ("http://b.a.example/", "iOS 18.4"), ("http://printer.local/", "iOS 9"),
      ("http://192.168.1.4/", "iOS 17"),
    ])
  func oneHost(url: String, os: String) throws {
    let answer = try answer([url], [os])
    #expect(answer.outcome == .exception)
    #expect(PropertyList.dictionary(answer.dictionary) == Self.insecure(try LoadURL(url).host))
    #expect(answer.reasons.map(\.because) == [[.atsInsecureHTTP]])
    #expect(answer.appReview == ["NSExceptionAllowsInsecureHTTPLoads"])
    #expect(answer.loads.allSatisfy { !$0.before.passes && $0.after.passes })
  }

  @Test("iOS 9 cannot list an address, and iOS 10 remains restricted otherwise")
  func addressOnNine() throws {
    #expect(
      try exception(["http://192.168.1.4:9777/"], ["iOS 9"]) == ["NSAllowsArbitraryLoads": true])
    let both = try answer(["http://192.168.1.4:9777/"], ["iOS 9", "iOS 10"])
    #expect(
      PropertyList.dictionary(both.dictionary) == ["NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true])
    #expect(both.reasons.map(\.systems) == [[OSVersion(.iOS, 9)], []])
  }

  // An address needs NSAllowsArbitraryLoads on iOS 9, which cannot list it; a listed host ignores that key (ats.md
  // sections 1.3 and 1.5).
  @Test("with a key for all domains, an empty entry keeps an HTTPS host's requirements")
  func keepsDemands() throws {
    let urls = ["https://b.old.example/", "http://10.1.2.3/"]
    #expect(
      try exception(urls, ["iOS 9"]) == [
        "NSAllowsArbitraryLoads": true, "NSExceptionDomains": ["b.old.example": [:]],
      ])
    // If an address can be listed, other hosts lose nothing.
    #expect(try exception(urls, ["iOS 17"]) == Self.insecure("10.1.2.3"))
  }

  @Test("a load needs a key if it fails, or if its entry replaces a permission")
  func systems() throws {
    let (nine, seventeen, modern) = (OSVersion(.iOS, 9), OSVersion(.iOS, 17), OSVersion(.iOS, 18, 4))
    let local = try #require(try answer(["http://printer.local/"], ["iOS 9", "iOS 18.4"]).reasons.first)
    #expect(local.systems == [nine] && local.systemsForTheEntry == [modern])
    let own = try #require(try answer(["http://www.apple.com/"], ["iOS 17", "iOS 18.4"]).reasons.first)
    #expect(own.systems == [seventeen] && own.systemsForTheEntry == [modern])
    let other = try #require(try answer(["http://a.example/"], ["iOS 17", "iOS 18.4"]).reasons.first)
    #expect(other.systems == [seventeen, modern] && other.systemsForTheEntry.isEmpty)
  }

  @Test("a browser needs both keys for iOS 9 and 10, the newer for 10")
  func browser() throws {
    let url = ["http://news.example/"]
    #expect(
      try exception(url, ["iOS 9", "iOS 10"], .wkWebView, namesHosts: false)
        == ["NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": true])
    #expect(
      try exception(url, ["iOS 10"], .wkWebView, namesHosts: false)
        == ["NSAllowsArbitraryLoadsInWebContent": true])
    #expect(
      try exception(url, ["iOS 10"], .avFoundation, namesHosts: false)
        == ["NSAllowsArbitraryLoadsForMedia": true])
    #expect(
      try exception(url, ["iOS 10"], namesHosts: false) == ["NSAllowsArbitraryLoads": true])
  }

  @Test("hosts that need no exception get no entry")
  func onlyWhatIsNeeded() throws {
    let answer = try answer(["http://a.example/x", "http://a.example/y", "https://b.example/"], ["iOS 9", "iOS 18.4"])
    #expect(PropertyList.dictionary(answer.dictionary) == Self.insecure("a.example"))
    #expect(answer.loads.count == 6)
  }

  @Test("an exception does not help a load with an unknown scheme")
  func impossible() throws {
    let answer = try answer(["ftp://a.example/"], ["iOS 10"])
    #expect(answer.outcome == .impossible)
    #expect(answer.hopeless.count == 1)
  }
}

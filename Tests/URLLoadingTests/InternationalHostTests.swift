import Explanation
import Testing
import Trust

@testable import URLLoading

@Suite("Hosts in any script")
struct InternationalHostTests {
  @Test("a URL's host is converted to A-labels, and the URL stays as written")
  func host() throws {
    let url = try LoadURL("https://Bücher.example:8443/ü")
    #expect(url.host == "xn--bcher-kva.example")
    #expect(url.writtenHost == "Bücher.example")
    #expect(url.authority == "xn--bcher-kva.example:8443")
    #expect(url.description == "https://Bücher.example:8443/ü")
    #expect(try LoadURL("https://xn--bcher-kva.example/").host == url.host)
    #expect(try LoadURL("http://１２７.0.0.1/").address != nil)
  }

  @Test("a host that has no A-label is refused")
  func invalid() {
    #expect(throws: LoadURL.Obstacle.character) { try LoadURL("https://-ü.example/") }
  }

  @Test("an exception for the A-label applies to the name")
  func exception() throws {
    let plist: PropertyList = [
      "NSExceptionDomains": ["xn--bcher-kva.example": ["NSExceptionAllowsInsecureHTTPLoads": true]]
    ]
    let settings = AppTransportSecurity.Configuration(dictionary: try #require(plist.dictionary))
    for (url, verdict) in [("http://bücher.example/", true), ("http://bucher.example/", false)] {
      let decision = AppTransportSecurity.decide(
        .init(try LoadURL(url), os: OSVersion(.iOS, 12, 0)), by: settings)
      #expect((decision.verdict == .allowed) == verdict)
    }
  }

  @Test("case is only in doubt for a name with capitals")
  func capitals() throws {
    let open: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true]
    let international = Finding.Confidence.unknown("how systems look up internationalised names")
    let lowered = Finding.Confidence.unknown("whether the system converts the host to lower case before the lookup")
    for name in ["bücher.example", "xn--bcher-kva.example"] {
      let entries = PropertyList.Dictionary(entries: [.init(key: name, value: open)])
      let settings: PropertyList = ["NSExceptionDomains": .dictionary(entries)]
      #expect(try decide("http://bücher.example/", "iOS 17", settings).doubts == [international], "\(name)")
    }
    let listed: PropertyList = ["NSExceptionDomains": ["xn--bcher-kva.example": open, "a.example": open]]
    #expect(try decide("http://Bücher.example/", "iOS 17", listed).doubts == [lowered, international])
    #expect(try decide("http://A.example/", "iOS 17", listed).doubts == [lowered])
    #expect(try decide("http://a.example/", "iOS 17", listed).doubts == [])
  }

  @Test("a delimiter with a combining mark after it is still a delimiter")
  func delimiters() throws {
    let url = try LoadURL("https://api.example/\u{301}x")
    #expect(url.host == "api.example" && url.path == "/\u{301}x")
    #expect(try LoadURL("https://api.example:8443?\u{301}").port == 8443)
  }
}

import Testing
import Trust

@testable import URLLoading

@Suite struct AddressTests {
  @Test(
    "a range contains the addresses that share its prefix",
    arguments: [
      ("10/8", "10.255.0.1", true), ("10/8", "11.0.0.1", false), ("192.168/16", "192.168.7.9", true),
      ("192.168.10.77/24", "192.168.10.1", true), ("192.168.10.0/25", "192.168.10.128", false),
      ("0.0.0.0/0", "8.8.8.8", true), ("0.0.0.0/0", "::1", false), ("::/0", "8.8.8.8", false),
      ("1.2.3.4/32", "1.2.3.4", true), ("1.2.3.4/32", "1.2.3.5", false),
      ("2001:db8/32", "2001:db8:1::1", true), ("2001:db8::/32", "2001:db9::1", false),
      ("fe80::1/128", "fe80::1", true), ("abcd/16", "abcd::1", true),
    ])
  func ranges(range: String, address: String, contains: Bool) throws {
    let range = try #require(AddressRange(range))
    #expect(range.contains(try #require(IPAddress(address))) == contains)
  }

  @Test(
    "an invalid range is refused",
    arguments: [
      "", "/", "/8", "10.0.0.0", "10.0.0.0/", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/8/8", "1.2.3.4.5/8",
      "https://x", "example.com/8", "256.0.0.0/8", "10.0.0.0/ 8", "[::1]/128", "1:2:3:4:5:6:7:8:9/16", "10..0/8",
      "10.0.0.0/99999999999999999999",
    ])
  func noRange(text: String) {
    #expect(AddressRange(text) == nil)
  }

  @Test("if another range contains an address's other spelling, the lookup is uncertain")
  func spellings() throws {
    let settings: PropertyList = [
      "NSExceptionDomains": [
        "2001:db8/32": ["NSExceptionAllowsInsecureHTTPLoads": true], "2001:db8:0:0::1": [:], "2001:DB8::2": [:],
      ]
    ]
    let configuration = AppTransportSecurity.Configuration(dictionary: try #require(settings.dictionary))
    let cases = [
      ("http://[2001:db8::1]/", true), ("http://[2001:DB8::2]/", true), ("http://[2001:db8::2]/", true),
      ("http://[2001:db8::3]/", false),
    ]
    for (url, isDoubtful) in cases {
      let decision = AppTransportSecurity.decide(.init(try LoadURL(url), os: OSVersion(.iOS, 18, 4)), by: configuration)
      #expect(decision.doubts.contains { $0.isUnknown("another spelling") } == isDoubtful, "\(url)")
    }
  }

  @Test("ranges that systems are known to misread are uncertain, each for its reason")
  func misread() throws {
    // 192.168.10.100 fills the open engine's buffer, /010 is 8 there, and /08 is 0.
    #expect(AddressRange(asCodeReads: "192.168.10.100/32") == nil)
    #expect(AddressRange(asCodeReads: "10.0.0.0/010")?.prefixLength == 8)
    #expect(AddressRange(asCodeReads: "10.0.0.0/08")?.prefixLength == 0)
    #expect(AddressRange(asCodeReads: "10.0.0.0/24") == AddressRange("10.0.0.0/24"))
    let doubtful = try decide("http://192.168.10.100/", "iOS 18.4", entry("192.168.10.100/32", open))
    #expect(doubtful.verdict == .allowed && doubtful.confidence.isConflicting("rejects '192.168.10.100/32'"))
    let octal = try decide("http://203.0.113.9/", "iOS 18.4", entry("203.0.113.0/030", open))
    #expect(octal.verdict == .blocked)
    #expect(octal.confidence.note?.contains("'203.0.113.0/030'") == true)
    #expect(octal.confidence.note?.contains("24 bits") == true)
    #expect(try decide("http://192.168.10.10/", "iOS 18.4", entry("192.168.10.0/24", open)).confidence == .certain)
  }

  @Test(
    "a URL is split into its parts",
    arguments: [
      ("https://api.example/", "https", "api.example", 443, "/"),
      ("HTTP://API.example", "http", "api.example", 80, "/"),
      ("https://u:p@api.example:8443/a?b#c", "https", "api.example", 8443, "/a?b"),
      ("https://[2001:db8::1]:444/x", "https", "2001:db8::1", 444, "/x"),
      ("https://api.example?q", "https", "api.example", 443, "/?q"),
      ("wss://api.example:/", "wss", "api.example", 443, "/"),
    ])
  func urls(text: String, scheme: String, host: String, port: UInt16, path: String) throws {
    let url = try LoadURL(text)
    #expect(url.scheme == scheme && url.host == host && url.port == port && url.path == path)
    #expect(url.description == text)
  }

  @Test(
    "a URL that cannot be loaded has a reason",
    arguments: [
      ("", LoadURL.Obstacle.scheme), ("api.example", .scheme), ("://x", .scheme), ("https:/api.example", .host),
      ("https://", .host), ("https:///x", .host), ("https://api.example:0/", .port),
      ("https://api.example:99999/", .port), ("https://api.example:x/", .port), ("https://api example/", .character),
      ("http://\u{0}/", .character), ("http://a\u{7f}.example/", .character),
      ("https://[::1/", .host), ("https://[api]/", .character), ("https://[::1]x/", .port),
      ("1https://api.example", .scheme), ("https://" + String(repeating: "a.", count: 200), .length),
    ])
  func noURL(text: String, obstacle: LoadURL.Obstacle) {
    #expect(throws: obstacle) { try LoadURL(text) }
  }
}

@Suite struct KeyTests {
  @Test("every key has its place, its meaning and its name")
  func catalogue() {
    let keys = ATS.Key.catalogue
    #expect(Set(keys.map(\.id)).count == keys.count)
    #expect(keys.allSatisfy { !$0.meaning.isEmpty && !$0.defaultValue.isEmpty })
    #expect(ATS.Key.named("NSIncludesSubdomains").count == 2)
  }

  @Test("App Review asks about five keys")
  func review() {
    let asked = ATS.Key.catalogue.filter { $0.review != .never && $0.standing == .current }
    #expect(
      Set(asked.map(\.name)) == [
        "NSAllowsArbitraryLoads", "NSAllowsArbitraryLoadsForMedia", "NSAllowsArbitraryLoadsInWebContent",
        "NSExceptionAllowsInsecureHTTPLoads", "NSExceptionMinimumTLSVersion",
      ])
  }

  @Test("historical names have a hint with the current name")
  func historical() {
    let names = ["NSTemporaryException", "NSThirdPartyException"].flatMap { prefix in
      ["AllowsInsecureHTTPLoads", "MinimumTLSVersion", "RequiresForwardSecrecy"].map {
        (prefix + $0, "NSException" + $0)
      }
    }
    for (name, today) in names + [("NSAllowsArbitraryLoadsInMedia", "NSAllowsArbitraryLoadsForMedia")] {
      #expect(ATS.Key.named(name).map(\.standing) == [.historical(use: today)])
    }
  }
}

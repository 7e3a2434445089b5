import Explanation
import Testing
import Trust

@testable import URLLoading

/// Decisions that are uncertain, and are reported so.
@Suite struct ClosedSystemTests {
  private func note(_ url: String, _ os: String, _ ats: PropertyList = [:]) throws -> String {
    try decide(url, os, ats).confidence.note ?? "certain"
  }

  @Test("a denied local name is treated like any host; web and media keys apply")
  func deniedLocals() throws {
    let web: PropertyList = ["NSAllowsLocalNetworking": false, "NSAllowsArbitraryLoadsInWebContent": true]
    let media: PropertyList = ["NSAllowsLocalNetworking": false, "NSAllowsArbitraryLoadsForMedia": true]
    for host in ["x.local", "printer", "127.0.0.1", "[::1]"] {
      for scheme in ["http", "https"] {
        let url = "\(scheme)://\(host)/"
        let lifted = try decide(url, "iOS 18.4", web, .wkWebView)
        #expect(lifted.verdict == .allowed && lifted.requirements == nil)
        #expect(lifted.decidedBy == "NSAllowsArbitraryLoadsInWebContent" && lifted.appReview == [lifted.decidedBy])
        #expect(
          try decide(url, "iOS 18.4", media, .avFoundation).standing == .lifted(by: .key(.allowsArbitraryLoadsForMedia))
        )
        let denied = try decide(url, "iOS 18.4", web)
        #expect(denied.isRequired && denied.decidedBy == "NSAllowsLocalNetworking" && denied.appReview.isEmpty)
        #expect(try decide(url, "iOS 18.4", media, .wkWebView).isRequired)
      }
    }
  }

  @Test("a fix names the load's host, or no exception if addresses cannot be listed or the app has one")
  func fixes() throws {
    let name = try #require(decide("http://api.example/", "iOS 9").findings.first)
    #expect(name.rule.fix.contains("NSExceptionDomains.api.example.NSExceptionAllowsInsecureHTTPLoads"))
    let address = try #require(decide("http://10.0.0.1/", "iOS 9").findings.first)
    #expect(address.rule == .atsInsecureHTTP && address.rule.fix.contains("set NSAllowsArbitraryLoads = YES"))
    #expect(address.rule.fix.contains("over https") && !address.rule.fix.contains("Domains"))
    let listed = try #require(decide("http://10.0.0.1/", "iOS 17").findings.first)
    #expect(listed.rule.fix.contains("NSExceptionDomains.10.0.0.1.NSException"))
    let excepted = try #require(
      decide("http://api.example/", "iOS 17", ["NSAllowsArbitraryLoads": true]).findings.first)
    #expect(excepted.weight == .overridden(by: .exception) && excepted.rule.fix.contains("over https"))
    #expect(!excepted.rule.fix.contains("NSException"))
    let loosening = try decide("https://api.example/", "iOS 17").findingOnLooseningTrust()
    #expect(loosening.rule.fix.contains("NSExceptionDomains.api.example."))
  }

  @Test("the finding names App Review for the keys that decide the load")
  func review() throws {
    let loads: PropertyList = ["NSAllowsArbitraryLoads": true]
    #expect(try decide("http://10.0.0.1/", "iOS 9", loads).appReview == ["NSAllowsArbitraryLoads"])
    #expect(try decide("http://10.0.0.1/", "iOS 10", loads).appReview.isEmpty)
    #expect(try decide("http://api.example/", "iOS 10", loads).appReview == ["NSAllowsArbitraryLoads"])
    let off: PropertyList = ["NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInWebContent": true]
    #expect(try decide("http://api.example/", "iOS 10", off).appReview.isEmpty)
    #expect(
      try decide("http://api.example/", "iOS 10", off, .wkWebView).appReview == ["NSAllowsArbitraryLoadsInWebContent"])
  }

  @Test(
    "values of other types are known only from the open engine",
    arguments: [PropertyList.string("YES"), .integer(2), .real(1), .array([])])
  func oddValues(value: PropertyList) throws {
    let global = PropertyList.dictionary(.init(entries: [.init(key: "NSAllowsArbitraryLoads", value: value)]))
    let inEntry = entry("api.example", ["NSExceptionAllowsInsecureHTTPLoads": value])
    for os in ["iOS 9", "iOS 10", "iOS 18.3"] {
      for ats in [global, inEntry, entry("api.example", value)] {
        #expect(try note("http://api.example/", os, ats).contains("other types"))
      }
      #expect(try note("http://api.example/", os, ["NSAllowsArbitraryLoads": true]) == "certain")
      #expect(try note("http://api.example/", os, entry("other.example", ["NSIncludesSubdomains": value])) == "certain")
    }
    #expect(try note("http://api.example/", "iOS 18.4", global) == "certain")
    let wide = entry("example", ["NSIncludesSubdomains": "YES"])
    #expect(try note("http://api.example/", "iOS 9", wide).contains("other types"))
  }

  @Test("the combined effect of two spellings of one key is undocumented")
  func rivals() throws {
    let both = entry(
      "api.example",
      ["NSExceptionAllowsInsecureHTTPLoads": false, "NSThirdPartyExceptionAllowsInsecureHTTPLoads": true])
    #expect(try note("http://api.example/", "iOS 9", both).contains("two spellings"))
    let same = entry(
      "api.example",
      ["NSExceptionAllowsInsecureHTTPLoads": true, "NSThirdPartyExceptionAllowsInsecureHTTPLoads": true])
    #expect(try note("http://api.example/", "iOS 9", same) == "certain")
  }

  @Test("minimum versions that the documentation does not list are uncertain, if they matter")
  func versions() throws {
    func lowest(_ version: String) -> PropertyList {
      entry("api.example", ["NSExceptionMinimumTLSVersion": .string(version)])
    }
    #expect(try note("https://api.example/", "iOS 9", lowest("TLSv1.3")).contains("without TLS 1.3"))
    #expect(try note("https://api.example/", "iOS 13", lowest("TLSv1.3")) == "certain")
    #expect(try note("https://api.example/", "iOS 9", lowest("TLSv1.1")) == "certain")
    for version in ["DTLSv1.0", "DTLSv1.2"] {
      #expect(try decide("https://api.example/", "iOS 18.4", lowest(version)).confidence.isLikely("DTLS"))
      #expect(try note("https://api.example/", "iOS 12", lowest(version)).hasPrefix("unknown"))
      #expect(try note("https://api.example/", "doc", lowest(version)).hasPrefix("sources conflict"))
      #expect(try note("http://api.example/", "iOS 18.4", lowest(version)) == "certain")
    }
  }

  @Test(
    "hosts that other parsers would rewrite are uncertain",
    arguments: [
      "2130706433", "127.1", "0x7f.0.0.1", "0x7F000001", "1.2.3.4.5", "127.0.0.1.", "host.LOCAL", "%6c.local",
    ])
  func unusualHosts(host: String) throws {
    #expect(try note("http://\(host)/", "iOS 18.4").hasPrefix("unknown: whether"))
  }

  @Test(
    "usual hosts are certain",
    arguments: [
      "203.0.113.1", "[2001:db8::1]", "host.local", "HOST", "API.example", "0xab.example", "10.example", "1a.b2",
    ])
  func usualHosts(host: String) throws {
    #expect(try note("http://\(host)/", "iOS 18.4") == "certain")
  }

  @Test("the confidence includes the treatment of other protocols")
  func protocols() throws {
    let other = try decide("ftp://a.example/", "iOS 18.4")
    #expect(other.verdict == .unknown && other.confidence.isUnknown("HTTP"))
    #expect(try decide("file:///tmp/x", "iOS 18.4").confidence == .certain)
  }

  @Test("a release newer than every source decides like the newest known one")
  func newest() throws {
    #expect(try note("http://api.example/", "iOS 27").contains("decides like iOS 26.4"))
    #expect(try note("http://api.example/", "iOS 26.4") == "certain")
  }
}

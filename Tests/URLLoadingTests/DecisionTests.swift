import Explanation
import TLS
import Testing
import Trust

@testable import URLLoading

typealias ATS = AppTransportSecurity

/// Decides a load of `url` on `os` with the dictionary `ats`.
func decide(
  _ url: String, _ os: String, _ ats: PropertyList = [:], _ loader: Loader = .urlSession,
  direct: Bool? = nil, sdk: String? = nil, enforcement: Enforcement = .standard
) throws -> ATS.Decision {
  let load = ATS.Load(
    try LoadURL(url), os: try #require(OSVersion(os) ?? unreleased(os)), loader: loader, isDirect: direct,
    linkedSDK: sdk.flatMap { OSVersion($0) })
  let dictionary = try #require(ats.dictionary)
  return ATS.decide(load, by: ATS.Configuration(dictionary: dictionary), enforcement: enforcement)
}

extension Finding.Confidence {
  /// Whether the confidence is unknown, and the open question contains this word.
  func isUnknown(_ word: String) -> Bool { if case .unknown(let what) = self { what.contains(word) } else { false } }

  /// Whether the confidence is likely, and its source contains this word.
  func isLikely(_ word: String) -> Bool { if case .likely(let source) = self { source.contains(word) } else { false } }

  /// Whether sources disagree, and their statements contain this word.
  func isConflicting(_ word: String) -> Bool {
    if case .conflicting(let readings) = self { readings.contains(word) } else { false }
  }
}

/// A release that does not exist (yet). The library accepts it, although it has no text form.
private func unreleased(_ text: String) -> OSVersion? {
  let words = text.split(separator: " ")
  guard words.count == 2, let family = OSVersion.Family(rawValue: String(words[0])), let major = Int(words[1]) else {
    return nil
  }
  return OSVersion(family, major)
}

@Suite struct DecisionTests {
  @Test(
    "plain HTTP is blocked since iOS 9 and OS X 10.11, and HTTPS is allowed",
    arguments: [
      ("iOS 8", false), ("iOS 9", true), ("iOS 10", true), ("iOS 16.4", true), ("iOS 17", true), ("iOS 18.4", true),
      ("macOS 10.10", false), ("macOS 10.11", true), ("macOS 10.12", true), ("macOS 15.4", true), ("doc", true),
    ])
  func http(os: String, isBlocked: Bool) throws {
    let http = try decide("http://api.example/", os)
    #expect(http.verdict == (isBlocked ? .blocked : .allowed))
    #expect(http.because == (isBlocked ? [.atsInsecureHTTP] : []))
    #expect(http.errors == (isBlocked ? [AppError(.url, -1022)] : []))
    #expect(http.decidedBy == "default")
    let https = try decide("https://api.example/", os)
    #expect(https.verdict == .allowed && https.isRequired == isBlocked)
    #expect(https.findings.first?.outcome == (isBlocked ? .satisfied : .notApplicable))
    #expect((https.requirements != nil) == isBlocked)
  }

  @Test("an app with an older SDK, and a loader that is not covered, are unrestricted")
  func exemptions() throws {
    let old = try decide("http://api.example/", "iOS 18.4", sdk: "iOS 8")
    #expect(old.verdict == .allowed && old.standing == .notApplicable(.sdk) && old.requirements == nil)
    #expect(try decide("http://api.example/", "iOS 18.4", sdk: "iOS 9").because == [.atsInsecureHTTP])
    let network = try decide("http://api.example/", "iOS 18.4", [:], .networkFramework)
    #expect(network.verdict == .allowed && network.findings.map(\.outcome) == [.notApplicable])
    for loader in Loader.allCases where loader != .networkFramework {
      #expect(try decide("http://api.example/", "iOS 18.4", [:], loader).because == [.atsInsecureHTTP])
    }
  }

  @Test("NSAllowsArbitraryLoads lifts all restrictions, and the finding names it")
  func arbitraryLoads() throws {
    let decision = try decide("http://api.example/", "iOS 9", ["NSAllowsArbitraryLoads": true])
    #expect(decision.verdict == .allowed && decision.requirements == nil && decision.trustMayBeLoosened)
    #expect(decision.decidedBy == "NSAllowsArbitraryLoads" && decision.appReview == ["NSAllowsArbitraryLoads"])
    #expect(decision.findings.first?.outcome == .violated)
    #expect(decision.findings.first?.weight == .overridden(by: .exception))
    #expect(try decide("http://api.example/", "iOS 9", ["NSAllowsArbitraryLoads": false]).verdict == .blocked)
  }

  @Test(
    "from iOS 10 on a newer key turns NSAllowsArbitraryLoads off, whatever its value",
    arguments: ["NSAllowsArbitraryLoadsForMedia", "NSAllowsArbitraryLoadsInWebContent", "NSAllowsLocalNetworking"],
    [true, false])
  func presence(key: String, value: Bool) throws {
    let ats = PropertyList.dictionary(
      .init(entries: [.init(key: "NSAllowsArbitraryLoads", value: true), .init(key: key, value: .boolean(value))]))
    #expect(try decide("http://api.example/", "iOS 9", ats).verdict == .allowed)
    for os in ["iOS 10", "iOS 17", "iOS 18.4", "macOS 10.12", "doc"] {
      let decision = try decide("http://api.example/", os, ats)
      #expect(decision.because == [.atsInsecureHTTP] && decision.decidedBy == key)
    }
  }

  @Test("the early name of the media key does not turn NSAllowsArbitraryLoads off")
  func earlyMediaName() throws {
    let ats: PropertyList = ["NSAllowsArbitraryLoads": true, "NSAllowsArbitraryLoadsInMedia": true]
    #expect(try decide("http://api.example/", "iOS 10", ats).verdict == .allowed)
    let alone: PropertyList = ["NSAllowsArbitraryLoadsInMedia": true]
    #expect(try decide("http://api.example/", "iOS 18.4", alone, .avFoundation).because == [.atsInsecureHTTP])
    var profile = ATS.Profile(OSVersion(.iOS, 10))
    profile.honoursEarlyMediaName = true
    let load = ATS.Load(try LoadURL("http://api.example/"), os: OSVersion(.iOS, 10), loader: .avFoundation)
    let configuration = ATS.Configuration(dictionary: try #require(alone.dictionary))
    #expect(ATS.decide(load, by: configuration, profile: profile).verdict == .allowed)
  }

  @Test("web views and media have their own keys since iOS 10")
  func loaderKeys() throws {
    let web: PropertyList = ["NSAllowsArbitraryLoadsInWebContent": true]
    #expect(try decide("http://api.example/", "iOS 10", web, .wkWebView).verdict == .allowed)
    #expect(try decide("http://api.example/", "iOS 10", web, .uiWebView).confidence.note?.contains("UIWebView") == true)
    #expect(try decide("http://api.example/", "iOS 10", web, .urlSession).because == [.atsInsecureHTTP])
    #expect(try decide("http://api.example/", "iOS 9", web, .wkWebView).because == [.atsInsecureHTTP])
    let media: PropertyList = ["NSAllowsArbitraryLoadsForMedia": true]
    #expect(try decide("http://api.example/", "iOS 10", media, .avFoundation).verdict == .allowed)
    #expect(try decide("http://api.example/", "iOS 10", media, .wkWebView).because == [.atsInsecureHTTP])
    #expect(try decide("http://api.example/", "iOS 9", media, .avFoundation).because == [.atsInsecureHTTP])
  }

  @Test("a listed domain ignores every global key, even if its entry is empty")
  func listedDomains() throws {
    let ats: PropertyList = [
      "NSAllowsArbitraryLoads": true, "NSExceptionDomains": ["api.example": [:], "open.example": open],
    ]
    for os in ["iOS 9", "iOS 10", "iOS 17", "iOS 18.4", "doc"] {
      let listed = try decide("http://api.example/", os, ats)
      #expect(listed.because == [.atsInsecureHTTP] && listed.decidedBy == "NSExceptionDomains.api.example")
      #expect(try decide("http://other.example/", os, ats).verdict == .allowed)
      let excepted = try decide("http://open.example/", os, ats)
      #expect(excepted.verdict == .allowed && excepted.appReview == ["NSExceptionAllowsInsecureHTTPLoads"])
      #expect(
        excepted.decidedBy == "NSExceptionDomains.open.example.NSExceptionAllowsInsecureHTTPLoads")
      #expect(excepted.requirements?.minimumVersion == .tls12)
      #expect(excepted.requirements?.requiresForwardSecrecy == true)
    }
    let web: PropertyList = [
      "NSAllowsArbitraryLoadsInWebContent": true, "NSExceptionDomains": ["api.example": [:]],
    ]
    #expect(try decide("http://api.example/", "iOS 18.4", web, .wkWebView).because == [.atsInsecureHTTP])
  }

  @Test("subdomains need the flag: to any depth in code, one label deep in documentation")
  func subdomains() throws {
    let with = entry("api.example", ["NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": true])
    let without = entry("api.example", ["NSExceptionAllowsInsecureHTTPLoads": true])
    for os in ["iOS 9", "iOS 12", "iOS 17", "iOS 18.4", "doc"] {
      #expect(try decide("http://a.api.example/", os, with).verdict == .allowed)
      #expect(try decide("http://a.api.example/", os, without).because == [.atsInsecureHTTP])
      #expect(try decide("http://napi.example/", os, with).because == [.atsInsecureHTTP])
    }
    #expect(try decide("http://b.a.api.example/", "iOS 18.4", with).verdict == .allowed)
    #expect(try decide("http://b.a.api.example/", "iOS 18.4", with).confidence == .certain)
    #expect(try decide("http://b.a.api.example/", "iOS 12", with).confidence != .certain)
    #expect(try decide("http://b.a.api.example/", "doc", with).because == [.atsInsecureHTTP])
    #expect(try decide("http://API.example/", "iOS 12", with).verdict == .allowed)
    #expect(try decide("http://api.example./", "iOS 12", with).because == [.atsInsecureHTTP])
    #expect(try decide("http://x.api.example/", "iOS 12", entry("*.api.example", open)).verdict == .blocked)
  }

  @Test("an ancestor without the flag is skipped, and the nearest one with it decides")
  func nearest() throws {
    let ats: PropertyList = [
      "NSExceptionDomains": [
        "example": ["NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": true],
        "api.example": [:],
        "strict.example": ["NSIncludesSubdomains": true],
      ]
    ]
    #expect(try decide("http://x.api.example/", "iOS 18.4", ats).verdict == .allowed)
    #expect(try decide("http://api.example/", "iOS 18.4", ats).because == [.atsInsecureHTTP])
    #expect(try decide("http://x.strict.example/", "iOS 18.4", ats).because == [.atsInsecureHTTP])
  }

  @Test(
    "local names and addresses are allowed as the table of each era says",
    arguments: [
      ("iOS 9", "localhost", false), ("iOS 9", "printer.local", false), ("iOS 9", "192.168.1.1", false),
      ("iOS 9", "127.0.0.1", false), ("macOS 10.11", "localhost", false),
      ("iOS 10", "localhost", true), ("iOS 10", "printer.local", true), ("iOS 10", "192.168.1.1", true),
      ("iOS 16", "203.0.113.1", true), ("macOS 13", "[2001:db8::1]", true),
      ("iOS 17", "localhost", true), ("iOS 17", "printer.local.", true), ("iOS 17", "192.168.1.1", false),
      ("iOS 17", "127.0.0.1", true), ("iOS 18.4", "[::1]", true), ("iOS 18.4", "203.0.113.1", false),
      ("macOS 14", "203.0.113.1", false), ("doc", "localhost", true), ("doc", "203.0.113.1", false),
      ("iOS 18.4", "a.localhost", false),
    ])
  func local(os: String, host: String, isAllowed: Bool) throws {
    let decision = try decide("http://\(host)/", os)
    #expect(decision.because == (isAllowed ? [] : [.atsInsecureHTTP]))
    #expect(decision.decidedBy == "default")
    #expect(try (decide("https://\(host)/", os).requirements == nil) == isAllowed)
  }

  @Test("local names can be listed on iOS 9, addresses only since iOS 17")
  func listingLocals() throws {
    #expect(try decide("http://localhost/", "iOS 9", entry("localhost", open)).verdict == .allowed)
    #expect(try decide("http://192.168.1.1/", "iOS 9", entry("192.168.1.1", open)).because == [.atsInsecureHTTP])
    #expect(try decide("http://192.168.1.1/", "iOS 9", ["NSAllowsArbitraryLoads": true]).verdict == .allowed)
    #expect(try decide("http://192.168.1.1/", "iOS 16", entry("192.168.1.1", [:])).verdict == .allowed)
    #expect(try decide("http://192.168.1.1/", "iOS 17", entry("192.168.1.1", open)).verdict == .allowed)
    #expect(try decide("http://192.168.1.1/", "iOS 17", entry("192.168/16", open)).verdict == .allowed)
    #expect(try decide("http://192.169.1.1/", "iOS 17", entry("192.168/16", open)).because == [.atsInsecureHTTP])
    #expect(try decide("http://192.168.1.1/", "iOS 17").confidence.note?.contains("private") == true)
    #expect(try decide("http://192.168.1.1/", "iOS 17", direct: true).verdict == .allowed)
  }

  @Test(
    "since iOS 17 the SDK of an app also decides about addresses",
    arguments: ["203.0.113.1", "192.168.1.4", "127.0.0.1", "[2001:db8::1]", "[fd00::1]", "10.0.0.1"],
    [("iOS 17", "iOS 16"), ("iOS 18.4", "iOS 9"), ("iOS 26.4", "iOS 16.4"), ("macOS 14", "macOS 13")])
  func linkedEarlier(host: String, systems: (os: String, sdk: String)) throws {
    for scheme in ["http", "https"] {
      let decision = try decide("\(scheme)://\(host)/", systems.os, sdk: systems.sdk)
      #expect(decision.standing == .notApplicable(.addressOfEarlierSDK))
      #expect(decision.verdict == .allowed && decision.trustMayBeLoosened && decision.requirements == nil)
      #expect(decision.confidence == .certain)
    }
    // The same app, linked with the newer SDK.
    let newer = systems.os.hasPrefix("macOS") ? "macOS 14" : "iOS 17"
    let outside = try decide("http://203.0.113.1/", systems.os, sdk: newer)
    #expect(outside.because == [.atsInsecureHTTP] && outside.confidence == .certain)
    // The change does not affect names.
    #expect(try decide("http://api.example/", systems.os, sdk: systems.sdk).because == [.atsInsecureHTTP])
  }

  @Test("private addresses since iOS 17 are unknown, and an entry decides them")
  func unknownAddresses() throws {
    for (os, host) in [("iOS 17", "192.168.1.4"), ("iOS 18.4", "10.0.0.1"), ("iOS 17", "127.0.0.1")] {
      for sdk in [nil, "iOS 17"] {
        guard case .unknown = try decide("http://\(host)/", os, sdk: sdk).confidence else {
          Issue.record("\(os) \(host)")
          continue
        }
      }
      #expect(try decide("http://\(host)/", os, entry(host, open)).confidence == .certain)
      #expect(try decide("http://\(host)/", "iOS 16").confidence == .certain)
    }
    // It is also unknown whether a strict entry applies to an app with an earlier SDK.
    let strict = try decide("http://192.168.1.4/", "iOS 17", entry("192.168.1.4", [:]), sdk: "iOS 16")
    #expect(strict.verdict == .allowed && strict.confidence != .certain)
  }

  @Test("documentation lets NSAllowsLocalNetworking allow addresses; for systems that is unknown")
  func localNetworkingAndAddresses() throws {
    let ats: PropertyList = ["NSAllowsLocalNetworking": true]
    let page = try decide("http://203.0.113.1/", "doc", ats)
    #expect(page.verdict == .allowed && page.decidedBy == "NSAllowsLocalNetworking" && page.confidence == .certain)
    #expect(try decide("http://203.0.113.1/", "doc", ["NSAllowsLocalNetworking": false]).because == [.atsInsecureHTTP])
    guard case .conflicting = try decide("http://203.0.113.1/", "iOS 17", ats).confidence else {
      Issue.record("iOS 17")
      return
    }
  }

  @Test("NSAllowsLocalNetworking = NO denies local names only in the open engine")
  func localNetworkingDenied() throws {
    let ats: PropertyList = ["NSAllowsLocalNetworking": false, "NSAllowsArbitraryLoads": true]
    let denied = try decide("http://localhost/", "iOS 18.4", ats)
    #expect(denied.because == [.atsInsecureHTTP] && denied.decidedBy == "NSAllowsLocalNetworking")
    #expect(try decide("http://localhost/", "iOS 18.4", ["NSAllowsLocalNetworking": true]).verdict == .allowed)
    let before = try decide("http://localhost/", "iOS 17", ats)
    #expect(before.verdict == .allowed && before.confidence != .certain)
  }

  @Test("built-in exceptions exist since iOS 18.4, and the app's own entry replaces one completely")
  func builtIns() throws {
    let modern = try decide("http://www.apple.com/", "iOS 18.4")
    #expect(modern.verdict == .allowed && modern.decidedBy == "default" && modern.appReview.isEmpty)
    #expect(try decide("http://www.apple.com/", "iOS 18.3").because == [.atsInsecureHTTP])
    #expect(try decide("http://apple.com/", "iOS 18.4", entry("apple.com", [:])).because == [.atsInsecureHTTP])
    #expect(try decide("https://gs.apple.com/", "iOS 18.4").requirements?.minimumVersion == .tls10)
  }

  @Test("old spellings count before iOS 18.4 and not since")
  func oldSpellings() throws {
    for prefix in ["NSTemporaryException", "NSThirdPartyException"] {
      let ats = entry("api.example", flag(prefix + "AllowsInsecureHTTPLoads", true))
      let old = try decide("http://api.example/", "iOS 9", ats)
      #expect(old.verdict == .allowed && old.confidence != .certain)
      #expect(old.decidedBy == "NSExceptionDomains.api.example.\(prefix)AllowsInsecureHTTPLoads")
      #expect(try decide("http://api.example/", "iOS 18.4", ats).because == [.atsInsecureHTTP])
      #expect(try decide("http://api.example/", "doc", ats).because == [.atsInsecureHTTP])
    }
    let both = entry(
      "api.example",
      ["NSExceptionAllowsInsecureHTTPLoads": false, "NSTemporaryExceptionAllowsInsecureHTTPLoads": true])
    #expect(try decide("http://api.example/", "iOS 9", both).because == [.atsInsecureHTTP])
    let typo = entry("api.example", ["NSExceptionAllowInsecureHTTPLoads": true])
    #expect(try decide("http://api.example/", "iOS 9", typo).because == [.atsInsecureHTTP])
  }

  @Test("a mutant that skips the rule lets plain HTTP through, and the finding remains")
  func mutant() throws {
    let mutant = Enforcement.standard.overriding("ats.insecure-http", by: .mutant)
    let decision = try decide("http://api.example/", "iOS 12", enforcement: mutant)
    #expect(decision.verdict == .allowed && decision.findings.first?.outcome == .violated)
  }

  @Test("a URL without network access is unrestricted, and other protocols are unknown")
  func schemes() throws {
    #expect(try decide("file:///tmp/x", "iOS 12").standing == .notApplicable(.scheme))
    #expect(try decide("ftp://ftp.example/", "iOS 12").verdict == .unknown)
    #expect(try decide("ws://api.example/", "iOS 12").because == [.atsInsecureHTTP])
    #expect(try decide("wss://api.example/", "iOS 12").verdict == .allowed)
  }

  // URLSessionWebSocketTask: iOS 13, macOS 10.15. No Apple page about App Transport Security mentions WebSockets.
  @Test("WebSockets are decided like HTTP: likely if the system supports them, unknown before")
  func webSockets() throws {
    for (url, twin) in [("ws://api.example/", "http://api.example/"), ("wss://api.example/", "https://api.example/")] {
      let now = try decide(url, "iOS 13")
      #expect(try now.verdict == decide(twin, "iOS 13").verdict)
      #expect(now.doubts.count == 1 && now.doubts.first?.isLikely("WebSockets") == true)
      let before = try decide(url, "iOS 12").doubts
      #expect(before.count == 1 && before.first?.isUnknown("WebSocket") == true)
      #expect(try decide(twin, "iOS 12").confidence == .certain)
    }
  }

  @Test("a key requires Certificate Transparency from iOS 10 to 12.1, and is ignored since")
  func transparency() throws {
    let ats = entry("api.example", ["NSRequiresCertificateTransparency": true])
    let old = try decide("https://api.example/", "iOS 10", ats)
    #expect(old.requiresCertificateTransparency)
    #expect(old.findings.last?.rule == .atsCertificateTransparency && old.findings.last?.outcome == .notEvaluated)
    // The system itself requires it since iOS 12.1.1 (support article 103214).
    #expect(try !decide("https://api.example/", "iOS 14", ats).requiresCertificateTransparency)
    let modern = try decide("https://api.example/", "iOS 18.4", ats)
    #expect(!modern.requiresCertificateTransparency && modern.findings.last?.outcome == .notApplicable)
  }
}

/// An entry that allows plain HTTP.
let open: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true]

/// A dictionary with one entry.
func entry(_ name: String, _ value: PropertyList) -> PropertyList {
  ["NSExceptionDomains": .dictionary(.init(entries: [.init(key: name, value: value)]))]
}

private func flag(_ key: String, _ value: Bool) -> PropertyList {
  .dictionary(.init(entries: [.init(key: key, value: .boolean(value))]))
}

import Explanation
import Testing
import Trust

@testable import URLLoading

@Suite("The lint of what acts together")
struct LintInterplayTests {
  private typealias Finding = AppTransportSecurity.LintFinding
  private static let open: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true]
  private static let modern = [OSVersion(.iOS, 18, 4)]

  private func findings(
    _ globals: [(String, PropertyList)] = [], _ domains: [(String, PropertyList)] = [],
    os systems: [OSVersion] = modern
  ) -> [Finding] {
    func dictionary(_ pairs: [(String, PropertyList)]) -> PropertyList.Dictionary {
      .init(entries: pairs.map { .init(key: $0.0, value: $0.1) })
    }
    let exceptions = domains.isEmpty ? [] : [("NSExceptionDomains", PropertyList.dictionary(dictionary(domains)))]
    return AppTransportSecurity.lint(settings: dictionary(globals + exceptions), systems: systems).filter {
      $0.rule != .plistAppReview
    }
  }

  @Test("of many entries each is told what it would be told alone")
  func manyEntries() {
    let names = [
      "a.example", "b.example", "c-1.example.org", "localhost", "printer.local", "10.0.0.1", "127.1", "host.0x1",
      "push.apple.com", "notapple.com", "_x.example", "xn--bcher-kva.example", "example.7",
    ]
    let values: [PropertyList] = [
      [:], Self.open, ["NSIncludesSubdomains": true], ["NSExceptionRequiresForwardSecrecy": false],
      ["NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionRequiresForwardSecrecy": false],
    ]
    for globals: [(String, PropertyList)] in [[], [("NSAllowsArbitraryLoads", true)]] {
      for value in values {
        let domains = names.map { ($0, value) }
        let alone = domains.flatMap { findings(globals, [$0], os: Self.modern + [OSVersion(.iOS, 9)]) }
        let all = findings(globals, domains, os: Self.modern + [OSVersion(.iOS, 9)])
        #expect(all.map { [$0.message, $0.effect, $0.systems] } == alone.map { [$0.message, $0.effect, $0.systems] })
        #expect(!alone.isEmpty)
      }
    }
  }

  @Test(
    "an empty entry takes its domain out of a switch for some loaders",
    arguments: [
      ("NSAllowsArbitraryLoadsInWebContent", "nothing is demanded of web views"),
      ("NSAllowsArbitraryLoadsForMedia", "nothing is demanded of AVFoundation"),
    ])
  func loaders(key: String, word: String) {
    let on = findings([(key, true)], [("a.example", [:])])
    #expect(on.map(\.rule) == [.plistAddsStrictness])
    #expect(on.first?.effect.contains(word) == true && on.first?.effect.contains("plain HTTP is blocked") == true)
    #expect(findings([], [("a.example", [:])]).map(\.rule) == [.plistChangesNothing])
    #expect(findings([(key, true)], [("a.example", Self.open)]).isEmpty)
  }

  @Test(
    "a string for a switch counts as absent, and a boolean in its place would not",
    arguments: ["NSAllowsArbitraryLoadsForMedia", "NSAllowsArbitraryLoadsInWebContent", "NSAllowsLocalNetworking"])
  func strings(key: String) {
    let beside = findings([("NSAllowsArbitraryLoads", true), (key, "NO")])
    #expect(beside.map(\.rule) == [.plistNotABoolean])
    #expect(beside.first?.effect.hasPrefix("counts as absent") == true)
    #expect(beside.first?.advice.contains("turns NSAllowsArbitraryLoads off") == true)
    let alone = findings([(key, "YES")])
    #expect(alone.first?.effect.hasPrefix("counts as absent") == true)
    #expect(alone.first?.advice == "did you mean '<true/>'?")
  }

  @Test("a misspelt key beside the right one takes nothing away")
  func rightOneBeside() {
    let both = findings([("NSAllowArbitraryLoads", true), ("NSAllowsArbitraryLoads", true)])
    #expect(both.map(\.rule) == [.plistUnknownKey])
    #expect(both.first?.effect == "ignored: 'NSAllowsArbitraryLoads' is set, and that is what counts")
    #expect(findings([("NSAllowArbitraryLoads", true)]).first?.effect.contains("has its default") == true)
    let near = findings([("NSAllowsArbitraryLoad", true), ("NSAllowsArbitraryLoads", true)])
    #expect(near.first?.effect == both.first?.effect)
  }

  @Test("an entry below one that every app has stands before it, since iOS 18.4")
  func builtIn() {
    let below = findings([], [("www.apple.com", [:])])
    #expect(below.map(\.rule) == [.plistReplacesBuiltIn] && below.first?.message.contains("'apple.com'") == true)
    #expect(findings([], [("www.apple.com", [:])], os: [OSVersion(.iOS, 17)]).map(\.rule) == [.plistChangesNothing])
    #expect(findings([], [("www.apple.example", [:])]).map(\.rule) == [.plistChangesNothing])
    let own: PropertyList = ["NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": true]
    let rules = findings(
      [], [("www.apple.com", own), ("a.www.apple.com", ["NSExceptionMinimumTLSVersion": "TLSv1.3"])])
    #expect(rules.filter { $0.rule == .plistReplacesBuiltIn }.map(\.found) == ["www.apple.com"])
  }

  @Test("two ranges that are one: which entry counts is not specified")
  func equalRanges() {
    let equal = findings([], [("10/8", Self.open), ("10.0.0.0/8", [:])])
    #expect(equal.contains { $0.rule == .plistEqualRanges && $0.found == "10.0.0.0/8" })
    #expect(findings([], [("10.1.2.3/8", Self.open), ("10/8", [:])]).contains { $0.rule == .plistEqualRanges })
    #expect(!findings([], [("10/8", Self.open), ("10/9", [:])]).contains { $0.rule == .plistEqualRanges })
    #expect(!findings([], [("10/8", Self.open), ("11/8", [:])]).contains { $0.rule == .plistEqualRanges })
  }

  @Test("addresses have no wildcards, no subdomains and one spelling")
  func addresses() {
    let wild = findings([], [("192.168.0.*", Self.open)])
    #expect(wild.map(\.rule) == [.plistDomainWithWildcard] && wild.first?.meant == "192.168.0.0/24")
    #expect(wild.first?.advice.contains("iOS 17") == true)
    #expect(findings([], [("10.*.*.*", Self.open)]).first?.meant == "10.0.0.0/8")
    #expect(findings([], [("*.168.0.1", Self.open)]).first?.meant == "168.0.1")
    let wide: PropertyList = ["NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": true]
    for name in ["203.0.113.1", "10.0.0.0/8"] {
      #expect(findings([], [(name, wide)]).map(\.rule) == [.plistAddressSubdomains])
      #expect(findings([], [(name, Self.open)]).isEmpty)
    }
    #expect(findings([], [("a.example", wide)]).isEmpty)
    let long = findings([], [("2001:db8:0:0::1", Self.open)])
    #expect(long.map(\.rule) == [.plistAddressSpelling] && long.first?.meant == "2001:db8::1")
    #expect(findings([], [("2001:db8::1", Self.open)]).isEmpty)
  }

  @Test("an entry for an address is never called needless, and a switch for all is named before a local name")
  func calledNeedless() {
    for name in ["127.0.0.1", "192.168.1.4", "203.0.113.1", "::1"] {
      #expect(findings([], [(name, [:])]).allSatisfy { $0.rule != .plistChangesNothing })
    }
    #expect(findings([], [("api.example", [:])]).contains { $0.rule == .plistChangesNothing })
    let onion = findings([("NSAllowsArbitraryLoads", true)], [("onion", ["NSIncludesSubdomains": true])])
    let found = onion.first { $0.rule == .plistAddsStrictness }
    #expect(found?.effect.contains("NSAllowsArbitraryLoads is on") == true, "\(onion.map(\.effect))")
  }

  @Test("without forward secrecy and with plain HTTP the suites are the session's, since iOS 18.4")
  func suites() {
    let both: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionRequiresForwardSecrecy": false]
    #expect(findings([], [("a.example", both)]).map(\.rule) == [.plistSuitesLeftAlone])
    #expect(findings([], [("a.example", both)], os: [OSVersion(.iOS, 17)]).isEmpty)
    #expect(findings([], [("a.example", ["NSExceptionRequiresForwardSecrecy": false])]).isEmpty)
  }

  @Test("a local name is allowed from a release on, not by one that the app never sees")
  func localNames() {
    let found = findings([], [("printer.local", [:])], os: [OSVersion(.iOS, 15)])
    #expect(found.map(\.rule) == [.plistAddsStrictness])
    #expect(found.first?.effect.contains("allowed from iOS 10 and macOS 10.12 on") == true)
  }

  @Test("every rule of property lists says how bad it is, and the lint says nothing worse")
  func severities() {
    for rule in Rule.propertyLists { #expect(!rule.lintSeverities.isEmpty) }
    #expect(Rule.plistDomainWithPort.lintSeverities == [.error])
    #expect(Rule.atsInsecureHTTP.lintSeverities.isEmpty)
    let slips: [(String, PropertyList)] = [
      ("a:80", Self.open), ("A.example", [:]), ("f.example.", Self.open), ("10/8", Self.open), ("10.0.0.0/8", [:]),
      ("b.example", ["Comment": 1, "NSIncludeSubdomains": 1, "NSIncludesSubdomains": "YES"]), ("apple.com", [:]),
    ]
    let found = findings([("NSAllowsArbitraryLoadsForMedia", false), ("NSPinnedDomains", ["a": [:]])], slips, os: [])
    #expect(found.count > 8)
    for finding in found { #expect(finding.rule.lintSeverities.contains(finding.severity), "\(finding.rule.id)") }
  }
}

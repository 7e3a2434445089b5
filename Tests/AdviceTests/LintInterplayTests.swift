import Explanation
import Testing
import Trust

@testable import Advice
@testable import URLLoading

@Suite("Lint findings about keys that interact")
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
      // Every key has one of these findings, regardless of its neighbours.
      ![.plistAppReview, .plistForwardSecrecyWaived].contains($0.rule)
    }
  }

  @Test("each of many entries has the findings that it would have alone")
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
    "an empty entry excludes its domain from a switch for some loaders",
    arguments: [
      ("NSAllowsArbitraryLoadsInWebContent", "web views"),
      ("NSAllowsArbitraryLoadsForMedia", "AVFoundation"),
    ])
  func loaders(key: String, word: String) {
    let on = findings([(key, true)], [("a.example", [:])])
    #expect(on.map(\.rule) == [.plistAddsStrictness])
    #expect(on.first?.effect.contains(word) == true)
    #expect(findings([], [("a.example", [:])]).map(\.rule) == [.plistChangesNothing])
    #expect(findings([(key, true)], [("a.example", Self.open)]).isEmpty)
  }

  @Test(
    "a string as the value of a switch counts as absent, unlike a boolean",
    arguments: ["NSAllowsArbitraryLoadsForMedia", "NSAllowsArbitraryLoadsInWebContent", "NSAllowsLocalNetworking"])
  func strings(key: String) {
    let beside = findings([("NSAllowsArbitraryLoads", true), (key, "NO")])
    #expect(beside.map(\.rule) == [.plistNotABoolean])
    #expect(beside.first?.advice.contains("NSAllowsArbitraryLoads") == true)
    let alone = findings([(key, "YES")])
    #expect(alone.map(\.rule) == [.plistNotABoolean])
    #expect(alone.first?.advice.contains("NSAllowsArbitraryLoads off") == false)
    #expect(alone.first?.advice.contains("'<true/>'") == true)
  }

  @Test("a misspelt key next to the right one removes nothing")
  func rightOneBeside() {
    let both = findings([("NSAllowArbitraryLoads", true), ("NSAllowsArbitraryLoads", true)])
    #expect(both.map(\.rule) == [.plistUnknownKey])
    #expect(both.first?.effect.contains("'NSAllowsArbitraryLoads'") == true)
    #expect(findings([("NSAllowArbitraryLoads", true)]).first.map(\.effect) != both.first?.effect)
    let near = findings([("NSAllowsArbitraryLoad", true), ("NSAllowsArbitraryLoads", true)])
    #expect(near.first?.effect == both.first?.effect)
  }

  @Test("since iOS 18.4 an entry below a built-in one takes precedence over it")
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

  @Test("of two equal ranges, it is unspecified which entry counts")
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

  @Test("an address entry is never called needless, and the finding names a global switch")
  func calledNeedless() {
    for name in ["127.0.0.1", "192.168.1.4", "203.0.113.1", "::1"] {
      #expect(findings([], [(name, [:])]).allSatisfy { $0.rule != .plistChangesNothing })
    }
    #expect(findings([], [("api.example", [:])]).contains { $0.rule == .plistChangesNothing })
    let onion = findings([("NSAllowsArbitraryLoads", true)], [("onion", ["NSIncludesSubdomains": true])])
    let found = onion.first { $0.rule == .plistAddsStrictness }
    #expect(found?.effect.contains("NSAllowsArbitraryLoads is on") == true, "\(onion.map(\.effect))")
  }

  /// The lint findings for an app's Info.plist with one entry, such as `note ignored-by-os`.
  private func found(
    _ name: String, _ entry: PropertyList, lowest: String, sdk: String?, globals: [(String, PropertyList)] = []
  ) -> [Finding] {
    func list(_ pairs: [(String, PropertyList)]) -> PropertyList {
      .dictionary(.init(entries: pairs.map { .init(key: $0.0, value: $0.1) }))
    }
    let settings = list(globals + [("NSExceptionDomains", list([(name, entry)]))])
    let root: [(String, PropertyList)] = [
      ("MinimumOSVersion", .string(lowest)), ("NSAppTransportSecurity", settings),
    ]
    return AppTransportSecurity.lint(list(root + (sdk.map { [("DTSDKName", .string($0))] } ?? [])))
      .filter { $0.rule != .plistAppReview }
  }

  // Apple's page on NSExceptionDomains: addresses can be listed since iOS 17. Release notes of iOS 17, 101967030: apps
  // linked with its SDK need an entry, others do not. The sources disagree about 127.0.0.1. Earlier systems ignore
  // entries of addresses, and on iOS 9 no entry helps.
  @Test(
    "the finding for an address entry depends on system and SDK, and never removes it",
    arguments: ["127.0.0.1", "::1", "fe80::1", "192.168.1.4", "203.0.113.1", "10.0.0.0/8", "127.1", "2130706433"],
    ["9.0", "10.0", "15.0", "16.4", "17.0", "18.4"])
  func addressEntries(name: String, lowest: String) throws {
    let isOld = try #require(Double(lowest)) < 17
    let isSpeltOtherwise = name == "127.1" || name == "2130706433"
    // That 127.1 may be an address is a separate finding.
    let ignored: [Rule] = isSpeltOtherwise ? [.plistAddressSpelling] : isOld ? [.plistIgnoredBySystem] : []
    for sdk in [nil, "iphoneos16.4", "iphoneos17.0", "iphoneos26.0"] {
      let open = found(name, Self.open, lowest: lowest, sdk: sdk)
      let isOpen = ["192.168.1.4", "203.0.113.1", "10.0.0.0/8"].contains(name) && sdk == "iphoneos16.4"
      let needless: [Rule] = isOpen ? [.plistChangesNothing] : []
      #expect(open.map(\.rule) == ignored + needless, "\(sdk ?? "no SDK")")
      // An app linked with an earlier SDK loads from addresses with or without the entry.
      let mayOpen = ["127.0.0.1", "::1", "fe80::1"].contains(name) && sdk != "iphoneos16.4"
      let empty = found(name, [:], lowest: lowest, sdk: sdk)
      let closed: [Rule] = mayOpen ? [.plistAddressClosed] : []
      #expect(empty.map(\.rule.id).sorted() == (ignored + closed).map(\.id).sorted())
      for finding in open + empty {
        let isForNow = finding.advice.contains(/SDK.*iOS 17.*macOS 14/)
        #expect(isForNow || !finding.advice.contains("Remove"), "\(finding.advice)")
      }
    }
  }

  @Test("an entry made needless by an earlier SDK is reported, unless NSAllowsLocalNetworking = NO")
  func addressOfEarlierSDK() throws {
    func rules(_ name: String, _ sdk: String?, _ globals: [(String, PropertyList)] = []) -> [Rule] {
      found(name, Self.open, lowest: "17.0", sdk: sdk, globals: globals).map(\.rule)
    }
    #expect(rules("203.0.113.0/24", "iphoneos16.4") == [.plistChangesNothing])
    #expect(rules("203.0.113.0/24", "iphoneos17.0").isEmpty)
    #expect(rules("203.0.113.0/24", nil).isEmpty)
    #expect(rules("127.0.0.0/8", "iphoneos16.4").isEmpty)
    let denied: [(String, PropertyList)] = [("NSAllowsLocalNetworking", false)]
    #expect(rules("203.0.113.0/24", "iphoneos16.4", denied) == [.plistLocalNetworkingDenied])
    let note = try #require(found("203.0.113.0/24", Self.open, lowest: "17.0", sdk: "iphoneos16.4").first)
    #expect(
      note.effect.contains("SDK of iOS 16.4"))
  }

  @Test("the finding for an entry that blocks 127.0.0.1 names its systems and the doubt")
  func closedAddress() throws {
    let closed = try #require(found("127.0.0.1", [:], lowest: "15.0", sdk: nil).last)
    #expect(closed.effect.hasSuffix(" iOS 17, iOS 18.4, iOS 26.4"))
    #expect(closed.advice.contains("NSExceptionAllowsInsecureHTTPLoads = YES"))
    #expect(closed.confidence == AppTransportSecurity.Deciding.directAddress)
  }

  @Test("if all loads are allowed, an address entry only adds requirements, and can be removed")
  func addressAmongArbitraryLoads() throws {
    for name in ["127.0.0.1", "203.0.113.1"] {
      let all = found(name, Self.open, lowest: "17.0", sdk: nil, globals: [("NSAllowsArbitraryLoads", true)])
      #expect(all.map(\.rule) == [.plistAddsStrictness])
      #expect(all.first?.effect.contains("NSAllowsArbitraryLoads is on") == true)
      let local = found(name, Self.open, lowest: "17.0", sdk: nil, globals: [("NSAllowsLocalNetworking", true)])
      #expect(local.isEmpty)
    }
    let web: [(String, PropertyList)] = [("NSAllowsArbitraryLoadsInWebContent", true)]
    #expect(found("203.0.113.1", [:], lowest: "17.0", sdk: nil, globals: web).map(\.rule) == [.plistAddsStrictness])
    #expect(found("127.0.0.1", [:], lowest: "17.0", sdk: nil, globals: web).map(\.rule) == [.plistAddressClosed])
  }

  // An address uses its own entry, else that of the range with the longest matching prefix. Without the entry for
  // 203.0.113.1 the range requires full App Transport Security of it, whatever NSAllowsArbitraryLoads says.
  @Test(
    "an entry that excludes an address from a range stays; others can go",
    arguments: [
      ("203.0.113.0/24", "203.0.113.1", "203.0.114.1"), ("203.0/16", "203.0.113.1", "203.1.113.1"),
      ("2001:db8::/32", "2001:db8::1", "2001:db9::1"), ("0.0.0.0/0", "203.0.113.1", "2001:db8::1"),
    ])
  func addressInRange(range: String, inside: String, outside: String) {
    func strictness(_ domains: [(String, PropertyList)]) -> [String] {
      findings([("NSAllowsArbitraryLoads", true)], domains, os: [OSVersion(.iOS, 17)])
        .filter { $0.rule == .plistAddsStrictness }.map(\.message)
    }
    #expect(strictness([(range, [:]), (inside, Self.open)]).isEmpty)
    #expect(strictness([(range, [:]), (outside, Self.open)]).count == 1)
    #expect(strictness([(inside, Self.open)]).count == 1)
    // A value that is not a dictionary is not an entry.
    #expect(strictness([(range, "none"), (inside, Self.open)]).count == 1)
  }

  @Test("of nested ranges, the narrowest decides about the effect of an address entry")
  func addressInNestedRanges() {
    let all: [(String, PropertyList)] = [("NSAllowsArbitraryLoads", true)]
    func rules(_ domains: [(String, PropertyList)]) -> [Rule] {
      findings(all, domains, os: [OSVersion(.iOS, 17)]).map(\.rule)
    }
    // The narrower range opens the address as the entry does.
    let opened: [(String, PropertyList)] = [("10.0.0.0/8", [:]), ("10.1.0.0/16", Self.open)]
    #expect(!rules(opened + [("10.1.0.1", Self.open)]).contains(.plistAddsStrictness))
    #expect(!rules(opened + [("10.2.0.1", Self.open)]).contains(.plistAddsStrictness))
    #expect(rules(opened + [("11.0.0.1", Self.open)]).contains(.plistAddsStrictness))
    #expect(rules(opened + [("10.1.0.1", [:])]).contains(.plistNotMerged))
    #expect(!rules(opened + [("10.2.0.1", [:])]).contains(.plistNotMerged))
  }

  @Test("without forward secrecy and with plain HTTP, the session's suites count since iOS 18.4")
  func suites() {
    let both: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionRequiresForwardSecrecy": false]
    #expect(findings([], [("a.example", both)]).map(\.rule) == [.plistSuitesLeftAlone])
    #expect(findings([], [("a.example", both)], os: [OSVersion(.iOS, 17)]).isEmpty)
    #expect(findings([], [("a.example", ["NSExceptionRequiresForwardSecrecy": false])]).isEmpty)
  }

  @Test("the effect of a local name's entry names the first release that allows it")
  func localNames() {
    let found = findings([], [("printer.local", [:])], os: [OSVersion(.iOS, 15)])
    #expect(found.map(\.rule) == [.plistAddsStrictness])
    #expect(found.first?.effect.contains("iOS 10 and macOS 10.12") == true)
  }

  @Test("every rule of property lists has a severity, and the lint reports nothing worse")
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

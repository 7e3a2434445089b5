import Testing
import Trust

@testable import Advice
@testable import URLLoading

/// A change of a load between two property lists, with the keys that cause it.
struct LoadChange: Hashable {
  let kind: ATS.SettingsDifference.Kind
  let url: String
  let key: String

  init(_ kind: ATS.SettingsDifference.Kind, _ url: String, by key: String) {
    (self.kind, self.url, self.key) = (kind, url, key)
  }

  init(_ change: ATS.SettingsDifference.Change) {
    self.init(change.kind, change.new.load.url.description, by: change.key)
  }
}

@Suite("Differences between property lists where another entry overlaps")
struct ComparedHostsTests {
  private static let open: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true]
  private static let insecure = "NSExceptionAllowsInsecureHTTPLoads"

  private func difference(
    _ old: PropertyList, _ new: PropertyList, _ system: OSVersion = OSVersion(.iOS, 18, 4),
    sdks: (old: OSVersion?, new: OSVersion?) = (nil, nil)
  ) throws -> ATS.SettingsDifference {
    .init(
      from: .init(dictionary: try #require(old.dictionary), linkedSDK: sdks.old),
      to: .init(dictionary: try #require(new.dictionary), linkedSDK: sdks.new), urls: [], systems: [system])
  }

  private func changes(
    _ old: PropertyList, _ new: PropertyList, _ system: OSVersion = OSVersion(.iOS, 18, 4),
    sdks: (old: OSVersion?, new: OSVersion?) = (nil, nil)
  ) throws -> [LoadChange] {
    let difference = try difference(old, new, system, sdks: sdks)
    return difference.changes.map {
      LoadChange(
        $0.kind, difference.written($0.new.load.url.description), by: difference.written($0.key))
    }
  }

  private func domains(_ entries: [(String, PropertyList)]) -> PropertyList {
    let entries = entries.map { PropertyList.Dictionary.Entry(key: $0.0, value: $0.1) }
    return ["NSExceptionDomains": .dictionary(.init(entries: entries))]
  }

  @Test(
    "a wider range newly allows its additional addresses, and a narrower one blocks them",
    arguments: [
      ("10.0.0.0/16", "10.0.0.0/8", "10.1.0.0"), ("10.0.3.0/24", "10/8", "10.0.0.0"),
      ("2001:db8::/48", "2001:db8::/32", "[2001:db8:1::]"), ("192.0.2.1/32", "192.0.2.1/31", "192.0.2.0"),
      ("203.0.113.0/25", "0.0.0.0/0", "0.0.0.0"), ("2001:db8::1", "2001:db8::/127", "[2001:db8::]"),
    ])
  func widened(narrow: String, wide: String, address: String) throws {
    let (small, large) = (domains([(narrow, Self.open)]), domains([(wide, Self.open)]))
    let key = "NSExceptionDomains.\(wide).\(Self.insecure)"
    #expect(try changes(small, large).contains(.init(.newlyAllowed, "http://\(address)/", by: key)))
    #expect(try changes(large, small).contains(.init(.newlyBlocked, "http://\(address)/", by: key)))
    #expect(try changes(large, large).isEmpty)
    // Before iOS 17 no address has an entry.
    #expect(try changes(small, large, OSVersion(.iOS, 16)).isEmpty)
  }

  @Test("ranges are compared by an address that no narrower range covers")
  func nested() throws {
    let inner: [(String, PropertyList)] = [("10.0.0.0/24", Self.open), ("10.0.1.0/24", [:]), ("10.0.2.9", Self.open)]
    let old = domains([("10.0.0.0/8", [:])] + inner)
    let new = domains([("10.0.0.0/8", Self.open)] + inner)
    let key = "NSExceptionDomains.10.0.0.0/8.\(Self.insecure)"
    #expect(
      try changes(old, new) == [
        .init(.newlyAllowed, "http://10.0.2.0/", by: key), .init(.loosened, "https://10.0.2.0/", by: key),
      ])
    // The two halves cover the whole range.
    let halves: [(String, PropertyList)] = [("10.0.0.0/9", [:]), ("10.128.0.0/9", [:])]
    #expect(try changes(domains([("10.0.0.0/8", [:])] + halves), domains([("10/8", Self.open)] + halves)).isEmpty)
  }

  @Test("an entry for all addresses blocks those of the device, which needed no entry")
  func direct() throws {
    let all = domains([("0.0.0.0/0", [:])])
    #expect(
      try changes([:], all).contains(.init(.newlyBlocked, "http://127.0.0.0/", by: "NSExceptionDomains.0.0.0.0/0")))
    #expect(
      try changes(all, [:]).contains(.init(.newlyAllowed, "http://127.0.0.0/", by: "NSExceptionDomains.0.0.0.0/0")))
    #expect(try !changes([:], all).contains { $0.url == "http://0.0.0.0/" })
  }

  @Test("subdomains are compared by one that has no entry of its own")
  func subdomains() throws {
    let wide: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true]
    let old = domains([("example.com", Self.open), ("www.example.com", [:])])
    let new = domains([("example.com", wide), ("www.example.com", [:])])
    let key = "NSExceptionDomains.example.com.NSIncludesSubdomains"
    #expect(
      try changes(old, new) == [
        .init(.newlyAllowed, "http://api.example.com/", by: key), .init(.loosened, "https://api.example.com/", by: key),
      ])
    #expect(try changes(new, old).first == .init(.newlyBlocked, "http://api.example.com/", by: key))
    #expect(try changes(new, new).isEmpty)
  }

  // Documentation of NSExceptionDomains: lower case, no port, no wildcard; keys are compared as they are written.
  @Test(
    "an entry that matches no host according to lint changes no load",
    arguments: [
      "*.a.example", "a.*.example", ".b.example", "a.example:443", "https://a.example", "a.example/v1", "e.example ",
      "A.example", "",
    ])
  func matchesNoHost(name: String) throws {
    let wide: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true]
    for entry in [Self.open, wide] {
      let listed = domains([(name, entry)])
      #expect(!ATS.lint(settings: try #require(listed.dictionary)).isEmpty)
      #expect(try changes([:], listed).isEmpty && changes(listed, [:]).isEmpty)
      // Any other host, a local name and an address, with and without TLS.
      #expect(try difference([:], listed).count == 6)
    }
  }

  @Test(
    "an entry newly allows its host, also with a trailing dot",
    arguments: ["a.example", "b_c.example", "printer-2.a.example", "a.example."])
  func matchesHost(name: String) throws {
    let key = "NSExceptionDomains.\(name).\(Self.insecure)"
    #expect(try changes([:], domains([(name, Self.open)])).contains(.init(.newlyAllowed, "http://\(name)/", by: key)))
  }

  @Test("an entry that replaces a built-in one removes its subdomains too")
  func builtIn() throws {
    let own = domains([("apple.com", [:])])
    #expect(
      try changes([:], own).contains(.init(.newlyBlocked, "http://www.apple.com/", by: "NSExceptionDomains.apple.com")))
    #expect(try !changes([:], own, OSVersion(.iOS, 17)).contains { $0.url == "http://www.apple.com/" })
  }

  @Test("the compared other host and other address have no entry")
  func others() throws {
    let below: PropertyList = ["NSIncludesSubdomains": true]
    let listed: [(String, PropertyList)] = [("example", below), ("local", below), ("203.0.113.0/24", [:])]
    let entries = PropertyList.Dictionary(entries: listed.map { .init(key: $0.0, value: $0.1) })
    let all: PropertyList = ["NSAllowsArbitraryLoads": true, "NSExceptionDomains": .dictionary(entries)]
    let opened = try changes(domains(listed), all)
    #expect(opened.contains(.init(.newlyAllowed, "http://any-other-host.test/", by: "NSAllowsArbitraryLoads")))
    #expect(opened.contains(.init(.newlyAllowed, "http://198.51.100.1/", by: "NSAllowsArbitraryLoads")))
    #expect(!opened.contains { $0.url.contains("any-other-host.example") || $0.url.contains("203.0.113") })
    #expect(try difference(domains(listed), all).otherHost == "any-other-host.test")
  }

  @Test("the SDK of an app opens and closes addresses, on systems that check it")
  func linkedSDKs() throws {
    let (older, newer) = (OSVersion(.iOS, 16, 4), OSVersion(.iOS, 17))
    let (http, https, key) = ("http://203.0.113.1/", "https://203.0.113.1/", "DTSDKName")
    #expect(
      try changes([:], [:], sdks: (newer, older)) == [
        .init(.newlyAllowed, http, by: key), .init(.loosened, https, by: key),
      ])
    #expect(
      try changes([:], [:], sdks: (older, newer)) == [
        .init(.newlyBlocked, http, by: key), .init(.tightened, https, by: key),
      ])
    #expect(try changes([:], [:], sdks: (nil, newer)).isEmpty)
    #expect(try changes([:], [:], OSVersion(.iOS, 16), sdks: (newer, older)).isEmpty)
    // An entry that is the same in both lists counts only with the newer SDK.
    let listed = domains([("192.0.2.7", [:])])
    #expect(
      try changes(listed, listed, sdks: (newer, older)).contains(
        .init(.newlyAllowed, "http://192.0.2.7/", by: "DTSDKName")))
  }

  @Test("removing a NIAP level loosens the requirements, on systems that support it")
  func niap() throws {
    let key = "NSRequiresNIAPTLSPackageVersion"
    let level: PropertyList = ["NSRequiresNIAPTLSPackageVersion": "FCP_v2.1"]
    let knowing = OSVersion(.iOS, 26, 4)
    #expect(try changes(level, [:], knowing).contains(.init(.loosened, "https://any-other-host.example/", by: key)))
    #expect(try changes([:], level, knowing).contains(.init(.tightened, "https://any-other-host.example/", by: key)))
    #expect(try changes(level, [:], OSVersion(.iOS, 18, 4)).isEmpty)
    #expect(try changes(level, level, knowing).isEmpty)
    let dropped = try #require(try difference(level, [:], knowing).changes.first)
    #expect(dropped.old.niapDemand != nil && dropped.new.niapDemand == nil)
    #expect(dropped.demands == [.niapPackage(from: .functionalPackage21, to: nil)])
    let excepted: PropertyList = [
      "NSRequiresNIAPTLSPackageVersion": "FCP_v2.1",
      "NSExceptionDomains": ["a.example": ["NSExceptionRequiresNIAPTLSPackageVersion": "none"]],
    ]
    #expect(
      try changes(level, excepted, knowing) == [
        .init(
          .loosened, "https://a.example/", by: "NSExceptionDomains.a.example.NSExceptionRequiresNIAPTLSPackageVersion")
      ])
  }

  @Test("an entry for a build setting is compared as a host with unknown name")
  func unexpanded() throws {
    let entry = domains([("$(HOST)", Self.open)])
    let key = "NSExceptionDomains.$(HOST).\(Self.insecure)"
    #expect(
      try changes([:], entry) == [
        .init(.newlyAllowed, "http://$(HOST)/", by: key), .init(.loosened, "https://$(HOST)/", by: key),
      ])
    let doubts = try difference([:], entry).doubts
    #expect(doubts == [.host("$(HOST)")])
    #expect(try changes(entry, entry).isEmpty && difference(entry, entry).doubts.isEmpty)
    // The unknown domain of the setting contains the host.
    let wide: (String, PropertyList) = (
      "example.com", ["NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true]
    )
    let narrowed = try changes(domains([wide]), domains([wide, ("${SUB}.example.com", [:])]))
    #expect(
      narrowed.first == .init(.newlyBlocked, "http://${SUB}.example.com/", by: "NSExceptionDomains.${SUB}.example.com"))
    let version: PropertyList = ["NSExceptionMinimumTLSVersion": "$(VERSION)"]
    let unread = try difference([:], domains([("a.example", version)])).doubts
    let path = "NSExceptionDomains.a.example.NSExceptionMinimumTLSVersion"
    #expect(unread == [.text("$(VERSION)", path: path)])
  }

  @Test("200 nested ranges on each side are compared in under a second, unoptimised")
  func speed() throws {
    func list(_ value: PropertyList) -> PropertyList {
      domains(
        (0..<200).map { index -> (String, PropertyList) in
          ("10.\(index).0.0/\(16 + index % 8)", index % 2 == 0 ? value : [:])
        }
          + [("10.0.0.0/8", value)])
    }
    let start = ContinuousClock.now
    let opened = try changes(list([:]), list(Self.open))
    #expect(opened.count { $0.kind == .newlyAllowed } == 101)
    #expect(ContinuousClock.now - start < .seconds(5))
  }
}

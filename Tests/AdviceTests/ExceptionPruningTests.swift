import Testing
import Trust

@testable import Advice
@testable import URLLoading

@Suite("Pruning of exceptions that no load needs, without allowing others")
struct ExceptionPruningTests {
  private static let open: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true]
  private static let (nine, seventeen) = (OSVersion(.iOS, 9), OSVersion(.iOS, 17))

  private func pruning(
    _ settings: PropertyList, _ urls: [String], _ systems: [OSVersion]
  ) throws -> ATS.ExceptionPruning {
    .init(
      of: .init(dictionary: try #require(settings.dictionary)), urls: try urls.map { try LoadURL($0) },
      systems: systems)
  }

  /// Loads that the rest of `settings` allows, and all of `settings` did not.
  private func opened(
    _ settings: PropertyList, _ pruning: ATS.ExceptionPruning, _ systems: [OSVersion]
  ) throws -> [String] {
    ATS.SettingsDifference(
      from: .init(dictionary: try #require(settings.dictionary)), to: .init(dictionary: pruning.dictionary), urls: [],
      systems: systems
    ).changes.filter { $0.kind == .newlyAllowed }.map { "\($0.new.load.url) on \($0.new.load.os)" }
  }

  // NSAllowsArbitraryLoads is for iOS 9, and the presence of NSAllowsLocalNetworking turns it off since iOS 10
  // (documentation of NSAppTransportSecurity).
  @Test("a key that turns NSAllowsArbitraryLoads off is kept exactly as long as the latter is")
  func overriding() throws {
    let settings: PropertyList = [
      "NSAllowsArbitraryLoads": true, "NSAllowsLocalNetworking": true,
      "NSExceptionDomains": ["a.example": Self.open],
    ]
    let urls = ["http://a.example/", "http://printer.local/"]
    let both = try pruning(settings, urls, [Self.nine, Self.seventeen])
    #expect(both.droppable.isEmpty && PropertyList.dictionary(both.dictionary) == settings)
    let kept = try #require(both.kept.first)
    #expect(both.kept.count == 1 && kept.key == "NSAllowsLocalNetworking" && kept.isOverriding)
    #expect(kept.load == "http://(any other host)/" && kept.systems == [Self.seventeen])
    #expect(kept.decidedBy == "NSAllowsArbitraryLoads" && kept.demands.isEmpty)
    let newer = try pruning(settings, urls, [Self.seventeen])
    #expect(newer.droppable == ["NSAllowsArbitraryLoads", "NSAllowsLocalNetworking"] && newer.kept.isEmpty)
    #expect(PropertyList.dictionary(newer.dictionary) == ["NSExceptionDomains": ["a.example": Self.open]])
  }

  // With the entry, its host needs TLS 1.2 with forward secrecy; without it, NSAllowsArbitraryLoads requires nothing
  // (documentation of NSExceptionDomains).
  @Test("an entry for an unloaded host stays if global keys would require less")
  func looser() throws {
    let entries: PropertyList = ["api.example": Self.open]
    let loose = try pruning(
      ["NSAllowsArbitraryLoads": true, "NSExceptionDomains": entries], ["https://cdn.example/"], [Self.seventeen])
    #expect(!loose.droppable.contains("NSExceptionDomains"), "\(loose.droppable)")
    #expect(!loose.droppable.contains("NSExceptionDomains.api.example"))
    // If nothing else allows the host, removing the entry loses nothing.
    let strict = try pruning(["NSExceptionDomains": entries], ["https://cdn.example/"], [Self.seventeen])
    #expect(strict.droppable.contains("NSExceptionDomains") && strict.kept.isEmpty)
  }

  @Test("a key is dropped if its reason is dropped, regardless of their order")
  func order() throws {
    let settings: PropertyList = [
      "NSAllowsLocalNetworking": true, "NSExceptionDomains": ["a.example": Self.open],
      "NSAllowsArbitraryLoads": true,
    ]
    let pruning = try pruning(settings, ["http://a.example/"], [Self.seventeen])
    #expect(pruning.droppable == ["NSAllowsLocalNetworking", "NSAllowsArbitraryLoads"] && pruning.kept.isEmpty)
    #expect(PropertyList.dictionary(pruning.dictionary) == ["NSExceptionDomains": ["a.example": Self.open]])
  }

  // A listed domain ignores NSAllowsArbitraryLoads, and an empty entry means full App Transport Security. So does one
  // with NSExceptionAllowsInsecureHTTPLoads for https.
  @Test("an entry that makes its domain stricter stays, and its permissions are dropped")
  func strictEntry() throws {
    let settings: PropertyList = [
      "NSAllowsArbitraryLoads": true, "NSExceptionDomains": ["bank.example": [:], "old.example": Self.open],
    ]
    let pruning = try pruning(settings, ["http://news.example/"], [Self.seventeen])
    #expect(pruning.droppable == ["NSExceptionDomains.old.example.NSExceptionAllowsInsecureHTTPLoads"])
    #expect(pruning.kept.map(\.key) == ["NSExceptionDomains.bank.example", "NSExceptionDomains.old.example"])
    #expect(pruning.kept.map(\.load) == ["http://bank.example/", "https://old.example/"])
    #expect(pruning.kept.allSatisfy { !$0.isOverriding })
    // Before iOS 9 nothing is blocked, so nothing can be opened.
    let older = try self.pruning(settings, ["http://news.example/"], [OSVersion(.iOS, 8)])
    #expect(older.droppable == ["NSAllowsArbitraryLoads", "NSExceptionDomains"] && older.kept.isEmpty)
  }

  // NSRequiresCertificateTransparency requires SCTs before iOS 12.1.1, which requires them itself (support article
  // 103214). TLS 1.2 is required of every host, so that TLSv1.3 requires more; NSExceptionAllowsInsecureHTTPLoads does
  // not.
  @Test("strict keys of unloaded hosts stay, and their permissions are dropped")
  func demands() throws {
    let settings: PropertyList = [
      "NSExceptionDomains": [
        "bank.example": ["NSRequiresCertificateTransparency": true],
        "pay.example": [
          "NSExceptionMinimumTLSVersion": "TLSv1.3", "NSExceptionAllowsInsecureHTTPLoads": true,
          "NSExceptionRequiresForwardSecrecy": false,
        ],
        "old.example": Self.open, "older.example": ["NSExceptionMinimumTLSVersion": "TLSv1.1"],
      ]
    ]
    let fifteen = OSVersion(.iOS, 15)
    let pruning = try pruning(settings, ["http://old.example/"], [fifteen])
    let pay = "NSExceptionDomains.pay.example"
    #expect(
      pruning.droppable == [
        "NSExceptionDomains.bank.example", "\(pay).NSExceptionAllowsInsecureHTTPLoads",
        "\(pay).NSExceptionRequiresForwardSecrecy", "NSExceptionDomains.older.example",
      ])
    #expect(pruning.kept.map(\.key) == ["\(pay).NSExceptionMinimumTLSVersion"])
    #expect(pruning.kept.map(\.load) == ["https://pay.example/"])
    #expect(pruning.kept.allSatisfy { $0.systems == [fifteen] && !$0.demands.isEmpty })
    let ten = try self.pruning(settings, ["http://old.example/"], [OSVersion(.iOS, 10)])
    #expect(
      ten.kept.first?.key == "NSExceptionDomains.bank.example.NSRequiresCertificateTransparency"
        && ten.kept.first?.demands == [.flag(.certificateTransparency, isOn: false)])
    // If no system honours the Certificate Transparency key, its entry requires nothing.
    let newer = try self.pruning(settings, ["http://old.example/"], [OSVersion(.iOS, 18, 4)])
    #expect(newer.droppable.contains("NSExceptionDomains.bank.example"))
    #expect(newer.kept.map(\.key) == ["\(pay).NSExceptionMinimumTLSVersion"])
    // A system without App Transport Security ignores every key.
    let older = try self.pruning(settings, ["http://old.example/"], [OSVersion(.iOS, 8)])
    #expect(older.droppable == ["NSExceptionDomains"] && older.kept.isEmpty)
  }

  // Only the most specific of several entries is used; without it the one above counts (ats.md section 1.4).
  @Test("an entry that is stricter than the one above it stays")
  func below() throws {
    let child = "NSExceptionDomains.b.a.example"
    for entry in [["NSExceptionMinimumTLSVersion": "TLSv1.2"], Self.open, [:]] as [PropertyList] {
      let settings: PropertyList = [
        "NSExceptionDomains": [
          "a.example": [
            "NSIncludesSubdomains": true, "NSExceptionRequiresForwardSecrecy": false,
            "NSExceptionAllowsInsecureHTTPLoads": true,
          ],
          "b.a.example": entry,
        ]
      ]
      let pruning = try pruning(
        settings, ["http://x.a.example/", "https://a.example/"], [OSVersion(.iOS, 18, 4)])
      #expect(!pruning.droppable.contains(child), "\(entry)")
      #expect(pruning.kept.contains { $0.key.hasPrefix(child) }, "\(entry)")
      let alone = try self.pruning(
        ["NSExceptionDomains": ["b.a.example": entry]], ["http://x.a.example/"], [OSVersion(.iOS, 18, 4)])
      #expect(alone.droppable == ["NSExceptionDomains"], "\(entry)")
    }
  }

  @Test(
    "the remaining settings allow no new load, whatever was there",
    arguments: [
      [], ["NSAllowsLocalNetworking"], ["NSAllowsArbitraryLoadsInWebContent"],
      ["NSAllowsArbitraryLoadsForMedia", "NSAllowsLocalNetworking"],
    ], [true, false])
  func neverOpens(keys: [String], value: Bool) throws {
    let domains: PropertyList = [
      "example": ["NSIncludesSubdomains": true], "a.example": Self.open, "b.example": [:], "10.0.0.0/8": [:],
    ]
    let systems = [Self.nine, OSVersion(.iOS, 18, 4)]
    let entries = keys.map { PropertyList.Dictionary.Entry(key: $0, value: .boolean(value)) }
    let others: [PropertyList.Dictionary.Entry] = [
      .init(key: "NSExceptionDomains", value: domains), .init(key: "NSAllowsArbitraryLoads", value: true),
    ]
    let settings = PropertyList.dictionary(.init(entries: entries + others))
    for urls in [["http://a.example/"], ["https://api.example/", "http://printer.local/"]] {
      let pruning = try pruning(settings, urls, systems)
      #expect(try opened(settings, pruning, systems).isEmpty, "\(urls): \(pruning.droppable)")
    }
  }

  // Each entry is the nearest one for its host, so every strict one that is dropped opens a host (documentation of
  // NSIncludesSubdomains).
  @Test("deeply nested domains are pruned in time, and no load is newly allowed", .timeLimit(.minutes(1)))
  func nested() throws {
    var name = "example.com"
    var domains: [PropertyList.Dictionary.Entry] = []
    for index in 0..<30 {
      let entry: PropertyList = [
        "NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": .boolean(index.isMultiple(of: 2)),
      ]
      domains.append(.init(key: name, value: entry))
      name = "a\(index).\(name)"
    }
    let settings: PropertyList = ["NSExceptionDomains": .dictionary(.init(entries: domains))]
    let pruning = try pruning(settings, ["http://www.example.com/"], [Self.seventeen])
    #expect(try opened(settings, pruning, [Self.seventeen]).isEmpty)
    // The load is still allowed.
    let load = ATS.Load(try LoadURL("http://www.example.com/"), os: Self.seventeen)
    #expect(ATS.decide(load, by: .init(dictionary: pruning.dictionary)).verdict == .allowed)
  }

  @Test("pins and NIAP levels are kept, and reported as such, whatever is loaded")
  func untouched() throws {
    let pins: PropertyList = ["b.example": ["NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": "AA=="]]]]
    let both = try pruning(
      ["NSPinnedDomains": pins, "NSAllowsLocalNetworking": true], ["https://a.example/"], [Self.seventeen])
    #expect(both.droppable == ["NSAllowsLocalNetworking"] && both.untouched == ["NSPinnedDomains"])
    let one = try pruning(["NSAllowsLocalNetworking": true], ["https://a.example/"], [Self.seventeen])
    #expect(one.untouched == [])
  }
}

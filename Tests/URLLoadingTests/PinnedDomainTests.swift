import Testing
import Trust

@testable import URLLoading

@Suite struct PinnedDomainTests {
  private let one = "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="
  private let other = "i9HalScvf6T/skE3/A7QOq5n5cTYs8UHNOEFCnkguSI="

  private func configuration(_ domains: PropertyList) throws -> ATS.Configuration {
    let ats: PropertyList = ["NSPinnedDomains": domains]
    return ATS.Configuration(dictionary: try #require(ats.dictionary))
  }

  private func identities(_ texts: String...) -> PropertyList {
    .array(texts.map { ["SPKI-SHA256-BASE64": .string($0)] })
  }

  private func hash(_ text: String) throws -> [UInt8] { try #require(Base64Text.bytes(text.utf8)) }

  @Test("pins are read by kind, and only since iOS 14 and macOS 11")
  func kinds() throws {
    let app = try configuration([
      "example.org": ["NSPinnedCAIdentities": identities(one), "NSPinnedLeafIdentities": identities(other, other)]
    ])
    for os in ["iOS 14", "iOS 18.4", "macOS 11", "doc"] {
      let system = try #require(OSVersion(os))
      let pins = try #require(app.pinnedIdentities(for: "example.org", os: system))
      #expect(try pins.authorities == [hash(one)])
      #expect(try pins.leaf == [hash(other), hash(other)])
      #expect(pins.keyPaths == ["NSPinnedDomains.example.org"])
    }
    for os in ["iOS 13.7", "macOS 10.15", "iOS 9"] {
      #expect(app.pinnedIdentities(for: "example.org", os: try #require(OSVersion(os))) == nil)
    }
    #expect(app.pinnedIdentities(for: "example.com") == nil)
  }

  @Test(
    "hosts match regardless of case and trailing dot, and subdomains match one label deep",
    arguments: [
      ("example.org", true), ("EXAMPLE.org", true), ("example.org.", true), ("a.example.org", true),
      ("A.Example.Org.", true), ("b.a.example.org", false), ("anexample.org", false), ("org", false), ("", false),
      (".", false), ("example.org..", false),
    ])
  func matching(host: String, isPinned: Bool) throws {
    let app = try configuration([
      "Example.org": ["NSIncludesSubdomains": true, "NSPinnedLeafIdentities": identities(one)]
    ])
    #expect((app.pinnedIdentities(for: host) != nil) == isPinned)
  }

  @Test("if a domain is repeated, its last entry counts")
  func twice() {
    let pins = { (text: String) -> PropertyList in ["NSPinnedLeafIdentities": identities(text)] }
    let domains = PropertyList.Dictionary(entries: [
      .init(key: "a.example", value: pins(one)), .init(key: "b.example", value: pins(one)),
      .init(key: "a.example", value: pins(other)), .init(key: "c.example", value: "no entry"),
    ])
    let read = ATS.Configuration(
      dictionary: .init(entries: [.init(key: "NSPinnedDomains", value: .dictionary(domains))]))
    #expect(read.pinnedDomains.map(\.name) == ["b.example", "a.example"])
    #expect(read.pinnedDomains.last?.identities.leaf == Base64Text.bytes(other.utf8).map { [$0] })
  }

  @Test("a trailing dot of the key stays, and subdomains need a genuine boolean")
  func keys() throws {
    let dotted = try configuration(["example.org.": ["NSPinnedLeafIdentities": identities(one)]])
    #expect(dotted.pinnedIdentities(for: "example.org.") == nil)
    let number = try configuration([
      "example.org": ["NSIncludesSubdomains": 1, "NSPinnedLeafIdentities": identities(one)]
    ])
    #expect(number.pinnedIdentities(for: "a.example.org") == nil)
    #expect(number.pinnedIdentities(for: "example.org") != nil)
  }

  @Test("the identities of all matching entries are combined")
  func union() throws {
    let app = try configuration([
      "example.org": ["NSIncludesSubdomains": true, "NSPinnedLeafIdentities": identities(one)],
      "A.example.org": ["NSPinnedLeafIdentities": identities(other), "NSPinnedCAIdentities": []],
      "a.example.org": ["NSPinnedLeafIdentities": identities(one)],
    ])
    let pins = try #require(app.pinnedIdentities(for: "a.example.org"))
    #expect(try pins.leaf == [hash(one), hash(other), hash(one)])
    #expect(pins.authorities == [] && pins.keyPaths.count == 3)
    #expect(try app.pinnedIdentities(for: "example.org")?.leaf == [hash(one)])
  }

  @Test("an absent list requires nothing; no chain matches an empty or invalid one")
  func emptyLists() throws {
    let none = try configuration(["example.org": [:]])
    #expect(none.pinnedIdentities(for: "example.org") == nil)
    let empty = try configuration(["example.org": ["NSPinnedLeafIdentities": []]])
    #expect(empty.pinnedIdentities(for: "example.org")?.leaf == [])
    #expect(empty.pinnedIdentities(for: "example.org")?.authorities == nil)
    let wrong: [PropertyList] = [
      .string(one), [.string(one)], [.data([1])], identities("AAAA"), identities("not base64"),
      [["SPKI-SHA256-BASE64": .data([1])]],
    ]
    for value in wrong {
      let app = try configuration(["example.org": ["NSPinnedCAIdentities": value]])
      #expect(app.pinnedIdentities(for: "example.org")?.authorities == [])
      #expect(app.pinnedIdentities(for: "example.org")?.areMetByNone == true)
    }
  }

  @Test("an entry that is not a dictionary is ignored; SecTrustPinningRequired comes from Info.plist")
  func shapes() throws {
    #expect(try configuration("x").pinnedDomains.isEmpty)
    let text = try configuration(["example.org": "x", "a.example": ["NSPinnedLeafIdentities": identities(one)]])
    #expect(text.pinnedDomains.map(\.name) == ["a.example"])
    #expect(ATS.Configuration(infoPlist: ["SecTrustPinningRequired": true]).requiresPinning)
    #expect(!ATS.Configuration(infoPlist: ["SecTrustPinningRequired": "YES"]).requiresPinning)
  }
}

import Explanation
import Testing
import Trust

@testable import URLLoading

@Suite("The lint of pins")
struct PinLintTests {
  private static let hash = "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="
  private static let identity: PropertyList = ["SPKI-SHA256-BASE64": .string(hash)]

  private func findings(_ entry: PropertyList) throws -> [AppTransportSecurity.LintFinding] {
    let settings: PropertyList = ["NSPinnedDomains": ["example.org": entry]]
    return AppTransportSecurity.lint(settings: try #require(settings.dictionary), systems: [OSVersion(.iOS, 18, 4)])
  }

  private func rules(_ entry: PropertyList) throws -> [String] {
    try findings(entry).map { "\($0.severity.rawValue) \($0.rule.id)" }
  }

  @Test("good pins are fine; those for subdomains reach one label")
  func good() throws {
    #expect(try rules(["NSPinnedCAIdentities": [Self.identity]]).isEmpty)
    #expect(
      try rules(["NSIncludesSubdomains": true, "NSPinnedLeafIdentities": [Self.identity]])
        == ["note plist.pins-one-label"])
    #expect(
      try rules(["NSIncludesSubdomains": 1, "NSPinnedLeafIdentities": [Self.identity]])
        == ["warning plist.pins-subdomains-number"])
  }

  @Test("without a list nothing is pinned; with an empty one everything is blocked")
  func lists() throws {
    #expect(try rules([:]) == ["error plist.pins-without-identities"])
    #expect(try rules("x") == ["error plist.not-a-dictionary"])
    let text: PropertyList = ["NSPinnedDomains": "x"]
    #expect(
      AppTransportSecurity.lint(settings: try #require(text.dictionary)).map(\.rule).contains(.plistNotADictionary))
    let empty = try findings(["NSPinnedLeafIdentities": []])
    #expect(empty.map(\.rule) == [.plistPinsEmptyList])
    #expect(empty.first?.effect.contains("blocked") == true)
    #expect(try rules(["NSPinnedLeafIdentities": .string(Self.hash)]) == ["error plist.pins-malformed-identity"])
    #expect(
      try rules(["NSPinnedLeafIdentity": [Self.identity]])
        == ["error plist.pins-without-identities", "error plist.unknown-key"].reversed())
  }

  @Test("an identity is a dictionary with a hash; the others go on without a bad one")
  func identities() throws {
    let bare = try findings(["NSPinnedCAIdentities": [.string(Self.hash), Self.identity]])
    #expect(bare.map(\.rule) == [.plistPinsMalformed])
    #expect(bare.first?.spot.keyPath == "NSPinnedDomains.example.org.NSPinnedCAIdentities[0]")
    #expect(bare.first?.effect.contains("blocked") == false)
    let alone = try findings(["NSPinnedCAIdentities": [.string(Self.hash)]])
    #expect(alone.first?.effect.contains("blocked") == true)
    #expect(
      try rules(["NSPinnedCAIdentities": [Self.identity, ["SPKI-SHA256-Base64": .string(Self.hash)]]])
        == ["error plist.unknown-key"])
    #expect(try rules(["NSPinnedCAIdentities": [Self.identity, Self.identity]]) == ["note plist.pins-duplicate"])
  }

  @Test("a misspelt key of an identity makes it malformed, and a misspelt list pins nothing")
  func misspelt() throws {
    let other: PropertyList = ["SPKI-SHA256-Base64": .string(Self.hash)]
    let alone = try findings(["NSPinnedCAIdentities": [other]])
    #expect(alone.map(\.rule) == [.plistUnknownKey] && alone.first?.meant == "SPKI-SHA256-BASE64")
    #expect(alone.first?.effect.contains("every connection to the domain is blocked") == true)
    #expect(alone.first?.confidence.note?.hasPrefix("likely") == true)
    let beside = try findings(["NSPinnedCAIdentities": [other, Self.identity]])
    #expect(beside.first?.effect == "an identity without SPKI-SHA256-BASE64: the item is ignored")
    let list = try findings(["NSPinnedCAIdentity": [Self.identity], "NSPinnedLeafIdentities": [Self.identity]])
    #expect(list.map(\.rule) == [.plistUnknownKey] && list.first?.effect == "ignored: it pins nothing")
  }

  @Test("domains that differ in case alone are one domain for pins")
  func cases() throws {
    func rules(_ names: [String]) -> [Rule] {
      let entries = names.map {
        PropertyList.Dictionary.Entry(key: $0, value: ["NSPinnedLeafIdentities": [Self.identity]])
      }
      let settings = PropertyList.Dictionary(entries: [
        .init(key: "NSPinnedDomains", value: .dictionary(.init(entries: entries)))
      ])
      return AppTransportSecurity.lint(settings: settings, systems: [OSVersion(.iOS, 18, 4)]).map(\.rule)
    }
    #expect(rules(["A.org", "a.org"]) == [.plistPinsUnited])
    #expect(rules(["A.org", "b.org"]).isEmpty)
  }

  @Test(
    "a hash is Base64 of 32 bytes, in a string",
    arguments: [
      (PropertyList.string("sha256/" + hash), Optional(hash)), (.string("AAAA"), nil), (.string("not base64!"), nil),
      (.string(hash + "\n"), hash), (.data([1, 2, 3]), nil), (.integer(1), nil),
    ])
  func hashes(value: PropertyList, meant: String?) throws {
    let found = try findings(["NSPinnedCAIdentities": [["SPKI-SHA256-BASE64": value]]])
    #expect(found.map(\.rule) == [.plistPinsNotAHash])
    #expect(found.first?.meant == meant)
  }
}

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
    let empty = try findings(["NSPinnedLeafIdentities": []])
    #expect(empty.map(\.rule) == [.plistPinsEmptyList])
    #expect(empty.first?.effect.contains("blocked") == true)
    #expect(try rules(["NSPinnedLeafIdentities": .string(Self.hash)]) == ["error plist.pins-malformed-identity"])
    #expect(try rules(["NSPinnedLeafIdentity": [Self.identity]]) == ["error plist.unknown-key"])
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

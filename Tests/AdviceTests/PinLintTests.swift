import Explanation
import Testing
import Trust

@testable import Advice
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

  @Test("valid pins have no findings; those for subdomains apply to one label")
  func good() throws {
    #expect(try rules(["NSPinnedCAIdentities": [Self.identity, Self.spare]]).isEmpty)
    #expect(
      try rules(["NSIncludesSubdomains": true, "NSPinnedLeafIdentities": [Self.identity, Self.spare]])
        == ["note plist.pins-one-label"])
    #expect(
      try rules(["NSIncludesSubdomains": 1, "NSPinnedLeafIdentities": [Self.identity, Self.spare]])
        == ["warning plist.pins-subdomains-number"])
  }

  private static let spare: PropertyList = ["SPKI-SHA256-BASE64": "i9HalScvf6T/skE3/A7QOq5n5cTYs8UHNOEFCnkguSI="]

  /// Apple's source combines the identities of all matching entries, for subdomains one label deep. The expected
  /// results come from `pinnedIdentities` with the same dictionary.
  @Test(
    "an empty pin list blocks a domain, unless a parent's pins of that kind apply",
    arguments: [
      ("a.wild.example", "NSPinnedCAIdentities", "warning"), ("a.wild.example", "NSPinnedLeafIdentities", "error"),
      ("b.a.wild.example", "NSPinnedCAIdentities", "error"),
    ])
  func parents(name: String, list: String, severity: String) throws {
    let parent: PropertyList = ["NSIncludesSubdomains": true, "NSPinnedCAIdentities": [Self.identity, Self.spare]]
    let child = PropertyList.dictionary(.init(entries: [.init(key: list, value: [])]))
    let domains = PropertyList.dictionary(
      .init(entries: [.init(key: "wild.example", value: parent), .init(key: name, value: child)]))
    let settings = PropertyList.Dictionary(entries: [.init(key: "NSPinnedDomains", value: domains)])
    let found = AppTransportSecurity.lint(settings: settings, systems: [OSVersion(.iOS, 18, 4)])
    #expect(found.filter { $0.rule == .plistPinsEmptyList }.map(\.severity.rawValue) == [severity])
    #expect(found.contains { $0.rule == .plistPinsUnited } == (name == "a.wild.example"))
    let united = try #require(
      AppTransportSecurity.Configuration(dictionary: settings).pinnedIdentities(for: name, os: OSVersion(.iOS, 18, 4)))
    #expect(united.areMetByNone == (severity == "error"))
  }

  @Test("a single key has no backup; a placeholder is none, and a setting is uncertain")
  func spares() throws {
    #expect(try rules(["NSPinnedLeafIdentities": [Self.identity]]) == ["warning plist.pins-single"])
    #expect(try rules(["NSPinnedCAIdentities": [Self.identity]]) == ["note plist.pins-single"])
    #expect(try rules(["NSPinnedLeafIdentities": [Self.identity, Self.spare]]).isEmpty)
    for digit in ["A", "B", "z"] {
      let placeholder: PropertyList = ["SPKI-SHA256-BASE64": .string(String(repeating: digit, count: 42) + "A=")]
      #expect(
        try rules(["NSPinnedLeafIdentities": [Self.identity, Self.spare, placeholder]]) == [
          "error plist.pins-placeholder"
        ])
    }
    // The output of `printf '' | openssl dgst -sha256 -binary | base64`, and of any command whose input has failed.
    let nothing: PropertyList = ["SPKI-SHA256-BASE64": "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="]
    #expect(
      try rules(["NSPinnedLeafIdentities": [Self.identity, Self.spare, nothing]]) == ["error plist.pins-placeholder"])
    let setting: PropertyList = ["SPKI-SHA256-BASE64": "$(API_PIN)"]
    #expect(
      try rules(["NSPinnedLeafIdentities": [Self.identity, setting]]) == ["warning plist.unexpanded-build-setting"])
  }

  @Test("a repeated key, or one with a placeholder, is one key without a backup")
  func effectiveKeys() throws {
    #expect(
      try rules(["NSPinnedLeafIdentities": [Self.identity, Self.identity]]).sorted()
        == ["note plist.pins-duplicate", "warning plist.pins-single"])
    #expect(
      try rules(["NSPinnedLeafIdentities": [Self.identity, Self.identity, Self.spare]]) == [
        "note plist.pins-duplicate"
      ])
    let placeholder: PropertyList = ["SPKI-SHA256-BASE64": .string(String(repeating: "A", count: 43) + "=")]
    #expect(
      try rules(["NSPinnedLeafIdentities": [Self.identity, placeholder]]).sorted() == [
        "error plist.pins-placeholder", "warning plist.pins-single",
      ])
  }

  @Test("a domain without identities pins nothing, and its subdomains have no finding")
  func withoutIdentities() throws {
    #expect(try rules(["NSIncludesSubdomains": true]) == ["error plist.pins-without-identities"])
    #expect(try rules([:]) == ["error plist.pins-without-identities"])
  }

  @Test("pins for a whole public suffix have a warning if they include subdomains")
  func suffixes() throws {
    func rules(_ name: String, _ isWide: Bool) throws -> [String] {
      let entry: PropertyList = [
        "NSIncludesSubdomains": .boolean(isWide), "NSPinnedLeafIdentities": [Self.identity, Self.spare],
      ]
      let list = PropertyList.Dictionary(entries: [
        .init(key: "NSPinnedDomains", value: .dictionary(.init(entries: [.init(key: name, value: entry)])))
      ])
      return AppTransportSecurity.lint(settings: list, systems: [OSVersion(.iOS, 18, 4)]).map(\.rule.id)
    }
    #expect(try rules("com", true).contains("plist.whole-suffix"))
    #expect(try rules("co.uk", true).contains("plist.whole-suffix"))
    #expect(try !rules("com", false).contains("plist.whole-suffix"))
    #expect(try !rules("shop.co.uk", true).contains("plist.whole-suffix"))
  }

  @Test(
    "a name that ends in a number, which may be an address, is reported",
    arguments: [
      ("300.1.2.3", true), ("0x7f.1", true), ("1.2.3", true), ("192.0.2.1", false), ("1.example", false),
      ("a1", false), ("10.0.0.0/8", false),
    ])
  func numericNames(name: String, isDoubtful: Bool) {
    for key in ["NSExceptionDomains", "NSPinnedDomains"] {
      let list = PropertyList.Dictionary(entries: [
        .init(key: key, value: .dictionary(.init(entries: [.init(key: name, value: [:])])))
      ])
      let found = AppTransportSecurity.lint(settings: list).filter { $0.rule == .plistAddressSpelling }
      #expect(found.count == (isDoubtful ? 1 : 0), "\(key) \(name)")
      #expect(found.allSatisfy { $0.confidence.note?.contains("convert such a host") == true })
    }
  }

  @Test(
    "only an entry for every address or a whole public suffix has a note",
    arguments: [
      ("0.0.0.0/0", ["plist.every-address"]), ("::/0", ["plist.every-address"]),
      ("128.0.0.0/1", ["plist.every-address"]),
      ("10.0.0.0/8", []), ("com", ["plist.whole-suffix"]), ("co.uk", ["plist.whole-suffix"]), ("shop.co.uk", []),
      ("example.com", []),
    ])
  func width(name: String, rules: [String]) throws {
    let settings: PropertyList = [
      "NSExceptionDomains": [
        name: name.contains("/")
          ? ["NSExceptionAllowsInsecureHTTPLoads": true]
          : ["NSExceptionAllowsInsecureHTTPLoads": true, "NSIncludesSubdomains": true]
      ]
    ]
    let found = AppTransportSecurity.lint(
      settings: try #require(settings.dictionary), systems: [OSVersion(.iOS, 18, 4)])
    let wide = ["plist.every-address", "plist.whole-suffix"]
    #expect(found.map(\.rule.id).filter(wide.contains) == rules)
  }

  @Test("a framework's settings are not read, and a Mac's plist is linted for Macs")
  func natures() throws {
    func lint(_ root: PropertyList) -> [String] { AppTransportSecurity.lint(root).map(\.rule.id) }
    let settings: PropertyList = ["NSAllowsLocalNetworking": true]
    #expect(lint(["CFBundlePackageType": "FMWK", "NSAppTransportSecurity": settings]).contains("plist.not-an-app"))
    #expect(!lint(["CFBundlePackageType": "APPL", "NSAppTransportSecurity": settings]).contains("plist.not-an-app"))
    let pins: PropertyList = [
      "NSPinnedDomains": ["example.org": ["NSPinnedLeafIdentities": [Self.identity, Self.spare]]]
    ]
    let found = AppTransportSecurity.lint(
      ["LSMinimumSystemVersion": "$(MACOSX_DEPLOYMENT_TARGET)", "NSAppTransportSecurity": pins])
    #expect(found.first { $0.rule == .plistIgnoredBySystem }?.found.contains("macOS 10.12") == true)
  }

  @Test("without a list nothing is pinned; with an empty one everything is blocked")
  func lists() throws {
    #expect(try rules([:]) == ["error plist.pins-without-identities"])
    #expect(try rules("x") == ["error plist.not-a-dictionary"])
    let text: PropertyList = ["NSPinnedDomains": "x"]
    #expect(
      AppTransportSecurity.lint(settings: try #require(text.dictionary)).map(\.rule).contains(.plistNotADictionary))
    let list: PropertyList = ["NSPinnedDomains": [["example.org": [:]]]]
    let advice = AppTransportSecurity.lint(settings: try #require(list.dictionary)).map(\.advice)
    #expect(advice.count == 1 && advice.allSatisfy { $0.contains("<dict>") && $0.contains("pins") })
    let exceptions: PropertyList = ["NSExceptionDomains": [["example.org": [:]]]]
    let other = AppTransportSecurity.lint(settings: try #require(exceptions.dictionary)).map(\.advice)
    #expect(other.count == 1 && other.allSatisfy { $0.contains("<dict>") && $0.contains("exceptions") })
    // The trailing dot is removed from hosts but not from keys, so that the entry matches and blocks nothing.
    let idle: PropertyList = ["NSPinnedDomains": ["dot.example.": ["NSPinnedLeafIdentities": []]]]
    let idleRules = AppTransportSecurity.lint(settings: try #require(idle.dictionary)).map(\.rule)
    #expect(idleRules.contains(.plistDomainTrailingDot) && !idleRules.contains(.plistPinsEmptyList))
    let mixed = try findings(["NSPinnedCAIdentities": ["x", Self.identity, Self.spare]])
    #expect(
      mixed.count == 1 && mixed.first?.effect.contains("ignored") == true
        && mixed.allSatisfy { $0.confidence == .certain })
    let empty = try findings(["NSPinnedLeafIdentities": []])
    #expect(empty.map(\.rule) == [.plistPinsEmptyList])
    #expect(empty.first?.effect.contains("blocked") == true)
    #expect(try rules(["NSPinnedLeafIdentities": .string(Self.hash)]) == ["error plist.pins-malformed-identity"])
    #expect(
      try rules(["NSPinnedLeafIdentity": [Self.identity]])
        == ["error plist.pins-without-identities", "error plist.unknown-key"].reversed())
  }

  @Test("an identity is a dictionary with a hash; an invalid one leaves others valid")
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
    #expect(
      try rules(["NSPinnedCAIdentities": [Self.identity, Self.identity]])
        == ["note plist.pins-duplicate", "note plist.pins-single"])
  }

  @Test("a misspelt key of an identity makes it malformed, and a misspelt list pins nothing")
  func misspelt() throws {
    let other: PropertyList = ["SPKI-SHA256-Base64": .string(Self.hash)]
    let alone = try findings(["NSPinnedCAIdentities": [other]])
    #expect(alone.map(\.rule) == [.plistUnknownKey] && alone.first?.meant == "SPKI-SHA256-BASE64")
    #expect(alone.first?.effect.contains("connection") == true && alone.first?.effect.contains("blocked") == true)
    #expect(alone.first?.confidence.note?.hasPrefix("likely") == true)
    let beside = try findings(["NSPinnedCAIdentities": [other, Self.identity]])
    #expect(
      beside.first?.effect.contains("SPKI-SHA256-BASE64") == true && beside.first?.effect.contains("ignored") == true)
    let list = try findings([
      "NSPinnedCAIdentity": [Self.identity], "NSPinnedLeafIdentities": [Self.identity, Self.spare],
    ])
    #expect(list.map(\.rule) == [.plistUnknownKey] && list.first?.effect.contains("pins nothing") == true)
  }

  @Test("for pins, domains that differ only in case are one domain")
  func cases() throws {
    func rules(_ names: [String]) -> [Rule] {
      let entries = names.map {
        PropertyList.Dictionary.Entry(key: $0, value: ["NSPinnedLeafIdentities": [Self.identity, Self.spare]])
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

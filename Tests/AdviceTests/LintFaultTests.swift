import Testing
import Trust

@testable import Advice
@testable import URLLoading

@Suite("Two faults of one key, display names and old SDKs")
struct LintFaultTests {
  private func finding(_ rule: String, _ plist: PropertyList) throws -> ATS.LintFinding {
    try #require(ATS.lint(plist).first { $0.rule.id == rule })
  }

  private func settings(_ keys: PropertyList) -> PropertyList { ["NSAppTransportSecurity": keys] }

  @Test("a key that is misspelt and misplaced has both findings")
  func misspeltAndMisplaced() throws {
    let outside = try finding("plist.unknown-key", ["CFBundleIdentifier": "x", "NSAllowArbitraryLoads": true])
    #expect(outside.meant == "NSAllowsArbitraryLoads")
    #expect(outside.caution?.contains("directly in NSAppTransportSecurity") == true)
    let inside = try finding("plist.unknown-key", settings(["NSAllowArbitraryLoads": true]))
    #expect(inside.meant == "NSAllowsArbitraryLoads" && inside.caution == nil)
  }

  @Test("a key that is misplaced and has the wrong type has both findings")
  func misplacedAndWrongType() throws {
    func misplaced(_ value: PropertyList) throws -> ATS.LintFinding {
      try finding(
        "plist.misplaced-key", settings(["NSExceptionDomains": ["a.example": ["NSPinnedDomains": value]]]))
    }
    #expect(try misplaced(true).caution?.contains("takes a <dict>") == true)
    #expect(try misplaced([:]).caution == nil)
  }

  @Test("a display name of Xcode is not a key, at any level")
  func displayNames() throws {
    let plist: PropertyList = ["App Transport Security Settings": ["Allow Arbitrary Loads": true]]
    let findings = ATS.lint(plist)
    #expect(findings.map(\.rule) == [.plistUnknownKey, .plistUnknownKey])
    #expect(findings.map(\.meant) == ["NSAppTransportSecurity", "NSAllowsArbitraryLoads"])
    let inner = try finding("plist.unknown-key", settings(["Allow Arbitrary Loads": true]))
    #expect(inner.meant == "NSAllowsArbitraryLoads")
  }

  // Documentation: App Transport Security applies to apps linked with the SDK of iOS 9 or OS X 10.11, or later.
  @Test("an app linked with an SDK older than App Transport Security gets a finding")
  func oldSDK() throws {
    let without = try finding("plist.no-settings", ["CFBundleIdentifier": "x", "DTSDKName": "iphoneos8.4"])
    #expect(without.effect.contains("SDK"))
    func findings(_ sdk: String) -> [ATS.LintFinding] {
      ATS.lint([
        "DTSDKName": .string(sdk), "NSAppTransportSecurity": ["NSExceptionDomains": ["a.example": [:]]],
      ])
    }
    #expect(findings("macosx10.10").contains { $0.rule == .plistIgnoredBySystem && $0.effect.contains("SDK") })
    #expect(!findings("macosx10.11").contains { $0.rule == .plistIgnoredBySystem && $0.effect.contains("SDK") })
  }

  @Test("an entry that only waives forward secrecy has a finding")
  func forwardSecrecy() throws {
    func waives(_ keys: PropertyList) -> Bool {
      ATS.lint(settings(["NSExceptionDomains": ["a.example": keys]])).contains {
        $0.rule == .plistForwardSecrecyWaived
      }
    }
    #expect(waives(["NSExceptionRequiresForwardSecrecy": false]))
    #expect(!waives(["NSExceptionRequiresForwardSecrecy": true]))
    #expect(!waives(["NSExceptionRequiresForwardSecrecy": false, "NSExceptionAllowsInsecureHTTPLoads": true]))
  }

  @Test("a pin in hexadecimal is recognized, and the fix has its Base64")
  func hexadecimalPin() throws {
    let digits = String(repeating: "ab", count: 32)
    let pins: PropertyList = [
      "NSPinnedDomains": ["a.example": ["NSPinnedLeafIdentities": [["SPKI-SHA256-BASE64": .string(digits)]]]]
    ]
    let found = try finding("plist.pins-not-a-hash", settings(pins))
    #expect(found.message.contains("hexadecimal"))
    #expect(found.meant == "q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=")
  }

  @Test(
    "two addresses with a hyphen are no range, and the hint is the smallest one",
    arguments: [
      ("192.168.1.1-192.168.1.255", "192.168.1.0/24"), ("192.168.1.1-255", "192.168.1.0/24"),
      ("10.0.0.4-10.0.0.7", "10.0.0.4/30"),
    ])
  func hyphen(_ name: String, _ range: String) throws {
    let found = try finding(
      "plist.domain-not-a-name",
      settings(["NSExceptionDomains": .dictionary(.init(entries: [.init(key: name, value: [:])]))]))
    #expect(found.meant == range)
  }

  @Test("a name with a hyphen is not a range")
  func names() {
    for name in ["1-2.example", "a-1.example", "10-11.b.example"] {
      let findings = ATS.lint(
        settings([
          "NSExceptionDomains": .dictionary(.init(entries: [.init(key: name, value: ["NSIncludesSubdomains": true])]))
        ]))
      #expect(!findings.contains { $0.rule == .plistDomainNotAName }, "\(name)")
    }
  }
}

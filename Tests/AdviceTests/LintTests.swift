import Explanation
import Testing
import Trust

@testable import Advice
@testable import URLLoading

@Suite("The lint of property lists")
struct LintTests {
  private typealias Finding = AppTransportSecurity.LintFinding

  /// The lint findings for these settings, such as `error plist.unknown-key NSAllowArbitraryLoads`.
  private func found(_ settings: PropertyList, os systems: [OSVersion] = []) throws -> [String] {
    // The note on forward secrecy has its own tests; here, entries that only waive it count as valid.
    AppTransportSecurity.lint(settings: try #require(settings.dictionary), systems: systems)
      .filter { $0.rule != .plistForwardSecrecyWaived }.map(Self.line)
  }

  private static func line(_ finding: Finding) -> String {
    "\(finding.severity.rawValue) \(finding.rule.id) \(finding.spot.keyPath)"
  }

  /// The same findings for the entry of one domain, with paths relative to the entry.
  private func found(in entry: PropertyList, of name: String = "a.example") throws -> [String] {
    try found(["NSExceptionDomains": .dictionary(.init(entries: [.init(key: name, value: entry)]))]).map {
      $0.replacing("NSExceptionDomains.\(name).", with: "").replacing("NSExceptionDomains.\(name)", with: "entry")
    }
  }

  private static let works: PropertyList = ["NSExceptionRequiresForwardSecrecy": false]

  @Test("a valid exception has no finding")
  func good() throws {
    #expect(try found(in: Self.works).isEmpty)
    #expect(try found(["NSAllowsLocalNetworking": true]).isEmpty)
  }

  @Test(
    "an invalid minimum release is reported, with the platform's key",
    arguments: [
      ("MinimumOSVersion", "iPhoneOS", "99.0", true), ("MinimumOSVersion", "iPhoneOS", "abc", true),
      ("MinimumOSVersion", "iPhoneOS", "15.0", false), ("MinimumOSVersion", "iPhoneOS", "$(TARGET)", false),
      ("LSMinimumSystemVersion", "MacOSX", "9.9", true), ("LSMinimumSystemVersion", "MacOSX", "11.0", false),
    ])
  func firstRelease(key: String, platform: String, number: String, isUnknown: Bool) {
    let list = PropertyList.dictionary(
      .init(entries: [
        .init(key: "CFBundleSupportedPlatforms", value: [.string(platform)]), .init(key: key, value: .string(number)),
        .init(key: "NSAppTransportSecurity", value: ["NSAllowsLocalNetworking": true]),
      ]))
    let expected = isUnknown ? ["note plist.unknown-release \(key)"] : []
    #expect(AppTransportSecurity.lint(list).map(Self.line) == expected)
    #expect(AppTransportSecurity.lint(list, systems: [OSVersion(.iOS, 17)]).isEmpty)
  }

  @Test("an app with the keys that Xcode requires is for watches, otherwise for iOS")
  func watches() {
    let families: [(PropertyList.Dictionary, OSVersion.Family)] = [
      ((["WKApplication": true] as PropertyList).dictionary, .watchOS),
      ((["WKWatchKitApp": true] as PropertyList).dictionary, .watchOS),
      ((["UIDeviceFamily": [4]] as PropertyList).dictionary, .watchOS),
      ((["WKApplication": false] as PropertyList).dictionary, .iOS),
      ((["UIDeviceFamily": [1, 2]] as PropertyList).dictionary, .iOS),
    ].compactMap { dictionary, family in dictionary.map { ($0, family) } }
    #expect(families.count == 5)
    for (dictionary, family) in families { #expect(dictionary.platform(inBundleOf: nil) == family) }
  }

  /// Worked out by hand. The hint is a valid host or range, and names no host other than the written one.
  @Test(
    "a hint for a domain names no other host, and keeps a range",
    arguments: [
      ("a.com b.com", nil), ("a.example, b.example", nil), ("192.168.0.0/24 ", "192.168.0.0/24"),
      ("http://10.0.0.0/8", "10.0.0.0/8"), ("localhost:3000/api", "localhost"), ("http:/a.example", "a.example"),
      ("//a.example", "a.example"), ("127.0.0.1/", "127.0.0.1"), ("10.0.0.*:80", "10.0.0.0/24"),
      ("*.a.example", "a.example"),
    ])
  func meantDomain(name: String, meant: String?) throws {
    let settings = PropertyList.dictionary(
      .init(entries: [
        .init(key: "NSExceptionDomains", value: .dictionary(.init(entries: [.init(key: name, value: Self.works)])))
      ]))
    let findings = AppTransportSecurity.lint(settings: try #require(settings.dictionary))
    let slip = try #require(findings.first { $0.severity == .error })
    #expect(slip.found == name && slip.meant == meant)
    #expect(slip.advice.contains("NSIncludesSubdomains") == (name == "*.a.example"))
  }

  @Test(
    "the finding of a misspelt key names the intended one",
    arguments: [
      ("NSAllowArbitraryLoads", "NSAllowsArbitraryLoads"), ("NSAllowsArbitraryLoads ", "NSAllowsArbitraryLoads"),
      ("nsAllowsArbitraryLoads", "NSAllowsArbitraryLoads"), ("NSExceptionDomain", "NSExceptionDomains"),
      ("NSAllowsArbitraryLoadsInWebContents", "NSAllowsArbitraryLoadsInWebContent"),
    ])
  func misspeltGlobal(name: String, meant: String) throws {
    let settings = PropertyList.Dictionary(entries: [.init(key: name, value: true)])
    let finding = try #require(AppTransportSecurity.lint(settings: settings).first)
    #expect(finding.rule == .plistUnknownKey && finding.severity == .error && finding.meant == meant)
    #expect(
      try !found(.dictionary(.init(entries: [.init(key: meant, value: true)]))).contains { $0.contains("unknown") })
  }

  @Test(
    "the finding of a misspelt key in a domain names the intended one",
    arguments: [
      ("NSIncludeSubdomains", "NSIncludesSubdomains"),
      ("NSExceptionAllowInsecureHTTPLoads", "NSExceptionAllowsInsecureHTTPLoads"),
      ("NSExceptionRequireForwardSecrecy", "NSExceptionRequiresForwardSecrecy"),
      ("NSThirdPartyExceptionAllowInsecureHTTPLoads", "NSExceptionAllowsInsecureHTTPLoads"),
    ])
  func misspeltOfDomain(name: String, meant: String) throws {
    let entry = PropertyList.dictionary(.init(entries: [.init(key: name, value: true)]))
    #expect(try found(in: entry) == ["error plist.unknown-key \(name)"])
    let settings: PropertyList = ["NSExceptionDomains": ["a.example": entry]]
    #expect(AppTransportSecurity.lint(settings: try #require(settings.dictionary)).first?.meant == meant)
  }

  @Test("an unknown key is a warning, and one not for domains has no hint")
  func strangers() throws {
    #expect(try found(["Comment": "ours"]) == ["warning plist.unknown-key Comment"])
    #expect(
      try found(in: ["NSExceptionAllowsLocalNetworking": true])
        == ["error plist.unknown-key NSExceptionAllowsLocalNetworking"])
  }

  @Test("the finding for a key one level too high or too low names its level")
  func levels() throws {
    #expect(
      try found(["NSExceptionAllowsInsecureHTTPLoads": true])
        == ["error plist.misplaced-key NSExceptionAllowsInsecureHTTPLoads"])
    #expect(try found(in: ["NSAllowsArbitraryLoads": true]) == ["error plist.misplaced-key NSAllowsArbitraryLoads"])
    #expect(try found(["a.example": Self.works]) == ["error plist.misplaced-key a.example"])
    #expect(
      try found(["NSExceptionDomains": ["NSIncludesSubdomains": true]])
        == ["error plist.misplaced-key NSExceptionDomains.NSIncludesSubdomains"])
    let app: PropertyList = ["CFBundleName": "x", "NSAllowsArbitraryLoads": true]
    #expect(AppTransportSecurity.lint(app).map(Self.line) == ["error plist.misplaced-key NSAllowsArbitraryLoads"])
    let bare: PropertyList = ["NSAllowsArbitraryLoads": true]
    #expect(AppTransportSecurity.lint(bare).map(Self.line) == ["note plist.app-review NSAllowsArbitraryLoads"])
  }

  @Test(
    "a switch is a boolean, or the number 1 or 0",
    arguments: [
      (PropertyList.boolean(true), false), (.integer(1), false), (.integer(0), false), (.real(1), false),
      (.integer(2), true), (.integer(-1), true), (.real(0.5), true), (.string("YES"), true), (.array([]), true),
      (.data([1]), true),
    ])
  func booleans(value: PropertyList, isWrong: Bool) throws {
    let entry = PropertyList.dictionary(
      .init(entries: [.init(key: "NSIncludesSubdomains", value: value)] + (Self.works.dictionary?.entries ?? [])))
    let said = try found(in: entry).filter { $0.contains("plist.not-a-boolean") }
    let isPlain = if case .boolean = value { true } else { false }
    // `ats decide` is also uncertain about a number that counts as a boolean.
    let expected = isWrong ? "error" : "note"
    #expect(said == (isPlain ? [] : ["\(expected) plist.not-a-boolean NSIncludesSubdomains"]))
  }

  @Test(
    "a version must be spelt exactly, and the number gives the intended one",
    arguments: [
      ("TLSV1.3", "TLSv1.3"), ("1.0", "TLSv1.0"), ("TLSv1", "TLSv1.0"), ("tlsv1.1", "TLSv1.1"), ("TLS 1.2", "TLSv1.2"),
      ("TLSv1.4", nil), ("SSLv3.0", nil), ("", nil),
    ])
  func versions(text: String, meant: String?) throws {
    let settings: PropertyList = ["NSExceptionDomains": ["a.example": ["NSExceptionMinimumTLSVersion": .string(text)]]]
    let findings = AppTransportSecurity.lint(settings: try #require(settings.dictionary))
    #expect(findings.map(\.rule) == [.plistUnknownTLSVersion])
    #expect(findings.first?.meant == meant)
    #expect(
      try found(in: ["NSExceptionMinimumTLSVersion": 1.2]) == ["error plist.not-a-string NSExceptionMinimumTLSVersion"])
  }

  @Test(
    "a name that matches no host has one reason, and a corrected form",
    arguments: [
      ("a.example:8080", "with-port", "a.example"), ("localhost:3000", "with-port", "localhost"),
      ("[::1]:80", "with-port", "::1"), ("https://a.example", "with-scheme", "a.example"),
      ("HTTPS://U@A.example:443/x?y", "with-scheme", "a.example"), ("a.example/v1", "with-path", "a.example"),
      ("*.a.example", "with-wildcard", "a.example"), ("*", "with-wildcard", nil),
      (".a.example", "with-wildcard", "a.example"),
      ("A.example", "upper-case", "a.example"), ("a.example.", "trailing-dot", "a.example"),
      ("bücher.example", "international", nil), ("", "empty", nil), (" ", "empty", nil),
      ("a.example ", "not-a-name", "a.example"), ("a..example", "not-a-name", nil),
    ])
  func names(name: String, rule: String, meant: String?) throws {
    let settings: PropertyList = [
      "NSExceptionDomains": .dictionary(.init(entries: [.init(key: name, value: Self.works)]))
    ]
    let findings = AppTransportSecurity.lint(settings: try #require(settings.dictionary))
    #expect(findings.map(\.rule.id) == ["plist.domain-\(rule)"])
    #expect(findings.first?.meant == meant)
  }

  @Test(
    "valid host names have no findings, and pins ignore their case",
    arguments: ["a.example", "xn--bcher-kva.example", "_dmarc.a-b.example", "1.example", "myhost", "printer.local"])
  func goodNames(name: String) throws {
    #expect(try !found(in: Self.works, of: name).contains { $0.contains("domain-") })
    let hash: PropertyList = ["SPKI-SHA256-BASE64": "r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E="]
    let spare: PropertyList = ["SPKI-SHA256-BASE64": "i9HalScvf6T/skE3/A7QOq5n5cTYs8UHNOEFCnkguSI="]
    let pins = PropertyList.Dictionary(
      entries: [.init(key: name.uppercased(), value: ["NSPinnedLeafIdentities": [hash, spare]])])
    #expect(try found(["NSPinnedDomains": .dictionary(pins)]) == ["note plist.ignored-by-os NSPinnedDomains"])
  }

  @Test("addresses and ranges count since iOS 17; malformed ranges are errors")
  func ranges() throws {
    #expect(try found(in: Self.works, of: "10.0.0.0/8") == ["note plist.ignored-by-os entry"])
    #expect(try found(in: Self.works, of: "fe80/10") == ["note plist.ignored-by-os entry"])
    #expect(try found(in: Self.works, of: "fe80.example/10") == ["error plist.domain-with-path entry"])
    let settings: PropertyList = ["NSExceptionDomains": ["10.1.2.3": Self.works]]
    #expect(
      try found(settings, os: [OSVersion(.iOS, 16)]) == ["warning plist.ignored-by-os NSExceptionDomains.10.1.2.3"])
    #expect(try found(settings, os: [OSVersion(.iOS, 17)]).isEmpty)
    #expect(try found(in: Self.works, of: "10.0.0.0/33") == ["error plist.invalid-address-range entry"])
    for name in ["192.168.10.100/32", "10.0.0.0/08", "10.0.0.0/010"] {
      #expect(try found(in: Self.works, of: name).first == "warning plist.misread-address-range entry")
    }
    #expect(try found(in: Self.works, of: "192.168.10.0/24") == ["note plist.ignored-by-os entry"])
  }

  @Test("entries, and the values that contain them, are dictionaries")
  func dictionaries() throws {
    #expect(try found(in: "") == ["error plist.not-a-dictionary entry"])
    #expect(try found(["NSExceptionDomains": ["a.example"]]) == ["error plist.not-a-dictionary NSExceptionDomains"])
    let app: PropertyList = ["CFBundleName": "x", "NSAppTransportSecurity": []]
    #expect(AppTransportSecurity.lint(app).map(Self.line) == ["error plist.not-a-dictionary NSAppTransportSecurity"])
    #expect(AppTransportSecurity.lint(["CFBundleName": "x"]).map(Self.line) == ["note plist.no-settings "])
  }

  @Test(
    "since iOS 10 the presence of one of three keys turns NSAllowsArbitraryLoads off",
    arguments: ["NSAllowsArbitraryLoadsForMedia", "NSAllowsArbitraryLoadsInWebContent", "NSAllowsLocalNetworking"])
  func overridden(key: String) throws {
    for flag in [true, false] {
      let settings = PropertyList.dictionary(
        .init(entries: [
          .init(key: key, value: .boolean(flag)), .init(key: "NSAllowsArbitraryLoads", value: true),
        ]))
      let rules = try found(settings).filter { !$0.contains("app-review") }
      #expect(rules == ["warning plist.arbitrary-loads-overridden NSAllowsArbitraryLoads"])
      #expect(try !found(settings, os: [OSVersion(.iOS, 9)]).contains { $0.contains("overridden") })
    }
    let early: PropertyList = ["NSAllowsArbitraryLoadsInMedia": true, "NSAllowsArbitraryLoads": true]
    #expect(try !found(early).contains { $0.contains("overridden") })
    #expect(try found(early).first == "warning plist.historical-key NSAllowsArbitraryLoadsInMedia")
  }

  @Test("NSAllowsLocalNetworking = NO differs from its absence")
  func localNetworking() throws {
    #expect(
      try found(["NSAllowsLocalNetworking": false])
        == ["warning plist.local-networking-denied NSAllowsLocalNetworking"])
    #expect(try found(["NSAllowsArbitraryLoads": false]) == ["note plist.default-value NSAllowsArbitraryLoads"])
  }

  @Test("old names have a warning, and the obsolete key a note")
  func old() throws {
    #expect(
      try found(in: ["NSTemporaryExceptionRequiresForwardSecrecy": false])
        == ["warning plist.historical-key NSTemporaryExceptionRequiresForwardSecrecy"])
    #expect(
      try found(in: ["NSRequiresCertificateTransparency": true])
        == ["note plist.obsolete-key NSRequiresCertificateTransparency"])
  }

  @Test("the obsolete key has no note if all systems of the app honour it")
  func obsolete() throws {
    func finding(_ systems: [OSVersion], _ value: PropertyList = true) throws -> AppTransportSecurity.LintFinding? {
      let settings: PropertyList = [
        "NSExceptionDomains": ["a.example": ["NSRequiresCertificateTransparency": value]]
      ]
      return AppTransportSecurity.lint(settings: try #require(settings.dictionary), systems: systems).first {
        $0.rule == .plistObsoleteKey
      }
    }
    let (old, new) = (OSVersion(.iOS, 10), OSVersion(.iOS, 17))
    #expect(try finding([old]) == nil)
    #expect(try finding([new])?.effect.hasPrefix("ignored") == true && finding([new])?.caution == nil)
    #expect(try finding([old, new])?.effect.contains("only iOS 10") == true)
    #expect(try finding([old, new])?.advice.contains("SCTs on iOS 10") == true)
    // Since iOS 12.1.1 every public certificate needs SCTs (support article 103214).
    #expect(try finding([OSVersion(.iOS, 14)])?.advice.contains("iOS 10") == false)
    // NO requires nothing on any system.
    #expect(try finding([old], false)?.caution == nil && finding([old], false) != nil)
  }

  @Test("an entry's effect is determined by deciding with it and without it")
  func effects() throws {
    #expect(try found(in: [:]) == ["note plist.changes-nothing entry"])
    #expect(try found(in: ["NSExceptionAllowsInsecureHTTPLoads": false]) == ["note plist.changes-nothing entry"])
    #expect(
      try found(["NSAllowsArbitraryLoads": true, "NSExceptionDomains": ["a.example": [:]]])
        == [
          "note plist.app-review NSAllowsArbitraryLoads",
          "note plist.only-adds-strictness NSExceptionDomains.a.example",
        ]
        .reversed())
    let old: PropertyList = ["NSTemporaryExceptionAllowsInsecureHTTPLoads": true]
    #expect(try found(in: old, of: "localhost").contains("warning plist.only-adds-strictness entry"))
    let wide: PropertyList = ["NSIncludesSubdomains": true, "NSExceptionAllowsInsecureHTTPLoads": true]
    func below(_ entry: PropertyList) throws -> [String] {
      try found(["NSExceptionDomains": ["example.com": wide, "a.example.com": entry]]).filter {
        $0.hasSuffix("a.example.com")
      }
    }
    #expect(
      try below(["NSExceptionAllowsInsecureHTTPLoads": true])
        == ["note plist.changes-nothing NSExceptionDomains.a.example.com"])
    #expect(
      try below(["NSExceptionMinimumTLSVersion": "TLSv1.3"])
        == ["note plist.entries-not-merged NSExceptionDomains.a.example.com"])
    #expect(try below(["NSExceptionAllowsInsecureHTTPLoads": false]).isEmpty)
  }

  @Test("an entry for apple.com replaces the built-in one, but only on systems with one")
  func builtIn() throws {
    let settings: PropertyList = ["NSExceptionDomains": ["apple.com": Self.works]]
    #expect(try found(settings) == ["warning plist.replaces-built-in NSExceptionDomains.apple.com"])
    #expect(try found(settings, os: [OSVersion(.iOS, 17)]).isEmpty)
  }

  @Test("keys that are newer than the systems are reported as ignored")
  func releases() throws {
    let package: PropertyList = ["NSRequiresNIAPTLSPackageVersion": "FCP_v2.1"]
    #expect(
      try found(package, os: [OSVersion(.iOS, 26)]) == ["warning plist.ignored-by-os NSRequiresNIAPTLSPackageVersion"])
    #expect(try found(package, os: [OSVersion(.iOS, 26, 4)]).isEmpty)
    #expect(try found(in: ["NSExceptionRequiresNIAPTLSPackageVersion": "FCP"]).contains { $0.contains("niap") })
    let version: PropertyList = ["NSExceptionDomains": ["a.example": ["NSExceptionMinimumTLSVersion": "TLSv1.3"]]]
    #expect(try found(version, os: [OSVersion(.iOS, 12)]).contains { $0.contains("ignored-by-os") })
    let old: PropertyList = ["NSExceptionDomains": ["a.example": ["NSExceptionMinimumTLSVersion": "TLSv1.1"]]]
    for (systems, severity) in [([OSVersion(.iOS, 26)], "warning"), ([OSVersion(.iOS, 18), .init(.iOS, 26, 4)], "note")] {
      let path = "NSExceptionDomains.a.example.NSExceptionMinimumTLSVersion"
      #expect(try found(old, os: systems).contains("\(severity) plist.ignored-by-os \(path)"))
    }
    #expect(try !found(old, os: [OSVersion(.iOS, 18, 4)]).contains { $0.contains("ignored-by-os") })
    #expect(
      AppTransportSecurity.lint([
        "CFBundleName": "x", "MinimumOSVersion": "15.0", "NSAppTransportSecurity": ["NSPinnedDomains": [:]],
      ]).isEmpty)
  }

  @Test("App Review asks about five keys, but not about raised versions")
  func review() throws {
    let asking: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionMinimumTLSVersion": "TLSv1.0"]
    let settings: PropertyList = [
      "NSAllowsArbitraryLoadsInWebContent": true, "NSExceptionDomains": ["a.example": asking],
    ]
    let findings = AppTransportSecurity.lint(settings: try #require(settings.dictionary)).filter {
      $0.rule == .plistAppReview
    }
    // Each key is a separate finding, so that a new one appears even if others are suppressed.
    #expect(
      findings.map(\.spot.keyPath) == [
        "NSAllowsArbitraryLoadsInWebContent", "NSExceptionDomains.a.example.NSExceptionAllowsInsecureHTTPLoads",
        "NSExceptionDomains.a.example.NSExceptionMinimumTLSVersion",
      ])
    // The edition of 2016 lists both keys of an entry.
    #expect(findings.map { $0.confidence.note?.contains("three keys") == true } == [true, false, false])
    let raised = ["note plist.ignored-by-os NSExceptionMinimumTLSVersion"]
    #expect(try found(in: ["NSExceptionMinimumTLSVersion": "TLSv1.3"]) == raised)
  }

  @Test("a repeated key has a warning, and the last one is read")
  func duplicates() throws {
    let twice = PropertyList.Dictionary(entries: [
      .init(key: "NSAllowsArbitraryLoads", value: "YES"), .init(key: "NSAllowsArbitraryLoads", value: false),
    ])
    // It is unknown which of them counts, so that a last one with the default value has no finding.
    #expect(AppTransportSecurity.lint(settings: twice).map(\.rule) == [.plistDuplicateKey])
    let one = PropertyList.Dictionary(entries: [.init(key: "NSAllowsArbitraryLoads", value: false)])
    #expect(AppTransportSecurity.lint(settings: one).map(\.rule) == [.plistDefaultValue])
    func decision(_ settings: PropertyList.Dictionary) throws -> AppTransportSecurity.Decision {
      AppTransportSecurity.decide(
        .init(try LoadURL("http://a.example/"), os: OSVersion(.iOS, 17)), by: .init(dictionary: settings))
    }
    let doubtful = PropertyList.Dictionary(entries: [
      .init(key: "NSAllowsArbitraryLoads", value: false), .init(key: "NSAllowsArbitraryLoads", value: true),
    ])
    #expect(try decision(doubtful).verdict == .allowed && decision(doubtful).confidence != .certain)
    let same = PropertyList.Dictionary(entries: [
      .init(key: "NSAllowsArbitraryLoads", value: true), .init(key: "NSAllowsArbitraryLoads", value: true),
    ])
    #expect(try decision(same).confidence == .certain && decision(one).confidence == .certain)
  }

  @Test("a repeated entry is uncertain if it decides, and is not reported as without effect")
  func duplicateEntries() throws {
    let open: PropertyList = ["NSExceptionAllowsInsecureHTTPLoads": true]
    let listed = PropertyList.Dictionary(entries: [
      .init(key: "a.example", value: open), .init(key: "b.example", value: open),
      .init(key: "a.example", value: ["NSExceptionAllowsInsecureHTTPLoads": false]),
    ])
    let settings = PropertyList.Dictionary(entries: [.init(key: "NSExceptionDomains", value: .dictionary(listed))])
    let rules = AppTransportSecurity.lint(settings: settings, systems: [OSVersion(.iOS, 17)]).map(\.rule)
    #expect(rules.contains(.plistDuplicateKey) && !rules.contains(.plistChangesNothing), "\(rules)")
    #expect(!rules.contains(.plistDefaultValue), "\(rules)")
    func confidence(_ host: String) throws -> Explanation.Finding.Confidence {
      AppTransportSecurity.decide(
        .init(try LoadURL("http://\(host)/"), os: OSVersion(.iOS, 17)), by: .init(dictionary: settings)
      ).confidence
    }
    #expect(try confidence("a.example") != .certain)
    #expect(try confidence("b.example") == .certain && confidence("c.example") == .certain)
  }

  @Test("'none' as a NIAP level opts out of the global one, otherwise does nothing")
  func noLevel() throws {
    let entry: PropertyList = ["a.example": ["NSExceptionRequiresNIAPTLSPackageVersion": "none"]]
    func rules(_ settings: PropertyList) throws -> [Rule] {
      AppTransportSecurity.lint(
        settings: try #require(settings.dictionary), systems: [OSVersion(.iOS, 26, 4)]
      ).map(\.rule)
    }
    #expect(try rules(["NSRequiresNIAPTLSPackageVersion": "FCP_v2.1", "NSExceptionDomains": entry]) == [])
    let alone = try rules(["NSExceptionDomains": entry])
    #expect(alone == [.plistDefaultValue] || alone == [.plistChangesNothing], "\(alone)")
  }

  @Test("an unexpanded build setting has no value yet, and is never a boolean")
  func buildSettings() throws {
    #expect(try found(in: Self.works, of: "$(API_HOST)") == ["warning plist.unexpanded-build-setting entry"])
    #expect(
      try found(in: ["NSExceptionMinimumTLSVersion": "${TLS}"])
        == ["warning plist.unexpanded-build-setting NSExceptionMinimumTLSVersion"])
    #expect(
      try found(["NSAllowsArbitraryLoads": "$(ALLOW)"]) == ["error plist.not-a-boolean NSAllowsArbitraryLoads"])
  }

  @Test("a huge build setting or key is shown shortened, and a short one completely")
  func hugeTexts() throws {
    func findings(_ name: String, _ value: String) -> [Finding] {
      let entry: PropertyList = ["NSExceptionMinimumTLSVersion": .string(value)]
      let domains = PropertyList.dictionary(.init(entries: [.init(key: name, value: entry)]))
      return AppTransportSecurity.lint(settings: .init(entries: [.init(key: "NSExceptionDomains", value: domains)]))
    }
    let huge = "$(\(String(repeating: "A", count: 5000)))"
    let shown = "'$(\(String(repeating: "A", count: 38))…'"
    for name in [huge, String(repeating: "a", count: 5000) + ":80"] {
      let found = findings(name, huge)
      #expect(found.count == 2)
      for finding in found {
        #expect(finding.message.count < 120 && finding.found.count < 60 && finding.effect.count < 300)
      }
      #expect(found.last?.message.contains(shown) == true, "\(found.last?.message.prefix(200) ?? "")")
    }
    #expect(findings("$(HOST)", "$(TLS)").map(\.found) == ["$(HOST)", "$(TLS)"])
  }

  @Test("the lint reports as ignored exactly the values that the system ignores")
  func passedOver() throws {
    let settings: PropertyList = [
      "NSAllowArbitraryLoads": true, "NSAllowsLocalNetworking": "YES",
      "NSExceptionDomains": [
        "https://a.example": ["NSIncludesSubdomains": true], "idle.example": ["NSIncludesSubdomains": true],
        "open.example": ["NSExceptionAllowsInsecureHTTPLoads": true, "NSExceptionMinimumTLSVersion": "1.2"],
        "old.example": ["NSTemporaryExceptionAllowsInsecureHTTPLoads": true], "10.0.0.0/8": [:], "10.0.0.1/33": [:],
      ],
      "NSPinnedDomains": ["pinned.example": ["NSPinnedCAIdentities": []]],
    ]
    let dictionary = try #require(settings.dictionary)
    let all = AppTransportSecurity.lint(settings: dictionary)
    let found = AppTransportSecurity.passedOver(inSettings: dictionary)
    #expect(found == all.filter(\.isPassedOver) && found.count >= 6 && all.count > found.count)
    let list: PropertyList = [
      "CFBundlePackageType": "FMWK", "NSAllowsArbitraryLoads": true, "NSAppTransportSecurity": settings,
    ]
    let inFramework = AppTransportSecurity.passedOver(in: list)
    #expect(inFramework == AppTransportSecurity.lint(list).filter(\.isPassedOver))
    #expect(inFramework.map(\.rule).contains(.plistNotAnApp) && inFramework.count > found.count)
  }
}

@Suite("Lint findings about spellings and settings")
struct LintSpellingTests {
  @Test("another spelling of an address is reported as such, and not as upper case")
  func addresses() {
    let settings = PropertyList.Dictionary(entries: [
      .init(
        key: "NSExceptionDomains",
        value: [
          "2001:db8/32": ["NSExceptionAllowsInsecureHTTPLoads": true], "2001:db8:0:0::1": [:], "2001:DB8::2": [:],
        ])
    ])
    let rules = AppTransportSecurity.lint(settings: settings).map(\.rule)
    #expect(!rules.contains(.plistDomainUpperCase) && rules.count { $0 == .plistAddressSpelling } == 2)
  }

  @Test("an unexpanded setting has a warning, with its unknown operator and its possible value")
  func unexpanded() throws {
    func finding(_ domain: String) throws -> AppTransportSecurity.LintFinding {
      let list: PropertyList = [
        "NSAppTransportSecurity": [
          "NSExceptionDomains": .dictionary(
            .init(entries: [.init(key: domain, value: ["NSExceptionAllowsInsecureHTTPLoads": true])]))
        ]
      ]
      return try #require(AppTransportSecurity.lint(list).first { $0.rule == .plistUnexpandedSetting })
    }
    #expect(try finding("$(HOST:md5)").effect.contains("':md5'"))
    #expect(try !finding("$(HOST:lower)").effect.contains("operator"))
    let advice = try finding("$(HOST)").advice
    #expect(advice.contains("--define NAME=VALUE") && advice.contains("--xcconfig"))
  }
}

import Testing

@testable import URLLoading

/// Facts about each key from Apple's documentation, its archive, and its source.
@Suite("The keys of App Transport Security")
struct KeyCatalogueTests {
  private typealias Row = (name: String, level: String, type: String, value: String, since: String, review: String)

  private static let rows: [Row] = [
    ("NSAllowsArbitraryLoads", "global", "Boolean", "NO", "iOS 9, macOS 10.11", "when-yes"),
    ("NSAllowsArbitraryLoadsForMedia", "global", "Boolean", "NO", "iOS 10, macOS 10.12", "when-yes"),
    ("NSAllowsArbitraryLoadsInWebContent", "global", "Boolean", "NO", "iOS 10, macOS 10.12", "when-yes"),
    ("NSAllowsLocalNetworking", "global", "Boolean", "NO", "iOS 10, macOS 10.12", "never"),
    ("NSExceptionDomains", "global", "Dictionary", "none", "iOS 9, macOS 10.11", "never"),
    ("NSPinnedDomains", "global", "Dictionary", "none", "iOS 14, macOS 11", "never"),
    ("NSRequiresNIAPTLSPackageVersion", "global", "String", "none", "iOS 26.4, macOS 26.4", "never"),
    ("NSIncludesSubdomains", "exception-domain", "Boolean", "NO", "iOS 9, macOS 10.11", "never"),
    ("NSExceptionAllowsInsecureHTTPLoads", "exception-domain", "Boolean", "NO", "iOS 9, macOS 10.11", "when-yes"),
    ("NSExceptionMinimumTLSVersion", "exception-domain", "String", "TLSv1.2", "iOS 9, macOS 10.11", "when-lowered"),
    ("NSExceptionRequiresForwardSecrecy", "exception-domain", "Boolean", "YES", "iOS 9, macOS 10.11", "never"),
    ("NSRequiresCertificateTransparency", "exception-domain", "Boolean", "NO", "iOS 10, macOS 10.12", "never"),
    ("NSExceptionRequiresNIAPTLSPackageVersion", "exception-domain", "String", "none", "iOS 26.4, macOS 26.4", "never"),
    ("NSIncludesSubdomains", "pinned-domain", "Boolean", "NO", "iOS 14, macOS 11", "never"),
    ("NSPinnedCAIdentities", "pinned-domain", "Array", "none", "iOS 14, macOS 11", "never"),
    ("NSPinnedLeafIdentities", "pinned-domain", "Array", "none", "iOS 14, macOS 11", "never"),
    ("SPKI-SHA256-BASE64", "pinned-identity", "String", "none", "iOS 14, macOS 11", "never"),
  ]

  @Test("each key has its type, its default, its first release and its App Review question", arguments: rows.indices)
  func row(index: Int) throws {
    let row = Self.rows[index]
    let key = try #require(
      AppTransportSecurity.Key.named(row.name).first { $0.level.rawValue == row.level })
    #expect(key.valueType.rawValue == row.type && key.defaultValue == row.value)
    #expect(key.since.description == row.since && key.review.rawValue == row.review)
    #expect(!key.interplay.isEmpty && !key.meaning.isEmpty)
  }

  @Test("App Review asks about five keys")
  func review() {
    let asked = AppTransportSecurity.Key.catalogue.filter { $0.standing == .current && $0.review != .never }
    #expect(
      asked.map(\.name) == [
        "NSAllowsArbitraryLoads", "NSAllowsArbitraryLoadsForMedia", "NSAllowsArbitraryLoadsInWebContent",
        "NSExceptionAllowsInsecureHTTPLoads", "NSExceptionMinimumTLSVersion",
      ])
  }

  @Test(
    "the two old spellings of three keys equal the current ones, with the same interactions",
    arguments: ["NSThirdPartyException", "NSTemporaryException"],
    ["AllowsInsecureHTTPLoads", "MinimumTLSVersion", "RequiresForwardSecrecy"])
  func old(prefix: String, suffix: String) throws {
    let key = try #require(AppTransportSecurity.Key.named(prefix + suffix).first)
    #expect(key.standing == .historical(use: "NSException\(suffix)"))
    #expect(key.interplay == AppTransportSecurity.Key.named("NSException\(suffix)").first?.interplay)
  }

  @Test(
    "names that were never keys have a hint with the intended key",
    arguments: [
      ("NSAllowArbitraryLoads", "NSAllowsArbitraryLoads"),
      ("NSExceptionAllowInsecureHTTPLoads", "NSExceptionAllowsInsecureHTTPLoads"),
    ])
  func misspelt(name: String, meant: String) throws {
    #expect(AppTransportSecurity.Key.named(name).first?.standing == .misspelling(use: meant))
  }
}

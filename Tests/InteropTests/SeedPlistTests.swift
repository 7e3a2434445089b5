import Foundation
import Testing

/// Decisions on the dictionaries in the curriculum's five documents, unchanged.
@Suite("The documents' own plists")
struct SeedPlistTests {
  private typealias Row = (plist: String, url: String, os: String, verdict: String, decidedBy: String)

  private static let rows: [Row] = [
    (
      "seed-000-yourserver", "http://yourserver.com/", "iOS 9", "allowed",
      "NSExceptionDomains.yourserver.com.NSTemporaryExceptionAllowsInsecureHTTPLoads"
    ),
    (
      "seed-000-yourserver", "http://api.yourserver.com/", "iOS 10", "allowed",
      "NSExceptionDomains.yourserver.com.NSTemporaryExceptionAllowsInsecureHTTPLoads"
    ),
    ("seed-000-yourserver", "http://yourserver.com/", "iOS 18.4", "blocked", "NSExceptionDomains.yourserver.com"),
    ("seed-000-yourserver", "http://other.example/", "iOS 9", "blocked", "default"),
    ("seed-000-yourserver", "http://yourserver.com/", "iOS 8", "allowed", "default"),
    (
      "seed-001-12306", "https://kyfw.12306.cn/otn", "iOS 10", "allowed",
      "NSExceptionDomains.kyfw.12306.cn.NSExceptionAllowsInsecureHTTPLoads"
    ),
    (
      "seed-001-12306", "http://kyfw.12306.cn/otn", "iOS 18.4", "allowed",
      "NSExceptionDomains.kyfw.12306.cn.NSExceptionAllowsInsecureHTTPLoads"
    ),
    ("seed-001-12306", "http://www.12306.cn/", "iOS 10", "blocked", "default"),
    (
      "seed-002-weibo", "http://api.weibo.com/", "iOS 10", "allowed",
      "NSExceptionDomains.weibo.com.NSExceptionAllowsInsecureHTTPLoads"
    ),
    ("seed-002-weibo", "http://other.example/", "iOS 18.4", "allowed", "NSAllowsArbitraryLoads"),
    ("seed-002-all-keys", "http://other.example/", "iOS 9", "blocked", "NSAllowsArbitraryLoads"),
    ("seed-002-all-keys", "http://other.example/", "iOS 10", "blocked", "NSAllowsArbitraryLoads"),
    ("seed-002-all-keys", "http://printer.local/", "iOS 10", "allowed", "NSAllowsLocalNetworking"),
    ("seed-004-arbitrary", "http://www.baidu.com/", "iOS 9", "allowed", "NSAllowsArbitraryLoads"),
    (
      "seed-004-baidu", "http://www.baidu.com/", "iOS 9", "allowed",
      "NSExceptionDomains.baidu.com.NSExceptionAllowsInsecureHTTPLoads"
    ),
    ("seed-004-baidu", "http://other.example/", "iOS 9", "blocked", "default"),
  ]

  @Test("each load is allowed or blocked by the right key", arguments: rows.indices)
  func decided(index: Int) throws {
    let row = Self.rows[index]
    let plist = Program.root.appendingPathComponent("Scenarios/L9/fixtures/\(row.plist).plist").path
    let result = try Program.run(
      "ats", "decide", "--plist", plist, "--url", row.url, "--os", row.os, "--format", "json")
    #expect(result.status == (row.verdict == "allowed" ? 0 : 1))
    #expect(result.output.contains("\"verdict\": \"\(row.verdict)\""))
    #expect(result.output.contains("\"decidedBy\": \"\(row.decidedBy)\""), "\(result.output)")
  }

  @Test("a page in a web view and a film are decided by other keys")
  func loaders() throws {
    let plist = Program.root.appendingPathComponent("Scenarios/L9/fixtures/seed-002-all-keys.plist").path
    func verdict(_ loader: String) throws -> Int32 {
      try Program.run(
        "ats", "decide", "--plist", plist, "--url", "http://other.example/", "--os", "iOS 10", "--loader", loader
      ).status
    }
    #expect(try verdict("WKWebView") == 0)
    #expect(try verdict("AVFoundation") == 1)
  }
}

import Testing
import Trust

@testable import URLLoading

@Suite("Lines of a device's log")
struct LogLineTests {
  // Lines as seed 004 and public reports print them; hosts are replaced.
  static let lines: [(String, [String], String?)] = [
    ("NSURLSession/NSURLConnection HTTP load failed (kCFStreamErrorDomainSSL, -9802)", ["tls -9802"], nil),
    ("CFNetwork SSLHandshake failed (kCFStreamErrorDomainSSL, -9843)", ["tls -9843"], nil),
    (
      "Task <4E1D>.<1> finished with error [-1200] Error Domain=NSURLErrorDomain Code=-1200 \"An SSL error\" "
        + "UserInfo={_kCFStreamErrorCodeKey=-9802, NSErrorFailingURLStringKey=https://api.example/a, "
        + "_kCFStreamErrorDomainKey=3}", ["url -1200", "tls -9802"], "https://api.example/a"
    ),
    (
      "Error Domain=kCFErrorDomainCFNetwork Code=310 \"(null)\" UserInfo={_kCFStreamErrorCodeKey=-2096}",
      ["network 310"], nil
    ),
    ("NSURLConnection finished with error - code -1022", ["url -1022"], nil),
    ("Error Domain=kCFErrorDomainCFNetwork Code=-1202 \"(null)\"", ["url -1202"], nil),
    ("TIC SSL Trust Error [1:0x1c]: 3:0, [3:-9807]", ["tls -9807"], nil),
    ("CFNetwork SSLHandshake failed (-9824)", ["tls -9824"], nil),
    ("Connection 3: default TLS Trust evaluation failed(-9807)", ["tls -9807"], nil),
    ("Connection 3: strict TLS Trust evaluation failed(-9802)", ["tls -9802"], nil),
    ("Connection 3: system TLS Trust evaluation failed(-9843)", ["tls -9843"], nil),
    ("Connection 3: TLS Trust encountered error 3:-9802", ["tls -9802"], nil),
    ("Connection 3: TLS Trust encountered error 3:-9807", ["tls -9807"], nil),
    ("Connection 3: TLS Trust encountered error 3:-9813", ["tls -9813"], nil),
    ("UserInfo={_kCFNetworkCFStreamSSLErrorOriginalValue=-9838}", ["tls -9838"], nil),
    ("An SSL error has occurred and a secure connection to the server cannot be made.", ["url -1200"], nil),
    (
      "The certificate for this server is invalid. You might be connecting to a server that is pretending to be "
        + "“api.example” which could put your confidential information at risk.", ["url -1202"], nil
    ),
    (
      "2018-02-13 17:45:44.952 nscurl[32423:2935325] NSURLSession/NSURLConnection HTTP load failed "
        + "(kCFStreamErrorDomainSSL, -9801)", ["tls -9801"], nil
    ),
    ("2015-09-01 10:00:00.000 nscurl[1:2] CFNetwork SSLHandshake failed (-9824)", ["tls -9824"], nil),
    ("Task <4E1D>.<2> HTTP load failed, 0/0 bytes (error code: -1200 [3:-9802])", ["url -1200", "tls -9802"], nil),
    ("TLS failed, Connection 3: failed to connect 3:-9816, reason -1", ["tls -9816"], nil),
    ("Task <4E1D>.<1> HTTP load failed (error code: -1202)", ["url -1202"], nil),
    ("Task <4E1D>.<1> HTTP load failed, 0/0 bytes (error code: -1202 [3:-9813])", ["url -1202", "tls -9813"], nil),
    ("ATS failed system trust", ["url -1200", "tls -9802"], nil),
    (
      "The resource could not be loaded because the App Transport Security policy requires the use of a secure "
        + "connection.", ["url -1022"], nil
    ),
    (
      "boringssl_context_handle_fatal_alert(1872) [C1.1:1][0x7f] read alert, level: fatal, description: certificate "
        + "unknown", ["tls -9829"], nil
    ),
    (
      "boringssl_context_handle_fatal_alert(1872) [C1.1:1][0x7f] read alert, level: fatal, description: handshake "
        + "failure", ["tls -9824"], nil
    ),
    (
      "App Transport Security has blocked a cleartext HTTP (http://) resource load since it is insecure.",
      ["url -1022"], nil
    ),
  ]

  @Test("the errors and the URL of a line are found", arguments: lines)
  func read(_ line: String, _ errors: [String], _ url: String?) throws {
    let read = try #require(LogLine(line))
    #expect(read.errors.map { error in "\(names[error.domain] ?? "") \(error.code)" } == errors)
    #expect(read.url?.description == url)
  }

  private let names: [AppError.Domain: String] = [.url: "url", .tls: "tls", .status: "status", .network: "network"]

  @Test("a code or name alone is read as an error if the caller requests it")
  func named() {
    for (word, code) in [("-9802", -9802), ("9802", -9802), ("-1200", -1200), ("errSSLHostNameMismatch", -9843)] {
      #expect(LogLine(naming: word)?.errors.map(\.code) == [code], "\(word)")
    }
    for word in ["", "0", "-9223372036854775808", "errSSL", "-1200 "] {
      #expect(LogLine(naming: word) == nil, "\(word)")
    }
  }

  @Test("a line without an error has none, and no line is too long")
  func none() {
    for text in [
      "", "hello", "boringssl_x write alert, level: fatal, description: certificate unknown",
      "boringssl_x read alert, level: fatal, description: tea",
      "TLS Trust encountered error 3:0", "TLS Trust encountered error", "The certificate for this server",
      "HTTP load failed (error code: )",
      "NSURLErrorDomain", "NSURLErrorDomain Code=", "kCFStreamErrorDomainSSL, -1", "[3:", "-1200",
    ] {
      #expect(LogLine(text) == nil, "\(text)")
    }
    #expect(LogLine(String(repeating: "[3:", count: 100_000)) == nil)
    #expect(LogLine("NSURLErrorDomain Code=-999999999999999999999") == nil)
  }

  private func obstacles(_ line: String, _ url: String, _ ats: String, _ os: String) throws -> [String: Bool] {
    let list = try PropertyList(reading: Array("<plist version=\"1.0\"><dict>\(ats)</dict></plist>".utf8))
    let settings = AppTransportSecurity.Configuration(dictionary: list.dictionary ?? .init())
    let decision = AppTransportSecurity.decide(
      .init(try LoadURL(url), os: try #require(OSVersion(os))), by: settings)
    let situations = try #require(LogLine(line)).situations
    return Dictionary(
      uniqueKeysWithValues: situations.map { ($0.id, $0.exclusion(under: decision, by: settings) == nil) })
  }

  @Test("the possible meanings of a line depend on the plist, the host and the system")
  func meaning() throws {
    let line = "finished with error [-1202] (kCFStreamErrorDomainSSL, -9807)"
    let open = "<key>NSAllowsArbitraryLoads</key><true/>"
    #expect(try obstacles(line, "https://api.example/", open, "iOS 18")["unknown-root"] == true)
    #expect(try obstacles(line, "https://api.example/", "", "iOS 18")["unknown-root"] == false)
    #expect(try obstacles(line, "https://api.example/", open, "iOS 12")["unknown-root"] == false)
    let blocked = "NSURLErrorDomain Code=-1022"
    #expect(try obstacles(blocked, "http://api.example/", "", "iOS 18") == ["blocked-load": true])
    #expect(try obstacles(blocked, "http://api.example/", open, "iOS 18") == ["blocked-load": false])
    let fatal = "(kCFStreamErrorDomainSSL, -9802)"
    #expect(try obstacles(fatal, "https://api.example/", "", "iOS 18")["trust-under-ats"] == true)
    #expect(try obstacles(fatal, "https://api.example/", open, "iOS 18")["trust-under-ats"] == false)
    #expect(try obstacles(fatal, "https://api.example/", open, "iOS 18")["pin-mismatch"] == false)
  }

  // NSPinnedDomains counts since iOS 14 and macOS 11 (ats.md section 1.8).
  @Test("if the system reads no pins, the hint names the system, not the plist")
  func pinsBySystem() throws {
    let pins: PropertyList = ["NSPinnedDomains": ["api.example": ["NSPinnedCAIdentities": []]]]
    let settings = AppTransportSecurity.Configuration(dictionary: try #require(pins.dictionary))
    let situation = try #require(
      LogLine("(kCFStreamErrorDomainSSL, -9802)")?.situations.first { $0.id == "pin-mismatch" })
    func exclusion(_ host: String, _ os: OSVersion) throws -> AppError.Situation.Exclusion? {
      situation.exclusion(
        under: AppTransportSecurity.decide(.init(try LoadURL("https://\(host)/"), os: os), by: settings), by: settings)
    }
    #expect(try exclusion("api.example", OSVersion(.iOS, 14)) == nil)
    #expect(try exclusion("api.example", OSVersion(.iOS, 13)) == .pinsNotRead)
    #expect(try exclusion("b.example", OSVersion(.iOS, 13)) == .notPinned)
  }

  @Test("an allowed load may be redirected to a blocked http URL, if one exists")
  func redirects() throws {
    func isPossible(_ url: String, _ ats: String, _ os: String = "iOS 17") throws -> Bool? {
      try obstacles("finished with error [-1022]", url, ats, os)["blocked-load"]
    }
    #expect(try isPossible("https://api.example/", "") == true)
    func entry(_ keys: String) -> String {
      "<key>NSExceptionDomains</key><dict><key>a.example</key><dict>\(keys)</dict></dict>"
    }
    let http = "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"
    #expect(try isPossible("http://a.example/", entry(http)) == true)
    let open = "<key>NSAllowsArbitraryLoads</key><true/>"
    #expect(try isPossible("https://api.example/", open) == false)
    // The entry excludes its host from the global permission.
    #expect(try isPossible("https://api.example/", open + entry("")) == true)
    #expect(try isPossible("https://api.example/", open + entry(http)) == false)
    #expect(try isPossible("https://api.example/", "", "iOS 8") == false)
  }
}

import Foundation
import Oracles
import Testing

@Suite("App Transport Security on tvOS, watchOS and visionOS")
struct OtherPlatformTests {
  private static func decide(_ words: String...) throws -> Program.Result {
    try Program.run(["ats", "decide", "--url"] + words)
  }

  @Test(
    "a release decides like the iOS of the same year, which the text names",
    arguments: [
      ("tvOS 9", "iOS 9"), ("tvOS 16", "iOS 16"), ("watchOS 2", "iOS 9"), ("watchOS 9", "iOS 16"),
      ("watchOS 11.4", "iOS 18.4"), ("visionOS 1", "iOS 17"), ("visionOS 26.4", "iOS 26.4"),
    ])
  func contemporary(name: String, iOS: String) throws {
    for url in ["http://203.0.113.1/", "http://printer.local/", "https://api.example/"] {
      let words = [url, "--format", "json", "--os"]
      let one = try Program.run(["ats", "decide", "--url"] + words + [name])
      let other = try Program.run(["ats", "decide", "--url"] + words + [iOS])
      #expect(one.status == other.status)
      #expect(one.output.shows("\(name) … \(iOS)"), "\(one.output)")
      #expect(!other.output.contains(name))
    }
  }

  @Test("releases that never existed are errors that name the existing ones", arguments: ["tvOS 8", "visionOS 3"])
  func none(name: String) throws {
    let result = try Self.decide("https://api.example/", "--os", name)
    #expect(result.status == 2 && result.errors.contains("'\(name)'"), "\(result.errors)")
    #expect(result.errors.contains("\(name.prefix { $0 != " " }) "))
    #expect(try Program.run("run", "L1-15", "--os", name).status == 2)
  }

  @Test("explain and ats minimal accept these releases for decisions, but not for servers")
  func otherCommands() throws {
    let plist = """
      <plist version="1.0"><dict><key>DTSDKName</key><string>xros1.0</string><key>NSAppTransportSecurity</key><dict>
      <key>NSExceptionDomains</key><dict><key>203.0.113.0/24</key><dict>
      <key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict></dict></dict></dict></plist>
      """
    let folder = try Program.folder(["Vision.plist": Data(plist.utf8)])
    func run(_ command: [String], _ host: String, _ more: String...) throws -> Program.Result {
      try Program.run(
        command + ["--plist", "Vision.plist", "--url", "http://\(host)/", "--os", "visionOS 1"] + more, in: folder)
    }
    // The SDK of visionOS 1 is of 2023, like that of iOS 17: addresses need the entry.
    let needed = try run(["ats", "minimal"], "203.0.113.1")
    #expect(needed.status == 0 && !needed.output.contains("• NSExceptionDomains"), "\(needed.errors)\(needed.output)")
    let needless = try run(["ats", "minimal"], "a.local")
    #expect(needless.output.contains("• NSExceptionDomains"), "\(needless.errors)\(needless.output)")
    let likeness = "visionOS 1 … iOS 17"
    let line = "HTTP load failed (error code: -1022)"
    let excepted = try run(["explain", "--format", "json"], "203.0.113.1", line)
    #expect(!excepted.output.contains("\"ats\": \"blocks") && excepted.output.shows(likeness), "\(excepted.errors)")
    let blocked = try run(["explain", "--format", "json"], "198.51.100.1", line)
    #expect(blocked.output.contains("\"ats\": \"blocks"), "\(blocked.errors)")
    let connected = try Program.run(
      "ats", "minimal", "--url", "https://api.example/", "--os", "visionOS 1", "--scenario", "L1-15")
    #expect(connected.status == 2 && connected.errors.contains("visionOS"))
    #expect(try Program.run("ats", "minimal", "--url", "http://a.example/", "--os", "visionOS 3").status == 2)
  }

  @Test("the built app determines the platform and its releases")
  func bundles() throws {
    func plist(_ platform: String, _ sdk: String, _ minimum: String) -> Data {
      Data(
        """
        <plist version="1.0"><dict><key>CFBundleSupportedPlatforms</key><array><string>\(platform)</string></array>
        <key>DTSDKName</key><string>\(sdk)</string><key>MinimumOSVersion</key><string>\(minimum)</string>
        <key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict/></dict></dict></plist>
        """.utf8)
    }
    let folder = try Program.folder([
      "TV.plist": plist("AppleTVOS", "appletvos16.4", "13.0"), "Watch.plist": plist("WatchOS", "watchos10.0", "6.0"),
      "Vision.plist": plist("XROS", "xros2.0", "1.0"),
    ])
    func decide(_ name: String, _ words: String...) throws -> Program.Result {
      try Program.run(["ats", "decide", "--plist", "\(name).plist", "--format", "json"] + words, in: folder)
    }
    let address = ["--url", "http://203.0.113.1/", "--os"]
    // The SDK of 2022 has no rule about addresses, that of 2023 has one.
    #expect(try Program.run(["ats", "decide", "--plist", "TV.plist"] + address + ["tvOS 17"], in: folder).status == 0)
    #expect(
      try Program.run(["ats", "decide", "--plist", "Watch.plist"] + address + ["watchOS 10"], in: folder).status == 1)
    #expect(try decide("Vision", "--url", "https://a.example/").output.contains("\"visionOS 1\""))
    #expect(try decide("Watch", "--url", "https://a.example/").output.contains("\"watchOS 6\""))
    let lint = try Program.run("ats", "lint", "TV.plist", "--format", "json", in: folder).output
    #expect(lint.contains("tvOS 13") && !lint.contains("iOS 13,"), "\(lint)")
  }
}

import Foundation
import Oracles
import Testing

// Release notes of iOS 17, 101967030: apps that are linked with an earlier SDK may load from IP addresses by default.
@Suite("Commands that read a built app's plist apply its SDK")
struct LinkedSDKCommandTests {
  /// The plists of one app, built with the SDK of 2022 and with that of 2023.
  private static func folder() throws -> URL {
    func plist(_ sdk: String) -> Data {
      Data(
        """
        <plist version="1.0"><dict><key>DTSDKName</key><string>\(sdk)</string><key>NSAppTransportSecurity</key><dict>
        <key>NSExceptionDomains</key><dict><key>203.0.113.0/24</key><dict>
        <key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict></dict></dict></dict></plist>
        """.utf8)
    }
    func bare(_ sdk: String) -> Data {
      Data(
        """
        <plist version="1.0"><dict><key>DTSDKName</key><string>\(sdk)</string><key>NSAppTransportSecurity</key><dict/>
        </dict></plist>
        """.utf8)
    }
    return try Program.folder([
      "Listed16.plist": plist("iphoneos16.4"), "Listed17.plist": plist("iphoneos17.0"),
      "Bare16.plist": bare("iphoneos16.4"), "Bare17.plist": bare("iphoneos17.0"),
    ])
  }

  @Test("ats minimal drops entries that the SDK makes needless, and nothing else")
  func minimal() throws {
    let folder = try Self.folder()
    func minimal(_ name: String) throws -> Program.Result {
      try Program.run(
        "ats", "minimal", "--plist", "\(name).plist", "--url", "http://203.0.113.4/", "--os", "iOS 18.4", in: folder)
    }
    let older = try minimal("Listed16")
    #expect(older.status == 0 && older.output.contains("• NSExceptionDomains"), "\(older.output)")
    let newer = try minimal("Listed17")
    #expect(newer.status == 0 && !newer.output.contains("• NSExceptionDomains"), "\(newer.output)")
  }

  @Test("explain prints the decision of App Transport Security on the load")
  func explain() throws {
    let folder = try Self.folder()
    func explain(_ name: String) throws -> String {
      try Program.run(
        "explain", "--format", "json", "--plist", "\(name).plist", "--url", "http://203.0.113.4/", "--os", "iOS 17",
        "HTTP load failed (error code: -1022)", in: folder
      ).output
    }
    #expect(try explain("Bare16").contains("\"ats\": \"blocks") == false)
    #expect(try explain("Bare17").contains("\"ats\": \"blocks"))
  }

  @Test("explain suggests a command with the given plist, or without one")
  func further() throws {
    let folder = try Self.folder()
    let words = ["--url", "http://203.0.113.4/", "--os", "iOS 17", "HTTP load failed (error code: -1022)"]
    let given = try Program.run(["explain", "--plist", "Bare17.plist"] + words, in: folder).output
    #expect(given.contains("trustlab ats decide --plist Bare17.plist --url"), "\(given)")
    let bare = try Program.run(["explain"] + words, in: folder).output
    #expect(bare.contains("trustlab ats decide --url http://203.0.113.4/"), "\(bare)")
  }

  @Test("ats decide also reads the SDK in a request")
  func requests() throws {
    func verdict(_ sdk: String) throws -> String {
      let ats = #"{"DTSDKName":"\#(sdk)","NSAppTransportSecurity":{}}"#
      let request = #"{"url":"http://203.0.113.4/","os":"iOS 17","ats":\#(ats)}"#
      return try Program.run("ats", "decide", "--ndjson", "--members", "verdict", input: request + "\n").output
    }
    #expect(try verdict("iphoneos16.4").contains("allowed"))
    #expect(try verdict("iphoneos17.0").contains("blocked"))
  }

  @Test(
    "verify applies ATS key requirements to an address only if the SDK requires it",
    .needs(.openssl))
  func keySize() throws {
    let folder = try Self.folder()
    // Only App Transport Security requires a key length under a root that the user trusts.
    let made = OtherPrograms.openssl(
      ["req", "-x509", "-newkey", "rsa:1024", "-nodes", "-keyout", "u.key", "-out", "u.pem", "-subj", "/CN=u"]
        + ["-days", "90", "-addext", "subjectAltName=IP:203.0.113.4", "-addext", "extendedKeyUsage=serverAuth"],
      in: folder)
    try #require(made)
    func verify(_ name: String) throws -> Program.Result {
      try Program.run(
        "verify", "u.pem", "--user-roots", "u.pem", "--host", "203.0.113.4", "--plist", "\(name).plist", "--os",
        "iOS 17", in: folder)
    }
    let older = try verify("Bare16")
    #expect(older.status == 0 && !older.output.contains("ats.key-size"), "\(older.output)")
    let newer = try verify("Bare17")
    #expect(newer.status == 1 && newer.output.contains("refused  ats.key-size"), "\(newer.output)")
  }
}

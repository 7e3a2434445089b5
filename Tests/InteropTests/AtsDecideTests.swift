import Foundation
import Oracles
import Rendering
import Testing
import URLLoading

@Suite("ats decide")
struct AtsDecideTests {
  private static func plist(_ body: String) -> Data {
    Data("<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\n<dict>\n\(body)\n</dict>\n</plist>\n".utf8)
  }

  private static let exception = """
    <key>NSAppTransportSecurity</key><dict><key>NSExceptionDomains</key><dict><key>a.example</key><dict>
    <key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict></dict></dict>
    """

  @Test("the exit status says whether every load is allowed")
  func exitStatus() throws {
    let folder = try Program.folder(["Info.plist": Self.plist(Self.exception)])
    let base = ["ats", "decide", "--plist", "Info.plist", "--url", "http://a.example/"]
    #expect(try Program.run(base, in: folder).status == 0)
    #expect(try Program.run(base + ["http://b.example/"], in: folder).status == 1)
    #expect(try Program.run(base + ["--url", "http://b.example/"], in: folder).status == 1)
    #expect(try Program.run(base + ["http://b.example/", "--os", "iOS 8"], in: folder).status == 0)
  }

  // Apple does not document whether private addresses count as direct ones: the load is blocked, but not certainly.
  @Test("an uncertain block is one finding at its own host, and counts")
  func uncertainBlock() throws {
    let folder = try Program.folder(["Info.plist": Self.plist(Self.exception)])
    func decide(_ url: String) throws -> Program.Result {
      try Program.run(
        "ats", "decide", "--plist", "Info.plist", "--url", url, "--os", "iOS 18.4", "--format", "xcode", in: folder)
    }
    let address = try decide("http://192.168.1.1/")
    #expect(address.status == 1)
    #expect(address.output.split(separator: "\n").count == 1, "\(address.output)")
    #expect(address.output.contains("unknown: "), "\(address.output)")
    #expect(address.output.contains("NSExceptionDomains.192.168.1.1."), "\(address.output)")
    #expect(!address.output.contains("HOST"))
    // A host name leaves nothing uncertain.
    let name = try decide("http://b.example/")
    #expect(name.status == 1 && !name.output.contains("not certain"), "\(name.output)")
  }

  @Test(
    "a release without its system gets a hint, and a letter O is a zero",
    arguments: [("17", "iOS 17"), ("1O", "iOS 10"), ("iOS 1O", "iOS 10")])
  func bareRelease(name: String, meant: String) throws {
    let result = try Program.run("ats", "decide", "--url", "http://a.example/", "--os", name)
    #expect(result.status == 2)
    #expect((result.output + result.errors).contains("'\(meant)'"), "\(result)")
  }

  @Test("a truncated rule id gets the complete one as hint; an unknown one gets none")
  func beginningOfRule() {
    #expect(ExplainView.nearest("ats.no-forwrd").shows("'ats.no-forward-secrecy'"))
    #expect(!ExplainView.nearest("zzz.qqqqqqqqqqqq").contains("'ats."))
  }

  @Test("if the plist requires pins, a host without a matching pin fails, with a message")
  func demandedPins() throws {
    func decide(_ value: String) throws -> Program.Result {
      let folder = try Program.folder([
        "Info.plist": Self.plist("<key>SecTrustPinningRequired</key><\(value)/>\(Self.exception)")
      ])
      return try Program.run(
        "ats", "decide", "--plist", "Info.plist", "--url", "https://b.example/", "--os", "iOS 17", in: folder)
    }
    let demanded = try decide("true")
    #expect(demanded.status == 1 && demanded.output.contains("1!"), "\(demanded.output)")
    #expect(demanded.output.contains("(SecTrustPinningRequired)"))
    let free = try decide("false")
    #expect(free.status == 0 && !free.output.contains("1!"), "\(free.output)")
  }

  @Test("pins inside the NSAppTransportSecurity dictionary have no effect, in a file or a stream")
  func misplacedDemand() throws {
    let keys = "<key>NSAllowsArbitraryLoads</key><false/><key>SecTrustPinningRequired</key><true/>"
    let folder = try Program.folder(["bare.plist": Self.plist(keys)])
    let file = try Program.run(
      "ats", "decide", "--plist", "bare.plist", "--url", "https://b.example/", "--os", "iOS 17", in: folder)
    #expect(file.status == 0 && !file.output.contains("(SecTrustPinningRequired)"), "\(file.output)")
    #expect(file.errors.contains("'SecTrustPinningRequired'"), "\(file.errors)")
    func notes(_ ats: String) throws -> String {
      try Program.run(
        "ats", "decide", "--ndjson", input: #"{"url":"https://b.example/","os":"iOS 17","ats":\#(ats)}"#
      ).output
    }
    let (demand, shut) = (#""SecTrustPinningRequired":true"#, "SecTrustPinningRequired requires pins")
    let inside = try notes(#"{"NSAllowsArbitraryLoads":false,\#(demand)}"#)
    #expect(!inside.contains(shut) && inside.contains("'SecTrustPinningRequired'"), "\(inside)")
    #expect(try !notes("{\(demand)}").contains(shut))
    #expect(try notes(#"{"NSAppTransportSecurity":{},\#(demand)}"#).contains(shut))
  }

  @Test("JSON has the documented members, in order, and null for unused ones")
  func json() throws {
    let folder = try Program.folder(["Info.plist": Self.plist(Self.exception)])
    let result = try Program.run(
      "ats", "decide", "--plist", "Info.plist", "--url", "http://b.example/", "--os", "iOS 10", "--format", "json",
      in: folder)
    let names = result.output.split(separator: "\n").filter { $0.hasPrefix("    \"") }
      .map { $0.split(separator: "\"")[1] }
    #expect(
      names == [
        "trustlab", "url", "os", "loader", "verdict", "because", "decidedBy", "atsRequired", "minimumTLSVersion",
        "cipherSuites", "forwardSecrecy", "certificateTransparency", "trustMayBeLoosened", "appReview", "errors",
        "confidence", "notes", "reason", "basis", "fix", "delegateCannotLoosen", "niap", "pins",
      ])
    #expect(result.output.contains("\"because\": [\"ats.insecure-http\"]"))
    #expect(result.output.contains("\"code\": -1022"))
    let old = try Program.run("ats", "decide", "--url", "https://b.example/", "--os", "iOS 8", "--format", "json")
    #expect(old.output.contains("\"minimumTLSVersion\": null"))
    #expect(old.output.contains("\"cipherSuites\": null"))
    #expect(old.output.contains("\"verdict\": \"allowed\""))
  }

  private static let loads = [
    "http://example.com/", "https://example.com/", "http://192.168.1.1/", "http://localhost/", "ftp://example.com/",
    "https://a.very.long.name.of.a.host.that.does.not.fit.into.half.a.line.example.com/path/to/something",
  ]
  private static let systems = ["iOS 8", "iOS 9", "iOS 12", "iOS 16", "iOS 17", "iOS 18.4", "macOS 10.11", "doc"]

  @Test(
    "decisions on the plists of shipped apps fit 80 columns and conform to the schema",
    .needsData("plists"),
    .needs(.jsonschema),
    arguments: stride(from: 0, to: SharedData.plistPaths.count, by: 5).map { SharedData.plistPaths[$0] })
  func shippedApps(plist: String) throws { try Self.check(plist) }

  /// Checks the text and the JSON of decisions by a plist.
  static func check(_ plist: String) throws {
    let base = ["ats", "decide", "--plist", plist, "--url"] + loads + ["--os"] + systems
    let text = try Program.run(base)
    #expect(text.status == 1)
    #expect(text.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
    let file = Program.temporary.appendingPathComponent("\(UUID().uuidString).json")
    #expect(try Program.run(base + ["--format", "json", "--output", file.path]).status == 1)
    #expect(OtherPrograms.violation(in: file, of: "ats-decide") == "")
  }

  @Test(
    "unreadable input is an error with a hint, and exit status 2",
    arguments: [
      ("nowhere.plist", "error: … 'nowhere.plist'"), (".", "error: … '.'"),
      ("cut.plist", "error: cut.plist: "), ("text.plist", "text.plist:1:1: error: "),
      ("array.plist", "error: array.plist: "), ("empty.plist", "error: empty.plist: "),
      ("xml.plist", "xml.plist:3:"),
    ])
  func unreadable(name: String, error: String) throws {
    let folder = try Program.folder([
      "cut.plist": Data("bplist00".utf8) + Data([0xd1, 1, 2, 0x51, 0x61, 8]), "text.plist": Data("hello\n".utf8),
      "empty.plist": Data(), "array.plist": Data("<plist><array/></plist>".utf8),
      "xml.plist": Data("<plist>\n<dict>\n<key>A</key><string>x</dict></plist>".utf8),
    ])
    let result = try Program.run("ats", "decide", "--plist", name, "--url", "https://a.example/", in: folder)
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.shows(error) && result.errors.contains("\nhint: "), "\(result.errors)")
  }

  @Test(
    "wrong usage is an error with a hint, and exit status 2",
    arguments: [
      (["--url", "a.example"], "error", "https://a.example"),
      (["--url", "a.example:443/x"], "error", "https://a.example:443/x"),
      (["--url", "https://"], "error", "https://"),
      (["--url", "https://a/", "--os", "iSO 18.4"], "'iSO 18.4'", "'iOS 18.4'"),
      (
        ["--url", "https://a/", "--os", "tvOS 8"], "'tvOS 8'",
        "tvOS 9 … 18 … 26"
      ),
      (
        ["--url", "http://a.example/", "--os", "iOS 8.14"], "iOS 8.14",
        "iOS 8 … 8.4 … 'iOS 18.4'"
      ),
      (
        ["--url", "https://a/", "--os", "ios8.9"], "ios8.9", "iOS 8 … 8.4 … 'iOS 8.4'"
      ),
      (
        ["--url", "https://a/", "--os", "macOS 10.11.7"], "macOS 10.11.7",
        "10.11.6 … 'macOS 10.11'"
      ),
      (["--url", "https://a/", "--os", "watchOS 3.3"], "'watchOS 3.3'", "watchOS 3 … 3.2"),
      (["--url", "https://a/", "--os", "iPadOS 9"], "iPadOS 9", "iPadOS 13 … 'iOS 9'"),
      (["--url", "https://a/", "--os", "iOS", "9"], "'iOS'", "hint"),
      (["--url", "https://a/", "--linked-sdk", "OS8"], "'OS8'", "iOS 8"),
      (["--url", "https://a/", "--loader", "urlsesion"], "error", "'URLSession'"),
      ([], "error", "--url"),
    ])
  func usage(arguments: [String], error: String, hint: String) throws {
    let result = try Program.run(["ats", "decide"] + arguments)
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("error: ") && result.errors.shows(error), "\(result.errors)")
    #expect(result.errors.contains("\nhint: ") && result.errors.shows(hint), "\(result.errors)")
  }

  @Test("the output names the part of the file that was read, and ignored keys")
  func origins() throws {
    let bare = "<key>NSAllowsArbitraryLoads</key><true/>"
    let folder = try Program.folder([
      "Info.plist": Self.plist(Self.exception), "bare.plist": Self.plist(bare), "none.plist": Self.plist(""),
      "slip.plist": Self.plist("<key>NSAppTransportSecurty</key><dict/>"),
    ])
    func run(_ name: String, input: String = "") throws -> Program.Result {
      try Program.run(
        "ats", "decide", "--plist", name, "--url", "http://a.example/", "--os", "iOS 9", input: input, in: folder)
    }
    #expect(try run("Info.plist").output.split(separator: "\n")[0].shows("NSAppTransportSecurity … Info.plist"))
    #expect(try run("bare.plist").output.shows("bare.plist … NSAppTransportSecurity"))
    #expect(try run("bare.plist").status == 0)
    #expect(try run("none.plist").output.shows("none.plist … NSAppTransportSecurity"))
    #expect(try run("none.plist").errors.isEmpty)
    let slip = try run("slip.plist")
    #expect(slip.status == 1)
    #expect(slip.errors.shows("slip.plist:4:1: warning: … 'NSAppTransportSecurty'"))
    let piped = try run("-", input: String(decoding: Self.plist(bare), as: UTF8.self))
    #expect(piped.status == 0 && piped.output.hasPrefix("<stdin>"))
  }

  @Test("a stream of requests is processed line by line, in order, even with bad lines")
  func stream() throws {
    let requests = [
      #"{"id":7,"url":"http://a.example/","os":"iOS 17","ats":{"NSAllowsArbitraryLoads":true},"mine":[]}"#, "nonsense",
      "", #"{"id":{"a":[1.50,null]},"url":"a.example"}"#, "[1]", #"{"url":"https://a/","os":"iSO 18.4"}"#,
      #"{"id":"last","url":"http://10.0.0.1/","os":"iOS 18.4","direct":true}"#,
    ]
    let result = try Program.run("ats", "decide", "--ndjson", input: requests.joined(separator: "\n"))
    #expect(result.status == 0 && result.errors.isEmpty)
    let linked = #"{"url":"http://a.example/","linkedSDK":"iOS 8"}"#
    #expect(try Program.run("ats", "decide", "--ndjson", input: linked).output.contains(#""verdict":"allowed""#))
    let answers = result.output.split(separator: "\n")
    #expect(answers.count == requests.count)
    let beginnings = [
      #"{"trustlab":1,"id":7,"url":"http://a.example/","os":"iOS 17","loader":"URLSession","verdict":"allowed","#,
      #"{"trustlab":1,"error":{"message":"#,
      #"{"trustlab":1,"error":{"message":"#,
      #"{"trustlab":1,"id":{"a":[1.50,null]},"error":{"message":"'a.example'"#,
      #"{"trustlab":1,"error":{"message":"#,
      #"{"trustlab":1,"error":{"message":"#,
      #"{"trustlab":1,"id":"last","url":"http://10.0.0.1/","os":"iOS 18.4","loader":"URLSession","verdict":"allowed","#,
    ]
    for (answer, beginning) in zip(answers, beginnings) { #expect(answer.hasPrefix(beginning), "\(answer)") }
    #expect(try Program.run("ats", "decide", "--ndjson", "--url", "https://a/").status == 2)
  }

  @Test("a stream's results have only the requested members, and unknown members are errors")
  func members() throws {
    let request = #"{"id":7,"url":"http://a.example/","os":"iOS 17"}"#
    func names(_ words: String...) throws -> [String] {
      let result = try Program.run(["ats", "decide", "--ndjson"] + words, input: request + "\n{\n")
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 2 && lines.last?.contains(#""error""#) == true, "\(result.output)\(result.errors)")
      return try JSONValue(reading: Array((lines.first ?? "").utf8)).members?.map(\.name) ?? []
    }
    #expect(try names("--members", "verdict", "because") == ["trustlab", "id", "verdict", "because"])
    // In their own order, and once.
    #expect(try names("--members", "because", "verdict", "because") == ["trustlab", "id", "verdict", "because"])
    #expect(try names() == ["trustlab", "id"] + AppTransportSecurity.Decision.memberNames)
    let unknown = try Program.run(["ats", "decide", "--ndjson", "--members", "verdct"], input: request)
    #expect(unknown.status == 2 && unknown.output.isEmpty)
    #expect(unknown.errors.contains("'verdct'") && unknown.errors.contains("'verdict'"))
    let alone = try Program.run("ats", "decide", "--url", "http://a.example/", "--members", "verdict")
    #expect(alone.status == 2 && alone.errors.shows("--members … --ndjson"))
  }

  @Test("systems and loaders are accepted in any case, and shown in their usual spelling")
  func names() throws {
    for name in ["ios 17", "iOS17", "IPADOS 17", "iPadOS17.0", "iOS 17.0"] {
      let result = try Program.run(
        "ats", "decide", "--url", "http://a.example/", "--os", name, "--loader", "wkwebview", "--format", "json")
      #expect(result.output.contains(#""os": "iOS 17""#) && result.output.contains(#""loader": "WKWebView""#))
    }
    let answer = try Program.run("ats", "decide", "--ndjson", input: #"{"url":"https://a/","os":"DOC"}"#)
    #expect(answer.output.contains(#""os":"doc""#))
  }

  @Test("a request may hold the dictionary or its plist; a misspelt member is an error")
  func requests() throws {
    func answer(_ request: String) throws -> String {
      try Program.run("ats", "decide", "--ndjson", input: request).output
    }
    let allowed = #""verdict":"allowed""#
    let inside = #"{"url":"http://a.example/","ats":{"NSAppTransportSecurity":{"NSAllowsArbitraryLoads":true}}}"#
    #expect(try answer(inside).contains(allowed))
    #expect(try answer(inside.replacing("AppTransportSecurity", with: "AppTransport")).contains(#""blocked""#))
    for (wrong, right) in [
      ("linked-sdk", "linkedSDK"), ("linkedSdk", "linkedSDK"), ("lodaer", "loader"), ("URL", "url"),
      ("oss", "os"), ("atss", "ats"),
    ] {
      let result = try answer(#"{"url":"http://a.example/","\#(wrong)":"iOS 8"}"#)
      #expect(result.shows("\"error\" … '\(wrong)' … '\(right)'"))
    }
    // A short misspelt name may be a member of the caller's, unless it contains settings.
    let slip = try answer(#"{"url":"http://a.example/","atz":{"NSAllowsArbitraryLoads":true}}"#)
    #expect(slip.shows("\"error\" … 'atz' … 'ats'"), "\(slip)")
    #expect(try answer(#"{"url":"https://a.example/","at":"noon","arts":{"a":1},"uri":"x"}"#).contains(allowed))
    #expect(try answer(#"{"url":"http://a.example/","linkedSDK":"iOS 8","host":1,"load":2}"#).contains(allowed))
    // Settings under another name would be ignored; a request may use the name for a file name.
    for name in ["NSAppTransportSecurity", "plist"] {
      let settings = try answer(#"{"url":"http://a.example/","\#(name)":{"NSAllowsArbitraryLoads":true}}"#)
      #expect(settings.shows("\"error\" … '\(name)' … 'ats'"), "\(settings)")
      #expect(try answer(#"{"url":"https://a.example/","\#(name)":"App/Info.plist"}"#).contains(allowed))
    }
  }

  @Test("a build setting in a URL is not taken for a host")
  func unexpanded() throws {
    for url in ["http://$(API_HOST)/", "https://${API_HOST}/v1"] {
      let result = try Program.run("ats", "decide", "--url", url)
      #expect(result.status == 2 && result.errors.contains("API_HOST"), "\(url)")
    }
    #expect(try Program.run("ats", "decide", "--url", "https://a.example/$1").status == 0)
  }

  @Test("loads with different fixes are shown separately, and a run has the decision's fix")
  func fixes() throws {
    let only = "NSAllowsArbitraryLoads = YES"
    let both = try Program.run(
      "ats", "decide", "--url", "http://api.example/", "http://10.0.0.1/", "--os", "iOS 9")
    #expect(both.output.contains("NSExceptionDomains.api.example."))
    #expect(both.output.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(only))
    let names = try Program.run("ats", "decide", "--url", "http://a.example/", "http://b.example/", "--os", "iOS 9")
    #expect(names.output.contains("NSExceptionDomains.HOST.") && !names.output.contains("NSAllowsArbitraryLoads"))
    let run = try Program.run("run", "L10-06", "--os", "iOS 9", "--format", "json")
    #expect(run.output.contains(only) && !run.output.contains("NSExceptionDomains.HOST"))
  }

  @Test("the notes of a stream name ignored keys, like the warnings about a plist")
  func remarks() throws {
    func answer(_ ats: String) throws -> String {
      try Program.run(
        "ats", "decide", "--ndjson", input: #"{"url":"http://a.example/","os":"iOS 17","ats":\#(ats)}"#
      ).output
    }
    let slip = "'NSAllowsArbitraryLoads'"
    #expect(try answer(#"{"NSAllowArbitraryLoads":true}"#).contains(slip))
    #expect(try answer(#"{"NSAllowsArbitraryLoads":"YES"}"#).contains(#""notes":[]"#) == false)
    let domain = #"{"NSExceptionDomains":{"A.example":{"NSExceptionAllowsInsecureHTTPLoads":true}}}"#
    #expect(try answer(domain).contains(#""notes":[]"#) == false)
    #expect(try answer(#"{"NSAppTransportSecurity":{"NSAllowArbitraryLoads":true}}"#).contains(slip))
    for good in [
      #"{"NSAllowsArbitraryLoads":true}"#, #"{"CFBundleName":"x"}"#, "{}",
      #"{"NSExceptionDomains":{"a.example":{"NSExceptionMinimumTLSVersion":"TLSv1.1"}}}"#,
    ] {
      let answer = try answer(good)
      #expect(answer.contains(#""notes":[]"#), "\(good) \(answer)")
    }
  }

  @Test("unmatched pins are reported next to a load that ATS allows")
  func emptyPins() throws {
    func plist(_ list: String) -> Data {
      Self.plist(
        """
        <key>NSAppTransportSecurity</key><dict><key>NSPinnedDomains</key><dict><key>a.example</key><dict>
        <key>NSPinnedLeafIdentities</key><array>\(list)</array></dict></dict></dict>
        """)
    }
    let hash = "<dict><key>SPKI-SHA256-BASE64</key><string>r/mIkG3eEpVdm+u/ko/cwxzOMo1bk4TyHIlByibiA5E=</string></dict>"
    let folder = try Program.folder([
      "empty.plist": plist(""), "bare.plist": plist("<string>x</string>"), "good.plist": plist(hash),
    ])
    func run(_ name: String, _ format: String) throws -> String {
      try Program.run(
        "ats", "decide", "--plist", name, "--url", "https://a.example/", "--os", "iOS 18.4", "--format", format,
        in: folder
      ).output
    }
    for name in ["empty.plist", "bare.plist"] {
      #expect(try run(name, "text").contains("✓ 1!"))
      #expect(try run(name, "json").contains(#""notes": []"#) == false)
    }
    #expect(try !run("good.plist", "text").contains("1!") && run("good.plist", "json").contains(#""notes": []"#))
  }

  @Test(
    "results conform to their schema",
    .needs(.jsonschema))
  func answers() throws {
    for request in [#"{"id":1,"url":"https://a.example/"}"#, "{}", "x"] {
      let folder = try Program.folder([
        "answer": Data(try Program.run("ats", "decide", "--ndjson", input: request).output.utf8)
      ])
      #expect(OtherPrograms.violation(in: folder.appendingPathComponent("answer"), of: "ats-answer") == "")
    }
  }
}

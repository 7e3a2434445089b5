import Foundation
import Oracles
import Rendering
import Testing

extension Program.Result {
  /// Whether the output names a stale entry of a baseline or of suppressions.
  var namesStaleEntries: Bool { errors.contains(/note: .*\b(plist|ats|pin)\.[a-z]/) }
}

/// The use of `ats lint`, `ats decide` and `ats diff` in CI.
@Suite("Gates of App Transport Security")
struct AtsGateTests {
  private static func plist(_ settings: String, _ more: String = "") -> Data {
    Data(
      "<?xml version=\"1.0\"?>\n<plist version=\"1.0\"><dict>\(more)<key>NSAppTransportSecurity</key>\n<dict>\(settings)</dict></dict></plist>\n"
        .utf8)
  }

  private static let reviewed = "<key>NSAllowsArbitraryLoads</key><true/>"
  private static let warned =
    "<key>NSAllowsArbitraryLoads</key><true/>\n<key>NSAllowsArbitraryLoadsForMedia</key><false/>"

  private static func within(_ files: [String: Data], _ body: (URL) throws -> Void) throws {
    let folder = try Program.folder(files)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test("--fail-on selects severities; --deny and --allow override it for rules")
  func severities() throws {
    try Self.within(["Info.plist": Self.plist(Self.warned)]) { (folder: URL) throws in
      func status(_ words: String...) throws -> Int32 {
        try Program.run(["ats", "lint", "Info.plist"] + words, in: folder).status
      }
      #expect(try status() == 0)
      #expect(try status("--fail-on", "warning") == 1)
      #expect(try status("--fail-on", "note", "--allow", "plist.arbitrary-loads-overridden", "plist.app-review") == 0)
      #expect(try status("--deny", "plist.arbitrary-loads-overridden") == 1)
      #expect(try status("--deny", "plist.arbitrary-loads-overriden") == 2)
      #expect(try status("--deny", "plist.app-review", "--allow", "plist.app-review") == 2)
    }
  }

  @Test("a baseline ignores known findings, names stale ones, and needs its own version and command")
  func baselines() throws {
    try Self.within(["Info.plist": Self.plist(Self.warned)]) { (folder: URL) throws in
      func lint(_ words: String...) throws -> Program.Result {
        try Program.run(["ats", "lint", "Info.plist", "--fail-on", "note"] + words, in: folder)
      }
      #expect(try lint("--write-baseline", "base.json").status == 0)
      let same = try lint("--baseline", "base.json")
      #expect(
        same.status == 0 && same.errors.contains(/note: .*\b2\b.*baseline/), "\(same.errors)")
      let whole = try lint()
      #expect(whole.status == 1 && !whole.errors.contains("note: "))
      let allowed = try lint("--allow", "plist.app-review")
      #expect(allowed.errors.contains(/note: .*\b1\b.*--allow/), "\(allowed.errors)")
      let missing = try lint("--baseline", "base.jsn")
      #expect(missing.status == 2 && missing.errors.contains("--write-baseline base.jsn"), "\(missing.errors)")
      try Self.plist(Self.reviewed).write(to: folder.appendingPathComponent("Info.plist"))
      let mended = try lint("--baseline", "base.json")
      #expect(mended.status == 0 && mended.namesStaleEntries)
      #expect(mended.errors.contains("plist.arbitrary-loads-overridden"))
      let base = folder.appendingPathComponent("base.json")
      let text = try String(contentsOf: base, encoding: .utf8)
      try text.replacing("\"trustlab\": 1", with: "\"trustlab\": 2").write(to: base, atomically: true, encoding: .utf8)
      let other = try lint("--baseline", "base.json")
      #expect(other.status == 2 && other.errors.contains("base.json"))
      try "[".write(to: base, atomically: true, encoding: .utf8)
      #expect(try lint("--baseline", "base.json").status == 2)
    }
  }

  @Test("a key that App Review asks about is new, despite similar known keys")
  func reviewedKeys() throws {
    func hosts(_ names: String...) -> Data {
      let http = "<dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>"
      let entries = names.map { "<key>\($0)</key>\n\(http)\n" }.joined()
      return Self.plist("<key>NSExceptionDomains</key><dict>\(entries)</dict>")
    }
    let key = "NSAppTransportSecurity.NSExceptionDomains.a.example.NSExceptionAllowsInsecureHTTPLoads"
    // The format of every version so far.
    let base = #"{"trustlab":1,"baseline":"ats lint","findings":[{"file":"Info.plist","rule":"plist.app-review","#
    try Self.within([
      "Info.plist": hosts("a.example"), "base.json": Data("\(base)\"keyPath\":\"\(key)\"}]}".utf8),
      "reasons.yaml": Data("- { rule: plist.app-review, key: \(key), reason: known }\n".utf8),
    ]) { (folder: URL) throws in
      func lint(_ words: String...) throws -> Program.Result {
        try Program.run(["ats", "lint", "Info.plist", "--deny", "plist.app-review"] + words, in: folder)
      }
      #expect(try lint("--baseline", "base.json").status == 0)
      #expect(try lint("--suppressions", "reasons.yaml").status == 0)
      try hosts("a.example", "b.example").write(to: folder.appendingPathComponent("Info.plist"))
      for words in [["--baseline", "base.json"], ["--suppressions", "reasons.yaml"]] {
        let new = try lint(words[0], words[1])
        #expect(new.status == 1 && new.output.contains("1 note."), "\(new.output)\(new.errors)")
        // The second entry's key is on line 6.
        #expect(new.output.contains("Info.plist:6:"), "\(new.output)")
      }
      #expect(try lint("--write-baseline", "base.json").status == 0)
      #expect(try lint("--baseline", "base.json").status == 0)
    }
  }

  @Test("a suppression needs a reason, and one without a finding is named")
  func suppressions() throws {
    try Self.within([
      "Info.plist": Self.plist(Self.reviewed),
      "good.yaml": Data("- { rule: plist.app-review, file: Info.plist, reason: a browser }\n".utf8),
      "bare.yaml": Data("- { rule: plist.app-review }\n".utf8),
      "idle.yaml": Data(
        "- { rule: plist.app-review, reason: a browser }\n- { rule: plist.unknown-key, reason: old }\n".utf8),
      "slip.yaml": Data("- { rule: plist.app-revue, reason: x }\n".utf8),
    ]) { (folder: URL) throws in
      func lint(_ file: String) throws -> Program.Result {
        try Program.run(
          ["ats", "lint", "Info.plist", "--fail-on", "note", "--suppressions", file], in: folder)
      }
      #expect(try lint("good.yaml").status == 0)
      let bare = try lint("bare.yaml")
      #expect(bare.status == 2 && bare.errors.contains("bare.yaml:1:"))
      let idle = try lint("idle.yaml")
      #expect(idle.status == 0 && idle.errors.contains("plist.unknown-key"))
      let slip = try lint("slip.yaml")
      #expect(slip.status == 2 && slip.errors.contains("'plist.app-review'"))
    }
  }

  @Test("the xcode format has a line per finding; a folder ignores unrelated plists")
  func folders() throws {
    try Self.within(["a": Data()]) { (folder: URL) throws in
      let app = folder.appendingPathComponent("App")
      try FileManager.default.createDirectory(at: app, withIntermediateDirectories: true)
      try Self.plist(Self.reviewed, "<key>CFBundlePackageType</key><string>APPL</string>").write(
        to: app.appendingPathComponent("Info.plist"))
      let head = "<?xml version=\"1.0\"?><plist version=\"1.0\"><dict>"
      for (name, words) in [
        ("Root", "<key>PreferenceSpecifiers</key><array/>"),
        ("Lib", "<key>CFBundlePackageType</key><string>FMWK</string>"),
      ] {
        try Data("\(head)\(words)</dict></plist>".utf8).write(to: app.appendingPathComponent("\(name).plist"))
      }
      let lines = try Program.run("ats", "lint", "App", "--format", "xcode", in: folder).output.split(separator: "\n")
      #expect(lines.count == 1)
      #expect(lines.first?.hasPrefix("App/Info.plist:3:") == true && lines.first?.contains(": note: ") == true)
      // A character that changes the direction of a log line is shown escaped.
      let turned = "<key>NSExceptionDomains</key><dict><key>a\u{202e}b.example</key><dict/></dict>"
      try Self.plist(turned).write(to: folder.appendingPathComponent("Turned.plist"))
      let line = try Program.run("ats", "lint", "Turned.plist", "--format", "xcode", in: folder).output
      #expect(line.contains("a\\u{202e}b.example") && !line.contains("\u{202e}"), "\(line)")
    }
  }

  @Test("a load that its own pins block fails the gate, and rules control gates")
  func decisions() throws {
    let empty =
      "<key>NSPinnedDomains</key><dict><key>api.example</key><dict><key>NSPinnedLeafIdentities</key><array/></dict></dict>"
    try Self.within(["Pins.plist": Self.plist(empty), "Info.plist": Self.plist(Self.reviewed)]) {
      (folder: URL) throws in
      func status(_ words: String...) throws -> Int32 {
        try Program.run(["ats", "decide", "--os", "iOS 17", "--plist"] + words, in: folder).status
      }
      #expect(try status("Pins.plist", "--url", "https://api.example/") == 1)
      #expect(try status("Pins.plist", "--url", "https://other.example/") == 0)
      #expect(try status("Pins.plist", "--url", "http://other.example/", "--allow", "ats.insecure-http") == 0)
      #expect(try status("Info.plist", "--url", "http://other.example/") == 0)
      #expect(try status("Info.plist", "--url", "http://other.example/", "--deny", "plist.app-review") == 1)
      #expect(try status("Pins.plist", "--url", "http://203.0.113.1/") == 1)
      #expect(try status("Pins.plist", "--url", "http://203.0.113.1/", "--linked-sdk", "iOS 16") == 0)
    }
  }

  @Test("a difference is formatted for a pull request, and fails on the selected changes")
  func difference() throws {
    try Self.within(["old.plist": Self.plist(""), "new.plist": Self.plist(Self.reviewed)]) { (folder: URL) throws in
      func diff(_ words: String...) throws -> Program.Result { try Program.run(["ats", "diff"] + words, in: folder) }
      let opened = try diff("old.plist", "new.plist", "--format", "markdown")
      #expect(opened.status == 1 && opened.output.contains("| http://(any other host)/ |"), "\(opened.output)")
      #expect(opened.output.contains("NSAllowsArbitraryLoads"))
      #expect(try diff("old.plist", "new.plist", "--fail-on", "newly-blocked").status == 0)
      let closed = try diff("new.plist", "old.plist")
      #expect(closed.status == 0 && closed.output.contains("✓ new.plist → old.plist"), "\(closed.output)")
      // A gate that fails has no check mark.
      let gated = try diff("new.plist", "old.plist", "--fail-on", "any")
      #expect(gated.status == 1 && gated.output.contains("! new.plist → old.plist"), "\(gated.output)")
      let same = try diff("old.plist", "old.plist", "--format", "json")
      #expect(same.status == 0 && same.output.contains("\"changes\": []"))
      #expect(try diff("old.plist", "none.plist").status == 2)
      #expect(!opened.output.contains("~") && !closed.output.contains("~"))
    }
    // Apple does not document the decision on private addresses (ats.md section 1.5), which a review must also see.
    let range =
      "<key>NSExceptionDomains</key><dict><key>192.168.0.0/16</key><dict>"
      + "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict></dict>"
    try Self.within(["old.plist": Self.plist(range), "new.plist": Self.plist("")]) { (folder: URL) throws in
      let words = ["ats", "diff", "old.plist", "new.plist", "--os", "iOS 17"]
      let text = try Program.run(words, in: folder).output
      #expect(text.contains("iOS 17 ~"), "\(text)")
      let json = try JSONValue(reading: Array(try Program.run(words + ["--format", "json"], in: folder).output.utf8))
      let doubts = (json["changes"]?.items ?? []).map { $0.text("confidence") }
      #expect(!doubts.isEmpty && doubts.allSatisfy { !$0.isEmpty }, "\(doubts)")
    }
  }

  @Test("if an option of several values took the plist's path, the hint says so")
  func missingList() throws {
    let taken = try Program.run(["ats", "diff", "--os", "iOS 17", "new.plist"])
    #expect(taken.status == 2 && taken.errors.shows("hint: … --os … 'new.plist'"), "\(taken.errors)")
    for words in [["--format", "json", "new.plist"], ["--format", "json", "--os", "iOS 17", "--format", "json", "a"]] {
      let missing = try Program.run(["ats", "diff"] + words)
      #expect(missing.status == 2 && missing.errors.contains("'<new>'"), "\(missing.errors)")
      #expect(missing.errors.shows("hint: … trustlab ats diff"), "\(missing.errors)")
    }
  }

  @Test("a difference depends on SDKs, on NIAP levels of supporting releases, and on build settings")
  func differenceBeside() throws {
    let sdk = { (name: String) in "<key>DTSDKName</key><string>\(name)</string>" }
    let niap = "<key>NSRequiresNIAPTLSPackageVersion</key><string>FCP_v2.1</string>"
    let entry =
      "<key>NSExceptionDomains</key><dict><key>$(HOST)</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict></dict>"
    try Self.within([
      "sdk17.plist": Self.plist("", sdk("iphoneos17.0")), "sdk16.plist": Self.plist("", sdk("iphoneos16.4")),
      "niap.plist": Self.plist(niap), "empty.plist": Self.plist(""), "setting.plist": Self.plist(entry),
    ]) { (folder: URL) throws in
      func diff(_ words: String...) throws -> Program.Result { try Program.run(["ats", "diff"] + words, in: folder) }
      let older = try diff("sdk17.plist", "sdk16.plist", "--os", "iOS 18.4")
      #expect(older.status == 1 && older.output.contains("DTSDKName"), "\(older.output)")
      #expect(try diff("sdk16.plist", "sdk17.plist", "--os", "iOS 18.4").status == 0)
      #expect(try diff("sdk17.plist", "sdk17.plist", "--format", "json").output.contains("\"changes\": []"))
      let dropped = try diff("niap.plist", "empty.plist", "--format", "json")
      #expect(dropped.status == 1 && dropped.output.contains("\"os\": \"iOS 26.4\""), "\(dropped.output)")
      #expect(dropped.output.contains("\"loosened\"") && !dropped.output.contains("\"os\": \"iOS 18.4\""))
      let added = try diff("empty.plist", "niap.plist", "--format", "json")
      #expect(added.status == 0 && added.output.contains("\"tightened\""), "\(added.output)")
      #expect(
        try diff("niap.plist", "empty.plist", "--os", "iOS 18.4", "--format", "json").output.contains("\"changes\": []")
      )
      // Three hosts over http and https, on the four systems that are compared if no plist has a NIAP key.
      #expect(try diff("empty.plist", "empty.plist", "--format", "json").output.contains("\"loads\": 24"))
      let setting = ["empty.plist", "setting.plist", "--os", "iOS 18.4"]
      #expect(
        try Program.run(["ats", "diff"] + setting, in: folder).output.contains(/[Uu]nknown: .*'\$\(HOST\)'/))
      let shown = try Program.run(["ats", "diff", "--format", "json"] + setting, in: folder)
      #expect(shown.status == 1 && shown.output.contains("\"url\": \"http://$(HOST)/\""), "\(shown.output)")
      let known = try Program.run(
        ["ats", "diff", "--format", "json"] + setting + ["--define", "HOST=api.example"], in: folder)
      #expect(known.status == 1 && known.output.contains("\"url\": \"http://api.example/\""), "\(known.output)")
      #expect(known.output.contains("\"unknown\": []"), "\(known.output)")
    }
  }

  @Test("keys that no load needs are named, and addresses may share an entry")
  func minimal() throws {
    let both = Self.reviewed + "<key>NSAllowsLocalNetworking</key><true/>"
    try Self.within(["Info.plist": Self.plist(Self.reviewed), "Both.plist": Self.plist(both)]) {
      (folder: URL) throws in
      let result = try Program.run(
        "ats", "minimal", "--plist", "Info.plist", "--url", "http://printer.local/", "--os", "iOS 17", "--format",
        "json",
        in: folder)
      #expect(result.status == 0 && result.output.contains("\"NSAllowsArbitraryLoads\""))
      #expect(result.output.contains("\"kept\": []"), "\(result.output)")
      let kept = try Program.run(
        "ats", "minimal", "--plist", "Both.plist", "--url", "http://printer.local/", "--os", "iOS 9", "iOS 17",
        in: folder)
      #expect(kept.status == 0 && kept.output.contains("Both.plist"), "\(kept.output)")
      #expect(kept.output.contains("NSAllowsLocalNetworking"), "\(kept.output)")
    }
    let range = try Program.run(
      "ats", "minimal", "--url", "http://203.0.113.4/", "http://203.0.113.6/", "--os", "iOS 17", "--format", "json")
    #expect(range.output.contains("\"range\": \"203.0.113.4/30\""), "\(range.output)")
    let carried = try Program.run(
      "ats", "minimal", "--url", "http://news.example/", "--os", "iOS 9", "iOS 10", "--loader", "WKWebView",
      "--any-host")
    #expect(!carried.output.contains("no load needs this key") && carried.output.contains("allows the loads on iOS 10"))
  }

  @Test("an app's own plist and its extensions' plists count, in folders and archives", .needs(.libarchive))
  func bundles() throws {
    try Self.within(["a": Data()]) { (folder: URL) throws in
      let app = folder.appendingPathComponent("Payload/My.app")
      let widget = app.appendingPathComponent("PlugIns/Widget.appex")
      let library = app.appendingPathComponent("Frameworks/Lib.framework")
      let service = library.appendingPathComponent("XPCServices/Get.xpc/Contents")
      for place in [widget, service] {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      }
      try Self.plist(Self.reviewed).write(to: app.appendingPathComponent("Info.plist"))
      try Self.plist("").write(to: widget.appendingPathComponent("Info.plist"))
      let kind = "<key>CFBundlePackageType</key><string>FMWK</string>"
      try Self.plist(Self.reviewed, kind).write(to: library.appendingPathComponent("Info.plist"))
      try Self.plist("").write(to: service.appendingPathComponent("Info.plist"))
      let zip = "import shutil;shutil.make_archive('My','zip','.','Payload');shutil.move('My.zip','My.ipa')"
      let python = Process()
      python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      python.arguments = ["python3", "-c", zip]
      python.currentDirectoryURL = folder
      try python.run()
      python.waitUntilExit()
      let framework = ["ats", "decide", "--plist", library.path, "--url", "http://a.example/"]
      let said = try Program.run(framework, in: folder).errors
      #expect(said.contains("Lib.framework"), "\(said)")
      for (name, prefix) in [("Payload/My.app", "Payload/My.app"), ("My.ipa", "My.ipa/Payload/My.app")] {
        let lint = try Program.run("ats", "lint", name, "--format", "json", in: folder)
        #expect(lint.output.contains("\"file\": \"\(prefix)/Info.plist\""), "\(lint.output) \(lint.errors)")
        #expect(lint.output.contains("\"file\": \"\(prefix)/PlugIns/Widget.appex/Info.plist\""))
        let framework = "\(prefix)/Frameworks/Lib.framework"
        #expect(lint.output.contains("\"file\": \"\(framework)/XPCServices/Get.xpc/Contents/Info.plist\""))
        #expect(!lint.output.contains("\(framework)/Info.plist"))
        let decide = try Program.run(
          "ats", "decide", "--plist", name, "--url", "http://a.example/", "--os", "iOS 17", in: folder)
        #expect(decide.status == 0)
      }
      try Data("no zip".utf8).write(to: folder.appendingPathComponent("Bad.ipa"))
      #expect(try Program.run("ats", "lint", "Bad.ipa", in: folder).status == 2)
    }
  }

  @Test("build settings come from the command line and from files, which may not include themselves")
  func buildSettings() throws {
    let entry =
      "<key>NSExceptionDomains</key><dict><key>$(API_HOST)</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict></dict>"
    try Self.within([
      "Info.plist": Self.plist(entry), "loop.xcconfig": Data("#include \"loop.xcconfig\"\n".utf8),
      "Base.xcconfig": Data("HOST = api // the name\nHOST[config=Debug] = test\n".utf8),
      "Release.xcconfig": Data(
        "#include \"Base.xcconfig\"\n#include? \"none.xcconfig\"\nAPI_HOST = $(HOST).example\n".utf8),
    ]) { (folder: URL) throws in
      func decide(_ host: String, _ words: String...) throws -> Program.Result {
        try Program.run(
          ["ats", "decide", "--plist", "Info.plist", "--os", "iOS 17", "--url", "http://\(host)/"] + words, in: folder)
      }
      #expect(try decide("api.example").status == 1)
      #expect(try decide("api.example", "--define", "API_HOST=api.example").status == 0)
      #expect(try decide("api.example", "--xcconfig", "Release.xcconfig").status == 0)
      let debug = try decide("test.example", "--xcconfig", "Release.xcconfig", "--define", "CONFIGURATION=Debug")
      #expect(debug.status == 0 && !debug.errors.contains("configuration"))
      #expect(
        try decide("api.example", "--xcconfig", "Release.xcconfig").errors.shows(
          "warning: … 'Release' … 'Debug' … --define"))
      // A setting that refers to itself means its earlier value, which is inserted once.
      let own = try decide("api.example.own", "--xcconfig", "Release.xcconfig", "--define", "API_HOST=$(API_HOST).own")
      #expect(own.status == 0 && !own.errors.contains("$(API_HOST)"), "\(own)")
      #expect(try decide("api.example", "--define", "API_HOST=$(API_HOST)api.example").status == 0)
      let loop = try decide("api.example", "--xcconfig", "loop.xcconfig")
      #expect(loop.status == 2 && loop.errors.contains("loop.xcconfig:1:1"))
    }
  }

  @Test("a built app's plist names its SDK and its platform")
  func builtApps() throws {
    let sdk = "<key>DTSDKName</key><string>iphoneos16.4</string>"
    let mac = "<key>CFBundleSupportedPlatforms</key><array><string>MacOSX</string></array>"
    try Self.within(["Old.plist": Self.plist("", sdk), "Mac.plist": Self.plist("", mac)]) { (folder: URL) throws in
      func decide(_ words: String...) throws -> Program.Result {
        try Program.run(["ats", "decide", "--format", "json", "--plist"] + words, in: folder)
      }
      let url = "http://203.0.113.1/"
      #expect(try decide("Old.plist", "--url", url, "--os", "iOS 17").status == 0)
      #expect(try decide("Old.plist", "--url", url, "--os", "iOS 17", "--linked-sdk", "iOS 17").status == 1)
      #expect(try decide("Mac.plist", "--url", url).output.contains("\"macOS 10.11\""))
    }
  }

  @Test("tested systems begin with the app's minimum release, and a Mac bundle uses macOS")
  func firstReleases() throws {
    let new = "<key>MinimumOSVersion</key><string>16.0</string>"
    try Self.within(["New.plist": Self.plist("", new), "Bare.plist": Self.plist("")]) { (folder: URL) throws in
      let contents = folder.appendingPathComponent("My.app/Contents")
      try FileManager.default.createDirectory(at: contents, withIntermediateDirectories: true)
      // macOS supports pins since version 11.
      try Self.plist("<key>NSPinnedDomains</key><dict/>").write(to: contents.appendingPathComponent("Info.plist"))
      func output(_ words: String...) throws -> String {
        try Program.run(["ats"] + words + ["--format", "json"], in: folder).output
      }
      // A local name is blocked only on iOS 9, which the app does not support.
      let url = ["--url", "http://printer.local/"]
      #expect(try Program.run(["ats", "decide", "--plist", "New.plist"] + url, in: folder).status == 0)
      #expect(try Program.run(["ats", "decide", "--plist", "Bare.plist"] + url, in: folder).status == 1)
      let systems = try output("decide", "--plist", "New.plist", "--url", "https://a.example/")
      #expect(systems.contains("\"iOS 16\"") && systems.contains("\"iOS 17\"") && !systems.contains("\"iOS 10\""))
      // Seven URLs, http and https of three hosts and the named one, on three systems and on four.
      #expect(try output("diff", "Bare.plist", "New.plist", "--url", "http://a/").contains("\"loads\": 21"))
      #expect(try output("diff", "New.plist", "Bare.plist", "--url", "http://a/").contains("\"loads\": 28"))
      #expect(try output("decide", "--plist", "My.app", "--url", "https://a.example/").contains("\"macOS 14\""))
      #expect(try output("lint", "My.app").contains("macOS 10.12"))
    }
  }

  @Test("a baseline matches any spelling of a path, and names stale examined entries")
  func paths() throws {
    try Self.within(["Info.plist": Self.plist(Self.reviewed)]) { (folder: URL) throws in
      for name in [".git", "App"] {
        try FileManager.default.createDirectory(
          at: folder.appendingPathComponent(name), withIntermediateDirectories: true)
      }
      let app = folder.appendingPathComponent("App")
      try Self.plist(Self.reviewed).write(to: app.appendingPathComponent("Info.plist"))
      func lint(_ place: URL, _ words: String...) throws -> Program.Result {
        try Program.run(["ats", "lint", "--fail-on", "note"] + words, in: place)
      }
      let base = folder.appendingPathComponent("base.json").path
      #expect(try lint(folder, ".", "--write-baseline", base).status == 0)
      #expect(try String(contentsOfFile: base, encoding: .utf8).contains("\"file\": \"App/Info.plist\""))
      for (place, name) in [
        (folder, "Info.plist"), (folder, "./Info.plist"), (folder, "App/../Info.plist"), (app, "Info.plist"),
        (app, "../Info.plist"), (app, "../App"), (app, app.appendingPathComponent("Info.plist").path), (folder, "App/"),
      ] {
        let result = try lint(place, name, "--baseline", base)
        #expect(result.status == 0 && !result.namesStaleEntries, "\(name): \(result.errors)")
      }
      try Self.plist("").write(to: folder.appendingPathComponent("Info.plist"))
      #expect(try lint(folder, "App", "--baseline", base, "--allow", "plist.no-settings").namesStaleEntries == false)
      let stale = try lint(folder, ".", "--baseline", base)
      #expect(stale.errors.contains("Info.plist: "))
      #expect(!stale.errors.contains("App/Info.plist"))
      try Data("- { rule: plist.app-review, file: ./App/Info.plist, reason: a browser }\n".utf8).write(
        to: folder.appendingPathComponent("reasons.yaml"))
      #expect(try lint(app, "Info.plist", "--suppressions", "../reasons.yaml").status == 0)
    }
  }

  @Test("a baseline also matches from outside the file's repository")
  func outside() throws {
    try Self.within(["Info.plist": Self.plist(Self.reviewed)]) { (folder: URL) throws in
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent(".git"), withIntermediateDirectories: true)
      let (plist, base) = ("\(folder.path)/Info.plist", "\(folder.path)/base.json")
      func lint(_ place: URL, _ words: String...) throws -> Int32 {
        try Program.run(["ats", "lint", plist, "--fail-on", "note"] + words, in: place).status
      }
      #expect(try lint(folder, "--write-baseline", base) == 0)
      for place in [folder, FileManager.default.temporaryDirectory, URL(fileURLWithPath: "/")] {
        #expect(try lint(place, "--baseline", base) == 0, "\(place)")
        #expect(try lint(place) == 1)
      }
    }
  }

  @Test("a rule is found without its layer; empty suppressions show the format")
  func slips() throws {
    try Self.within([
      "Info.plist": Self.plist(Self.reviewed), "empty.yaml": Data("# nothing\n\n".utf8),
    ]) { (folder: URL) throws in
      let deny = try Program.run("ats", "lint", "Info.plist", "--deny", "app-review", in: folder)
      #expect(deny.status == 2 && deny.errors.contains("'plist.app-review'"))
      let empty = try Program.run("ats", "lint", "Info.plist", "--suppressions", "empty.yaml", in: folder)
      #expect(empty.status == 2 && empty.errors.hasPrefix("empty.yaml:1:1: error: 'empty.yaml' is empty"))
      #expect(empty.errors.contains("- { rule: plist.app-review, reason: "))
    }
  }

  @Test("pins matrix and timeline are commands with text, data and picture output")
  func matrices() throws {
    let pins = try Program.run("matrix", "pins", "AFNetworking 2.5.1")
    #expect(pins.status == 0 && pins.output.contains("set validatesCertificateChain to NO"))
    #expect(try Program.run("matrix", "pins", "TrustKit 3.0.7", "--format", "json").output.contains("\"words\""))
    let unknown = try Program.run("matrix", "pins", "AFNetworking 2.5.9")
    #expect(unknown.status == 2 && unknown.errors.contains("AFNetworking 2.5.4"))
    let timeline = try Program.run("matrix", "timeline", "L12-20", "--format", "svg")
    #expect(timeline.status == 1 && timeline.output.hasPrefix("<svg") && timeline.output.contains("pin.mismatch"))
    #expect(try Program.run("matrix", "timeline", "L12-01").status == 2)
  }

  @Test("'ats minimal' gets a build setting's value, or warns about it")
  func minimalOfSettings() throws {
    let open = "<key>NSExceptionAllowsInsecureHTTPLoads</key><true/>"
    let entry = "<key>NSExceptionDomains</key><dict><key>$(HOST)</key><dict>\(open)</dict></dict>"
    try Self.within(["Info.plist": Self.plist(entry)]) { (folder: URL) throws in
      let words = ["ats", "minimal", "--plist", "Info.plist", "--url", "http://b.example/", "--os", "iOS 17"]
      let pendingValues = try Program.run(words, in: folder)
      #expect(pendingValues.errors.contains("'$(HOST)'"), "\(pendingValues.errors)")
      // The load needs the entry once the entry is known to be for its host.
      let said = try Program.run(words + ["--define", "HOST=b.example"], in: folder)
      #expect(said.errors.isEmpty && said.status == 0, "\(said.errors)\(said.output)")
    }
  }
}

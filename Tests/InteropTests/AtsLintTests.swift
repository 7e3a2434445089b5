import Foundation
import Oracles
import Rendering
import Testing

@Suite("ats lint")
struct AtsLintTests {
  /// An Info.plist that has each line of `settings` on a separate line, the first on line 6.
  private static func plist(_ settings: String) -> Data {
    Data(
      "<?xml version=\"1.0\"?>\n<plist version=\"1.0\">\n<dict>\n<key>NSAppTransportSecurity</key>\n<dict>\n\(settings)\n</dict></dict></plist>\n"
        .utf8)
  }

  private static let slips = """
    <key>NSAllowArbitraryLoadsInWebContent</key><true/>
    <key>NSAllowsArbitraryLoads</key><true/>
    <key>NSAllowsArbitraryLoadsForMedia</key><false/>
    <key>NSExceptionAllowsInsecureHTTPLoads</key><true/>
    <key>NSExceptionDomains</key><dict>
    <key>a.example</key><dict>
    <key>NSIncludeSubdomains</key><true/>
    <key>NSExceptionAllowsInsecureHTTPLoads</key><string>YES</string>
    <key>NSExceptionRequiresForwardSecrecy</key><integer>2</integer>
    <key>NSExceptionMinimumTLSVersion</key><string>TLSV1.3</string></dict>
    <key>b.example:8080</key><dict><key>NSExceptionRequiresForwardSecrecy</key><false/></dict>
    <key>https://c.example</key><dict><key>NSExceptionRequiresForwardSecrecy</key><false/></dict>
    <key>*.d.example</key><dict><key>NSExceptionRequiresForwardSecrecy</key><false/></dict>
    <key>E.example</key><dict><key>NSExceptionRequiresForwardSecrecy</key><false/></dict>
    <key>f.example</key><true/></dict>
    """

  private static let expected = [
    "6:1: error: unknown-key", "7:1: warning: arbitrary-loads-overridden", "7:1: note: app-review",
    "9:1: error: misplaced-key", "12:1: error: unknown-key", "13:1: error: not-a-boolean", "14:1: error: not-a-boolean",
    "15:1: error: unknown-tls-version", "16:1: error: domain-with-port", "17:1: error: domain-with-scheme",
    "18:1: error: domain-with-wildcard", "19:1: error: domain-upper-case", "20:1: error: not-a-dictionary",
  ]

  /// `LINE:COLUMN: severity: rule` of every finding in the JSON of a lint.
  private static func findings(_ json: JSONValue?) -> [[String]] {
    (json?["files"]?.items ?? []).map { file in
      (file["findings"]?.items ?? []).map { finding in
        let place = "\(finding["line"]?.number ?? "-"):\(finding["column"]?.number ?? "-")"
        let rule = (finding["rule"]?.text ?? "").replacing("plist.", with: "")
        return "\(place): \(finding["severity"]?.text ?? ""): \(rule)"
      }
    }
  }

  @Test("twelve mistakes in one plist are found, each once, with its line")
  func twelve() throws {
    let folder = try Program.folder(["Info.plist": Self.plist(Self.slips)])
    let json = try Program.run("ats", "lint", "Info.plist", "--format", "json", in: folder)
    #expect(json.status == 1 && json.errors.isEmpty)
    #expect(Self.findings(try JSONValue(reading: Array(json.output.utf8))) == [Self.expected])
    let text = try Program.run("ats", "lint", "Info.plist", in: folder)
    #expect(text.status == 1)
    #expect(text.output.contains("\n✗ Info.plist: 11 errors, 1 warning, 1 note.\n"))
    #expect(text.output.contains("Info.plist:6:1: error: "))
    #expect(text.output.contains("  ^\n") && text.output.shows("hint: … 'c.example'"))
    #expect(text.output.split(separator: "\n").allSatisfy(Self.fits))
  }

  /// Whether a line fits into 80 columns; a key path is never broken, so that it can be copied.
  private static func fits(_ line: Substring) -> Bool { line.count <= 80 || line.hasPrefix("  at ") }

  @Test("a correct plist has exit status 0, and the text says so")
  func right() throws {
    let fine = "<key>NSAllowsLocalNetworking</key><true/>"
    let folder = try Program.folder(["Info.plist": Self.plist(fine), "none.plist": Data("<dict/>".utf8)])
    let result = try Program.run("ats", "lint", "Info.plist", in: folder)
    #expect(result.status == 0 && result.output.hasPrefix("✓ Info.plist: "))
    let none = try Program.run("ats", "lint", "none.plist", in: folder)
    #expect(none.status == 0 && none.output.shows("none.plist: note: … NSAppTransportSecurity"))
    let piped = try Program.run("ats", "lint", "-", input: String(decoding: Self.plist(fine), as: UTF8.self))
    #expect(piped.status == 0 && piped.output.hasPrefix("✓ <stdin>"))
  }

  @Test("a binary plist has key paths instead of lines", .needs(.python))
  func binary() throws {
    let folder = try Program.folder(["Info.plist": Self.plist(Self.slips)])
    let convert = """
      import plistlib, sys
      plist = plistlib.load(open(sys.argv[1], "rb"))
      plistlib.dump(plist, open(sys.argv[2], "wb"), fmt=plistlib.FMT_BINARY, sort_keys=False)
      """
    let (source, binary) = (folder.appendingPathComponent("Info.plist"), folder.appendingPathComponent("b.plist"))
    #expect(OtherPrograms.python(convert, source.path, binary.path) != nil)
    let text = try Program.run("ats", "lint", "b.plist", in: folder)
    #expect(text.status == 1 && text.output.contains("\n  at NSAppTransportSecurity.NSExceptionDomains.f.example\n"))
    let json = try Program.run("ats", "lint", "b.plist", "--format", "json", in: folder)
    let found = Self.findings(try JSONValue(reading: Array(json.output.utf8))).first ?? []
    func rules(_ lines: [String]) -> [Substring] { lines.compactMap { $0.split(separator: " ").last }.sorted() }
    #expect(rules(found) == rules(Self.expected))
    #expect(found.allSatisfy { $0.hasPrefix("-:-") })
  }

  @Test("an unreadable file has exit status 2, and the other files are still checked")
  func unreadable() throws {
    let folder = try Program.folder([
      "bad.plist": Data("<plist><dict>\n<key>A</key></dict></plist>".utf8), "cut.plist": Data("bplist00x".utf8),
      "good.plist": Self.plist(Self.slips), "text.plist": Data("hello".utf8),
    ])
    let result = try Program.run("ats", "lint", ".", "--format", "json", in: folder)
    #expect(result.status == 2)
    #expect(result.errors.contains("bad.plist:2:1: error: "))
    let json = try JSONValue(reading: Array(result.output.utf8))
    #expect(json["unreadable"]?.number == "3" && json["errors"]?.number == "11")
    for name in ["nowhere.plist", "text.plist"] {
      let result = try Program.run("ats", "lint", name, in: folder)
      #expect(result.status == 2 && result.errors.contains("error: ") && result.errors.contains("\nhint: "))
    }
    let empty = try Program.folder(["README": Data()])
    #expect(try Program.run("ats", "lint", empty.path).status == 2)
  }

  @Test(
    "JSON and SARIF conform to their schemas, for every kind of file",
    .needs(.jsonschema), .needsData("plists"))
  func schemas() throws {
    let folder = try Program.folder([
      "Info.plist": Self.plist(Self.slips), "bad.plist": Data("<plist>".utf8), "none.plist": Data("<dict/>".utf8),
    ])
    let paths = [folder.path, SharedData.path("plists")]
    for (format, schema) in [("json", "ats-lint"), ("sarif", "ats-lint-sarif")] {
      let output = folder.appendingPathComponent("out.\(format)")
      let arguments = ["ats", "lint"] + paths + ["--format", format, "--os", "iOS 9", "iOS 18.4"]
      #expect(try Program.run(arguments + ["--output", output.path]).status == 2)
      #expect(OtherPrograms.violation(in: output, of: schema) == "")
    }
  }

  @Test("SARIF has text regions, all key paths, and every rule that it names")
  func sarif() throws {
    let folder = try Program.folder(["App Info.plist": Self.plist(Self.slips)])
    let result = try Program.run("ats", "lint", "App Info.plist", "--format", "sarif", in: folder)
    let run = try #require(try JSONValue(reading: Array(result.output.utf8))["runs"]?.items?.first)
    let rules = (run["tool"]?["driver"]?["rules"]?.items ?? []).map { $0["id"]?.text }
    let results = run["results"]?.items ?? []
    #expect(results.count == Self.expected.count)
    for result in results {
      let index = try #require(result["ruleIndex"]?.number.flatMap { Int($0) })
      #expect(rules[index] == result["ruleId"]?.text)
      let place = result["locations"]?.items?.first
      #expect(place?["physicalLocation"]?["artifactLocation"]?["uri"]?.text == "App%20Info.plist")
      #expect(place?["physicalLocation"]?["region"]?["startLine"] != nil)
      #expect(place?["logicalLocations"]?.items?.first?["fullyQualifiedName"]?.text?.hasPrefix("NSApp") == true)
    }
    let region = results.first?["locations"]?.items?.first?["physicalLocation"]?["region"]
    #expect(region?["startColumn"]?.number == "1" && region?["endColumn"]?.number == "45")
  }

  /// Known oddities in the property lists of shipped apps; the other lists must have no errors.
  private static let shipped: [(part: String, rules: Set<String>)] = [
    ("AFNetworking__Example", ["warning: historical-key", "note: app-review", "note: ignored-by-os"]),
    ("sentry-cocoa", ["error: not-a-dictionary"]),
    ("NSPinnedDomains_ca", ["note: pins-one-label", "note: ignored-by-os", "note: pins-single"]),
    ("NSPinnedDomains_leaf.plist", ["note: pins-duplicate", "warning: pins-single", "note: ignored-by-os"]),
    ("status-mobile", ["warning: only-adds-strictness", "warning: historical-key", "note: app-review"]),
    ("facebook__react-native", ["note: default-value"]), ("mozilla-mobile", ["note: app-review"]),
  ]

  @Test(
    "the findings in the plists of shipped apps are correct",
    .needsData("plists"),
    arguments: SharedData.plistPaths)
  func shippedApps(path: String) throws {
    let result = try Program.run("ats", "lint", path, "--format", "json")
    let found = Self.findings(try JSONValue(reading: Array(result.output.utf8))).first ?? []
    let rules = Set(found.map { $0.split(separator: " ").dropFirst().joined(separator: " ") })
    let known = Self.shipped.first { path.contains($0.part) }
    if let known { #expect(rules == known.rules, "\(path)") }
    #expect(result.status == (rules.contains { $0.hasPrefix("error") } ? 1 : 0))
    #expect(!rules.contains { $0.contains("unknown-key") || $0.contains("misplaced") || $0.contains("domain-") })
    let text = try Program.run("ats", "lint", path)
    #expect(text.output.split(separator: "\n").allSatisfy { Self.fits($0) || $0.hasPrefix(path) })
  }

  @Test("text shows a hundred findings of a file and counts the rest; JSON shows all")
  func many() throws {
    func plist(_ count: Int) -> Data {
      Self.plist((0..<count).map { "<key>NSAllowArbitraryLoads\($0)x</key><true/>" }.joined(separator: "\n"))
    }
    let folder = try Program.folder(["many.plist": plist(103), "few.plist": plist(100)])
    let many = try Program.run("ats", "lint", "many.plist", in: folder)
    #expect(many.output.components(separatedBy: " error: ").count == 101)
    #expect(many.output.contains("many.plist: 3 of 103 findings are not shown") && many.output.contains("103 errors"))
    #expect(try !Program.run("ats", "lint", "few.plist", in: folder).output.contains("are not shown"))
    let json = try Program.run("ats", "lint", "many.plist", "--format", "json", in: folder)
    #expect(Self.findings(try JSONValue(reading: Array(json.output.utf8))).first?.count == 103)
  }

  @Test(
    "invalid elements and truncated files are errors that name the missing part",
    arguments: [
      ("<dict><key>A</key><TRUE/></dict>", "`<true/>`"), ("<dict><key>A</key><no/></dict>", "`<false/>`"),
      ("<dict><key>A</key><strng>x</strng></dict>", "`<string>`"),
      ("<dict><key>A</key>", "1:19"), ("<dict><key>A</key><str", "bad.plist:1:"),
      ("<dict><true/></dict>", "plutil"),
    ])
  func malformed(text: String, hint: String) throws {
    let folder = try Program.folder(["bad.plist": Data(text.utf8)])
    let result = try Program.run("ats", "lint", "bad.plist", in: folder)
    #expect(result.status == 2 && result.errors.contains(hint), "\(result.errors)")
  }

  @Test(
    "hints name the nearest word, if there is one",
    arguments: [
      (["ats", "lint", "-", "--os", "foo"], "iOS 10"), (["ats", "lint", "-", "--os", "iOS -1"], "iOS 10"),
      (["ats", "lint", "-", "--os", "iSO 18.4"], "'iOS 18.4'"),
      (["decide"], "'ats decide'"), (["lnt"], "'list'"),
    ])
  func hints(words: [String], hint: String) throws {
    let result = try Program.run(words, input: "<dict/>")
    #expect(result.status == 2 && result.errors.shows("hint: … \(hint)"), "\(result.errors)")
  }

  @Test("help of a subcommand is accepted in the usual places, and codes need no sign")
  func help() throws {
    let below = try Program.run("ats", "help", "lint")
    let above = try Program.run("help", "ats", "lint")
    #expect(below.status == 0 && below.output == above.output)
    let (bare, signed) = (try Program.run("explain", "9802"), try Program.run("explain", "-9802"))
    #expect(bare.status == 0 && bare.output == signed.output)
    let suite = try Program.run("explain", "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256").output
    for name in ["ECDHE-RSA-AES128-GCM-SHA256", "ECDHE_RSA_AES_128_GCM_SHA256"] {
      #expect(try Program.run("explain", name).output == suite, "\(name)")
    }
  }

  @Test("every rule can be explained")
  func explained() throws {
    let unknown = try Program.run("explain", "Task <A>.<1> finished with error [-4242]")
    #expect(unknown.status == 2 && unknown.errors.contains("-4242"), "\(unknown)")
    let result = try Program.run("explain", "plist.domain-with-port")
    #expect(result.status == 0 && result.output.contains("plist.domain-with-port"))
    #expect(result.output.contains(" error"))
    let note = try Program.run("explain", "plist.changes-nothing")
    #expect(note.output.contains(" note") && !note.output.contains(" error"))
    let list = try Program.run("list", "rules")
    #expect(list.output.contains("plist.unknown-key") && list.output.contains("plist.pins-not-a-hash"))
  }

  @Test("the examined file is never overwritten, under any spelling of its path", arguments: ["--output", "--output="])
  func ownInput(option: String) throws {
    let settings = Data(Self.plist("<key>NSAllowArbitraryLoads</key><true/>"))
    let folder = try Program.folder(["Info.plist": settings])
    let file = folder.appendingPathComponent("Info.plist")
    for name in ["Info.plist", "./Info.plist", file.path] {
      let words = option.hasSuffix("=") ? [option + name] : [option, name]
      let result = try Program.run(["ats", "lint", "Info.plist"] + words, in: folder)
      #expect(result.status == 2 && result.errors.contains("'\(name)'"), "\(result)")
      #expect(try Data(contentsOf: file) == settings)
    }
    let baseline = try Program.run(["ats", "lint", "Info.plist", "--write-baseline", "Info.plist"], in: folder)
    #expect(baseline.status == 2 && baseline.errors.contains("Info.plist"), "\(baseline)")
    #expect(try Data(contentsOf: file) == settings)
    let other = option.hasSuffix("=") ? [option + "report"] : [option, "report"]
    for _ in 0..<2 { #expect(try Program.run(["ats", "lint", "Info.plist"] + other, in: folder).status == 1) }
  }

  @Test("a scenario is not overwritten by its own output", arguments: ["--pcap", "--keylog", "--output"])
  func ownScenario(option: String) throws {
    let text = Data("expect: { verdict: accepted }\n".utf8)
    let folder = try Program.folder(["one.yaml": text])
    let result = try Program.run("run", "one.yaml", option, "one.yaml", in: folder)
    #expect(result.status == 2 && result.errors.contains("one.yaml"))
    #expect(try Data(contentsOf: folder.appendingPathComponent("one.yaml")) == text)
  }
}

extension JSONValue {
  fileprivate var text: String? {
    guard case .string(let text) = self else { return nil }
    return text
  }

  fileprivate var number: String? {
    guard case .integer(let number) = self else { return nil }
    return "\(number)"
  }
}

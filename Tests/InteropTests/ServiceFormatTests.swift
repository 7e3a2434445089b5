import Foundation
import Oracles
import Rendering
import Testing

@Suite("Formats for build services")
struct ServiceFormatTests {
  private static let files = [
    "Info.plist": Data(
      """
      <?xml version="1.0"?>
      <plist version="1.0"><dict>
      <key>NSAppTransportSecurity</key><dict>
      <key>NSAllowsLocalNetworking</key><true/>
      <key>NSExceptionDomains</key><dict>
      <key>old.example</key><dict>
      <key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>
      <key>b.example:80</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>
      <key>http://b.example</key><dict><key>NSExceptionAllowsInsecureHTTPLoads</key><true/></dict>
      </dict></dict></dict></plist>
      """.utf8), "bad.plist": Data("<plist>".utf8),
  ]

  private static let loads = ["--url", "http://old.example/", "http://other.example/", "--os", "iOS 10", "iOS 17"]

  private static func decide(_ format: String, _ more: String...) throws -> Program.Result {
    let folder = try Program.folder(files)
    return try Program.run(
      ["ats", "decide", "--plist", "Info.plist", "--format", format] + loads + more, in: folder)
  }

  /// Path, line, severity and rule of each issue; every fingerprint is unique.
  private static func issues(_ text: String) throws -> [String] {
    let issues = try JSONValue(reading: Array(text.utf8)).items ?? []
    let prints = issues.compactMap { $0["fingerprint"]?.text }
    #expect(Set(prints).count == issues.count && prints.allSatisfy { $0.count == 64 })
    return issues.map { issue in
      let place = issue["location"]
      let line = place?["lines"]?["begin"]?.number ?? ""
      return [place?["path"]?.text, line, issue["severity"]?.text, issue["check_name"]?.text].compactMap(\.self)
        .joined(separator: " ")
    }
  }

  @Test("GitLab's code quality has path, line, severity and a unique fingerprint for every finding")
  func codeQuality() throws {
    let folder = try Program.folder(Self.files)
    let lint = try Program.run("ats", "lint", "./Info.plist", "bad.plist", "--format", "code-quality", in: folder)
    #expect(lint.status == 2)
    let found = try Self.issues(lint.output)
    #expect(found.contains("Info.plist 8 major plist.domain-with-port"), "\(found)")
    #expect(found.contains("Info.plist 9 major plist.domain-with-scheme"))
    #expect(found.contains { $0.hasPrefix("bad.plist") && $0.hasSuffix("critical plist.unreadable") })
    let decided = try Self.issues(try Self.decide("code-quality").output)
    #expect(decided.contains("Info.plist 3 major ats.insecure-http"), "\(decided)")
    #expect(decided.contains("Info.plist 7 info plist.app-review"))
    // A finding on another line keeps its fingerprint.
    let moved = try Program.folder(["Info.plist": (Self.files["Info.plist"] ?? Data()) + Data("\n".utf8)])
    let again = try Program.run("ats", "lint", "Info.plist", "--format", "code-quality", in: moved).output
    #expect(
      lint.output.contains(try #require(try JSONValue(reading: Array(again.utf8)).items?.first?["fingerprint"]?.text)))
  }

  @Test("a decision is shown at its deciding key, in Xcode and in code scanning")
  func decisions() throws {
    let xcode = try Self.decide("xcode")
    #expect(xcode.status == 1)
    let lines = xcode.output.split(separator: "\n").map(String.init)
    #expect(
      lines.contains {
        $0.hasPrefix("Info.plist:3:1: error: ") && $0.shows("http://other.example/ … iOS 10 … 17")
          && $0.hasSuffix("[ats.insecure-http]")
      }, "\(xcode.output)")
    let run = try JSONValue(reading: Array(try Self.decide("sarif").output.utf8))["runs"]?.items?.first
    let rules = (run?["tool"]?["driver"]?["rules"]?.items ?? []).map { $0["id"]?.text }
    let results = try #require(run?["results"]?.items)
    for result in results {
      let index = try #require(result["ruleIndex"]?.number.flatMap { Int($0) })
      #expect(rules[index] == result["ruleId"]?.text)
    }
    let keys = results.compactMap {
      $0["locations"]?.items?.first?["logicalLocations"]?.items?.first?["fullyQualifiedName"]?.text
    }
    #expect(keys.contains { $0.hasSuffix("old.example.NSExceptionAllowsInsecureHTTPLoads") }, "\(keys)")
    // A rule that the gate allows is not shown.
    #expect(try !Self.decide("xcode", "--allow", "plist.app-review").output.contains("plist.app-review"))
    let without = try Program.run("ats", "decide", "--url", "http://a.example/", "--format", "sarif")
    #expect(without.status == 2 && without.errors.contains("add --plist"))
  }

  @Test("JUnit has a test for each finding and load, which fails if the gate does", .needs(.junitparser))
  func junit() throws {
    let program = """
      import sys, junitparser
      suites = junitparser.JUnitXml.fromfile(sys.argv[1])
      print([[suite.name, suite.tests, suite.failures, suite.errors] for suite in suites])
      """
    func suites(_ words: [String]) throws -> String? {
      let folder = try Program.folder(Self.files)
      _ = try Program.run(words + ["--format", "junit", "--output", "report.xml"], in: folder)
      return OtherPrograms.python(program, folder.appendingPathComponent("report.xml").path, having: "junitparser")
    }
    let decide = ["ats", "decide", "--plist", "Info.plist"] + Self.loads
    #expect(try suites(decide) == "[['http://old.example/', 2, 0, 0], ['http://other.example/', 2, 2, 0]]\n")
    #expect(
      try suites(decide + ["--fail-on", "note"])
        == "[['http://old.example/', 2, 2, 0], ['http://other.example/', 2, 2, 0]]\n")
    #expect(
      try suites(decide + ["--allow", "ats.insecure-http"])
        == "[['http://old.example/', 2, 0, 0], ['http://other.example/', 2, 0, 0]]\n")
    let lint = ["ats", "lint", "Info.plist", "bad.plist"]
    #expect(try suites(lint)?.hasPrefix("[['Info.plist', ") == true)
    #expect(try suites(lint)?.contains(", 2, 0], ['bad.plist', 1, 0, 1]]") == true)
    #expect(try suites(lint + ["--allow", "plist.domain-with-port"])?.contains(", 1, 0], ['bad") == true)
  }

  @Test("for scenarios, code quality names the row's line, and JUnit can omit times")
  func scenarios() throws {
    let folder = try Program.folder([
      "a.yaml": Data(
        """
        title: Two rows, of which one is wrong
        expect: { verdict: accepted }
        cases:
          - { name: right, expect: { verdict: accepted } }
          - { name: wrong, expect: { verdict: accepted, content: x } }
        """.utf8), "slip.yaml": Data("title: x\nexpect: { verdikt: x }\n".utf8),
    ])
    let quality = try Program.run("test", "a.yaml", "slip.yaml", "--format", "code-quality", in: folder)
    #expect(quality.status == 2)
    #expect(
      try Self.issues(quality.output) == [
        "a.yaml 5 major scenario.not-as-expected", "slip.yaml 2 critical scenario.unreadable",
      ])
    #expect(quality.output.shows("'verdikt' … 'verdict'"))
    // Paths start at the repository's folder, for any working directory and any spelling of the file.
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent(".git"), withIntermediateDirectories: false)
    let inner = folder.appendingPathComponent("App")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
    try Self.files["Info.plist"]?.write(to: inner.appendingPathComponent("Info.plist"))
    let absolute = folder.appendingPathComponent("a.yaml").path
    #expect(
      try Self.issues(Program.run("test", absolute, "--format", "code-quality", in: inner).output)
        == ["a.yaml 5 major scenario.not-as-expected"])
    #expect(
      try Program.run("test", absolute, "--format", "junit", in: inner).output.contains("value=\"a.yaml\""))
    for path in ["Info.plist", inner.appendingPathComponent("Info.plist").path] {
      let sarif = try Program.run("ats", "lint", path, "--format", "sarif", in: inner).output
      #expect(sarif.contains("\"uri\": \"App/Info.plist\"") && !sarif.contains("file://"), "\(path)")
    }
    let junit = try Program.run("test", "a.yaml", "--format", "junit", "--no-time", in: folder)
    #expect(junit.status == 1 && !junit.output.contains("time=\"0."))
    #expect(try junit.output == Program.run("test", "a.yaml", "--format", "junit", "--no-time", in: folder).output)
  }
}

extension JSONValue {
  fileprivate var text: String? { if case .string(let text) = self { text } else { nil } }
  fileprivate var number: String? {
    switch self {
    case .integer(let number): "\(number)"
    case .number(let text): text
    default: nil
    }
  }
}

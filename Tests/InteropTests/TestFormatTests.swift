import Foundation
import Oracles
import Testing

@Suite("Reports of 'test' for other programs")
struct TestFormatTests {
  /// Files with a case that passes, one that fails, one that is skipped, and two that cannot be played.
  private static func folder() throws -> URL {
    try Program.folder([
      "mixed.yaml": Data(
        """
        request: https://api.example/
        cases:
          - name: "odd \\e[31m # <b> & \\" name"
            with: { server.content: { GET /: x } }
            expect: { verdict: accepted, content: "y\\t]]><&" }
          - name: doubtful
            with: { request: http://api.example/ }
            expect: { verdict: refused }
            sibling: nowhere
        """.utf8),
      "nowhere.yaml": Data("expect: { verdict: accepted, content: other }\n".utf8),
      "slip.yaml": Data("expect: { verdikt: x }\n".utf8),
      "without.yaml": Data("certificates:\n  api: { pem: no.pem }\nserver: { presents: [api] }\n".utf8),
    ])
  }

  /// Files of one case and of several, more than there are jobs or shards.
  private static let few = ["L0-01", "L0-06", "L1-13", "L1-14", "L1-15", "L3-04", "L4-01"]

  private static func report(_ format: String) throws -> (Program.Result, URL) {
    let folder = try folder()
    let result = try Program.run(
      ["test", "mixed.yaml", "slip.yaml", "without.yaml", "--format", format, "--output", "report"], in: folder)
    return (result, folder.appendingPathComponent("report"))
  }

  @Test("JUnit XML has a suite for each file, with counts, reasons and only valid characters")
  func junit() throws {
    let (result, file) = try Self.report("junit")
    #expect(result.status == 2)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("<testsuites name=\"trustlab\" tests=\"5\" failures=\"1\" errors=\"2\" time=\"0."))
    #expect(text.contains("<testsuite name=\"mixed\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"0."))
    // Each suite takes as long as its tests; an unreadable file took no time.
    #expect(text.contains("<testsuite name=\"slip\" tests=\"1\" failures=\"0\" errors=\"1\" skipped=\"0\" time=\"0\">"))
    #expect(text.contains("name=\"odd \\u{1b}[31m # &lt;b&gt; &amp; &quot; name\""))
    #expect(text.contains("<failure message=\"content: expected y&#9;]]&gt;&lt;&amp;, found x\" type=\"mismatch\">"))
    #expect(text.contains("<skipped message=\"its sibling nowhere failed, from which it differs in request\"/>"))
    #expect(text.contains("<error message=\"unknown key 'verdikt' in expect\" type=\"unreadable\">"))
    #expect(text.contains("<error message=\"cannot read the file 'no.pem'\" type=\"unreadable\">"))
  }

  @Test(
    "JUnit XML conforms to the schemas of Jenkins and Surefire",
    .needs(.python))
  func schemas() throws {
    let (_, file) = try Self.report("junit")
    // Both schemas' elements and required attributes, and Surefire's order of a test's elements.
    let program = """
      import sys, xml.etree.ElementTree as ET
      has = {"testsuites": "name tests failures errors time", "testsuite": "name tests failures errors skipped time",
        "properties": "", "property": "name value", "testcase": "name classname time", "failure": "message type",
        "error": "message type", "skipped": "message", "system-out": ""}
      within = {"testsuites": ["testsuite"], "testsuite": ["properties", "testcase"], "properties": ["property"],
        "testcase": ["failure", "skipped", "error", "system-out"]}
      root = ET.parse(sys.argv[1]).getroot()
      for element in root.iter():
          assert sorted(element.attrib) == sorted(has[element.tag].split()), element.tag
          order = [within[element.tag].index(child.tag) for child in element]
          assert order == sorted(order), element.tag
      for suite in root:
          cases = suite.findall("testcase")
          for name, tag in [("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]:
              assert int(suite.get(name)) == sum(case.find(tag) is not None for case in cases), name
          assert int(suite.get("tests")) == len(cases)
      print(root.tag)
      """
    #expect(OtherPrograms.python(program, file.path) == "testsuites\n")
  }

  @Test(
    "another reader of JUnit XML gets the same counts",
    .needs(.junitparser))
  func parser() throws {
    let (_, file) = try Self.report("junit")
    let program = """
      import sys, junitparser
      cases = [case for suite in junitparser.JUnitXml.fromfile(sys.argv[1]) for case in suite]
      print([[type(result).__name__ for result in case.result] for case in cases])
      """
    #expect(
      OtherPrograms.python(program, file.path, having: "junitparser")
        == "[[], ['Failure'], ['Skipped'], ['Error'], ['Error']]\n")
  }

  @Test("TAP 13 has a version, a test point for each case, and a plan")
  func tap() throws {
    let (result, file) = try Self.report("tap")
    #expect(result.status == 2)
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(lines.first == "TAP version 13" && lines.last == "1..5")
    #expect(
      lines.filter { $0.hasPrefix("ok") || $0.hasPrefix("not ok") } == [
        "ok 1 - mixed", "not ok 2 - mixed/odd \\\\u{1b}[31m \\# <b> & \" name",
        "ok 3 - mixed/doubtful # SKIP its sibling nowhere failed, from which it differs in request", "not ok 4 - slip",
        "not ok 5 - without",
      ])
    let block = lines.drop { !$0.hasPrefix("not ok 2") }.dropFirst().prefix { !$0.hasPrefix("ok") }
    #expect(
      Array(block) == [
        "  ---", #"  message: "content: expected y\t]]><&, found x""#, "  severity: fail", #"  file: "mixed.yaml""#,
        #"  verdict: "accepted""#, "  mismatches:", #"    - path: "content""#, #"      expected: "y\t]]><&""#,
        #"      found: "x""#, "  ...",
      ])
  }

  @Test(
    "Perl's harness, as packaged by Debian, reads the results",
    .needs(.prove))
  func prove() throws {
    let folder = try Program.folder([
      "good.tap": Data(try Program.run("test", "L1-15", "--format", "tap").output.utf8)
    ])
    let good = folder.appendingPathComponent("good.tap").path
    #expect(OtherPrograms.output(["prove", "--exec", "cat", good])?.contains("Result: PASS") == true)
    let (_, bad) = try Self.report("tap")
    #expect(OtherPrograms.output(["prove", "--exec", "cat", bad.path]) == nil)
    // Only the three failing tests are wrong, not the form: no parse error, no wrong plan.
    let told = OtherPrograms.output(["sh", "-c", "prove --verbose --exec cat \"$0\" 2>&1 || true", bad.path]) ?? ""
    #expect(told.contains("Failed 3/5") && told.contains("Failed tests:  2, 4-5"), "\(told)")
    #expect(!told.contains("Parse error") && !told.contains("Bad plan"), "\(told)")
  }

  @Test("of several loads, the failed one is named with its deciding rule, in every form")
  func loads() throws {
    let folder = try Program.folder([
      "loads.yaml": Data(
        """
        certificates: { api: { issuer: Issuing, names: [other.example] } }
        requests:
          - { url: https://api.example/, name: foreign, expect: { verdict: refused, because: [name.mismatch] } }
          - { url: http://api.example/, name: plain, expect: { verdict: accepted } }
        """.utf8)
    ])
    for (format, words) in [
      ("text", "✗ loads  refused  ats.insecure-http"), ("text", "refused by ats.insecure-http"),
      ("junit", "plain.verdict: expected accepted, found refused by ats.insecure-http"),
      ("junit", "<system-out>refused by ats: ats.insecure-http</system-out>"),
      ("tap", #"verdict: "refused by ats: ats.insecure-http""#), ("json", #""because": ["ats.insecure-http"]"#),
    ] {
      let result = try Program.run("test", "loads.yaml", "--format", format, in: folder)
      #expect(result.status == 1)
      #expect(result.output.contains(words), "\(result.output)")
    }
  }

  @Test("any number of jobs gives the same bytes, except for times", arguments: ["text", "json", "junit", "tap"])
  func jobs(format: String) throws {
    func output(_ jobs: String) throws -> String {
      let run = try Program.run(["test"] + Self.few + ["-v", "--format", format, "--jobs", jobs])
      #expect(run.status == 0)
      return run.output.replacing(#/ time="[0-9.]+"/#, with: "")
    }
    let one = try output("1")
    #expect(try one == output("5") && !one.isEmpty)
  }

  @Test("results are written at once, and a file is made only if there is output")
  func streaming() throws {
    let folder = try Program.folder([:])
    let none = try Program.run("test", "L1-15", "--filter", "nothing", "--output", "out", in: folder)
    #expect(none.status == 2 && !FileManager.default.fileExists(atPath: folder.appendingPathComponent("out").path))
    let nowhere = try Program.run("test", "L1-15", "--output", "no/out", in: folder)
    #expect(nowhere.status == 2 && nowhere.errors.hasPrefix("error: cannot write 'no/out'\nhint: "))
    // A reader that stops after the first lines ends the run without an error.
    let head = OtherPrograms.output(["sh", "-c", "\"$0\" test L1-14 --format tap | head -n 2", Program.url.path])
    #expect(head?.hasPrefix("TAP version 13\nok 1 - L1-14") == true)
  }

  @Test("every case is in exactly one shard, for every way to name the shard")
  func shards() throws {
    let run = ["test"] + Self.few + ["--format", "tap"]
    let (all, parts) = (try Self.names(run), try Self.shards(run))
    for (index, part) in parts.enumerated() {
      let environment = ["TEST_SHARD_INDEX": "\(index)", "TEST_TOTAL_SHARDS": "\(parts.count)"]
      #expect(try Self.names(run, environment) == part)
    }
    #expect(!all.isEmpty && parts.joined().sorted() == all.sorted())
    #expect(Set(all).count == all.count)
    let late = try Program.run("test", "L1-14", "--shard", "1000/1000")
    #expect(late.status == 0)
    #expect(late.output.hasPrefix("0 passed"))
  }

  /// The names of the cases in each of four shards of a test run in TAP.
  static func shards(_ run: [String]) throws -> [[String]] {
    try (1...4).map { try names(run + ["--shard", "\($0)/4"]) }
  }

  private static func names(_ arguments: [String], _ environment: [String: String] = [:]) throws -> [String] {
    try Program.run(arguments, environment: environment).output.split(separator: "\n").filter { $0.hasPrefix("ok ") }
      .map { $0.split(separator: " ").dropFirst(3).joined(separator: " ") }
  }

  @Test(
    "an invalid value is an error with a hint, and exit status 2",
    arguments: [
      ["--jobs", "0"], ["--jobs", "many"], ["--shard", "0/3"], ["--shard", "4/3"], ["--shard", "1"],
      ["--format", "xml"], ["--filter", "nothing/*"],
    ])
  func badValues(arguments: [String]) throws {
    let result = try Program.run(["test", "L1-15"] + arguments)
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("error: ") && result.errors.contains("\nhint: "), "\(result.errors)")
  }

  @Test("variables that name no shard are an error", arguments: [["3", "3"], ["x", "3"], ["1", ""]])
  func badVariables(values: [String]) throws {
    let result = try Program.run(
      ["test", "L1-15"], environment: ["TEST_SHARD_INDEX": values[0], "TEST_TOTAL_SHARDS": values[1]])
    #expect(result.status == 2)
    #expect(result.errors.hasPrefix("error: ") && result.errors.contains("TEST_SHARD_INDEX="))
  }
}

import Foundation
import Oracles
import Testing

@Suite("What 'test' writes for other programs")
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
            expect: { verdict: refused }
            sibling: nowhere
        """.utf8),
      "slip.yaml": Data("expect: { verdikt: x }\n".utf8),
      "without.yaml": Data("certificates:\n  api: { pem: no.pem }\nserver: { presents: [api] }\n".utf8),
    ])
  }

  private static func report(_ format: String) throws -> (Program.Result, URL) {
    let folder = try folder()
    let result = try Program.run(
      ["test", "mixed.yaml", "slip.yaml", "without.yaml", "--format", format, "--output", "report"], in: folder)
    return (result, folder.appendingPathComponent("report"))
  }

  @Test("JUnit XML has a suite for each file, with counts, reasons and nothing that XML cannot hold")
  func junit() throws {
    let (result, file) = try Self.report("junit")
    #expect(result.status == 2)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("<testsuites name=\"trustlab\" tests=\"5\" failures=\"1\" errors=\"2\" time=\"0\">"))
    #expect(
      text.contains("<testsuite name=\"mixed\" tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\" time=\"0\">"))
    #expect(text.contains("name=\"odd \\u{1b}[31m # &lt;b&gt; &amp; &quot; name\""))
    #expect(text.contains("<failure message=\"content: expected y&#9;]]&gt;&lt;&amp;, found x\" type=\"mismatch\">"))
    #expect(text.contains("<skipped message=\"its sibling nowhere is not found\"/>"))
    #expect(text.contains("<error message=\"unknown key 'verdikt' in expect\" type=\"unreadable\">"))
    #expect(text.contains("<error message=\"cannot read the file 'no.pem'\" type=\"unreadable\">"))
  }

  @Test(
    "JUnit XML is as Jenkins' and Surefire's schemas demand",
    .needs(.python))
  func schemas() throws {
    let (_, file) = try Self.report("junit")
    // Both schemas' elements and required attributes, and Surefire's order of what a test has in it.
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
    "another reader of JUnit XML counts alike",
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

  @Test("TAP 14 has a version, a plan, a test point for each case, and what was expected in YAML")
  func tap() throws {
    let (result, file) = try Self.report("tap")
    #expect(result.status == 2)
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    #expect(lines.prefix(2) == ["TAP version 14", "1..5"])
    #expect(
      lines.filter { $0.hasPrefix("ok") || $0.hasPrefix("not ok") } == [
        "ok 1 - mixed", "not ok 2 - mixed/odd \\\\u{1b}[31m \\# <b> & \" name",
        "ok 3 - mixed/doubtful # SKIP its sibling nowhere is not found", "not ok 4 - slip", "not ok 5 - without",
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
    "Perl's harness, which may know TAP 13 only, reads the same results",
    .needs(.prove))
  func prove() throws {
    let good = Program.temporary.appendingPathComponent("\(UUID().uuidString).tap")
    let text = try Program.run("test", "L1-15", "--format", "tap").output
    try Data(text.split(separator: "\n").dropFirst().joined(separator: "\n").utf8).write(to: good)
    #expect(OtherPrograms.output(["prove", "--exec", "cat", good.path])?.contains("Result: PASS") == true)
    let (_, bad) = try Self.report("tap")
    #expect(OtherPrograms.output(["prove", "--exec", "cat", bad.path]) == nil)
  }

  @Test("the same bytes come out of every number of jobs", arguments: ["text", "json", "junit", "tap"])
  func jobs(format: String) throws {
    let one = try Program.run("test", "@handshake", "@http", "-v", "--format", format, "--jobs", "1")
    let many = try Program.run("test", "@handshake", "@http", "-v", "--format", format, "--jobs", "5")
    #expect(one.status == 0)
    #expect(one.output == many.output && !one.output.isEmpty)
  }

  @Test("every case is in exactly one shard, however the shard is named")
  func shards() throws { try Self.checkShards(of: ["@handshake", "@http"]) }

  /// The shards of a selection are that selection, each case once.
  static func checkShards(of selection: [String]) throws {
    let run = ["test"] + selection + ["--format", "tap"]
    let all = try names(run)
    let count = 4
    var parts: [String] = []
    for index in 0..<count {
      let part = try names(run + ["--shard", "\(index + 1)/\(count)"])
      let environment = ["TEST_SHARD_INDEX": "\(index)", "TEST_TOTAL_SHARDS": "\(count)"]
      #expect(try names(run, environment) == part)
      parts += part
    }
    #expect(!all.isEmpty && parts.sorted() == all.sorted())
    #expect(Set(all).count == all.count)
    let late = try Program.run("test", "L1-14", "--shard", "1000/1000")
    #expect(late.status == 0)
    #expect(late.output.hasPrefix("0 passed"))
  }

  private static func names(_ arguments: [String], _ environment: [String: String] = [:]) throws -> [String] {
    try Program.run(arguments, environment: environment).output.split(separator: "\n").filter { $0.hasPrefix("ok ") }
      .map { $0.split(separator: " ").dropFirst(3).joined(separator: " ") }
  }

  @Test(
    "a value that is none is an error with a hint, and exit status 2",
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
    #expect(result.errors.hasPrefix("error: TEST_SHARD_INDEX="))
  }
}

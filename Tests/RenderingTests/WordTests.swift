import Oracles
import Rendering
import Scenarios
import TLS
import Testing

@Suite struct WordTests {
  @Test(
    "every kind of word is explained",
    arguments: [
      ("chain.expired", "rule chain.expired"), ("NSAllowsArbitraryLoads", "NSAllowsArbitraryLoads"),
      ("-9802", "errSSLFatalAlert"), ("-1202", "NSURLErrorServerCertificateUntrusted"),
      ("NSURLErrorDomain -1200", "NSURLErrorSecureConnectionFailed"),
      ("TLS_RSA_WITH_AES_128_GCM_SHA256", "forward secrecy           no"), ("client_random", "ClientHello.random"),
      ("forward_secrecy", "term forward secrecy"), ("ATS", "term App Transport Security"),
    ])
  func words(_ word: String, _ expected: String) throws {
    #expect(try #require(ExplainView.document(for: word)).text().contains(expected))
    #expect(ExplainView.json(for: word)?["word"] == .string(word))
  }

  @Test("every listed word can be explained")
  func all() {
    for word in ExplainView.words { #expect(ExplainView.document(for: word) != nil, "\(word)") }
  }

  @Test("an unknown word has no explanation, only a nearest word")
  func unknown() {
    #expect(ExplainView.document(for: "chain.expird") == nil)
    #expect(ExplainView.json(for: "") == nil)
    #expect(ExplainView.nearest("chain.expird").contains("'chain.expired'"))
    let alert = "boringssl_context_alert_callback_handler write alert, level: fatal, description: certificate expired"
    #expect(ExplainView.nearest(alert).contains("'certificate_expired'"))
    #expect(ExplainView.nearest("é", listedBy: "list").hasPrefix("'list rules'"))
  }

  @Test("a rule names the scenarios that exercise it")
  func scenarios() throws {
    let text = try #require(ExplainView.document(for: "chain.expired", scenarios: ["L4-04", "L4-12"])).text()
    #expect(text.contains("scenarios") && text.contains("L4-04, L4-12"))
  }

  @Test("a test run has one line per case, and its sums on a line alone")
  func tests() throws {
    let run = TestRun(Curriculum.files.filter { $0.id.hasPrefix("L1-") }, player: Curriculum.player)
    let entries = run.entries()
    let lines = TestReport.text(of: entries, as: .text, isVerbose: true).split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("✓ L1-15  refused  ats.no-forward-secrecy") })
    #expect(lines.last == "\(entries.count) passed, 0 failed, 0 skipped")
    #expect(TestReport.text(of: entries, as: .text) == "\(entries.count) passed, 0 failed, 0 skipped\n")
    let json = try JSONValue(reading: TestReport.text(of: entries, as: .json).utf8)
    #expect(json["passed"] == .integer(entries.count))
    #expect(json.text(pretty: true) + "\n" == TestReport.text(of: entries, as: .json))
  }

  @Test("a test run with a bug names it, and counts the cases that caught it")
  func mutant() throws {
    let bug = try #require(Mutant.named("basic-constraints"))
    let run = TestRun(
      Curriculum.files.filter { $0.id == "L3-09" },
      player: ScenarioLibrary.player(keys: Curriculum.keys, mutant: bug))
    func report(_ format: TestReport.Format, _ entries: [TestRun.Entry]) -> String {
      TestReport.text(of: entries, as: format, mutant: bug)
    }
    let entries = run.entries()
    let caught = entries.count { $0.result == .failed }
    #expect(caught == 3)
    #expect(report(.text, entries).shows("3 … 'basic-constraints'"))
    #expect(report(.text, []).contains("'basic-constraints'"))
    #expect(try JSONValue(reading: report(.json, entries).utf8)["mutant"] == .string("basic-constraints"))
    #expect(report(.tap, entries).hasPrefix("TAP version 13\n# mutant: basic-constraints\n"))
    #expect(report(.junit, entries).contains(#"<property name="mutant" value="basic-constraints"/>"#))
    #expect(!TestReport.text(of: entries, as: .tap).contains("mutant"))
  }

  @Test("a test run without tests is complete in every form")
  func noTests() throws {
    let entries: [TestRun.Entry] = []
    #expect(TestReport.text(of: entries, as: .text) == "0 passed, 0 failed, 0 skipped\n")
    #expect(TestReport.text(of: entries, as: .tap) == "TAP version 13\n1..0\n")
    let json = TestReport.text(of: entries, as: .json)
    #expect(try JSONValue(reading: json.utf8).text(pretty: true) + "\n" == json)
  }
}

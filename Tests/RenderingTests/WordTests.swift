import Rendering
import Scenarios
import TLS
import Testing

@Suite struct WordTests {
  @Test(
    "every kind of word is explained",
    arguments: [
      ("chain.expired", "rule chain.expired"), ("NSAllowsArbitraryLoads", "App Transport Security key"),
      ("-9802", "errSSLFatalAlert"), ("-1202", "NSURLErrorServerCertificateUntrusted"),
      ("NSURLErrorDomain -1200", "NSURLErrorSecureConnectionFailed"),
      ("TLS_RSA_WITH_AES_128_GCM_SHA256", "forward secrecy           no"), ("client_random", "ClientHello.random"),
      ("forward_secrecy", "term forward secrecy"), ("ATS", "term App Transport Security"),
    ])
  func words(_ word: String, _ expected: String) throws {
    #expect(try #require(ExplainView.document(for: word)).text().contains(expected))
    #expect(ExplainView.json(for: word)?["word"] == .string(word))
  }

  @Test("everything that is listed can be explained")
  func all() {
    for word in ExplainView.words { #expect(ExplainView.document(for: word) != nil, "\(word)") }
  }

  @Test("an unknown word has no explanation but a nearest one")
  func unknown() {
    #expect(ExplainView.document(for: "chain.expird") == nil)
    #expect(ExplainView.json(for: "") == nil)
    #expect(ExplainView.nearest("chain.expird") == "did you mean 'chain.expired'?")
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
    let lines = TestView(run).document(verbose: true).text().split(separator: "\n")
    #expect(lines.contains { $0.hasPrefix("✓ L1-15  refused  ats.no-forward-secrecy") })
    #expect(
      lines.last == "\(run.count(.passed)) passed, \(run.count(.failed)) failed, \(run.count(.skipped)) skipped")
    #expect(TestView(run).json()["passed"] == .integer(run.count(.passed)))
  }
}

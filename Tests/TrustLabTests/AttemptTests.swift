import Oracles
import Simulator
import Testing

@testable import trustlab

/// The attempted attacks, in the shell.
@Suite("Attempts in the shell")
struct AttemptTests {
  @Test("an attempt is opened, stepped and left like a run")
  func opened() throws {
    var session = Bench.session()
    for line in ["open L1-01", "run"] { _ = session.evaluate(line) }
    let why = session.evaluate("why prevented impersonation").text
    #expect(why.contains("stopped by name.mismatch") && why.contains("handshake.bad-signature"))
    let list = session.evaluate("attempt").text
    let line = try #require(list.split(separator: "\n").first { $0.contains("its own root") })
    let number = try #require(line.split(separator: ".").first.flatMap { Int($0.filter(\.isNumber)) })
    #expect(session.evaluate("attempt \(number)").text.contains("chain.no-anchor"))
    let run = session.evaluate("run").text
    #expect(run.contains("REFUSED") && run.contains("chain.no-anchor"))
    #expect(session.evaluate("diagram").text.contains("interceptor"))
    #expect(!session.evaluate("undo").isError)
    #expect(session.evaluate("why").text.contains("✓ accepted"))
  }

  @Test(
    "a number without a run is an error that names alternatives",
    arguments: [
      ("attempt 99", "1 to"), ("attempt x", "1 to"), ("attempt 2", "'goto'"),
      ("why prevented nothing", "impersonation"), ("why possible", "why possible impersonation"),
    ])
  func wrong(_ line: String, _ hint: String) {
    var session = Bench.session()
    for line in ["open L1-01", "run"] { _ = session.evaluate(line) }
    let output = session.evaluate(line)
    #expect(output.isError && output.text.contains(hint), "\(output.text)")
  }

  @Test("explain reads a log line for the open load, and only with an error")
  func logLine() {
    var session = Bench.session()
    let line = "explain HTTP load failed (kCFStreamErrorDomainSSL, -9802)"
    #expect(session.evaluate(line).text.contains("trust-under-ats"))
    for line in ["open L1-01", "run"] { _ = session.evaluate(line) }
    let text = session.evaluate(line).text
    #expect(text.shows("https://api.example/ … iOS 8"))
    #expect(session.evaluate("explain HTTP load failed").isError)
  }
}

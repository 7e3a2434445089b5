import Foundation
import Scenarios
import Testing

@testable import trustlab

@Suite("Output at the end of a run")
struct EndingTests {
  @Test("the three risks are below the verdict of run, the last step, and why", arguments: ["L0-07", "L5-06"])
  func risks(scenario: String) {
    for lines in [["run"], ["step 99"], ["run", "why"]] {
      let text = Bench.transcript(of: ["open \(scenario)"] + lines)
      for goal in ["eavesdropping", "tampering", "impersonation"] {
        #expect(text.contains("✗ \(goal): possible, "), "\(text)")
      }
    }
    #expect(!Bench.session("open \(scenario)", "step").evaluated("why").text.contains("eavesdropping: "))
  }

  @Test("a prevented risk is shown; without an exchange no risk is shown")
  func safe() {
    #expect(Bench.session("open L3-01").evaluated("run").text.contains("✓ impersonation: prevented, "))
    #expect(Bench.session("open L1-15").evaluated("run").text.contains("impersonation: ") == false)
  }

  @Test("a run shows its verdict once")
  func verdict() {
    let text = Bench.session("open L3-01").evaluated("run").text
    #expect(text.contains("\nACCEPTED\n") && !text.contains("✓ accepted"))
    #expect(Bench.session("open L3-01", "run").evaluated("diagram").text.contains("✓ accepted"))
  }

  @Test("why shows the path, the name and the ATS status behind an acceptance")
  func grounds() {
    let plain = Bench.session("open L0-07", "run").evaluated("why").text
    #expect(plain.contains("HTTP") && !plain.contains("path  "))
    let secure = Bench.session("open L1-01", "run").evaluated("why").text
    #expect(secure.contains("path         api ← Issuing ← Root A, system anchor"))
    #expect(secure.contains("api.example (in subjectAltName) for api.example"))
    let excepted = Bench.session("open L1-15 with the exception", "run").evaluated("why").text
    #expect(excepted.contains("NSExceptionRequiresForwardSecrecy"), "\(excepted)")
    #expect(!Bench.session("open L1-15", "run").evaluated("why").text.contains("carried by"))
  }

  @Test("an alert is a consequence in one line")
  func consequence() {
    let text = Bench.session("open L1-15", "run").evaluated("why").text
    #expect(text.contains("! handshake.fatal-alert: handshake_failure, a consequence\n"))
    #expect(!text.contains(RuleCatalogue.rule("handshake.fatal-alert")?.statement ?? "handshake.fatal-alert"))
    let obstacles = Bench.session("open L1-15", "run").evaluated("why not accepted").text
    #expect(obstacles.split(separator: "\n").contains { $0.contains("handshake.fatal-alert") })
  }

  @Test("why not refused lists a few rules of each layer")
  func obstacles() {
    let text = Bench.session("open L1-01", "run").evaluated("why not refused").text
    #expect(text.contains("33") && text.split(separator: "\n").count < 8, "\(text)")
  }

  @Test("stepping beyond the end reports where it stopped; goto is an error")
  func stopping() {
    #expect(Bench.session("open L1-15").evaluated("step 99").text.contains("6 of 99"))
    let back = Bench.session("open L1-15", "step 2").evaluated("back 99").text
    #expect(back.contains("2 of 99"))
    #expect(Bench.session("open L1-15").evaluated("goto 99").isError)
    #expect(Bench.session().evaluated("exit").quits)
  }

  @Test(
    "a range that cannot be swept is an error with the reason",
    arguments: [
      ("1..100000", "100000"), ("5..1", "5..1"),
      ("-9223372036854775808..9223372036854775807", "9223372036854775807"),
    ])
  func ranges(range: String, saying: String) {
    #expect(Bench.session("open L1-15").evaluated("sweep seed \(range)").complaint?.message.contains(saying) == true)
  }

  @Test("numbers with the same result share one line")
  func summed() {
    let text = Bench.session("open L1-15").evaluated("sweep seed 1..9").text
    #expect(text.contains("1..9  ✗ refused") && text.contains("9"), "\(text)")
  }

  @Test("in 60 columns no line is wider, and no row of bytes breaks", arguments: ["L1-01", "L1-15", "L0-07", "L2-01"])
  func narrow(scenario: String) {
    var session = Bench.session("open \(scenario)", "run")
    session.style.width = 60
    for line in ["diagram", "cost", "why", "why not refused", "bytes"] {
      let lines = session.evaluated(line).text.split(separator: "\n")
      #expect(lines.allSatisfy { $0.count <= 60 }, "\(line): \(lines.joined(separator: "\n"))")
    }
    #expect(!session.evaluated("cost").text.contains("message\n"))
  }

  @Test("a command typed at a key prompt is read completely")
  func typed() {
    func line(_ keys: String) -> String? {
      var rest = Array(keys.utf8)[...]
      return TypedBehindPrompt(first: rest.removeFirst(), next: { rest.popFirst() }, echo: { _ in }).line
    }
    #expect(line("why\n") == "why" && line("stup\u{7f}\u{7f}ep\r") == "step" && line("é\u{7f}x\n") == nil)
    #expect(line("xé\u{7f}y\n") == "xy" && line("w\u{7f}hy\n") == nil && line("never ended") == nil)
  }
}

import Cryptography
import Rendering
import Scenarios
import Simulator
import Testing

@testable import trustlab

@Suite("Walking through a run")
struct WalkTests {
  /// A small random number generator, so that the walks are the same on every machine.
  struct Walk {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }

    mutating func line() -> String {
      switch next(7) {
      case 0: "step"
      case 1: "step \(1 + next(6))"
      case 2: "back \(1 + next(4))"
      case 3: "goto \(next(24))"
      case 4: "reset"
      case 5: ""
      default: "run"
      }
    }
  }

  @Test("any walk back and forth ends in the same bytes as a straight run", arguments: ["L1-01", "L0-02", "L2-01"])
  func straight(scenario: String) throws {
    for seed in 1...4 {
      var walk = Walk(state: UInt64(seed))
      var session = Bench.session("open \(scenario)")
      for _ in 0..<12 { _ = session.evaluate(walk.line()) }
      let position = try #require(session.opened?.position)
      let straight = Bench.session("open \(scenario)", "goto \(position)")
      #expect(session.everything == straight.everything, "seed \(seed) of \(scenario)")
    }
  }

  @Test("undone changes leave no trace")
  func undone() {
    var session = Bench.session("open L1-01", "step 9")
    let before = session.everything
    for line in ["os iOS 10", "clock 2030-01-01", "leak api.key after 30 days", "attacker drop ServerHello"] {
      #expect(!session.evaluate(line).isError)
      #expect(session.everything != before)
    }
    for _ in 0..<4 { #expect(!session.evaluate("undo").isError) }
    #expect(session.everything == before)
    #expect(session.evaluate("undo").isError)
  }

  @Test("a kept run is restored exactly, after any commands")
  func kept() {
    var session = Bench.session("open L1-01", "step 5", "fork before")
    let before = session.everything
    for line in ["set client.os = iOS 10", "run", "open L1-15", "step"] { _ = session.evaluate(line) }
    _ = session.evaluate("goto before")
    #expect(session.everything == before)
  }

  @Test("a change replays to the same step, and a shorter run says where it ends")
  func replayed() {
    var session = Bench.session("open L1-01", "step 7")
    #expect(session.evaluate("set seed = 101").text.contains("step 7"))
    #expect(session.opened?.position == 7)
    _ = session.evaluate("goto 20")
    #expect(session.evaluate("os iOS 10").text.contains("step 6"))
  }

  @Test("a run stops at its breakpoint, and continues from there")
  func stops() {
    var session = Bench.session("open L1-01", "break on serverhello", "break on name.mismatch")
    #expect(session.evaluate("run").text.contains("stopped on the message ServerHello"))
    #expect(session.opened?.position == 3)
    #expect(session.evaluate("run").text.contains("stopped on the rule name.mismatch"))
    #expect(session.evaluate("break").text.split(separator: "\n").count == 2)
    _ = session.evaluate("break clear 1")
    _ = session.evaluate("break clear")
    #expect(session.evaluate("run").text.contains("\nACCEPTED\n"))
  }
}

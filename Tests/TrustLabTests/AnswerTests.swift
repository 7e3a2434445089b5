import Foundation
import Oracles
import Synchronization
import Testing

@testable import trustlab

@Suite("Responses of the shell")
struct AnswerTests {
  @Test("the examples of fields and bytes work at every step", arguments: ["L0-01", "L1-01"])
  func fields(scenario: String) {
    var session = Bench.session("open \(scenario)", "step 2")
    var position = -1
    while let opened = session.opened, opened.position > position {
      position = opened.position
      for command in ShellCommand.all where command.argument == .field {
        for example in session.examples(of: command) {
          let output = session.evaluated(example)
          #expect(!output.isError, "\(session.prompt)\(example): \(output.text)")
        }
      }
      _ = session.evaluate("step")
    }
  }

  @Test("fields shows the last message that has the field; before any, an error")
  func earlierField() {
    let session = Bench.session("open L1-01", "goto 9")
    #expect(session.evaluated("fields random").text.contains("3  ServerHello"))
    #expect(session.evaluated("bytes").text.contains("8  ClientKeyExchange"))
    #expect(Bench.session("open L1-01").evaluated("bytes").isError)
  }

  @Test("the tree shows the sender of each certificate, on whole lines")
  func tree() {
    let tree = Bench.session("open L1-15", "run").evaluated("tree").text
    #expect(tree.contains("api.example") && !tree.contains("…"))
    #expect(tree.split(separator: "\n").allSatisfy { $0.count <= 80 })
    #expect(Bench.session("open L1-15", "ascii on").evaluated("tree").text.contains("\n+- Issuing"))
    let attacked = Bench.session("open L3-18", "run").evaluated("tree").text
    #expect(attacked.contains("sent by interceptor") && attacked.contains("of bank.example, not sent"))
  }

  @Test("an error quotes the mistake as typed", arguments: ["L0", "Nonsense", "Re"])
  func typed(word: String) {
    #expect(Bench.session("open L1-01").evaluated(word).text.contains("'\(word)'"))
  }

  @Test("a mistake does not move the run")
  func position() {
    var session = Bench.session("open L1-01", "step 3")
    for line in ["goto 999", "goto nowhere", "step 0", "back -1", "show 99", "set client.oss = 1", "open nothing"] {
      #expect(session.evaluate(line).isError, "\(line)")
      #expect(session.prompt == "L1-01 3> ", "\(line)")
    }
  }

  @Test("hints are lines that work")
  func hints() {
    let session = Bench.session("open L1-06", "run")
    #expect(session.evaluated("who knows client_random").text.contains("'first.client_random'"))
    #expect(session.evaluated("set client.os = null").text.contains("set client.os = VALUE"))
    #expect(session.evaluated("set client.infoPlist = {}").text.contains("{} adds nothing"))
    let alter = session.evaluated("attacker alter ServerHello").text
    #expect(alter.contains("attacker alter ServerHello flip 12"))
    #expect(!session.evaluated("attacker alter ServerHello flip 12").isError)
  }

  @Test("a party that can compute a value is distinguished from one that has computed it")
  func canCompute() {
    let step = Bench.session("open L1-01").evaluated("goto 12").text
    #expect(step.contains("client (can compute): server_verify_data"), "\(step)")
  }

  @Test("an unknown release is refused, and the nearest one is named", arguments: ["set client.os =", "os"])
  func unknownSystem(command: String) {
    let session = Bench.session("open L1-01")
    #expect(session.evaluated("\(command) iOS 99").text.contains("'iOS 26'"))
    #expect(session.evaluated("\(command) iOS 20").text.contains("'iOS 18'"))
    #expect(!session.evaluated("\(command) iOS 18").isError)
  }

  @Test("a quoted name equals the name without quotes")
  func quotes() {
    let session = Bench.session("open L1-15", "step")
    #expect(session.evaluated("show \"Root A\"").text == session.evaluated("show Root A").text)
    #expect(session.evaluated("open \"L1-15\"").text == session.evaluated("open L1-15").text)
    let named = session.evaluated("open L1-15 \"iOS 8 has no ATS\"").text
    #expect(named == session.evaluated("open L1-15 iOS 8 has no ATS").text && named.contains("on iOS 8"))
    #expect(session.completions(of: "show \"Ro") == ["\"Root"])
    #expect(session.completions(of: "show \"Root A") == ["A\""])
    #expect(session.completions(of: "open L1-15 \"iOS 8 h") == ["has"])
  }

  @Test("for a file that is no scenario, only the first mistakes are shown")
  func wrongFile() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try (1...40).map { "key\($0): value\n" }.joined().write(toFile: path, atomically: true, encoding: .utf8)
    // The position of line breaks depends on the length of the path.
    let words = Bench.session().evaluated("open \(path)").text.split { $0.isWhitespace }.joined(separator: " ")
    #expect(words.components(separatedBy: "error: ").count == 6)
    #expect(words.shows("35 … 'trustlab check FILE'"))
  }

  @Test("a scenario id in the wrong place gets the way to open it as hint")
  func scenarioBehindCommand() {
    let output = Bench.session("open L1-15").evaluated("run L1-01").text
    #expect(output.shows("'open L1-01' … 'run'"))
    #expect(Bench.session().evaluated("start").text.contains("'lessons'"))
  }

  @Test("a diagram in too narrow a window gives a hint, and others do not", arguments: [50, 60, 80])
  func narrow(width: Int) {
    var session = Bench.session("open L1-15", "run")
    session.style.width = width
    let isTold = session.evaluate("diagram").text.shows("60 … 50")
    #expect(isTold == (width < 60))
  }

  @Test("every documented command exists, by its name and by its shortest prefix")
  func contract() throws {
    let names = """
      lessons list open info step back goto run reset break show diagram chain tree fields bytes knows derive who cost \
      why explain set undo fork diff os clock leak attacker validator matrix sweep minimal predict answer hint reveal \
      quiz score save export help quit
      """.split(separator: " ").map(String.init)
    for name in names {
      #expect(try ShellCommand.named(name).name == name)
      let own = (1...name.count).lazy.map { String(name.prefix($0)) }.first { beginning in
        ShellCommand.all.filter { $0.name.hasPrefix(beginning) }.count == 1 && ShellCommand.shorthands[beginning] == nil
      }
      if let own { #expect(try ShellCommand.named(own.uppercased()).name == name) }
    }
  }

  @Test("only files that the session wrote are overwritten", arguments: ["save", "export svg"])
  func files(command: String) throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).txt").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    var session = Bench.session("open L1-01", "step")
    for line in ["\(command) \(path)", "os iOS 10", "\(command) \(path)"] { #expect(!session.evaluate(line).isError) }
    let mine = try String(contentsOfFile: path, encoding: .utf8)
    let other = Bench.session("open L1-15").evaluated("\(command) \(path)")
    #expect(other.complaint?.message.contains(path) == true)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == mine)
    #expect(!session.evaluated("\(command) \(path)").isError)
  }

  @Test("runs are listed in the order of their values, not of their completion")
  func order() {
    let table = Bench.session("open L1-01").evaluated("sweep client.os iOS 8, iOS 10, nothing, iOS 9").text
    let rows = table.split(separator: "\n").dropFirst().map(String.init)
    #expect(rows[0].hasPrefix("iOS 8      ✓ accepted") && rows[1].hasPrefix("iOS 10     ✗ refused"))
    #expect(rows[2].hasPrefix("nothing    –") && rows[3].hasPrefix("iOS 9      ✗ refused"))
  }

  @Test("an interruption keeps the finished runs, in their order, and no others")
  func interrupted() {
    let asked = Asked()
    var session = Session(workbench: Bench.workbench, style: .init()) { asked.isMoreThan(4) }
    _ = session.evaluate("open L0-01")
    let text = session.evaluate("sweep seed 1..1000").text
    let rows = text.split(separator: "\n").filter { $0.contains("accepted") && $0.first?.isNumber == true }
    let names = rows.map { String($0.prefix { $0.isNumber || $0 == "." }) }
    #expect((0...3).map { (1...max(1, $0)).prefix($0).map(String.init) }.contains(names) || names == ["1..4"])
    #expect(text.hasSuffix("interrupted after \(names == ["1..4"] ? 4 : rows.count) of 1000"), "\(text)")
  }
}

/// Counts its calls.
private final class Asked: Sendable {
  private let count = Atomic<Int>(0)
  func isMoreThan(_ limit: Int) -> Bool { count.add(1, ordering: .relaxed).newValue > limit }
}

import Foundation
import Rendering
import Testing

@testable import trustlab

@Suite("The commands of the shell")
struct CommandTests {
  @Test("help is one screen of 80 columns and 24 rows")
  func overview() {
    let lines = Bench.session().evaluated("help").text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.count <= 23, "one row is left for the prompt")
    #expect(lines.allSatisfy { $0.count <= 80 })
    for command in ShellCommand.all { #expect(lines.contains { $0.contains(command.name) }, "\(command.name)") }
  }

  @Test("every command has help, and its examples work", arguments: ShellCommand.all.map(\.name))
  func examples(name: String) throws {
    let command = try ShellCommand.named(name)
    #expect(!command.examples.isEmpty)
    let help = Bench.session().evaluated("help \(name)").text
    #expect(help.hasPrefix(command.usage) && command.examples.allSatisfy { help.contains($0) })
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 })
    // Commands that write files or belong to a lesson have tests of their own.
    guard command.group != .learn else { return }
    // Some examples are about a message, some about the end.
    for example in command.examples where !example.hasSuffix(".txt") && !example.hasSuffix("run.svg") {
      let output = Self.late.evaluated(example)
      #expect(!output.isError || !Self.early.evaluated(example).isError, "\(example): \(output.text)")
    }
  }

  private static let early = Bench.session("open L1-01", "set seed = 101", "goto 3", "fork before")
  private static let late = Bench.session("open L1-01", "set seed = 101", "run", "fork before")

  @Test("no output is wider than 80 columns", arguments: ["L0-04", "L1-01", "L1-15", "L2-01", "L3-01"])
  func width(scenario: String) {
    var session = Bench.session("open \(scenario)", "run")
    for line in [
      "info", "show", "chain", "tree", "cost", "why", "why not accepted", "why not refused", "diagram", "numbers",
      "knows server", "set client.os = 7", "set server.cipherSuites = [X]", "fields nothing", "who knows nothing",
      "explain chain.expired", "attacker", "export", "os iOS 9", "diff", "matrix os", "bytes", "show session",
    ] {
      for row in session.evaluate(line).text.split(separator: "\n") {
        #expect(row.unicodeScalars.count <= 80, "\(line): \(row)")
      }
    }
  }

  @Test("only ASCII is written if the terminal supports nothing else")
  func ascii() {
    var session = Bench.session("open L0-02", "ascii on", "run")
    for line in ["diagram", "tree", "chain", "why", "diff", "show 4", "help"] {
      #expect(session.evaluate(line).text.unicodeScalars.allSatisfy { $0.isASCII }, "\(line)")
    }
    #expect(session.evaluate("diagram").text.contains("~~"), "an alteration shows without colour")
  }

  @Test(
    "an error takes two lines, and the session continues",
    arguments: [
      ("nonsense", "'nonsense'"), ("shwo", "'show'"), ("s 0x", "'0x'"),
      ("goto 999", "22"), ("step 0", ""), ("show 99", "1 to"),
      ("fork \u{1b}]0;hi\u{7}", ""), ("chain x", "'chain'"), ("next", "'step'"),
      ("L0", "'open L0'"), ("list banana", "'banana'"), ("set client.os = null", "client.os"),
      ("attacker alter ServerHello field banana to 00", "'banana'"),
      ("fields nothing", "'nothing'"), ("knows nobody", "'nobody'"),
      ("set", "hint: "), ("set a b = c", "'a b'"), ("set client.os", "hint: "),
      ("set client.oss = iOS 9", "'os'"), ("set client.os = [", "not YAML"),
      ("set client.os = { a: { b: [1", "not YAML"), ("set cases = []", "'cases'"),
      ("os amiga", "'amiga'"), ("clock yesterday", "'yesterday'"),
      ("leak nothing", "'nothing'"),
      ("attacker fly", "'fly'"), ("validator none such", "'none such'"), ("undo", ""),
      ("diff here there", "'here'"), ("goto nowhere", "'nowhere'"),
      ("why not", "why not"),
      ("matrix", "matrix"), ("sweep", "sweep"), ("sweep client.os", "client.os"),
      ("sweep client.oss a, b", "'oss'"), ("export jpeg x", "'jpeg'"),
      ("save /nowhere/at/all", "'/nowhere/at/all'"), ("export svg /nowhere/at/all", "'/nowhere/at/all'"),
      ("break on nothing", "'nothing'"), ("who knows", "who knows"),
      ("open nothing", "'nothing'"),
      ("open /etc", "scenarios"), ("ascii maybe", "\'maybe\'"), ("\u{0}\u{1b}[2J", "2J"),
    ])
  func mistakes(line: String, saying: String) {
    var session = Bench.session("open L1-01", "step 3")
    let output = session.evaluate(line)
    #expect(output.isError && output.text.contains("error: "), "\(output.text)")
    #expect(saying.isEmpty || output.text.contains(saying), "\(output.text)")
    #expect(output.complaint?.message.isEmpty == false)
    #expect(!session.evaluate("show").isError)
  }

  @Test("an unfinished run has no verdict yet")
  func unfinished() {
    for step in [1, 5, 8, 14] {
      let diagram = Bench.session("open L1-01", "goto \(step)").evaluated("diagram").text
      #expect(!diagram.contains("✓ accepted") && !diagram.contains("hangs"))
    }
    #expect(Bench.session("open L1-01", "goto 22").evaluated("diagram").text.contains("✓ accepted"))
  }

  @Test("a wrong path or value is shown with a caret below it")
  func carets() {
    let session = Bench.session("open L1-01")
    let path = session.evaluated("set client.oss = iOS 9").text
    #expect(path.contains("<set>:1:12: error:") && path.contains("\n  set client.oss = iOS 9\n             ^"))
    let value = session.evaluated("  set   server.versions  =  [TLSv9]").text
    #expect(value.contains("\n  set server.versions = [TLSv9]\n                         ^"), "\(value)")
  }

  @Test("a change may leave entries unused that other cases of the file use")
  func unused() {
    let output = Bench.session("open L4-01").evaluated("set server.presents = [Issuing]")
    #expect(!output.isError && !output.text.contains("warning: "), "\(output.text)")
  }

  @Test("matrix and sweep play each value, and an interruption ends only that command")
  func interruption() {
    var session = Session(workbench: Bench.workbench, style: TextStyle()) { true }
    _ = session.evaluate("open L1-01")
    #expect(session.evaluate("sweep seed 1..9").text.contains("interrupted after 0 of 9"))
    #expect(!session.evaluate("step").isError)
    let table = Bench.session("open L1-01").evaluated("sweep client.os iOS 8, iOS 9").text
    #expect(table.contains("✓ accepted") && table.contains("1 accepted, 1 refused"))
  }

  @Test(
    "completions offer the possible words",
    arguments: [
      ("kno", "knows"), ("show ser", "server"), ("show Root", "Root"), ("set client.o", "client.os"),
      ("why na", "name.mismatch"), ("why not a", "accepted"), ("who knows client_r", "client_random"),
      ("derive master_secret as s", "server"), ("open L1-1", "L1-15"), ("open L1-15 iOS 8 has", "has"),
      ("break on Server", "ServerHello"), ("os iOS 9", ""), ("export sv", "svg"), ("help sw", "sweep"),
      ("goto be", "before"), ("diff be", "before"), ("fields ran", "random"),
    ])
  func completion(line: String, word: String) {
    let session = Bench.session("open L1-01", "step 3", "fork before")
    let offered = session.completions(of: line)
    #expect(word.isEmpty || offered?.contains(word) == true, "\(line): \(offered ?? [])")
  }

  @Test("file names are completed from the file system")
  func files() { #expect(Bench.session().completions(of: "save les") == nil) }
}

extension Session {
  /// The output of a line, in a copy of the session.
  func evaluated(_ line: String) -> Output {
    var session = self
    return session.evaluate(line)
  }
}
